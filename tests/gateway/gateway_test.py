"""The gateway's configuration under a real HAProxy, with stubs in place of the services.

Every stub answers with what has reached it; so a test sees both sides of the gateway.
"""
import base64
import http.client
import json
import os
import socket
import subprocess
import time
import unittest

from running_gateway import CONFIGURATION, SERVICES, RunningGateway
from stubs import Stub, encode, encode_account, es256, shard_of, start_stub

ACCOUNT = "a" * 25 + "q"
BODY_BYTES_MAX = 1000
LARGE_BODY_BYTES_MAX = 100_000
RATE_LARGE_ACCOUNT = 5
RATE_ACCOUNT = 40
RATE_ANONYMOUS = 60
IN_FLIGHT_ACCOUNT = 12
STREAMS_ACCOUNT = 3
CONNECTIONS_SOURCE = 50


class Gateway(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stubs = [start_stub(service) for service in SERVICES]
        cls.gateway = RunningGateway(
            {stub.service: f"127.0.0.1:{stub.server_port}" for stub in cls.stubs},
            TIDELINE_BODY_BYTES_MAX=str(BODY_BYTES_MAX),
            TIDELINE_LARGE_BODY_BYTES_MAX=str(LARGE_BODY_BYTES_MAX),
            TIDELINE_RATE_LARGE_ACCOUNT=str(RATE_LARGE_ACCOUNT),
            TIDELINE_RATE_ACCOUNT=str(RATE_ACCOUNT),
            TIDELINE_RATE_ANONYMOUS=str(RATE_ANONYMOUS),
            TIDELINE_CORS_ORIGINS="https://campus.example https://app.example",
            TIDELINE_HSTS_SECONDS="31536000",
            TIDELINE_IN_FLIGHT_ACCOUNT=str(IN_FLIGHT_ACCOUNT),
            TIDELINE_STREAMS_ACCOUNT=str(STREAMS_ACCOUNT),
            TIDELINE_CONNECTIONS_SOURCE=str(CONNECTIONS_SOURCE),
            TIDELINE_ARRIVAL_TIME="2s",
            TIDELINE_FORWARDED_FROM="192.0.2.0/24 127.0.0.8",
            TIDELINE_PROXY_PROTOCOL_FROM="127.0.0.9",
        )
        cls.folder, cls.port = cls.gateway.folder, cls.gateway.port
        cls.operations_port = cls.gateway.operations_port

    @classmethod
    def tearDownClass(cls):
        cls.gateway.close()
        for stub in cls.stubs:
            stub.shutdown()
            stub.server_close()

    @classmethod
    def send(cls, method, path, headers=(), body=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or cls.port, timeout=10)
        try:
            connection.putrequest(method, path)
            for name, value in headers:
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            answer.text = answer.read().decode()
            return answer
        finally:
            connection.close()

    def token(self, key="current", header=None, **claims):
        head = {"alg": "ES256", "kid": "current", "typ": "JWT", **(header or {})}
        now = int(time.time())
        payload = {"iss": "tideline", "aud": "tideline", "sub": ACCOUNT, "roles": ["user"], "iat": now, "exp": now + 60}
        payload.update(claims)
        payload = {name: value for name, value in payload.items() if value is not None}
        signed = f"{encode(head)}.{encode(payload)}"
        return f"{signed}.{encode(es256(self.folder / f'{key}.key', signed.encode()))}"

    def bearer(self, **claims):
        # An account of its own for each test: the limit is by account.
        claims.setdefault("sub", encode_account(self.id()))
        return [("Authorization", "Bearer " + self.token(**claims))]

    def problem(self, answer, status):
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(answer.getheader("Content-Type"), "application/problem+json")
        self.assertEqual(json.loads(answer.text)["status"], status)
        return json.loads(answer.text)

    def reached(self, answer):
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.text)

    # --- routes

    def test_each_path_reaches_its_service(self):
        routes = {
            "ACCOUNTS": ["/v1/accounts/7", "/v1/sessions/current", "/v1/me", "/v1/profiles/001"],
            "PROJECTS": ["/v1/projects", "/v1/projects/a/comments", "/v1/voting-board?after=x", "/v1/projects-export"],
            "SOCIAL_GRAPH": [
                "/v1/contacts",
                "/v1/contact-requests/9/accept",
                "/v1/contact-suggestions",
                "/v1/social-graph-export",
                "/v1/follows",
                "/v1/tags",
                "/v1/groups/g/members",
                "/v1/moment-settings",
            ],
            "FEED": ["/v1/moments/1", "/v1/images", "/v1/timeline", "/v1/messages/inbox", "/v1/moment-cases", "/v1/notifications", "/v1/feed-export"],
            "SCORING": ["/v1/points", "/v1/leaderboard", "/v1/ranks", "/v1/ratings/people", "/v1/calendars/2026", "/v1/statistics"],
        }
        bearer = self.bearer()
        for service, paths in routes.items():
            for path in paths:
                answer = self.reached(self.send("GET", path, bearer))
                self.assertEqual((answer["service"], answer["path"]), (service, path))

    def test_other_paths_are_unknown(self):
        for path in ("/", "/v1", "/v2/me", "/v1/meadow", "/v1/momentsx", "/metrics", "/readyz", "/livez"):
            self.problem(self.send("GET", path, self.bearer()), 404)
            self.problem(self.send("GET", path), 404)

    def test_second_spellings_of_a_path_are_refused(self):
        for path in ("/v1/me/../timeline", "//v1/me", "/v1//me", "/v1/me/%2e%2e/timeline", "/v1%2Fme", "/v1/me/%00"):
            self.problem(self.send("GET", path, self.bearer()), 400)

    def test_methods_that_no_service_takes(self):
        for method in ("TRACE", "CONNECTED", "PROPFIND"):
            answer = self.send(method, "/v1/me", self.bearer())
            self.problem(answer, 405)
            self.assertIn("GET", answer.getheader("Allow"))

    # --- tokens

    def test_no_start_without_the_key_that_tokens_are_checked_by(self):
        environment = {name: "127.0.0.1:1" for name in ("TIDELINE_GATEWAY_BIND", "TIDELINE_GATEWAY_METRICS_BIND")}
        for key, starts in ((self.folder / "current.pem", True), (self.folder / "none.pem", False)):
            done = subprocess.run(
                ["haproxy", "-c", "-f", str(CONFIGURATION)], capture_output=True, check=False,
                env={**os.environ, **environment, "TIDELINE_JWT_KID": "current", "TIDELINE_JWT_KEY": str(key)})
            self.assertEqual(done.returncode == 0, starts, done.stderr)

    def test_routes_without_a_token(self):
        for method, path in (
            ("POST", "/v1/accounts"),
            ("POST", "/v1/sessions"),
            ("POST", "/v1/sessions/refresh"),
            ("GET", "/.well-known/jwks.json"),
        ):
            self.assertEqual(self.reached(self.send(method, path))["service"], "ACCOUNTS")

    def test_the_same_paths_otherwise_need_one(self):
        for method, path in (
            ("GET", "/v1/accounts"),
            ("DELETE", "/v1/sessions"),
            ("POST", "/v1/accounts/"),
            ("POST", "/v1/sessions/refresh/x"),
            ("POST", "/.well-known/jwks.json"),
        ):
            self.problem(self.send(method, path), 401)

    def test_a_link_to_what_lies_under_its_hash_needs_no_token(self):
        image = "/v1/moments/7/images/" + "0b" * 32
        link = f"{image}?reader={ACCOUNT}&expires=1800000000&signature=abc"
        said = self.reached(self.send("GET", link))
        self.assertEqual(said["path"], link)
        self.assertIn(["x-tideline-shard", shard_of(ACCOUNT)], said["headers"])
        self.problem(self.send("PUT", link), 401)
        self.problem(self.send("GET", link.replace(ACCOUNT, "A" * 26)), 401)
        self.problem(self.send("GET", image), 401)
        self.problem(self.send("GET", f"/v1/timeline?reader={ACCOUNT}&signature=abc"), 401)
        self.problem(self.send("GET", link, [("Authorization", "Bearer bad")]), 401)

    def test_a_link_to_a_document_needs_no_token(self):
        document = "/v1/projects/" + "0" * 26 + "/documents/" + "1" * 26
        parameters = f"?reader={ACCOUNT}&expires=1800000000&signature=abc"
        for method in ("GET", "HEAD"):
            self.assertEqual(self.send(method, document + "/content" + parameters).status, 200)
        self.problem(self.send("GET", document + "/content"), 401)
        self.problem(self.send("GET", document + parameters), 401)
        self.problem(self.send("DELETE", document + "/content" + parameters), 401)

    def test_a_valid_token_passes_unchanged(self):
        bearer = self.bearer()
        said = self.reached(self.send("GET", "/v1/me", bearer))
        self.assertIn(["authorization", bearer[0][1]], said["headers"])

    def test_bad_tokens(self):
        now = int(time.time())
        unsigned = f"{encode({'alg': 'none', 'kid': 'current'})}.{self.token().split('.')[1]}."
        changed = self.token().split(".")
        changed[1] = encode({**json.loads(base64.urlsafe_b64decode(changed[1] + "==")), "roles": ["operator"]})
        tokens = {
            "alg none": unsigned,
            "alg none with a signature": self.token(header={"alg": "none"}),
            "HS256 with the public key": self.hs256(),
            "another algorithm named": self.token(header={"alg": "ES384"}),
            "unknown kid": self.token(header={"kid": "other"}),
            "no kid": self.token(header={"kid": None}),
            "signed by a stranger": self.token(key="stranger"),
            "expired": self.token(exp=now - 1),
            "without expiry": self.token(exp=None),
            "another audience": self.token(aud="elsewhere"),
            "another issuer": self.token(iss="elsewhere"),
            "without subject": self.token(sub=None),
            "a subject that is no account": self.token(sub="admin"),
            "changed claims": ".".join(changed),
            "no token at all": "x",
            "empty": "",
        }
        for name, token in tokens.items():
            with self.subTest(name):
                answer = self.send("GET", "/v1/me", [("Authorization", f"Bearer {token}")])
                self.problem(answer, 401)
                self.assertIn("Bearer", answer.getheader("WWW-Authenticate"))
        self.problem(self.send("GET", "/v1/me"), 401)
        self.problem(self.send("GET", "/v1/me", [("Authorization", "Basic eDp5")]), 401)
        self.problem(self.send("GET", "/v1/me", self.bearer() + self.bearer()), 401)

    def hs256(self):
        signed = f"{encode({'alg': 'HS256', 'kid': 'current'})}.{self.token().split('.')[1]}"
        public = (self.folder / "current.pem").read_text()
        code = subprocess.run(
            ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:" + public.encode().hex(), "-binary"],
            input=signed.encode(),
            capture_output=True,
            check=True,
        ).stdout
        return f"{signed}.{encode(code)}"

    # --- headers

    def test_identity_headers_from_outside_are_dropped(self):
        forged = [
            ("X-Tideline-Account", "someone"),
            ("X-Tideline-Forwarded", "1"),
            ("x-tideline-shard", "zz"),
            ("X-Forwarded-For", "203.0.113.9"),
            ("X-Forwarded-User", "root"),
            ("Forwarded", "for=203.0.113.9"),
            ("X-Real-IP", "203.0.113.9"),
        ]
        bearer = self.bearer()
        said = self.reached(self.send("GET", "/v1/timeline", bearer + forged))["headers"]
        ours = {name: value for name, value in said if name.startswith(("x-tideline", "x-forwarded", "forwarded", "x-real"))}
        self.assertEqual(
            ours,
            {
                "x-tideline-shard": shard_of(encode_account(self.id())),
                "x-forwarded-for": "127.0.0.1",
                "x-forwarded-proto": "http",
            },
        )

    def test_request_id(self):
        def ids(answer):
            inside = [value for name, value in self.reached(answer)["headers"] if name == "x-request-id"]
            self.assertEqual(inside, [answer.getheader("X-Request-Id")])
            return inside[0]

        bearer = self.bearer()
        self.assertEqual(ids(self.send("GET", "/v1/me", bearer + [("X-Request-Id", "abc-12345")])), "abc-12345")
        made = {ids(self.send("GET", "/v1/me", bearer + extra)) for extra in (
            [],
            [("X-Request-Id", "short")],
            [("X-Request-Id", "with blanks and more")],
            [("X-Request-Id", "x" * 65)],
            [("X-Request-Id", "abc-12345"), ("X-Request-Id", "abc-12345")],
        )}
        self.assertEqual(len(made), 5)
        for one in made:
            self.assertRegex(one, r"^[0-9a-f-]{36}$")
        self.assertIsNotNone(self.send("GET", "/nothing").getheader("X-Request-Id"))

    def test_security_headers_on_every_answer(self):
        for answer in (self.send("GET", "/v1/me", self.bearer()), self.send("GET", "/nothing")):
            self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")
            self.assertEqual(answer.getheader("Content-Security-Policy"),
                             "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
            self.assertEqual(answer.getheader("Referrer-Policy"), "no-referrer")
            self.assertEqual(answer.getheader("Strict-Transport-Security"), "max-age=31536000; includeSubDomains")
            self.assertEqual(answer.getheader("Cache-Control"), "no-store")
            self.assertIsNone(answer.getheader("Server"))

    # --- browsers

    def preflight(self, origin):
        return self.send(
            "OPTIONS", "/v1/moments", [("Origin", origin), ("Access-Control-Request-Method", "POST")]
        )

    def test_cross_origin(self):
        answer = self.preflight("https://app.example")
        self.assertEqual(answer.status, 204)
        self.assertEqual(answer.getheader("Access-Control-Allow-Origin"), "https://app.example")
        self.assertIn("Idempotency-Key", answer.getheader("Access-Control-Allow-Headers"))
        self.assertIn("If-Range, Range", answer.getheader("Access-Control-Allow-Headers"))
        answer = self.send("GET", "/v1/me", self.bearer() + [("Origin", "https://campus.example")])
        self.assertEqual(answer.getheader("Access-Control-Allow-Origin"), "https://campus.example")
        self.assertIn("Tideline-Position", answer.getheader("Access-Control-Expose-Headers"))
        self.assertIn("Accept-Ranges, Content-Range", answer.getheader("Access-Control-Expose-Headers"))
        # A browser shows an application the reason of a 401 only with these headers.
        answer = self.send("GET", "/v1/me", [("Origin", "https://campus.example")])
        self.problem(answer, 401)
        self.assertEqual(answer.getheader("Access-Control-Allow-Origin"), "https://campus.example")

    def test_other_origins(self):
        for origin in ("https://evil.example", "https://app.example.evil.example", "null"):
            answer = self.preflight(origin)
            self.problem(answer, 403)
            self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))
            answer = self.send("GET", "/v1/me", self.bearer() + [("Origin", origin)])
            self.assertEqual(answer.status, 200)
            self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))

    # --- limits

    def test_body(self):
        bearer = self.bearer()
        said = self.reached(self.send("POST", "/v1/moments", bearer, b"x" * BODY_BYTES_MAX))
        self.assertEqual(said["body_bytes"], BODY_BYTES_MAX)
        self.problem(self.send("POST", "/v1/moments", bearer + [("Content-Length", str(BODY_BYTES_MAX + 1))]), 413)

    def test_larger_bodies_of_documents_and_pictures(self):
        bearer, path = self.bearer(), "/v1/projects/7/documents"
        said = self.reached(self.send("POST", path + "?title=a", bearer, b"x" * LARGE_BODY_BYTES_MAX))
        self.assertEqual(said["body_bytes"], LARGE_BODY_BYTES_MAX)
        for method, picture in (("POST", "/v1/images"), ("PUT", "/v1/projects/7/icon"), ("PUT", "/v1/me/avatar")):
            said = self.reached(self.send(method, picture, bearer, b"x" * (BODY_BYTES_MAX + 1)))
            self.assertEqual(said["body_bytes"], BODY_BYTES_MAX + 1)
        for method, other in (("PUT", path), ("POST", path + "/9"), ("POST", "/v1/projects/documents"),
                              ("POST", "/v1/projects/7/comments"), ("PUT", "/v1/images"), ("POST", "/v1/me/avatar"), ("PATCH", "/v1/me"),
                              ("POST", "/v1/moments/7/documents")):
            self.problem(self.send(method, other, bearer + [("Content-Length", str(BODY_BYTES_MAX + 1))]), 413)
        self.problem(self.send("POST", path, bearer + [("Content-Length", str(LARGE_BODY_BYTES_MAX + 1))]), 413)
        self.problem(self.send("POST", path, [("Content-Length", str(BODY_BYTES_MAX + 1))]), 401)

    def test_rate_of_larger_bodies_of_an_account(self):
        bearer, path = self.bearer(), "/v1/projects/7/documents"
        large = b"x" * (BODY_BYTES_MAX + 1)
        answers = [self.send("POST", path, bearer, large) for _ in range(RATE_LARGE_ACCOUNT + 1)]
        self.assertEqual([answer.status for answer in answers[:-1]], [200] * RATE_LARGE_ACCOUNT)
        self.problem(answers[-1], 429)
        self.reached(self.send("POST", path, bearer, b"small"))
        self.reached(self.send("POST", path, self.bearer(sub=encode_account("another")), large))

    def test_rate_of_an_account(self):
        bearer = self.bearer()
        answers = [self.send("GET", "/v1/me", bearer) for _ in range(RATE_ACCOUNT + 1)]
        self.assertEqual({answer.status for answer in answers[:-1]}, {200})
        self.problem(answers[-1], 429)
        self.assertEqual(answers[-1].getheader("Retry-After"), "2")
        # Another account is not held up.
        self.assertEqual(self.send("GET", "/v1/me", self.bearer(sub="b" * 26)).status, 200)

    def test_zz_rate_of_an_address_without_tokens(self):
        """Last of all: it uses up what the other tests need."""
        answers = [self.send("POST", "/v1/sessions") for _ in range(RATE_ANONYMOUS + 1)]
        self.assertEqual(answers[0].status, 200)
        self.problem(answers[-1], 429)
        self.assertEqual(self.send("GET", "/v1/me", self.bearer()).status, 200)

    # --- each one's share

    def test_a_body_that_trickles_in_reaches_no_service(self):
        asked = []
        original = Stub.answer

        def count(handler):
            asked.append(handler.path)
            original(handler)

        Stub.do_POST = count
        try:
            bearer = self.bearer()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            connection.putrequest("POST", "/v1/moments")
            for name, value in bearer + [("Content-Length", str(BODY_BYTES_MAX))]:
                connection.putheader(name, value)
            connection.endheaders(b"x")
            self.assertEqual(connection.getresponse().status, 408)
            connection.close()
        finally:
            Stub.do_POST = original
        self.assertEqual(asked, [])

    def test_live_timelines_of_an_account(self):
        mine = self.bearer()
        held = [self.hold("/v1/timeline/stream", mine) for _ in range(STREAMS_ACCOUNT)]
        self.assertEqual(self.send("GET", "/v1/timeline/stream", mine).status, 429)
        self.assertEqual(self.send("GET", "/v1/me", mine).status, 200)
        for connection in held:
            connection.close()

    def test_requests_at_once_of_an_account(self):
        mine = self.bearer()
        held = [self.hold("/v1/timeline/held", mine) for _ in range(IN_FLIGHT_ACCOUNT)]
        answer = self.send("GET", "/v1/me", mine)
        self.problem(answer, 429)
        self.assertTrue(answer.getheader("RateLimit"))
        self.assertEqual(self.send("GET", "/v1/me", self.bearer(sub="c" * 26)).status, 200)
        for connection in held:
            connection.close()

    def test_connections_of_an_address(self):
        """Another address than that of the other tests."""
        source = ("127.0.0.7", 0)

        def connect():
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=10, source_address=source)
            connection.sendall(b"GET /nowhere HTTP/1.1\r\nHost: t\r\n\r\n")
            return connection, connection.recv(100)

        held = [connect() for _ in range(CONNECTIONS_SOURCE)]
        self.assertTrue(all(said.startswith(b"HTTP/1.1 404") for _, said in held))
        try:
            connection, said = connect()
            connection.close()
        except ConnectionError:
            said = b""
        self.assertEqual(said, b"")
        self.assertEqual(self.send("GET", "/v1/me", self.bearer()).status, 200)
        for connection, _ in held:
            connection.close()

    def test_the_address_that_a_proxy_tells(self):
        def seen(source, *forwarded, prefix=b""):
            with socket.create_connection(("127.0.0.1", self.port), timeout=10, source_address=(source, 0)) as connection:
                lines = [f"Authorization: {self.bearer()[0][1]}", *(f"X-Forwarded-For: {one}" for one in forwarded)]
                connection.sendall(prefix + ("GET /v1/me HTTP/1.1\r\nHost: t\r\n" + "\r\n".join(lines)
                                             + "\r\nConnection: close\r\n\r\n").encode())
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                return dict(json.loads(answer.read())["headers"])["x-forwarded-for"]

        self.assertEqual(seen("127.0.0.1", "203.0.113.9"), "127.0.0.1")
        self.assertEqual(seen("127.0.0.8", "198.51.100.1, 203.0.113.9"), "203.0.113.9")
        self.assertEqual(seen("127.0.0.8"), "127.0.0.8")
        line = b"PROXY TCP4 203.0.113.5 127.0.0.1 4711 80\r\n"
        self.assertEqual(seen("127.0.0.9", prefix=line), "203.0.113.5")

    def hold(self, path, headers):
        """A request whose answer does not come until its connection is closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", path, headers=dict(headers))
        deadline = time.monotonic() + 10
        while Stub.holding.get(path, 0) == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        with Stub.lock:
            self.assertGreater(Stub.holding.get(path, 0), 0)
            Stub.holding[path] -= 1
        return connection

    # --- services that fail

    def test_a_broken_answer_is_not_asked_for_again(self):
        asked = []
        original = Stub.answer

        def count(handler):
            asked.append(handler.path)
            original(handler)

        Stub.do_POST = count
        try:
            self.problem(self.send("POST", "/v1/timeline/broken", self.bearer(), b""), 502)
        finally:
            Stub.do_POST = original
        self.assertEqual(asked, ["/v1/timeline/broken"])

    def test_zy_a_service_that_is_down(self):
        stub = self.stubs[SERVICES.index("SCORING")]
        stub.shutdown()
        stub.server_close()
        answer = self.send("GET", "/v1/points", self.bearer())
        self.problem(answer, 503)
        self.assertEqual(answer.getheader("Retry-After"), "2")
        self.assertEqual(self.send("GET", "/v1/me", self.bearer()).status, 200)

    def test_operations(self):
        answer = self.send("GET", "/metrics", port=self.operations_port)
        self.assertEqual(answer.status, 200)
        self.assertIn('haproxy_frontend_http_requests_total{proxy="public"}', answer.text)
        self.assertEqual(self.send("GET", "/livez", port=self.operations_port).status, 200)
        self.problem(self.send("GET", "/v1/me", port=self.operations_port), 404)


if __name__ == "__main__":
    unittest.main()
