#!/usr/bin/env python3
"""live_timeline.py GATEWAY: one person listens to his live timeline through the gateway, publishes, and says
something under it.

  - what he publishes is told, what he deletes is taken away
  - who comes back with the last id that he heard hears what he missed
  - he hears how many notifications are unread: one more by a comment, one less when it is deleted
  - a moment has the likes, comments and texts that were given to it, and shows them
  - what he has looked at is not unread, and his page has the month in which he wrote
Exit code 1 and the finding when one of these does not hold."""

import http.client
import json
import sys
import urllib.parse
from datetime import datetime, timezone

USER = "first-0"
HOST = urllib.parse.urlsplit(sys.argv[1]).netloc
WAIT_S = 30  # the gateway's heartbeats come more often


class Person:
    def __init__(self, user_id=USER):
        self.position = ""
        self.token = ""
        sign_in = {"user_id": user_id, "password": f"tideline-{user_id}"}
        self.token = self.call("POST", "/v1/sessions", sign_in)["access_token"]

    def headers(self):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.position:
            headers["Tideline-Position"] = self.position
        return headers

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        connection.request(method, path, json.dumps(body) if body is not None else None, self.headers())
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path} answered {answer.status}: {text[:300]!r}")
        self.position = answer.getheader("Tideline-Position") or self.position
        return json.loads(text) if text else None

    def status(self, method, path, position):
        connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        connection.request(method, path, None, {**self.headers(), "Tideline-Position": position})
        return connection.getresponse().status

    def publish(self):
        return self.call("POST", "/v1/moments", {"content": "live", "audience": "public"})["id"]


class Stream:
    def __init__(self, person, last_id=None):
        self.last_id = last_id
        self.connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        last = {"Last-Event-ID": last_id} if last_id else {}
        self.connection.request("GET", "/v1/timeline/stream", headers={**person.headers(), **last})
        self.answer = self.connection.getresponse()
        if self.answer.status != 200 or self.answer.getheader("Content-Type") != "text/event-stream":
            sys.exit(f"the stream answered {self.answer.status}: {self.answer.getheaders()}")

    def wait_for(self, kind, moment=None):
        """Hears events until there is such a one."""
        self.wait_until(kind, lambda data: moment is None or data == {"id": moment}, moment)

    def wait_for_unread(self, unread):
        """Hears events until so many notifications are unread."""
        self.wait_until("notifications", lambda data: data == {"unread": unread, "more": False}, unread)

    def wait_until(self, kind, is_wanted, wanted):
        event = {}
        for _ in range(10_000):
            line = self.answer.readline().decode().rstrip("\r\n")
            if line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                event[name] = value
            elif event:
                self.last_id = event.get("id", self.last_id)
                if event["event"] == kind and is_wanted(json.loads(event["data"])):
                    return
                event = {}
        sys.exit(f"no {kind} of {wanted}")

    def close(self):
        self.answer.close()
        self.connection.close()


def words_under(person, moment):
    path = f"/v1/moments/{moment}"
    person.call("PUT", f"{path}/like")
    gone = person.call("POST", f"{path}/comments", {"text": "gone"})["id"]
    first = person.call("POST", f"{path}/comments", {"text": "first"})["id"]
    person.call("POST", f"{path}/comments", {"text": "second", "parent_id": first})
    person.call("DELETE", f"{path}/comments/{gone}")
    person.call("PATCH", path, {"content": "edited"})
    seen = person.call("GET", path)
    told = [seen[name] for name in ("content", "edits", "likes", "liked", "comments")]
    said = [(item["text"], item["parent_id"]) for item in person.call("GET", f"{path}/comments")["items"]]
    texts = [item["content"] for item in person.call("GET", f"{path}/history")["items"]]
    likers = [item["person"]["user_id"] for item in person.call("GET", f"{path}/likes")["items"]]
    found = (told, said, texts, likers)
    expected = (["edited", 1, 1, True, 2], [("first", None), ("second", first)], ["edited", "live"], [USER])
    if found != expected:
        sys.exit(f"under the moment: {found}, expected {expected}")


def looked_at(person, newest):
    person.call("PUT", "/v1/timeline/seen", {"up_to": newest})
    unread = person.call("GET", "/v1/timeline/unread")
    months = person.call("GET", f"/v1/moments/months?author={USER}")["months"]
    page = person.call("GET", f"/v1/moments?author={USER}&month={months[0]}")["items"]
    found = (unread["seen_up_to"], unread["more"], page[0]["id"], page[0]["published_at"][:7])
    if found != (newest, False, newest, months[0]):
        sys.exit(f"after a look at the timeline: {found}, expected {newest} of {months}")


def contact_who_sees(person, moment):
    """Some of his contacts may be kept from his moments."""
    for item in person.call("GET", "/v1/contacts?limit=20")["items"]:
        contact = Person(item["user_id"])
        if contact.status("GET", f"/v1/moments/{moment}", person.position) == 200:
            return contact
    sys.exit(f"no contact of {USER} sees {moment}")


def told_of_a_comment(person, moment):
    """While he listens, a contact comments on his moment, and takes that back."""
    now = datetime.now(timezone.utc)
    person.call("PUT", "/v1/notifications/seen", {"up_to": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")})
    stream = Stream(person)
    stream.wait_for_unread(0)
    contact = contact_who_sees(person, moment)
    comment = contact.call("POST", f"/v1/moments/{moment}/comments", {"text": "heard"})["id"]
    stream.wait_for_unread(1)
    unread = person.call("GET", "/v1/notifications/unread")["unread"]
    if unread != 1:
        sys.exit(f"told of one notification, {unread} are unread")
    contact.call("DELETE", f"/v1/moments/{moment}/comments/{comment}")
    stream.wait_for_unread(0)
    stream.close()


def main():
    person = Person()
    stream = Stream(person)
    stream.wait_for("position")
    moment, other = person.publish(), person.publish()
    stream.wait_for("moment", moment)
    person.call("DELETE", f"/v1/moments/{other}")
    stream.wait_for("remove", other)
    stream.wait_for("position")
    stream.close()
    missed = person.publish()
    back = Stream(person, stream.last_id)
    back.wait_for("moment", missed)
    back.close()
    told_of_a_comment(person, missed)
    words_under(person, moment)
    looked_at(person, missed)
    print("   told, taken away, told again; unread notifications come and go; liked, commented on, edited; looked at")


main()
