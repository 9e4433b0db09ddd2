#!/usr/bin/env python3
"""works_and_images.py GATEWAY: two newcomers, a project, an image, through the gateway.

  - advice that is adopted earns its adviser points, once
  - an icon comes back under its hash as WebP in the size that was asked for, and 304 to who has it
  - an image of a private moment is its author's alone, whoever knows the hash; one of a public moment goes
    with the right to see the moment, also for who has it
  - an img loads an image by its link alone, in each size, until its reader may not see it
  - what is no image, or ends early, is refused
Exit code 1 and the finding when one of these does not hold."""

import hashlib
import http.client
import json
import struct
import sys
import time
import urllib.parse
import zlib

HOST = urllib.parse.urlsplit(sys.argv[1]).netloc
WAIT_S = 30


def png(side):
    """A real one, of noise that compresses badly."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + hashlib.shake_128(bytes([row % 256])).digest(3 * side) for row in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Person:
    def __init__(self, user_id):
        self.token = self.position = ""
        who = {"user_id": user_id, "password": f"tideline-{user_id}"}
        self.json(201, "POST", "/v1/accounts", {**who, "real_name": user_id, "email": f"{user_id}@campus.example"})
        self.token = self.json(201, "POST", "/v1/sessions", who)["access_token"]

    def call(self, status, method, path, body=None, **headers):
        """Status, headers by name, and bytes of the answer, which has this status."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if self.position:
            sent["Tideline-Position"] = self.position
        connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        connection.request(method, path, body, {**sent, **headers})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != status:
            sys.exit(f"{method} {path} answered {answer.status} instead of {status}: {content[:300]!r}")
        self.position = answer.getheader("Tideline-Position") or self.position
        return answer, content

    def json(self, status, method, path, body=None):
        sent = json.dumps(body) if body is not None else None
        _, content = self.call(status, method, path, sent, **{"Content-Type": "application/json"})
        return json.loads(content) if content else None


def img(link):
    """The status of what an <img> is answered, which has no token and no position."""
    connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
    connection.request("GET", link)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def wait_until(what, holds):
    end = time.monotonic() + WAIT_S
    while not holds():
        check(time.monotonic() < end, f"not within {WAIT_S} s: {what}")
        time.sleep(0.05)


def check(good, finding):
    if not good:
        sys.exit(finding)


def advice_earns(ada, bob, project):
    path = f"{project}/advice"
    advice = bob.json(201, "POST", path, {"text": "Show low tide too"})["id"]
    ada.position = bob.position
    before = bob.json(200, "GET", "/v1/points/me")["points"]
    for _ in range(2):
        ada.json(200, "PUT", f"{path}/{advice}/adoption")
    bob.position = ada.position
    earned = bob.json(200, "GET", "/v1/points/me")["points"] - before
    check(earned == 5, f"adopted advice has earned {earned} points")
    listed = bob.json(200, "GET", path)["items"]
    check([(item["id"], item["adopted"]) for item in listed] == [(advice, True)], f"the advice reads {listed}")
    print("   advice was given, adopted and rewarded")


def icon_is_read(ada, bob, project):
    icon = png(300)
    told = json.loads(ada.call(200, "PUT", f"{project}/icon", icon, **{"Content-Type": "text/html"})[1])
    where = told["icon"]
    check(told["icon_preview"]["width"] == 300 and len(told["icon_preview"]["blurhash"]) == 28, f"the icon looks like {told}")
    bob.position = ada.position
    small, content = bob.call(200, "GET", f"{where}?size=small")
    check(content[:4] == b"RIFF" and "-small" in small.getheader("ETag"), "the small icon is another")
    answer, large = bob.call(200, "GET", where)
    check(where.endswith(hashlib.sha256(large).hexdigest()), "the icon comes back otherwise")
    check(len(content) < len(large), f"the small icon has {len(content)} bytes, the large one {len(large)}")
    check(answer.getheader("Content-Type") == "image/webp", f"the icon is called {answer.getheader('Content-Type')}")
    check(answer.getheader("X-Content-Type-Options") == "nosniff", "a browser may guess at the icon")
    check("immutable" in answer.getheader("Cache-Control"), "the icon is not to be kept")
    check(where.rpartition("/")[2] in answer.getheader("ETag"), "the icon's ETag is not its hash")
    bob.call(304, "GET", where, **{"If-None-Match": answer.getheader("ETag")})
    ada.call(422, "PUT", f"{project}/icon", icon[: len(icon) // 2])
    title = urllib.parse.quote("计划书.txt")
    plan = json.loads(ada.call(201, "POST", f"{project}/documents?title={title}", "Low tide first.".encode())[1])
    bob.position = ada.position
    answer, content = bob.call(200, "GET", plan["location"])
    check(content == b"Low tide first." and plan["title"] == "计划书.txt", f"the document reads {content!r} {plan}")
    check(answer.getheader("Content-Disposition") == "attachment", "the document opens in a browser")
    print("   an icon and a document were uploaded and read")


def image_stays_private(ada, bob):
    image = png(256)
    name = json.loads(ada.call(201, "POST", "/v1/images", image)[1])["hash"]
    moment = {"content": "mine", "audience": "private", "images": [name]}
    path = "/v1/moments/" + ada.json(201, "POST", "/v1/moments", moment)["id"] + "/images/" + name
    answer, content = ada.call(200, "GET", path)
    check(name == hashlib.sha256(content).hexdigest(), "the image comes back otherwise")
    ada.call(304, "GET", path, **{"If-None-Match": answer.getheader("ETag")})
    bob.position = ada.position
    bob.call(404, "GET", path)
    bob.call(404, "GET", path, **{"If-None-Match": answer.getheader("ETag")})
    bob.json(422, "POST", "/v1/moments", {**moment, "audience": "public"})
    ada.call(415, "POST", "/v1/images", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    shown = "/v1/moments/" + ada.json(201, "POST", "/v1/moments", {**moment, "audience": "public"})["id"]
    path = f"{shown}/images/{name}"
    bob.position = ada.position
    link = bob.json(200, "GET", shown)["image_links"][0]
    check(link.startswith(f"{path}?reader="), f"the image is loaded by {link}")
    check(img(link) == 200 and img(f"{link}&size=small") == 200, "an img does not load the image")
    check(img(link.replace(name, "0" * 64)) == 401, "a link opens another image")
    known = {"If-None-Match": bob.call(200, "GET", path)[0].getheader("ETag")}
    bob.call(304, "GET", path, **known)
    ada.json(200, "PUT", "/v1/moment-settings/works-bob", {"hides_other": False, "hidden_from_other": True})
    bob.position = ada.position
    bob.call(404, "GET", path, **known)
    wait_until("the link opens nothing any more", lambda: img(link) == 404)
    print("   an image is its moment's, and nobody else's")


def main():
    ada, bob = Person("works-ada"), Person("works-bob")
    project = "/v1/projects/" + ada.json(201, "POST", "/v1/projects", {"name": "Tides"})["id"]
    bob.position = ada.position
    advice_earns(ada, bob, project)
    icon_is_read(ada, bob, project)
    image_stays_private(ada, bob)


main()
