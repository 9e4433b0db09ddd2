"""smuggling_test.py EDGE : what HAProxy and the edge could understand differently, through both.

Every case hides a DELETE in what one reader may take for a body and another for the next request. It
counts as smuggled when the edge handles a request that the gateway has not sent (the gateway gives every
request an id of its own), or when the next clients get anything but their own answers. Each case also
goes to the edge alone, where the DELETE must not be handled either.
"""
import itertools
import json
import re
import socket
import subprocess
import sys
import threading
import time
import unittest

from running_gateway import SERVICES, RunningGateway

HIDDEN = b"DELETE /v1/accounts HTTP/1.1\r\nHost: h\r\nX-Request-Id: smuggled\r\n\r\n"
# Ways to write Transfer-Encoding so that one reader sees it and another does not.
CHUNKED = {
    "plain": b"Transfer-Encoding: chunked",
    "x": b"Transfer-Encoding: xchunked",
    "blank before colon": b"Transfer-Encoding : chunked",
    "tab before colon": b"Transfer-Encoding\t: chunked",
    "tab": b"Transfer-Encoding:\tchunked",
    "vertical tab": b"Transfer-Encoding:\x0bchunked",
    "form feed": b"Transfer-Encoding: \x0cchunked",
    "nul": b"Transfer-Encoding: chunked\x00",
    "leading blank": b" Transfer-Encoding: chunked",
    "folded": b"Transfer-Encoding:\r\n chunked",
    "folded name": b"X: y\r\n Transfer-Encoding: chunked",
    "bare line feed": b"X: y\nTransfer-Encoding: chunked",
    "bare carriage return": b"X: y\rTransfer-Encoding: chunked",
    "bare carriage return in the value": b"Transfer-Encoding: chunked\rX",
    "quoted": b'Transfer-Encoding: "chunked"',
    "single quoted": b"Transfer-Encoding: 'chunked'",
    "twice": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "then another": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
    "after another": b"Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
    "identity first": b"Transfer-Encoding: identity, chunked",
    "identity last": b"Transfer-Encoding: chunked, identity",
    "empty item": b"Transfer-Encoding: , chunked",
    "comma behind": b"Transfer-Encoding: chunked,",
    "parameter": b"Transfer-Encoding: chunked;q=1",
    "cut": b"Transfer-Encoding: chunk",
    "case": b"tRANSFER-eNCODING: CHUNKED",
    "underscore": b"Transfer_Encoding: chunked",
    "high byte": b"Transfer-Encoding: chunked\xa0",
    "high byte in the name": b"Transfer\xc2\xad-Encoding: chunked",
    "taken off by Connection": b"Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding, close",
    "upgrade": b"Transfer-Encoding: chunked\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
}
LENGTHS = {
    "plus": b"Content-Length: +%d",
    "minus": b"Content-Length: -%d",
    "hexadecimal": b"Content-Length: 0x%x",
    "exponent": b"Content-Length: %de0",
    "underscore": b"Content-Length: 0_%d",
    "blank before colon": b"Content-Length : %d",
    "list": b"Content-Length: %d, %d",
    "list with zero": b"Content-Length: 0, %d",
    "zero first": b"Content-Length: 0\r\nContent-Length: %d",
    "zero last": b"Content-Length: %d\r\nContent-Length: 0",
    "same twice": b"Content-Length: %d\r\nContent-Length: %d",
    "zeros ahead": b"Content-Length: 000%d",
    "wraps around": b"Content-Length: 18446744073709551616",
    "nul": b"Content-Length: %d\x00",
    "vertical tab": b"Content-Length: \x0b%d",
    "folded": b"Content-Length:\r\n %d",
    "bare line feed": b"X: y\nContent-Length: %d",
    "underscore in the name": b"Content_Length: %d",
    "taken off by Connection": b"Content-Length: %d\r\nConnection: Content-Length",
}


def head(method, fields, version=b"HTTP/1.1", target=b"/v1/sessions"):
    return method + b" " + target + b" " + version + b"\r\nHost: h\r\n" + fields + b"\r\n\r\n"


