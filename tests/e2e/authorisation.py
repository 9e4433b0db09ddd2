#!/usr/bin/env python3
"""authorisation.py BUILD [--write]: who may do what, for every operation of schemas/http, through the gateway.

One person owns what is asked for; the others stand to that person as ROLES says. Each operation is sent by each of them,
to an object of its own if it changes something. authorisation.txt has the status of every answer, and of lists of
somebody's things how many there are: a cell that has changed, and an operation that has no line, is a finding.
--write writes that file anew, to be read before it is committed.
"""
import itertools
import json
import pathlib
import shutil
import sys
import time
import urllib.parse

import yaml
from client import Client, png
from parts import fail, in_a_day, registration, temporary_folder, until
from whole_suite import ROOT, WholeSuite, registry

TABLE = pathlib.Path(__file__).with_suffix(".txt")
# anonymous: no token. closed: the token of an account that was closed a moment ago. stranger, operator and moderator: people who
# have nothing to do with the owner. blocked: a former contact whom the owner has blocked. hidden: a contact from whom the owner hides moments. member: a contact in the
# owner's groups; former: one who has left them. groupmate: a member who is no contact.
ROLES = ["anonymous", "closed", "blocked", "stranger", "contact", "hidden", "member", "former", "groupmate", "operator",
         "moderator", "owner"]
CONTACTS = ["contact", "hidden", "member", "former"]
NO_CONTACTS = ["stranger", "groupmate", "operator", "moderator"]
WITH_A_ROLE = ["operator", "moderator"]
# Operations that are sent several times: to moments, groups and recipients of several kinds.
MOMENTS = ["public", "group", "private"]
GROUPS = ["open", "private"]
# What is written there changes accounts, or what people are to each other.
BETWEEN_PEOPLE = ("/v1/accounts", "/v1/sessions", "/v1/me", "/v1/contact", "/v1/follows", "/v1/blocks", "/v1/moment-settings",
                  "/v1/messages/requests", "/v1/messages/setting")
# Lists that belong to nobody, or to the caller: how long they are says nothing.
COUNTED_WITHOUT_PATH = {"listMomentsOfAuthor", "listMonthsOfAuthor", "searchMoments"}
# Nor those that grow while the blocked one is waited for.
NOT_COUNTED = {"listAround", "readThread", "readMessageTimeline"}


def make_people_with_roles(suite, client):
    """Without end the names of registered people by their role. The command that gives roles takes a second, for one as for many."""
    for batch in itertools.count():
        numbers = range(20)
        for role in WITH_A_ROLE:
            names = [f"{role}-{batch}-{number}" for number in numbers]
            for name in names:
                client.do("", "POST", "/v1/accounts", registration(name))
            suite.give_role(role, *names)
        for number in numbers:
            yield {role: f"{role}-{batch}-{number}" for role in WITH_A_ROLE}


