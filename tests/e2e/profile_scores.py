#!/usr/bin/env python3
"""profile_scores.py GATEWAY: one person publishes, comments and is voted for, through the gateway.

  - his profile at accounts shows the points, level and scores that scoring tells, and a rank with its day, in the first answer
    after each of his changes: his position token waits for them
  - what somebody else has does not move by it
  - he is found by the beginning of his name; a visit is shown to its owner alone; an avatar is loaded by its link without a token, and by its path in another service
Exit code 1 and the finding when one of these does not hold."""

import datetime
import hashlib
import http.client
import json
import sys
import time
import urllib.parse
import urllib.request

from client import png

HOST = urllib.parse.urlsplit(sys.argv[1]).netloc
WAIT_S = 60
SHOWN = ["points", "level", "historyscore", "currentscore"]


class Person:
    def __init__(self, user_id):
        self.user_id = user_id
        self.position, self.token, self.stale = "", "", False
        account = self.call("POST", "/v1/accounts", {"user_id": user_id, "password": f"tideline-{user_id}", "real_name": user_id,
                                                     "email": f"{user_id}@campus.example"})
        self.token = account["session"]["access_token"]

    def call(self, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.position:
            headers["Tideline-Position"] = self.position
        connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body)
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path} answered {answer.status}: {text[:300]!r}")
        self.position = answer.getheader("Tideline-Position") or self.position
        self.stale = answer.getheader("Tideline-Stale") == "true"
        return json.loads(text) if text else None

    def scores(self):
        """As scoring tells them, at least as new as what he has done."""
        calendar = self.call("GET", f"/v1/calendars/{self.user_id}")
        return {**self.call("GET", "/v1/points/me"), **{name: calendar[name] for name in SHOWN[2:]}}

    def profile(self, points):
        """Of his own, at the first look, by both addresses."""
        told = self.scores()
        for path in ("/v1/me", f"/v1/profiles/{self.user_id}"):
            profile = self.call("GET", path)
            if self.stale or profile["points"] != points or any(profile[name] != told[name] for name in SHOWN):
                sys.exit(f"{path} of {self.user_id} does not show {points} points at once: {profile}, scoring tells {told}")
        return profile


def wait_for(what, is_so):
    deadline = time.monotonic() + WAIT_S
    while not is_so():
        if time.monotonic() > deadline:
            sys.exit(f"not within {WAIT_S} s: {what}")
        time.sleep(0.1)


def visits_and_avatar(owner, other):
    page = f"/v1/profiles/{owner.user_id}"
    if other.call("GET", page)["visits"] is not None:
        sys.exit("another sees how often a profile is visited")
    wait_for("the visit is counted", lambda: owner.call("GET", "/v1/me")["visits"] == {"today": 1, "last_30_days": 1, "total": 1})
    owner.call("PATCH", "/v1/me", {"shows_visits": True, "bio": "Low tide"})
    path = owner.call("PUT", "/v1/me/avatar", png(), kind="image/png")["avatar"]
    wait_for("profile and visits are shown", lambda: (other.call("GET", page)["visits"] or {}).get("total") == 1)
    link = other.call("GET", page)["avatar_link"]
    loaded = urllib.request.urlopen(sys.argv[1] + link, timeout=WAIT_S).read()
    if not link.startswith(path + "?") or not path.endswith(hashlib.sha256(loaded).hexdigest()):
        sys.exit(f"the avatar is not loaded by {link}")
    wait_for("the owner is found by name",
             lambda: owner.user_id in [found["user_id"] for found in other.call("GET", "/v1/people?query=autho&limit=100")["items"]])
    wait_for("scoring knows the avatar", lambda: owner.call("GET", "/v1/points/me")["avatar"] == path)


def main():
    author, other = Person("scored-author"), Person("scored-other")
    project = author.call("POST", "/v1/projects", {"name": "scored", "introduction": "", "labels": []})["id"]
    author.call("POST", f"/v1/projects/{project}/comments", {"text": "the first"})
    profile = author.profile(points=12)
    if (profile["historyscore"], profile["currentscore"]) != (7, 7):
        sys.exit(f"a project and a comment are 7 contributions: {profile}")
    # The campus may have another day than UTC.
    if not profile["rank"] or abs(datetime.date.fromisoformat(profile["rank_as_of"]) - datetime.date.today()).days > 1:
        sys.exit(f"no rank of today: {profile}")
    before = other.profile(points=0)
    author.call("POST", f"/v1/projects/{project}/comments", {"text": "the second"})
    author.profile(points=14)
    after = other.profile(points=0)
    if after != before:
        sys.exit(f"what another has done changed {before} to {after}")
    visits_and_avatar(author, other)
    print(f"   {profile['points']} points, rank {profile['rank']} as of {profile['rank_as_of']}", flush=True)


main()
