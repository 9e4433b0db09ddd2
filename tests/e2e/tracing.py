#!/usr/bin/env python3
"""tracing.py BUILD: one request's trace through accounts, the topics and social-graph, to a collector.

Somebody who has a contact closes the account, in a request that is part of a trace with a state. All that
it causes, in both services, must come to the collector as spans of that trace, within the request's own
span, and the events of both must carry it. Requests whose trace is not sampled must not be there.
Everything runs in a folder and on ports of its own.
"""
import http.server
import json
import pathlib
import shutil
import sys
import threading

from parts import Service, fail, free_ports, kill, part, program, query, registration, temporary_folder, until

BUILD = pathlib.Path(sys.argv[1])
SERVICES = {"accounts": "tideline_accounts", "social-graph": "tideline_social_graph"}
TRACE, CLIENT_SPAN, STATE = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "rojo=1,congo=t61rcWkgMzE"
SERVER, CLIENT, CONSUMER = 2, 3, 5


class Collector:
    """Keeps the spans that it is sent, with the name of their service."""

    def __init__(self):
        self.spans, self.lock = [], threading.Lock()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with collector.lock:
                    for resource in sent["resourceSpans"]:
                        service = resource["resource"]["attributes"][0]["value"]["stringValue"]
                        for scope in resource["scopeSpans"]:
                            collector.spans += [{**span, "service": service} for span in scope["spans"]]
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of_trace(self, trace):
        with self.lock:
            return [span for span in self.spans if span["traceId"] == trace]


class Suite:
    def __init__(self, folder):
        self.folder = folder
        self.collector = Collector()
        self.pg_port, *self.kafka_ports, accounts, graph = free_ports(5)
        self.ports = {"accounts": accounts, "social-graph": graph}
        self.accounts, self.graph = Service(accounts), Service(graph)

    def start(self):
        part("postgres", "start", "--data", f"{self.folder}/pg", "--port", self.pg_port, "--shared-buffers", "64MB")
        for database in SERVICES.values():
            part("postgres", "database", "--data", f"{self.folder}/pg", "--name", database)
        part("kafka", "start", "--data", f"{self.folder}/kafka", "--heap", "320m", "--port", self.kafka_ports[0],
             "--controller-port", self.kafka_ports[1])
        kid = part("secrets", "--data", f"{self.folder}/secrets").splitlines()[-1]
        for name, database in SERVICES.items():
            settings = [f"TIDELINE_OTLP_ENDPOINT={self.collector.endpoint}"]
            if name == "accounts":
                settings.append(f"TIDELINE_JWT_SIGNING_KEY={self.folder}/secrets/jwt/{kid}.pem")
            part("services", "start", "--data", f"{self.folder}/{name}", "--name", name, "--binary",
                 program(BUILD, name), "--port", self.ports[name], "--database",
                 f"{self.folder}/pg/databases/{database}", "--brokers", f"127.0.0.1:{self.kafka_ports[0]}",
                 "--secrets", f"{self.folder}/secrets", *[word for one in settings for word in ("--set", one)])

    def ask(self, service, sql):
        return query(pathlib.Path(f"{self.folder}/pg/databases/{SERVICES[service]}").read_text().strip(), sql)

    def reaction_has_passed_own_events(self):
        passed = "SELECT sum(position) FROM projection_checkpoint WHERE projection = 'closed-accounts' AND service = 'social-graph'"
        return self.ask("social-graph", f"SELECT ({passed}) = count(*) FROM event") == [["t"]]

    def traces_of(self, service, kind):
        """What the events of that type carry."""
        return ["|".join(row) for row in self.ask(service, f"SELECT translate(traceparent, ' ', '+') FROM event WHERE type = '{kind}'")]

    def stop(self):
        for name in SERVICES:
            kill(f"{self.folder}/{name}", "services")
        kill(f"{self.folder}/kafka", "kafka")
        kill(f"{self.folder}/pg", "postgres")
        self.collector.server.shutdown()


