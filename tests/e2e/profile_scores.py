#!/usr/bin/env python3
"""profile_scores.py GATEWAY: one person publishes, comments and is voted for, through the gateway.

  - his profile at accounts comes to show the points, level and scores that scoring tells, and a rank with its day
  - also after a later change; and what somebody else has does not move by it
Exit code 1 and the finding when one of these does not hold."""

import datetime
import http.client
import json
import sys
import time
import urllib.parse

HOST = urllib.parse.urlsplit(sys.argv[1]).netloc
WAIT_S = 60
SHOWN = ["points", "level", "historyscore", "currentscore"]


class Person:
    def __init__(self, user_id):
        self.user_id = user_id
        self.position = self.token = ""
        account = self.call("POST", "/v1/accounts", {"user_id": user_id, "password": f"tideline-{user_id}", "real_name": user_id,
                                                     "email": f"{user_id}@campus.example"})
        self.token = account["session"]["access_token"]

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.position:
            headers["Tideline-Position"] = self.position
        connection = http.client.HTTPConnection(HOST, timeout=WAIT_S)
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path} answered {answer.status}: {text[:300]!r}")
        self.position = answer.getheader("Tideline-Position") or self.position
        return json.loads(text) if text else None

    def scores(self):
        """As scoring tells them, at least as new as what he has done."""
        calendar = self.call("GET", f"/v1/calendars/{self.user_id}")
        return {**self.call("GET", "/v1/points/me"), **{name: calendar[name] for name in SHOWN[2:]}}

    def wait_for_profile(self, points):
        deadline = time.monotonic() + WAIT_S
        while True:
            told = self.scores()
            profile = self.call("GET", f"/v1/profiles/{self.user_id}")
            if profile["points"] == points and all(profile[name] == told[name] for name in SHOWN):
                return profile
            if time.monotonic() > deadline:
                sys.exit(f"the profile of {self.user_id} does not come to {points} points: {profile}, scoring tells {told}")
            time.sleep(0.1)


def main():
    author, other = Person("scored-author"), Person("scored-other")
    project = author.call("POST", "/v1/projects", {"name": "scored", "introduction": "", "labels": []})["id"]
    author.call("POST", f"/v1/projects/{project}/comments", {"text": "the first"})
    profile = author.wait_for_profile(points=12)
    if (profile["historyscore"], profile["currentscore"]) != (7, 7):
        sys.exit(f"a project and a comment are 7 contributions: {profile}")
    # The campus may have another day than UTC.
    if not profile["rank"] or abs(datetime.date.fromisoformat(profile["rank_as_of"]) - datetime.date.today()).days > 1:
        sys.exit(f"no rank of today: {profile}")
    before = other.wait_for_profile(points=0)
    author.call("POST", f"/v1/projects/{project}/comments", {"text": "the second"})
    author.wait_for_profile(points=14)
    after = other.wait_for_profile(points=0)
    if after != before:
        sys.exit(f"what another has done changed {before} to {after}")
    print(f"   {profile['points']} points, rank {profile['rank']} as of {profile['rank_as_of']}", flush=True)


main()
