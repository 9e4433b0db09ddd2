"""The newest 20 moments that have all words of a question and that the viewer may see, of a million moments by some
thirty thousand people over a year and a half: from the service over HTTP (its tables are filled by COPY, its index by
the projection's own code from sealed events), from PostgreSQL by ILIKE over clear texts, without and with an index of
trigrams, and from OpenSearch with the viewer's contacts in each request. Two clients ask, each one question after the
other; all servers get the same questions. Before anything is measured, each server's answers are compared with what a
look at every text finds. The size and the making of an index are measured once; ours are memory of the service, which
keeps contacts and rules of all moments, and of PostgreSQL. TIDELINE_BENCH_MOMENTS: how many, for a machine with less
time."""

import json
import os
import subprocess
import time
import urllib.parse

from feed_servers import FeedServers
from harness import Bench, BenchFailed, say
from opensearch_server import OpenSearch

MOMENTS, QUICK_MOMENTS = 1_000_000, 20_000
PEOPLE, QUICK_PEOPLE = 30_000, 2_000
CONTACTS = 150
CLIENTS = 2
PAGE = 20
PAGES_READ = 5  # of each question that is compared
GOAL_P99_MS = 50.0

KINDS = ["a common word", "a middling word", "a rare word", "two common words", "a common and a middling word",
         "two letters of Chinese", "a rare word of Chinese"]
ILIKE, TRIGRAMS, OPENSEARCH = "PostgreSQL, ILIKE", "PostgreSQL, ILIKE with pg_trgm", "OpenSearch 2.19"
# How long a turn of each takes: whoever is slow needs more time for as many answers.
SECONDS = {"ours": 5, ILIKE: 30, TRIGRAMS: 10, OPENSEARCH: 5}

CASES = [f"{share} of {kind}, {peer}" for peer in (ILIKE, TRIGRAMS, OPENSEARCH) for kind in ["all", *KINDS]
         for share in ("p50", "p99")]
CASES += [f"index, bytes a moment, {peer}" for peer in (TRIGRAMS, OPENSEARCH)]
CASES += [f"moments indexed, {peer}" for peer in (TRIGRAMS, OPENSEARCH)]
CASES += [f"memory of all servers, {OPENSEARCH}"]


class Search:
    def __init__(self, bench: Bench, servers: FeedServers, corpus: list[str], moments: int):
        self.bench = bench
        self.servers = servers
        self.corpus = corpus
        self.moments = moments
        self.ours = servers.start("service")
        self.questions = [json.loads(line) for line in self.lines("questions")]

    def lines(self, command: str):
        """What the client prints."""
        line = [str(self.bench.path_of("tideline-bench-search")), command, *self.corpus]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            yield from process.stdout
        if process.returncode != 0:
            raise BenchFailed(f"{command} ended with {process.returncode}")

    def page(self, port: int, question: dict, after: str | None) -> dict:
        asked = {"query": question["query"], **({"after": after} if after else {})}
        return self.bench.command("curl", "-sf", "-H", f"Authorization: Bearer {question['viewer']}",
                                  f"http://127.0.0.1:{port}/v1/moments/search?{urllib.parse.urlencode(asked)}")

    def expect(self, who: str, question: dict, found: list[str], all_found: bool) -> None:
        right = question["ids"] if all_found else question["ids"][: len(found)]
        if found != right:
            raise BenchFailed(f"{who}, {question['query']!r} by {question['viewer']}: {found[:5]}... "
                              f"({len(found)}) instead of {right[:5]}... ({len(right)})")

    def compare_ours(self) -> None:
        """Exactly what may be seen, page after page."""
        short = 0
        for question in self.questions:
            found, after = [], None
            for _ in range(PAGES_READ):
                page = self.page(self.ours.port, question, after)
                found += [item["id"] for item in page["items"]]
                after = page["after"]
                short += after is not None and len(page["items"]) < PAGE
                if after is None:
                    break
            self.expect("the service", question, found, all_found=after is None)
        say(f"  {self.bench.name}: the service finds what may be seen for {len(self.questions)} questions; "
            f"{short} of their pages were short")

    def compare_peer(self, peer: str, find) -> None:
        """The first page of each. An analyser of OpenSearch does not know what stands between letters."""
        questions = [question for question in self.questions
                     if peer != OPENSEARCH or "Chinese" not in question["kind"]]
        for question in questions:
            self.expect(peer, question, find(question), all_found=len(question["ids"]) < PAGE)

    def load(self, port: int, who: str, turn: int) -> dict:
        seconds = 2 if self.bench.quick else SECONDS[who]
        return self.bench.program("tideline-bench-search", "load", *self.corpus, "--port", port, "--seconds", seconds,
                                  "--connections", CLIENTS, "--first", (turn + 1) * 1_000_000,
                                  *(["--opensearch"] if who == OPENSEARCH else []))["kinds"]

    def measure(self, peer: str, port: int) -> None:
        """p99 of all, and what else the same turns have seen."""
        seen: dict[str, list[dict]] = {"ours": [], "theirs": []}

        def turn(whose: str, at: int, who: str) -> float:
            seen[whose].append(self.load(at, who, len(seen[whose])))
            return seen[whose][-1]["all"]["p99"]

        def again(whose: str, kind: str, share: str):
            figures = iter([one[kind][share] for one in seen[whose]])
            return lambda: next(figures)

        self.bench.compare(f"p99 of all, {peer}", "ms", ours=lambda: turn("ours", self.ours.port, "ours"), peer=peer,
                           theirs=lambda: turn("theirs", port, peer), smaller_is_better=True, ours_goal=GOAL_P99_MS)
        for kind in ["all", *KINDS]:
            for share in ("p50", "p99"):
                if (kind, share) != ("all", "p99"):
                    self.bench.compare(f"{share} of {kind}, {peer}", "ms", ours=again("ours", kind, share), peer=peer,
                                       theirs=again("theirs", kind, share), smaller_is_better=True)

    def once(self, case: str, unit: str, ours: float, peer: str, theirs: float, smaller_is_better: bool) -> None:
        """What a benchmark has one of: all rounds are the same."""
        self.bench.compare(f"{case}, {peer}", unit, ours=lambda: ours, peer=peer, theirs=lambda: theirs,
                           smaller_is_better=smaller_is_better)


