#!/usr/bin/env python3
"""revocations.py GATEWAY HOME: what was taken from somebody is on no route any more, also while nobody can tell the
feed of it. Kafka stands still, or the feed's own process, when Ada

  - excludes Bob, parts from him, takes her tag from him, leaves the group that both are in, deletes the moment, or makes it private

Each is acknowledged. With the token of it Bob then reads nothing of the moment, on any route; the feed, which has not
heard of it, still shows it to who comes without the token, so it is the token that protects. What Ada writes after it
is never shown to Bob, whoever asks with what token, and in the end nothing is there. HOME is where deploy/run keeps
its processes."""
import hashlib
import json
import os
import pathlib
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from parts import Service, fail, registration, until

GATEWAY, HOME = Service(int(sys.argv[1].rsplit(":", 1)[1])), pathlib.Path(sys.argv[2])
DEADLINE_S = 60
UNANSWERED = {404, 502, 503, 504}


def setting(service, name):
    lines = (HOME / "services" / service / "config").read_text().splitlines()
    return next(line.split("=", 1)[1] for line in lines if line.startswith(name + "="))


# Reads go there without the gateway, which would take a feed that is not ready out of its list.
FEED = Service(int(setting("feed", "TIDELINE_HTTP_PORT")))


class Stopped:
    """A process that stands still."""

    def __init__(self, folder):
        self.pid = int((HOME / folder / "pid").read_text().split()[0])

    def __enter__(self):
        os.kill(self.pid, signal.SIGSTOP)

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGCONT)


class Person:
    def __init__(self, name):
        self.name = name
        _, answer = GATEWAY.expect(201, "POST", "/v1/accounts", None, registration(name))
        self.token = answer["session"]["access_token"]

    def do(self, method, path, body=None, position=""):
        """Until it is acknowledged, under one key; its token, and what it answered."""
        answered, command = None, f"{self.name} {method} {path} {json.dumps(body)}"

        def acknowledged():
            nonlocal answered
            answered = GATEWAY.call(method, path, self.token, body, Tideline_Position=position,
                                    Idempotency_Key=hashlib.sha256(command.encode()).hexdigest())
            if answered[0] >= 300 and answered[0] not in UNANSWERED:
                fail(f"{method} {path}: {answered}")
            return answered[0] < 300
        until(f"{method} {path} is acknowledged", acknowledged, DEADLINE_S)
        fields = {name.lower(): value for name, value in answered[1].items()}
        return fields.get("tideline-position", ""), json.loads(answered[2]) if answered[2] else {}


def routes(author, moment):
    """On which a moment may be met."""
    at = f"/v1/moments/{moment}"
    return ["/v1/timeline?limit=100", f"/v1/moments?author={author}&limit=100", at, f"{at}/history", f"{at}/likes",
            f"{at}/comments"]


def shows(reader, path, moment, position):
    status, _, text = FEED.call("GET", path, reader.token, Tideline_Position=position)
    if status == 200:
        return f"/v1/moments/{moment}/" in path or moment in text
    if status not in UNANSWERED:
        fail(f"{path}: {status} {text}")
    return False


def shown_on(paths, reader, moment, position):
    """Those of the routes; all at once, for each may wait for what the token asks."""
    with ThreadPoolExecutor(len(paths)) as pool:
        shown = list(pool.map(lambda path: shows(reader, path, moment, position), paths))
    return [path for path, is_shown in zip(paths, shown) if is_shown]


