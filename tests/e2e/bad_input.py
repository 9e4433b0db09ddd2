#!/usr/bin/env python3
"""bad_input.py GATEWAY TOKEN SCHEMAS: sends what nobody should send to every operation of the OpenAPI
documents and checks the answers: never a 5xx, and every refusal a problem document whose status is
the answer's. Prints one line a finding; exit code 1 if there is any."""

import concurrent.futures
import http.client
import json
import pathlib
import sys
import urllib.parse

import yaml
from described import resolved

CONNECTIONS = 4
TEXTS = ["", "x" * 300, "%00", "%2e%2e", "%C3%BC", "-1", "1e999", "%27%3B%20DROP%20TABLE%20event%3B--", "%ff", "null", "0000-01-01",
         "ada_0000-01-01T00%3A00%3A00.000000Z"]
BODIES = [
    b"", b"{", b"null", b"[]", b"7", b'"text"', b"{}", b'{"a":1,"a":2}', b"\xff\xfe", b'{"\xed\xa0\x80":1}',
    b"[" * 5000, b'{"a":' * 200 + b"1" + b"}" * 200, b'{"id":1e400}', b'{"text":"\\u0000"}',
]
ODD_VALUES = [None, True, -1, 10**30, 1.5, "", "x" * 100_000, "\u0001", [], [[]], [None], {}, {"a": 1}]


def operations(folder):
    for document in sorted(pathlib.Path(folder).glob("*.yaml")):
        description = yaml.load(document.read_text(), Loader=yaml.CSafeLoader)
        for path, methods in description["paths"].items():
            for method, operation in methods.items():
                if method in ("get", "post", "put", "patch", "delete"):
                    yield description, path, method.upper(), operation


def odd_bodies(description, operation):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    yield from BODIES
    example = content.get("example")
    schema = resolved(description, content.get("schema", {}))
    names = list(schema.get("properties", {}))
    for name in names:
        for value in ODD_VALUES:
            body = dict(example or {})
            body[name] = value
            yield json.dumps(body).encode()
    yield json.dumps({**(example or {}), "nobody-knows-this": 1}).encode()


def requests(folder):
    for description, path, method, operation in operations(folder):
        def fill(text):
            parts = [text if part.startswith("{") else part for part in path.split("/")]
            return "/".join(parts)
        target = fill("00000000000000000000000000")
        if "{" in path:
            for text in TEXTS:
                yield method, fill(text), b"{}" if method != "GET" else None, {}
        if method == "GET":
            for name in ("before", "after", "limit", "author", "day", "year", "direction"):
                for text in TEXTS:
                    yield method, f"{target}?{name}={text if '%' in text else urllib.parse.quote(text)}", None, {}
        for header, value in [("Tideline-Position", "!!!"), ("Tideline-Position", "A" * 7000),
                              ("If-Match", "nonsense"), ("Idempotency-Key", "\x7f" * 3),
                              ("Idempotency-Key", "k" * 300)]:
            yield method, target, b"{}" if method != "GET" else None, {header: value}
        for body in odd_bodies(description, operation):
            yield method, target, body, {}


def check(connection, token, method, target, body, headers):
    sent = {"Authorization": f"Bearer {token}", **headers}
    if body is not None:
        sent["Content-Type"] = "application/json"
    connection.request(method, target, body=body, headers=sent)
    answer = connection.getresponse()
    if answer.getheader("Content-Type") == "text/event-stream":
        answer.close()  # it would not end by itself
        connection.close()
        return None
    text = answer.read()
    what = f"{method} {target[:120]} {headers or (body or b'')[:80]}"
    if answer.status >= 500:
        return f"{answer.status} for {what}: {text[:300]!r}"
    if answer.status == 429:
        return f"the gateway's rate limit keeps {what} from the service"
    if answer.status < 400:
        return None
    if answer.getheader("Content-Type") != "application/problem+json":
        return f"{answer.status} without a problem document for {what}: {text[:200]!r}"
    if json.loads(text).get("status") != answer.status:
        return f"the problem of {what} tells another status than {answer.status}: {text[:200]!r}"
    return None


def findings_of(host, token, some):
    """Of some requests, over a connection of their own."""
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)
    for method, target, body, headers in some:
        try:
            finding = check(connection, token, method, target, body, headers)
        except (http.client.HTTPException, OSError) as broken:
            finding = f"no answer to {method} {target[:120]}: {broken!r}"
            connection.close()
        if finding:
            yield finding


def main():
    gateway, token, folder = sys.argv[1:4]
    host = urllib.parse.urlparse(gateway)
    # Closing the account of the token would end the test itself.
    sent = [request for request in requests(folder) if request[:2] != ("DELETE", "/v1/me")]
    # One after the other, client and suite would mostly wait for each other.
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        parts = pool.map(lambda number: list(findings_of(host, token, sent[number::CONNECTIONS])), range(CONNECTIONS))
        findings = [finding for part in parts for finding in part]
    for finding in findings[:40]:
        print(finding)
    print(f"{len(sent)} bad requests, {len(findings)} findings")
    sys.exit(1 if findings or len(sent) < 500 else 0)


main()