def chunk(body, extension=b""):
    return b"%x%s\r\n%s\r\n" % (len(body), extension, body)


def fill(fields, size):
    return fields % ((size,) * len(re.findall(rb"%[dx]", fields)))


def encoding_cases():
    for (name, fields), method in itertools.product(CHUNKED.items(), (b"POST", b"GET")):
        ends = b"0\r\n\r\n" + HIDDEN
        hides = chunk(HIDDEN) + b"0\r\n\r\n"
        label = f"{name}, {method.decode()}"
        yield f"CL.TE {label}", head(method, b"Content-Length: %d\r\n" % len(ends) + fields) + ends
        yield f"TE.CL {label}", head(method, fields + b"\r\nContent-Length: 4") + hides
        yield f"TE.0 {label}", head(method, fields) + hides
        yield f"TE in 1.0 {label}", head(method, fields, b"HTTP/1.0") + hides


def length_cases():
    for (name, fields), method in itertools.product(LENGTHS.items(), (b"POST", b"GET", b"HEAD", b"OPTIONS")):
        yield f"CL.CL {name}, {method.decode()}", head(method, fill(fields, len(HIDDEN))) + HIDDEN
    for method in (b"GET", b"HEAD", b"DELETE", b"OPTIONS"):
        yield f"CL.0 {method.decode()}", head(method, b"Content-Length: %d" % len(HIDDEN)) + HIDDEN
    expect = b"Expect: %s\r\nContent-Length: " + b"%d" % len(HIDDEN)
    for value in (b"100-continue", b"y 100-continue", b"100-continue, 100-continue"):
        yield f"Expect {value.decode()}", head(b"POST", expect % value) + HIDDEN


def chunk_cases():
    chunked = head(b"POST", b"Transfer-Encoding: chunked")
    bodies = {
        "line feed ends an extension": b"5;\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "line feed in an extension": b"2;\nxx\r\n47\r\n0\r\n\r\n" + HIDDEN + b"0\r\n\r\n",
        "carriage return in an extension": b"2;\rxx\r\n47\r\n0\r\n\r\n" + HIDDEN + b"0\r\n\r\n",
        "line feed ends a size": b"5\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "line feed ends a chunk": b"5\r\nabcde\n0\r\n\r\n" + HIDDEN,
        "two bytes end a chunk": b"5\r\nabcdeXX0\r\n\r\n" + HIDDEN,
        "no end of a chunk": b"5\r\nabcde0\r\n\r\n" + HIDDEN,
        "size wraps around": b"10000000000000005\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "size with prefix": b"0x5\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "size with sign": b"+5\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "size with underscore": b"0_5\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "blank behind the size": b"5 \r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "blank before the size": b" 5\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "no size": b"\r\nabcde\r\n0\r\n\r\n" + HIDDEN,
        "line feeds at the end": b"5\r\nabcde\r\n0\n\n" + HIDDEN,
        "line feed behind the last size": b"0\r\n\n" + HIDDEN,
        "length in the trailer": b"0\r\nContent-Length: 70\r\n\r\n" + HIDDEN,
        "encoding in the trailer": b"0\r\nTransfer-Encoding: chunked\r\n\r\n" + HIDDEN,
        "request in the trailer": b"0\r\n" + HIDDEN,
        "line feed in the trailer": b"0\r\nX: y\n\r\n" + HIDDEN,
        "extension": chunk(b"abcde", b";a=b;c") + b"0\r\n\r\n",
    }
    for name, body in bodies.items():
        yield f"chunks: {name}", chunked + body


def head_cases():
    yield "line feeds", b"GET /v1/me HTTP/1.1\nHost: h\n\n" + HIDDEN
    yield "two hosts", head(b"POST", b"Host: i\r\nContent-Length: %d" % len(HIDDEN)) + HIDDEN
    yield "another authority", head(b"GET", b"X: y", target=b"http://other/v1/sessions") + HIDDEN
    yield "version 0.9", b"GET /v1/sessions\r\n" + HIDDEN
    yield "version 1.2", head(b"POST", b"Content-Length: %d" % len(HIDDEN), b"HTTP/1.2") + HIDDEN
    yield "blank in the target", head(b"GET", b"X: y", target=b"/v1/sessions HTTP/1.1\tX") + HIDDEN
    yield "a request in a field", head(b"GET", b"X: \r\n\r\n" + HIDDEN)