class Story:
    """Ada and Bob, contacts, and a moment that Bob sees on all routes until it is taken from him."""

    def __init__(self, kind, when):
        self.what = f"{kind}, {when}"
        self.ada, self.bob = Person(f"rev-ada-{kind}-{when}"), Person(f"rev-bob-{kind}-{when}")
        self.ada.do("POST", "/v1/contact-requests", {"user_id": self.bob.name})
        self.position, _ = self.bob.do("POST", f"/v1/contact-requests/{self.ada.name}/accept")
        self.body = {"content": "first", "audience": "public"}
        self.revocation = getattr(self, kind)()
        self.seen, first = self.ada.do("POST", "/v1/moments", self.body, self.position)
        self.moment = first["id"]
        self.routes = routes(self.ada.name, self.moment)
        until(lambda: f"{self.what}: the moment is shown on all routes",
              lambda: self.shown(self.seen) == self.routes, DEADLINE_S)

    # Each says how the moment is taken from Bob, by whom.
    def excludes(self):
        hide = {"hides_other": False, "hidden_from_other": True}
        return self.ada, "PUT", f"/v1/moment-settings/{self.bob.name}", hide

    def parts(self):
        # What is public stays so for people who are not contacts.
        self.body = {"content": "first", "audience": "partly-visible", "user_ids": [self.bob.name]}
        return self.ada, "DELETE", f"/v1/contacts/{self.bob.name}"

    def untags(self):
        position, crew = self.ada.do("POST", "/v1/tags", {"name": "crew"})
        tag = crew["id"]
        self.position, _ = self.ada.do("PUT", f"/v1/tags/{tag}/contacts/{self.bob.name}", position=position)
        self.body = {"content": "first", "audience": "partly-visible", "tag_ids": [tag]}
        return self.ada, "DELETE", f"/v1/tags/{tag}/contacts/{self.bob.name}"

    def leaves(self):
        """Bob himself, for nobody can be made to."""
        position, crew = self.ada.do("POST", "/v1/groups", {"name": "crew", "private": False})
        group = crew["id"]
        self.position, _ = self.bob.do("POST", f"/v1/groups/{group}/members", position=position)
        self.body = {"content": "first", "audience": "partly-visible", "group_ids": [group]}
        return self.bob, "DELETE", f"/v1/groups/{group}/members/me"

    def deletes(self):
        return self.ada, "DELETE", "/v1/moments/{moment}"

    def narrows(self):
        return self.ada, "PUT", "/v1/moments/{moment}/audience", {"audience": "private"}

    def revoke(self):
        who, method, path, *body = self.revocation
        self.token, _ = who.do(method, path.format(moment=self.moment), *body)

    def write_later(self):
        """What Bob must not see from the first: only who has changed one moment alone has not shut him out."""
        body = {**self.body, "content": "later"}
        if "{moment}" in self.revocation[2]:
            body["audience"] = "private"
        _, later = self.ada.do("POST", "/v1/moments", body, self.token)
        self.later, self.later_routes = later["id"], routes(self.ada.name, later["id"])

    def shown(self, token):
        return shown_on(self.routes, self.bob, self.moment, token)

    def hold(self, when):
        if found := self.shown(self.token):
            fail(f"{self.what}: {found} show it to who has the token, {when}")

    def end(self):
        """Until it is gone for whoever asks; how often was looked until then."""
        looks = 0

        def all_is_gone():
            nonlocal looks
            looks += 1
            self.hold("afterwards")
            if found := shown_on(self.later_routes, self.bob, self.later, ""):
                fail(f"{self.what}: {found} show what was written after it")
            answered = FEED.call("GET", "/v1/timeline?limit=100", self.bob.token, Tideline_Position=self.token)[0]
            return answered == 200 and not self.shown("")
        until(f"{self.what}: it is gone for whoever asks", all_is_gone, DEADLINE_S)
        return looks


def while_kafka_stands_still(kind):
    story = Story(kind, "kafka")
    with Stopped("kafka"):
        story.revoke()
        # The feed has not heard of it, or the rest of this shows nothing.
        if not story.shown(""):
            fail(f"{story.what}: the feed knows already")
        story.hold("while Kafka stands still")
        story.write_later()
    return story.end()


def while_the_feed_stands_still(kind):
    story = Story(kind, "feed")
    with Stopped("services/feed"):
        story.revoke()
    story.hold("as the feed goes on")
    story.write_later()
    return story.end()


def main():
    began = time.monotonic()
    of_kafka = [while_kafka_stands_still(kind) for kind in ("excludes", "parts", "untags", "leaves", "deletes", "narrows")]
    # Who deletes, or narrows an audience, asks the feed itself.
    of_feed = [while_the_feed_stands_still(kind) for kind in ("excludes", "parts", "untags", "leaves")]
    print(f"   {len(of_kafka)} revocations with Kafka standing still, {len(of_feed)} with the feed: nothing was shown; "
          f"{sum(of_kafka + of_feed)} looks until all was gone, {time.monotonic() - began:.1f} s")


main()