def sql(conninfo: str, statement: str) -> str:
    done = subprocess.run(["psql", conninfo, "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", statement], capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise BenchFailed(f"psql: {done.stderr}")
    return done.stdout.strip()


def memory_bytes(root: int) -> int:
    """Of a process and its children; what they share counts once."""
    pids = subprocess.run(["pgrep", "-P", str(root)], capture_output=True, text=True).stdout.split()
    total = 0
    for pid in [str(root), *pids]:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
            total += sum(int(line.split()[1]) * 1024 for line in rollup if line.startswith("Pss:"))
    return total


def against_postgres(search: Search, ours_bytes: float, ours_per_s: float) -> None:
    servers, moments = search.servers, search.moments
    query = servers.start("query")

    def find(question: dict) -> list[str]:
        return [item["id"] for item in search.page(query.port, question, None)["items"]]

    search.compare_peer(ILIKE, find)
    search.measure(ILIKE, query.port)
    begun = time.monotonic()
    sql(servers.query_database, "CREATE EXTENSION pg_trgm")
    sql(servers.query_database, "SET maintenance_work_mem = '1GB'; CREATE INDEX trigrams ON moment USING gin"
                                " (content gin_trgm_ops)")
    took = time.monotonic() - begun
    servers.postgres.settle("query")
    search.compare_peer(TRIGRAMS, find)
    search.measure(TRIGRAMS, query.port)
    index_bytes = int(sql(servers.query_database, "SELECT pg_relation_size('trigrams')"))
    search.once("index, bytes a moment", "bytes", ours_bytes, TRIGRAMS, index_bytes / moments, smaller_is_better=True)
    search.once("moments indexed", "moments/s", ours_per_s, TRIGRAMS, moments / took, smaller_is_better=False)


def against_opensearch(search: Search, ours_bytes: float, ours_per_s: float) -> None:
    moments = search.moments
    server = OpenSearch(search.bench)
    try:
        took = server.fill(search.lines("documents"))
        search.compare_peer(OPENSEARCH, lambda question: server.found(question["opensearch"]))
        search.measure(OPENSEARCH, server.port)
        search.once("index, bytes a moment", "bytes", ours_bytes, OPENSEARCH, server.bytes() / moments,
                    smaller_is_better=True)
        search.once("moments indexed", "moments/s", ours_per_s, OPENSEARCH, moments / took, smaller_is_better=False)
        ours = sum(memory_bytes(pid) for pid in search.servers.pids(search.ours))
        search.once("memory of all servers", "bytes", ours, OPENSEARCH, memory_bytes(server.process.pid),
                    smaller_is_better=True)
    finally:
        server.stop()


def run(bench: Bench) -> None:
    moments = QUICK_MOMENTS if bench.quick else int(os.environ.get("TIDELINE_BENCH_MOMENTS", MOMENTS))
    people = QUICK_PEOPLE if bench.quick else PEOPLE
    corpus = ["--people", str(people), "--contacts-mean", str(CONTACTS), "--corpus", str(moments)]
    with FeedServers(bench, corpus) as servers:
        for database in ("feed", "query"):
            servers.postgres.settle(database)
        search = Search(bench, servers, corpus, moments)
        search.compare_ours()
        feed = servers.options[servers.options.index("--database") + 1]
        ours_bytes = int(sql(feed, "SELECT pg_total_relation_size('moment_search')")) / moments
        ours_per_s = moments / servers.filled["search_s"]
        against_postgres(search, ours_bytes, ours_per_s)
        against_opensearch(search, ours_bytes, ours_per_s)
