"""A client that reads its own writes through the gateway, and what it uploads."""
import http.client
import json
import struct
import urllib.parse
import uuid
import zlib

from parts import fail, until


def png(comment=b""):
    """An image of one pixel; `comment` is in it as a text that no viewer draws."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    text = chunk(b"tEXt", b"Comment\0" + comment) if comment else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + text + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


class Client:
    """Sends the position of everything that was done before, so that every answer has seen it. `keys`: each command has
    an idempotency key, so that its answer is stored. `name`: what it says of itself."""

    def __init__(self, url, keys=False):
        self.host = urllib.parse.urlsplit(url).netloc
        self.position = ""
        self.keys = keys
        self.name = ""

    def send(self, *request):
        """Again while it is 503: names come by a topic that no position covers."""
        answers = []

        def is_answered():
            answers[:] = [self.send_once(*request)]
            return answers[0][0] != 503
        until(lambda: f"{request}: {answers}", is_answered)
        return answers[0]

    def send_once(self, token, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if self.position:
            headers["Tideline-Position"] = self.position
        if self.keys and token and method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        if self.name:
            headers["User-Agent"] = self.name
        content = json.dumps(body) if isinstance(body, dict) else body
        connection = http.client.HTTPConnection(self.host, timeout=30)
        try:
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            self.position = answer.getheader("Tideline-Position") or self.position
            is_stream = answer.getheader("Content-Type", "").startswith("text/event-stream")
            return answer.status, answer.headers, b"" if is_stream else answer.read()
        finally:
            connection.close()

    def do(self, token, method, path, body=None, kind="application/json"):
        status, headers, content = self.send(token, method, path, body, kind)
        if status >= 300:
            fail(f"{method} {path}: {status} {content!r}")
        answer = json.loads(content) if content and headers["Content-Type"].startswith("application/json") else {}
        return {**answer, "location": headers.get("Location")}
