"""One node of OpenSearch for the benchmark of search, from Maven's jars, with an index of moments: sorted as it is
read, so that a search ends with its page; texts by the standard analyser, which takes Chinese letter by letter."""

import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from harness import Bench, BenchFailed
from ports import free_ports

FILES = Path(__file__).parent / "opensearch"
HEAP = "1g"  # as much as PostgreSQL has for its buffers
START_DEADLINE_S = 120
DOCUMENTS_AT_ONCE = 5_000
NETTY = "io.netty,org.opensearch.plugin"
# What OpenSearch's own start script says beside the heap.
JVM = [f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch", "-Djava.security.manager=allow",
       "-Dopensearch.distribution.type=tar", "-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true",
       "-Dlog4j2.disable.jmx=true"]


class OpenSearch:
    def __init__(self, bench: Bench):
        self.home = bench.scratch / "opensearch"
        self.port, transport = free_ports(2)
        self._lay_out(transport)
        words = ["java", *JVM, f"-Djava.io.tmpdir={self.home}/tmp", f"-Dopensearch.path.home={self.home}",
                 f"-Dopensearch.path.conf={self.home}/config", "-cp", f"{self.home}/lib/*",
                 "org.opensearch.bootstrap.OpenSearch"]
        if os.getuid() == 0:
            shutil.chown(self.home, "tideline", "tideline")
            for path in self.home.rglob("*"):
                shutil.chown(path, "tideline", "tideline")
            words = ["setpriv", "--reuid=tideline", "--regid=tideline", "--init-groups", "--", *words]
        self.log = self.home / "console"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, cwd=self.home, stdout=log, stderr=log)
        self._await_answer()
        self.ask("PUT", "/moment", (FILES / "index.json").read_text())

    def _lay_out(self, transport: int) -> None:
        module = self.home / "modules" / "transport-netty4"
        for folder in (module, self.home / "lib", self.home / "config", self.home / "tmp"):
            folder.mkdir(parents=True)
        for target, which in ((self.home / "lib", "exclude"), (module, "include")):
            done = subprocess.run(["mvn", "-q", "-B", "-f", FILES / "pom.xml", "dependency:copy-dependencies",
                                   "-DincludeScope=runtime", f"-D{which}GroupIds={NETTY}",
                                   f"-DoutputDirectory={target}"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise BenchFailed(f"Maven could not get OpenSearch: {done.stdout[-1000:]}")
        version = re.search(r"<opensearch.version>(.*)</", (FILES / "pom.xml").read_text())[1]
        descriptor = (FILES / "plugin-descriptor.properties").read_text().replace("@VERSION@", version)
        (module / "plugin-descriptor.properties").write_text(descriptor)
        shutil.copy(FILES / "plugin-security.policy", module)
        shutil.copy(FILES / "log4j2.properties", self.home / "config")
        (self.home / "config" / "opensearch.yml").write_text(
            f"discovery.type: single-node\nnetwork.host: 127.0.0.1\nhttp.port: {self.port}\n"
            f"transport.port: {transport}\n")

    def _await_answer(self) -> None:
        give_up = time.monotonic() + START_DEADLINE_S
        while True:
            try:
                return self.ask("GET", "/_cluster/health?wait_for_status=green&timeout=5s") and None
            except OSError:
                if self.process.poll() is not None or time.monotonic() > give_up:
                    self.stop()
                    raise BenchFailed(f"OpenSearch does not answer: {self.log.read_text()[-2000:]}") from None
                time.sleep(0.2)

    def ask(self, method: str, path: str, body: str = "") -> dict:
        """By curl: a module beside this one has the name of Python's http."""
        line = ["curl", "-sS", "-X", method, "-H", "Content-Type: application/json", "--data-binary", "@-",
                f"http://127.0.0.1:{self.port}{path}"]
        done = subprocess.run(line, input=body, capture_output=True, text=True)
        if done.returncode != 0:
            raise ConnectionError(done.stderr)
        answer = json.loads(done.stdout)
        if "error" in answer:
            raise BenchFailed(f"OpenSearch, {method} {path}: {answer['error']}")
        return answer

    def fill(self, lines: Iterable[str]) -> float:
        """Of two lines for each document. The seconds until all can be found and are on the disk."""
        took = 0.0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as senders:
            lines = iter(lines)
            while bulks := ["".join(part) for _ in range(8)
                            if (part := list(itertools.islice(lines, 2 * DOCUMENTS_AT_ONCE)))]:
                begun = time.monotonic()
                for answer in senders.map(lambda bulk: self.ask("POST", "/moment/_bulk", bulk), bulks):
                    if answer["errors"]:
                        raise BenchFailed("OpenSearch refused documents")
                took += time.monotonic() - begun
        begun = time.monotonic()
        self.ask("POST", "/moment/_flush")
        self.ask("POST", "/moment/_refresh")
        took += time.monotonic() - begun
        # To its advantage, as PostgreSQL's tables are vacuumed.
        self.ask("POST", "/moment/_forcemerge?max_num_segments=1")
        self.ask("POST", "/moment/_refresh")
        return took

    def bytes(self) -> int:
        return self.ask("GET", "/moment/_stats/store")["_all"]["primaries"]["store"]["size_in_bytes"]

    def found(self, query: str) -> list[str]:
        hits = self.ask("POST", "/moment/_search", query)["hits"]["hits"]
        return [str(hit["_source"]["id"]) for hit in hits]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