CASES = [*encoding_cases(), *length_cases(), *chunk_cases(), *head_cases()]


# In these the message is complete and the DELETE the client's own next request, whoever reads them. (The
# gateway asks it for a token.)
NEXT_REQUEST = {
    "TE.CL underscore, POST",
    "TE.CL underscore, GET",
    *(f"CL.CL underscore in the name, {method}" for method in ("POST", "GET", "HEAD", "OPTIONS")),
    "chunks: length in the trailer",
    "chunks: encoding in the trailer",
    "another authority",
    "a request in a field",
}


class Edge:
    """The real edge of the services, with the requests that it has handled by id."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.handled = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            record = json.loads(line)
            if record["route"] != "/readyz":
                self.handled.append(record)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=15)
        self.reader.join()
        self.process.stdout.close()


def exchange(port, sent):
    """All that comes back until the other side ends the connection, or nothing more comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        got = b""
        try:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            while more := client.recv(65536):
                got += more
        except (ConnectionError, TimeoutError):
            pass
        return got


class Smuggling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.edge = Edge(BINARY)
        cls.gateway = RunningGateway(
            {service: f"127.0.0.1:{cls.edge.port}" for service in SERVICES}, TIDELINE_RATE_ANONYMOUS="1000000"
        )

    @classmethod
    def tearDownClass(cls):
        cls.gateway.close()
        cls.edge.close()

    def await_request(self, request_id):
        """The edge handles one connection in order, but writes of several connections in any."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if any(record["request_id"] == request_id for record in list(self.edge.handled)):
                return
            time.sleep(0.002)
        self.fail(f"the edge never saw {request_id}")

    def follow(self, port, name):
        """A plain request of another client: it must get its own answer, and the edge its body."""
        body = f"body of {name}".encode()
        answer = exchange(
            port,
            head(b"POST", b"X-Request-Id: %s\r\nConnection: close\r\nContent-Length: %d" % (name.encode(), len(body)))
            + body,
        )
        self.assertIn(b" 200 ", answer.split(b"\r\n", 1)[0], answer)
        said = json.loads(answer.split(b"\r\n\r\n", 1)[1])
        self.assertEqual((said["body"], said["request_id"], said["method"]), (body.decode(), name, "POST"))
        self.await_request(name)

    def smuggled(self, records):
        return [r for r in records if r["request_id"] == "smuggled" or (r["method"], r["route"]) == ("DELETE", "/v1/accounts")]

    def test_through_the_gateway(self):
        for number, (name, sent) in enumerate(CASES):
            with self.subTest(name):
                before = len(self.edge.handled)
                answers = exchange(self.gateway.port, sent)
                for client in range(2):
                    self.follow(self.gateway.port, f"follower-{number}-{client}")
                handled = [r for r in self.edge.handled[before:] if not r["request_id"].startswith("follower")]
                self.assertEqual(self.smuggled(handled), [])
                # What the edge handled is what the gateway has sent it and passed the answers of.
                ids = re.findall(rb"(?mi)^x-request-id: (\S+)\r$", answers)
                for record in handled:
                    if record["method"]:  # what the edge refuses unread has the id of the edge
                        self.assertIn(record["request_id"].encode(), ids, answers)
                self.assertLessEqual(len(handled), answers.count(b"HTTP/1.1 "), (handled, answers))

    def test_to_the_edge_alone(self):
        for number, (name, sent) in enumerate(CASES):
            with self.subTest(name):
                before = len(self.edge.handled)
                exchange(self.edge.port, sent)
                self.follow(self.edge.port, f"direct-{number}")
                handled = [r for r in self.edge.handled[before:] if not r["request_id"].startswith("direct")]
                if name not in NEXT_REQUEST:
                    self.assertEqual(self.smuggled(handled), [])


if __name__ == "__main__":
    BINARY = sys.argv.pop()
    unittest.main()
