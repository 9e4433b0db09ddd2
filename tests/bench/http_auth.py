"""What it costs to know who is asking: the same answer with a token, whose signature was verified
once, and without. Peer: our own public route."""

from harness import Bench
from web_servers import WebServers, compare_turns

CASES = ["a token that is remembered"]


def run(bench: Bench) -> None:
    seconds = 1 if bench.quick else 4
    with WebServers(bench) as servers:
        server = servers.ours()
        bearer = ["-H", f"Authorization: Bearer {server.token}"]
        compare_turns(bench, CASES[0], "requests/s",
                      ours=lambda: server.wrk("/mine", seconds, *bearer),
                      theirs=lambda: server.wrk("/small", seconds),
                      peer="the public route", goal=0.8)
