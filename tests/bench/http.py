"""The HTTP edge with a small JSON answer: ours as services run it, on one reactor thread, with its
workers and its metrics. Peers on the same processor: nginx with a constant answer, and stock Pistache,
which takes no pipelined requests (of those that come together it answers the first)."""

from harness import Bench
from web_servers import WebServers, compare_turns

PIPELINED = 16
GOAL_NGINX = 0.8
GOAL_PISTACHE = 2.0
LOAD = 0.7

CASES = [
    "keep-alive, nginx",
    "keep-alive, stock Pistache",
    f"{PIPELINED} pipelined, nginx",
    "new connections, nginx",
    "new connections, stock Pistache",
    f"p99 latency at {LOAD:.0%} load",
]


def run(bench: Bench) -> None:
    seconds = 1 if bench.quick else 4
    with WebServers(bench) as servers:
        ours = servers.ours()
        pistache = servers.pistache()
        nginx = servers.nginx(body=servers.answer_of(ours))
        fastest = {ours: 0.0, nginx: 0.0}

        def turns(server, *more: str):
            def turn():
                measured = server.wrk("/small", seconds, *more)
                fastest[server] = max(fastest.get(server, 0.0), measured.requests_per_s)
                return measured
            return turn

        compare_turns(bench, "keep-alive, nginx", "requests/s", turns(ours), turns(nginx), "nginx", GOAL_NGINX)
        rates = {server: fastest[server] * LOAD for server in (ours, nginx)}
        compare_turns(bench, "keep-alive, stock Pistache", "requests/s", turns(ours), turns(pistache),
                      "Pistache 0.0.5", GOAL_PISTACHE)
        together = servers.pipeline(PIPELINED)
        compare_turns(bench, f"{PIPELINED} pipelined, nginx", "requests/s", turns(ours, *together),
                      turns(nginx, *together), "nginx", GOAL_NGINX)
        new = ["-H", "Connection: close"]
        compare_turns(bench, "new connections, nginx", "connections/s", turns(ours, *new), turns(nginx, *new),
                      "nginx", GOAL_NGINX)
        # Most of it is the kernel's work: nginx, too, is no faster than Pistache here.
        compare_turns(bench, "new connections, stock Pistache", "connections/s", turns(ours, *new),
                      turns(pistache, *new), "Pistache 0.0.5", GOAL_PISTACHE)
        bench.compare(f"p99 latency at {LOAD:.0%} load", "ms",
                      ours=lambda: servers.p99_ms(ours, rates[ours], seconds),
                      peer="nginx at as much of its load",
                      theirs=lambda: servers.p99_ms(nginx, rates[nginx], seconds), smaller_is_better=True)