def make_contact(suite):
    """Unsampled, so that the collector hears of nothing else; returns who is to close the account."""
    quiet = f"00-{'a' * 32}-{'b' * 16}-00"
    people = []
    for user in ("ada", "ben"):
        headers, answer = suite.accounts.expect(201, "POST", "/v1/accounts", None, registration(user), traceparent=quiet)
        people.append((user, answer["session"]["access_token"], headers["Tideline-Position"]))
    (ada, ada_token, ada_position), (ben, ben_token, ben_position) = people

    # The two lie in partitions of their own: that one of them is known says nothing of the other.
    def answers(wanted, path, token, body, position):
        status, _, text = suite.graph.call("POST", path, token, body, Tideline_Position=position,
                                           Idempotency_Key=path, traceparent=quiet)
        if status not in (wanted, 404, 503):
            fail(f"POST {path}: {status} {text}")
        return status == wanted
    until(f"social-graph knows {ben}",
          lambda: answers(201, "/v1/contact-requests", ada_token, {"user_id": ben}, ben_position))
    until(f"social-graph knows {ada}",
          lambda: answers(200, f"/v1/contact-requests/{ada}/accept", ben_token, None, ada_position))
    # What a closing ends may otherwise be ended as begun too late, which the trace of the beginning causes.
    until("the reaction has looked at the contact", lambda: suite.reaction_has_passed_own_events(), 30)
    if suite.collector.of_trace("a" * 32):
        fail(f"spans of what is not sampled: {suite.collector.of_trace('a' * 32)}")
    return ada, ada_token


def described(span):
    attributes = {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}
    detail = attributes.get("tideline.projection") or attributes.get("tideline.event_types", "")
    return span["service"].removeprefix("tideline-"), span["kind"], span["name"], detail


def check_trace(suite):
    def spans():
        return suite.collector.of_trace(TRACE)

    # In both services the request or the reaction appends, and each event is applied.
    wanted = {("accounts", SERVER, "DELETE /v1/me", ""),
              ("accounts", CONSUMER, "apply AccountClosed", "accounts"),
              ("social-graph", CONSUMER, "apply AccountClosed", "closed-accounts"),
              ("social-graph", CONSUMER, "apply ContactRemoved", "graph")}
    appended = {"accounts": "AccountClosed", "social-graph": "ContactRemoved"}

    def missing():
        seen = {described(span) for span in spans()}
        appends = [service for service, kind in appended.items()
                   if not any(one[:3] == (service, CLIENT, "append") and kind in one[3].split() for one in seen)]
        return sorted(wanted - seen) + appends
    until(lambda: f"missing {missing()} of {[described(span) for span in spans()]}", lambda: not missing(), 30)

    request = next(span for span in spans() if span["kind"] == SERVER)
    if request.get("parentSpanId") != CLIENT_SPAN:
        fail(f"the request is not within the client's span: {request}")
    for span in spans():
        if span is not request and span["kind"] != SERVER and span.get("parentSpanId") != request["spanId"]:
            fail(f"not within the request: {span}")
        if span.get("traceState") != STATE:
            fail(f"the state is lost: {span}")
    for service, kind in appended.items():
        carried = f"00-{TRACE}-{request['spanId']}-01+{STATE}"
        if carried not in suite.traces_of(service, kind):
            fail(f"{kind} carries {suite.traces_of(service, kind)} instead of {carried}")
    print("\n".join(" ".join(map(str, described(span))) for span in spans()))


def main():
    folder = temporary_folder("tracing")
    suite = Suite(folder)
    try:
        suite.start()
        user, token = make_contact(suite)
        suite.accounts.expect(204, "DELETE", "/v1/me", token, {"password": f"tideline-{user}"},
                              traceparent=f"00-{TRACE}-{CLIENT_SPAN}-01", tracestate=STATE.replace(",", " , ") + ",")
        check_trace(suite)
        print("done")
    finally:
        suite.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