class Cast:
    """One person for each role, and what the owner has."""

    numbers = itertools.count()
    groups = itertools.count()  # a creator's groups have different names

    def __init__(self, client, with_roles):
        self.client = client
        self.number = next(self.numbers)
        self.names = {role: f"{role}-{self.number}" for role in ROLES if role != "anonymous"}
        self.names |= next(with_roles)
        self.tokens, self.refresh_tokens = {"anonymous": ""}, {"anonymous": "none"}
        for role, name in self.names.items():
            if role in WITH_A_ROLE:
                password = registration(name)["password"]
                session = client.do("", "POST", "/v1/sessions", {"user_id": name, "password": password})
            else:
                session = client.do("", "POST", "/v1/accounts", registration(name))["session"]
            self.tokens[role], self.refresh_tokens[role] = session["access_token"], session["refresh_token"]
        for role in [*CONTACTS, "blocked"]:
            self.owner("POST", "/v1/contact-requests", {"user_id": self.names[role]})
            self.by(role, "POST", f"/v1/contact-requests/{self.names['owner']}/accept")
        self.owner("PUT", f"/v1/moment-settings/{self.names['hidden']}",
                   {"hides_other": False, "hidden_from_other": True})
        self.owner("PUT", f"/v1/blocks/{self.names['blocked']}")
        self.by("closed", "DELETE", "/v1/me", {"password": self.password("closed")})
        for path in ("/v1/me", "/v1/contacts", "/v1/timeline", "/v1/points/me", f"/v1/projects?author={self.names['owner']}"):
            until(f"{path} knows that the account is closed",
                  lambda path=path: client.send(self.tokens["closed"], "GET", path)[0] == 401)
        self.wait_for_the_block()
        self.moments_group = self.group("private")

    def wait_for_the_block(self):
        """Each service learns of it by itself. What is asked changes nothing once it knows."""
        project = self.owner("POST", "/v1/projects", {"name": "Tide tables"})["id"]
        owner = self.names["owner"]
        for method, path, body in (
                ("GET", f"/v1/profiles/{owner}", None),
                ("GET", f"/v1/projects/{project}", None),
                ("GET", f"/v1/ratings/people/{owner}", None),
                ("POST", "/v1/messages", {"to": owner, "text": "Coming?"})):
            until(f"{path} knows of the block",
                  lambda path=path, method=method, body=body:
                  self.client.send(self.tokens["blocked"], method, path, body)[0] == 404)

    def password(self, role):
        return registration(self.names[role])["password"]

    def by(self, role, method, path, body=None, kind="application/json"):
        return self.client.do(self.tokens[role], method, path, body, kind)

    def owner(self, method, path, body=None, kind="application/json"):
        return self.by("owner", method, path, body, kind)

    def group(self, kind):
        group = self.owner("POST", "/v1/groups", {"name": f"chess {next(self.groups)}", "private": kind == "private"})["id"]
        for role in ("member", "former", "groupmate"):
            self.owner("POST", f"/v1/groups/{group}/invitations", {"user_id": self.names[role]})
            self.by(role, "POST", f"/v1/groups/{group}/members")
        self.owner("POST", "/v1/messages", {"group_id": group, "text": "We start at eight"})
        self.by("former", "DELETE", f"/v1/groups/{group}/members/me")
        return group

    def moment(self, kind):
        image = self.owner("POST", "/v1/images", png(), "image/png")["hash"]
        audience = {"audience": "partly-visible", "group_ids": [self.moments_group]} if kind == "group" else \
            {"audience": kind}
        poll = {"options": ["At eight", "At nine"], "closes_at": in_a_day()}
        moment = self.owner("POST", "/v1/moments", {"content": f"Low tide, {self.names['owner']}", "images": [image], "poll": poll, **audience})["id"]
        if kind != "private":
            self.by("member", "PUT", f"/v1/moments/{moment}/like")
        comment = self.owner("POST", f"/v1/moments/{moment}/comments", {"text": "At eight"})["id"]
        # A command that is refused says 403 to whom the thing is shown, which feed learns a moment later.
        self.owner("GET", f"/v1/moments/{moment}/comments")
        return {"id": moment, "hash": image, "comment_id": comment}

    def case(self):
        """A moment that a contact has reported."""
        moment = self.moment("public")["id"]
        self.by("contact", "PUT", f"/v1/moments/{moment}/report", {"category": "other"})
        until("moderators are shown who has reported it",
              lambda: self.by("moderator", "GET", f"/v1/moment-cases/{moment}/reports")["items"])
        return {"case_id": moment}

    def tag(self, person):
        tag = self.owner("POST", "/v1/tags", {"name": "family"})["id"]
        self.owner("PUT", f"/v1/tags/{tag}/contacts/{self.names[person]}")
        return tag

    def project(self, operation):
        project = self.owner("POST", "/v1/projects", {"name": "Tide tables"})["id"]
        base = f"/v1/projects/{project}"
        if "ote" in operation or operation == "closeVoting":
            self.owner("POST", f"{base}/voting")
        self.owner("PUT", f"{base}/icon", png(), "image/png")
        icon = self.owner("GET", base)["icon"]
        self.by("contact", "POST", f"{base}/comments", {"text": "Well done", "parent_id": 0})
        document = self.owner("POST", f"{base}/documents?title=T", b"When to swim", "application/octet-stream")
        advice = self.by("contact", "POST", f"{base}/advice", {"text": "Show low tide too"})
        if operation == "restoreProject":
            self.owner("PUT", f"{base}/withdrawal")
        return {"project_id": project, "hash": icon.rpartition("/")[2], "document_id": document["id"], "advice_id": advice["id"],
                "comment_id": 1}

    def another_session(self):
        signing_in = {"user_id": self.names["owner"], "password": self.password("owner")}
        self.client.do("", "POST", "/v1/sessions", signing_in)
        return self.owner("GET", "/v1/sessions")["items"][0]["id"]

    def push_subscription(self):
        browser = {"endpoint": f"https://push.example.net/{self.number}", "auth": "BTBZMqHH6r4Tts7J_aSIgg", "p256dh":
                   "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}
        return self.owner("PUT", "/v1/notifications/push", browser)["id"]

    def avatar(self, role):
        path = self.by(role, "PUT", "/v1/me/avatar", png(), "image/png")["avatar"]
        profile = f"/v1/profiles/{self.names[role]}"
        until("the profile shows the avatar", lambda: self.by(role, "GET", profile)["avatar"] == path)
        return path.rpartition("/")[2]

    def message(self, kind="person"):
        image = self.owner("POST", "/v1/images", png(), "image/png")["hash"]
        to = {"group_id": self.group("open")} if kind == "group" else {"to": self.names["contact"]}
        key = self.owner("POST", "/v1/messages", {**to, "text": "Coming?", "images": [image]})["key"]
        return {"key": key, "hash": image}

    def timeline(self, kind):
        owner = self.group("open") if kind == "group" else self.names["owner"]
        return {"key": f"{owner}_Inbox_{time.strftime('%Y-%m-%d', time.gmtime())}"}


class Operation:
    def __init__(self, path, method, document):
        self.path, self.method, self.id = path, method.upper(), document["operationId"]
        content = document.get("requestBody", {}).get("content", {})
        self.kind = next(iter(content), "application/json")
        self.example = content.get(self.kind, {}).get("example")
        self.changes = self.method != "GET"

    def variants(self):
        if "/moments/{id}" in self.path:
            return MOMENTS
        if "{group_id}" in self.path:
            return GROUPS
        return ["person", "group"] if self.id == "sendMessage" or "{key}" in self.path else [""]

    def needs_a_cast(self):
        """Whether it changes what the people of a cast are to each other, or one of their accounts."""
        return self.changes and self.path.startswith(BETWEEN_PEOPLE)

    def counts(self):
        return not self.changes and ("{" in self.path or self.id in COUNTED_WITHOUT_PATH) and self.id not in NOT_COUNTED

    def objects(self, cast, role, variant):
        """What stands in the path, by the names of its parameters."""
        if "/moments/{id}" in self.path:
            return cast.moment(variant)
        if "{project_id}" in self.path and "ratings" not in self.path:
            return cast.project(self.id)
        if "{case_id}" in self.path:
            return cast.case()
        if self.id in COUNTED_WITHOUT_PATH and role == ROLES[0]:
            for kind in MOMENTS:
                cast.moment(kind)
        found = {"user_id": cast.names["contact" if role == "owner" else "owner"]}
        if "{project_id}" in self.path:
            found["project_id"] = cast.owner("POST", "/v1/projects", {"name": "Tide tables"})["id"]
        if "{group_id}" in self.path or variant == "group":
            found = {"group_id": cast.group(variant), "user_id": cast.names["member"]}
        if "{tag_id}" in self.path:
            person = "hidden" if role == "contact" else "contact"
            found = {"tag_id": cast.tag(person), "user_id": cast.names[person]}
        if "{key}" in self.path:
            found = cast.timeline(variant) if "timelines" in self.path else cast.message(variant)
        if self.id == "getAvatar":
            found["hash"] = cast.avatar("contact" if role == "owner" else "owner")
        if "{session_id}" in self.path:
            found["session_id"] = cast.another_session()
        if "{subscription_id}" in self.path:
            found["subscription_id"] = cast.push_subscription()
        return found

    def prepare(self, cast, role, objects):
        """What must have been asked before it can be answered."""
        if self.id == "declineInvitation" and role in (*CONTACTS, *NO_CONTACTS):
            cast.owner("POST", f"/v1/groups/{objects['group_id']}/invitations", {"user_id": cast.names[role]})
        if role not in NO_CONTACTS:
            return
        if self.id in ("acceptMessageRequest", "ignoreMessageRequest"):
            cast.owner("POST", "/v1/messages", {"to": cast.names[role], "text": "Coming?"})
        if self.id in ("acceptContactRequest", "declineContactRequest"):
            cast.owner("POST", "/v1/contact-requests", {"user_id": cast.names[role]})
        if self.id == "withdrawContactRequest":
            cast.by(role, "POST", "/v1/contact-requests", {"user_id": cast.names["owner"]})

    def body(self, cast, role, variant, objects):
        mine = role if role != "anonymous" else "owner"
        owner = cast.names["contact" if role == "owner" else "owner"]
        bodies = {
            "register": lambda: registration(f"new-{role}-{cast.number}"),
            "signIn": lambda: {"user_id": cast.names[mine], "password": cast.password(mine)},
            "refresh": lambda: {"refresh_token": cast.refresh_tokens[role]},
            "signOut": lambda: {"refresh_token": cast.refresh_tokens["owner"]},
            "closeAccount": lambda: {"password": cast.password(mine)},
            "changePassword": lambda: {"current": cast.password(mine), "new": "another horse battery"},
            "drawRecoveryCodes": lambda: {"password": cast.password(mine)},
            "putAvatar": png,
            "changeAudience": lambda: {"audience": "public"},
            "publishMoment": lambda: {"content": "High tide", "audience": "public"},
            "uploadImage": png,
            "putIcon": png,
            "addDocument": lambda: b"When not to swim",
            "commentOnMoment": lambda: {"text": "See you there"},
            "markTimelineSeen": lambda: {"up_to": "1"},
            "muteNotifications": lambda: {"user_ids": [cast.names["owner"]]},
            "sendMessage": lambda: {"text": "Coming?",
                                    **({"to": owner} if variant == "person" else {"group_id": objects["group_id"]})},
            "markAsRead": lambda: {"up_to": cast.message()["key"]},
            "markThreadAsRead": lambda: {"up_to": cast.message()["key"]},
            "markGroupAsRead": lambda: {"up_to": cast.message()["key"]},
            "requestContact": lambda: {"user_id": owner},
            "renameGroup": lambda: {"name": f"go {next(cast.groups)}"},
            "handOverGroup": lambda: {"user_id": cast.names["member"]},
            "inviteToGroup": lambda: {"user_id": cast.names["contact" if role == "stranger" else "stranger"]},
        }
        return bodies[self.id]() if self.id in bodies else self.example

    def target(self, cast, objects):
        path = self.path
        for name, value in objects.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        if "{" in path:
            fail(f"{self.id}: nothing is known for {path}")
        queries = {"listMomentsOfAuthor": "author", "listMonthsOfAuthor": "author", "getPinnedMoment": "author", "listProjects": "author",
                   "searchMoments": "query", "listMomentsOfTopic": "name", "searchPeople": "query", "searchMessages": "query"}
        if self.id in queries:
            path += f"?{queries[self.id]}={cast.names['owner']}"
        return path + ("?title=T" if self.id == "addDocument" else "")

    def cell(self, cast, role, variant, objects):
        self.prepare(cast, role, objects)
        status, _, content = cast.client.send(
            cast.tokens[role], self.method, self.target(cast, objects), self.body(cast, role, variant, objects), self.kind)
        if status >= 500:
            fail(f"{self.id} {variant} by {role}: {status} {content!r}")
        if not self.counts() or status != 200:
            return str(status)
        items = json.loads(content).get("items") if content[:1] == b"{" else None
        return str(status) if items is None else f"{status}:{len(items)}"

    def line(self, cast, variant):
        objects = None
        cells = []
        for role in ROLES:
            if objects is None or self.changes or role == "owner" and "user_id" in objects:
                objects = self.objects(cast, role, variant)
            cells.append(self.cell(cast, role, variant, objects))
        return f"{self.id + (' ' + variant if variant else ''):32}" + " ".join(f"{cell:9}" for cell in cells).rstrip()


def operations():
    for service in registry.names():
        document = yaml.load((ROOT / f"schemas/http/{service}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if isinstance(operation, dict) and "operationId" in operation:
                    yield Operation(path, method, operation)


def lines(client, with_roles):
    reader, writer = Cast(client, with_roles), Cast(client, with_roles)
    for operation in operations():
        for variant in operation.variants():
            shared = writer if operation.changes else reader
            yield operation.line(Cast(client, with_roles) if operation.needs_a_cast() else shared, variant)


def main():
    started = time.monotonic()
    home = temporary_folder("authorisation")
    suite = WholeSuite(home)
    suite.environment["TIDELINE_FEED_PUSH_CONTACT"] = "mailto:campus@example.edu"
    try:
        suite.start(sys.argv[1])
        client = Client(suite.gateway.url)
        found = [f"{'':32}" + " ".join(f"{role:9}" for role in ROLES).rstrip(), *lines(client, make_people_with_roles(suite, client))]
    finally:
        suite.stop()
        shutil.rmtree(home, ignore_errors=True)
    print(f"{(len(found) - 1) * len(ROLES)} cells of {len(found) - 1} lines, {time.monotonic() - started:.0f} s")
    if "--write" in sys.argv:
        TABLE.write_text("\n".join(found) + "\n", encoding="utf-8")
        return
    known = TABLE.read_text(encoding="utf-8").splitlines()
    for line in sorted(set(found) ^ set(known)):
        print(("is    " if line in found else "was   ") + line)
    if found != known:
        fail("somebody may do something else than authorisation.txt says")


main()
