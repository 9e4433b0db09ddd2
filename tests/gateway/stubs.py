"""Stubs in place of the services, which answer with what has reached them, and what tokens are made of."""
import base64
import hashlib
import http.server
import json
import subprocess
import threading


def start_stub(service):
    stub = StubServer(("127.0.0.1", 0), Stub)
    stub.service = service
    threading.Thread(target=stub.serve_forever, args=(0.05,), daemon=True).start()
    return stub


class StubServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    names_instance = None  # of feed: whose shard it says it was
    says_stopping = False
    readiness = 200

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.may_answer = threading.Event()  # what waits at Stub.SLOW

    def handle_error(self, *_):
        """A health check hangs up as soon as it has its answer: nothing to report."""


class Stub(http.server.BaseHTTPRequestHandler):
    """Answers every request with the service's name, the method, the path and the headers that came, but for those
    of HELD, which wait for as long as the connection, and that of SLOW, which waits until it may be answered."""

    protocol_version = "HTTP/1.1"
    HELD = ("/v1/timeline/stream", "/v1/timeline/held")
    SLOW = "/v1/timeline/slow"
    lock = threading.Lock()
    holding = {}  # by path: requests that have come and that no test has seen yet

    def answer(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if self.path in (*self.HELD, self.SLOW):
            with self.lock:
                self.holding[self.path] = self.holding.get(self.path, 0) + 1
        if self.path in self.HELD:
            self.rfile.read(1)
            return
        if self.path == self.SLOW:
            self.server.may_answer.wait(30)
        if self.path == "/v1/timeline/broken":
            self.close_connection = True
            return
        said = json.dumps(
            {
                "service": self.server.service,
                "method": self.command,
                "path": self.path,
                "headers": [[name.lower(), value] for name, value in self.headers.items()],
                "body_bytes": len(body),
            }
        ).encode()
        self.send_response(self.server.readiness if self.path == "/readyz" else 200)
        self.send_header("Content-Length", str(len(said)))
        self.send_header("Server", "stub")
        if self.server.names_instance:
            self.send_header("X-Tideline-Instance", self.server.names_instance)
            self.send_header("X-Tideline-Server", self.server.service)
        if self.server.says_stopping:
            self.send_header("X-Tideline-Stopping", "1")
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = answer

    def log_message(self, *_):
        pass


def encode(data):
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def encode_account(text):
    """26 characters of base32 that differ from test to test."""
    return base64.b32encode(hashlib.sha256(text.encode()).digest()).decode().lower()[:26]


def shard_of(account):
    """The first six bits: the first character, and the half of the alphabet that the second one is of."""
    return account[0] + ("0" if account[1] <= "p" and account[1].isalpha() else "1")


def es256(key, signed):
    """openssl gives DER; JWT wants the two numbers side by side, 32 bytes each."""
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(key)], input=signed, capture_output=True, check=True
    ).stdout
    numbers, at = b"", 2
    for _ in range(2):
        length = der[at + 1]
        numbers += der[at + 2 : at + 2 + length].lstrip(b"\0").rjust(32, b"\0")
        at += 2 + length
    return numbers
