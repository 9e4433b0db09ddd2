#!/usr/bin/env python3
"""erasure.py BUILD: of a person who has closed the account, nothing that the person wrote is left.

A person writes a text of its own into every field of schemas/http that takes one, into images and a document, and closes
the account. Then everything that the suite keeps is searched for those texts: rows of all tables, records of all topics,
and all files bytewise: logs, snapshots, the files of Kafka and PostgreSQL. All read models are rebuilt and searched again.
A field that no text was written into is a finding, so that a new one cannot be forgotten.
"""
import itertools
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import time

import yaml
from client import Client, png
from described import resolved
from parts import fail, in_a_day, program, registration, temporary_folder
from whole_suite import ROOT, WholeSuite, registry

from smtp_server import SmtpServer

BUILD = pathlib.Path(sys.argv[1])
# How soon after the account is closed rows, records that are read, and files of the services are without the texts.
GONE_WITHIN_SECONDS = 60
# How soon Kafka has compacted what is to go within an hour, when that hour is a second.
COMPACTED_WITHIN_SECONDS = 240
COMPACTED = {"tideline.profiles", "tideline.scores"}
# Stands before the name of a table in what is read of a database.
PAGE = "--8<-- "
# Names of a person or thing, numbers and secrets that the suite made: no texts.
REFERENCES = {"user_id", "to", "group_id", "refresh_token", "up_to", "parent_id", "moment_ids", "repost_of", "closes_at"}
# The pattern of an id: one class of characters, a number of times.
ID = re.compile(r"\^\[[\w.-]+\]\{.*")
# Keys and programs.
NOT_SEARCHED = {"bin", "secrets"}


def texts_of(document, schema, name):
    """The names of all fields of a schema that take what a person writes."""
    schema = resolved(document, schema)
    for part in itertools.chain(*(schema.get(of, []) for of in ("allOf", "anyOf", "oneOf"))):
        yield from texts_of(document, part, name)
    for field, of in schema.get("properties", {}).items():
        yield from texts_of(document, of, field)
    if "items" in schema:
        yield from texts_of(document, schema["items"], name)
    kinds = schema.get("type", [])
    is_text = "string" in (kinds if isinstance(kinds, list) else [kinds])
    if is_text and not ID.fullmatch(schema.get("pattern", "")) and "enum" not in schema and name not in REFERENCES:
        yield name


def documented_texts():
    """(operation, field)."""
    for service in registry.names():
        document = yaml.load((ROOT / f"schemas/http/{service}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for path in document["paths"].values():
            for method, operation in path.items():
                if not isinstance(operation, dict) or method == "get":
                    continue
                for parameter in operation.get("parameters", []):
                    parameter = resolved(document, parameter)
                    if parameter["in"] == "query":
                        for field in texts_of(document, parameter["schema"], parameter["name"]):
                            yield operation["operationId"], field
                for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                    if kind == "application/json":
                        for field in texts_of(document, content["schema"], ""):
                            yield operation["operationId"], field
                    else:
                        yield operation["operationId"], "image" if kind.startswith("image/") else kind


class Texts:
    """What was written where: each text is found nowhere but where somebody put it."""

    def __init__(self):
        self.places_of = {}
        self.start = f"zq{secrets.token_hex(5)}x"

    def new(self, operation, field):
        text = f"{self.start}{len(self.places_of)}z"
        self.written(text, operation, field)
        return text

    def written(self, text, operation, field):
        self.places_of.setdefault(text, []).append((operation, field))

    def places(self):
        return set(itertools.chain(*self.places_of.values()))

    def find(self, content):
        """The places whose texts are in the bytes."""
        # Hundreds of megabytes are searched, nearly all of them without a text: this is five times as fast.
        content = content.lower()
        if self.start.encode() not in content:
            return []
        found = set(re.findall(self.start.encode() + rb"\d+z", content))
        return sorted({".".join(self.places_of[text.decode()][0]) for text in found})


class Writer:
    """The person who will be erased; `friend` is somebody to write to, and stays."""

    def __init__(self, suite, texts, name):
        self.client = Client(suite.gateway.url, keys=True)
        self.suite, self.texts, self.name, self.friend = suite, texts, name, "friend"
        self.read_by_friend = [f"/v1/profiles/{name}"]

    def write_everything(self):
        self.register()
        self.write_profile()
        self.write_email()
        self.write_projects()
        self.write_to_people()
        self.write_moments()
        self.write_as_operator()
        self.texts.written(self.password, "closeAccount", "password")

    def body(self, operation, *fields, **others):
        return {**{field: self.texts.new(operation, field) for field in fields}, **others}

    def send(self, method, path, body=None, kind="application/json"):
        return self.client.do(self.token, method, path, body, kind)

    def by_friend(self, method, path, body=None):
        return self.client.do(self.friend_token, method, path, body)

    def register(self):
        self.password = self.texts.new("register", "password")
        body = self.body("register", "real_name", "department", user_id=self.name, password=self.password,
                         email=self.texts.new("register", "email") + "@campus.example")
        self.client.do("", "POST", "/v1/accounts", body)
        self.client.send("", "POST", "/v1/sessions", self.body("signIn", "password", user_id=self.name))
        self.suite.make_operators(self.name)
        self.sign_in()
        self.client.do("", "POST", "/v1/accounts", registration(self.friend))
        self.suite.give_role("moderator", self.friend)
        signing_in = {"user_id": self.friend, "password": registration(self.friend)["password"]}
        self.friend_token = self.client.do("", "POST", "/v1/sessions", signing_in)["access_token"]
        self.send("POST", "/v1/contact-requests", {"user_id": self.friend})
        self.by_friend("POST", f"/v1/contact-requests/{self.name}/accept")

    def sign_in(self):
        self.client.name = self.texts.new("signIn", "User-Agent")
        session = self.client.do("", "POST", "/v1/sessions", {"user_id": self.name, "password": self.password})
        self.token = session["access_token"]

    def write_profile(self):
        self.send("PATCH", "/v1/me", self.body("changeMe", "real_name", "department", "bio",
                                               email=self.texts.new("changeMe", "email") + "@campus.example"))
        current, self.password = self.password, self.texts.new("changePassword", "new")
        self.texts.written(current, "changePassword", "current")
        self.send("POST", "/v1/me/password", {"current": current, "new": self.password})
        self.sign_in()
        self.send("PUT", "/v1/me/avatar", png(self.texts.new("putAvatar", "image").encode()), "image/png")
        self.read_by_friend.append(f"/v1/people?query={self.name}")
        self.texts.written(self.password, "drawRecoveryCodes", "password")
        self.send("PUT", "/v1/me/recovery-codes", {"password": self.password})

    def write_email(self):
        """A verified address; and what is refused, which must not stay either."""
        self.texts.written(self.password, "sendEmailVerification", "password")
        self.send("POST", "/v1/me/email-verification", {"password": self.password})
        mailed = SmtpServer.text_of(self.suite.mail.mail(0))
        self.send("PUT", "/v1/me/email-verification", {"code": re.search(r"\b[a-z2-7]{32}\b", mailed).group()})
        for token, method, path, body in (
                (self.token, "PUT", "/v1/me/email-verification", self.body("verifyEmail", "code")),
                ("", "PUT", "/v1/password-resets", self.body("resetPassword", "code", "new", user_id=self.name)),
                ("", "POST", "/v1/accounts", {**registration("nobody"), **self.body("register", "sign_up_code")})):
            status, _, content = self.client.send(token, method, path, body)
            if status != 403:
                fail(f"{method} {path} with no good code: {status} {content!r}")
        factor = {"password": self.password, "code": "000000"}
        for method, operation, body in (("PUT", "setSecondFactor", {**factor, "secret": "A" * 32}),
                                        ("DELETE", "removeSecondFactor", factor)):
            self.texts.written(self.password, operation, "password")
            status, _, content = self.client.send(self.token, method, "/v1/me/second-factor", body)
            if status not in (403, 404):
                fail(f"{operation} with no good code: {status} {content!r}")
        email = self.texts.new("sendSignUpCode", "email") + "@campus.example"
        self.client.do("", "POST", "/v1/sign-up-codes", {"user_id": "nobody", "email": email})

    def write_projects(self):
        def card(operation):
            return self.body(operation, "name", "introduction", "looking_for",
                             link="https://" + self.texts.new(operation, "link"),
                             labels=[self.texts.new(operation, "labels") for _ in range(2)])
        project = "/v1/projects/" + self.send("POST", "/v1/projects", card("createProject"))["id"]
        edited = card("editProject")
        self.send("PATCH", project, edited)
        self.read_by_friend += [project, f"{project}/comments", f"{project}/documents", f"/v1/projects?author={self.name}",
                                "/v1/projects?order=newest&limit=100", "/v1/projects/labels?limit=100",
                                f"/v1/projects?query={edited['name']}"]
        self.send("PUT", f"{project}/icon", png(self.texts.new("putIcon", "image").encode()), "image/png")
        self.send("POST", f"{project}/documents?title=" + self.texts.new("addDocument", "title"),
                  self.texts.new("addDocument", "application/octet-stream").encode(), "application/octet-stream")
        # Above 1 MiB it lies in pieces.
        self.send("POST", f"{project}/documents?title=" + self.texts.new("addDocument", "title"),
                  self.texts.new("addDocument", "application/octet-stream").encode() + b" in pieces" * 150_000,
                  "application/octet-stream")
        self.send("POST", f"{project}/comments", self.body("addComment", "text", parent_id=0))
        foreign = self.by_friend("POST", "/v1/projects", {"name": "Tide tables"})["id"]
        self.send("POST", f"/v1/projects/{foreign}/advice", self.body("giveAdvice", "text"))
        self.read_by_friend.append(f"/v1/projects/{foreign}/advice")

    def write_to_people(self):
        self.send("POST", "/v1/tags", self.body("createTag", "name"))
        self.send("PUT", f"/v1/contacts/{self.friend}/remark", self.body("setRemark", "remark"))
        group = self.send("POST", "/v1/groups", self.body("createGroup", "name", private=True))["id"]
        self.send("PUT", f"/v1/groups/{group}/name", self.body("renameGroup", "name"))
        self.send("POST", "/v1/messages", self.body("sendMessage", "text", to=self.friend))
        self.send("POST", "/v1/messages", self.body("sendMessage", "text", group_id=group))

    def write_moments(self):
        image = self.send("POST", "/v1/images", png(self.texts.new("uploadImage", "image").encode()), "image/png")["hash"]
        written = self.body("publishMoment", "content", images=[image], audience="public")
        written["content"] = "#" + written["content"]  # a topic
        written["poll"] = {"options": [self.texts.new("publishMoment", "options"), "never"], "closes_at": in_a_day()}
        moment = self.send("POST", "/v1/moments", written)["id"]
        self.send("PATCH", f"/v1/moments/{moment}", self.body("editMoment", "content"))
        self.send("POST", f"/v1/moments/{moment}/comments", self.body("commentOnMoment", "text"))
        own = self.by_friend("POST", "/v1/moments", {"content": "Low tide", "audience": "public"})["id"]
        self.send("POST", f"/v1/moments/{own}/comments", self.body("commentOnMoment", "text"))
        self.write_reports(moment, own)
        endpoint = "https://push.example.net/" + self.texts.new("subscribeToPush", "endpoint")
        self.send("PUT", "/v1/notifications/push", {"endpoint": endpoint, "auth": "BTBZMqHH6r4Tts7J_aSIgg", "p256dh":
                  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"})
        self.read_by_friend += [f"/v1/moments?author={self.name}", f"/v1/moments/{moment}", f"/v1/moments/{moment}/poll",
                                f"/v1/moments/{own}/comments",
                                "/v1/timeline", "/v1/messages/inbox", "/v1/messages/conversations",
                                f"/v1/messages/conversations/{self.name}"]

    def write_reports(self, moment, of_friend):
        """What the person reports; and why a moderator leaves or hides what another has reported."""
        comment = self.by_friend("POST", f"/v1/moments/{of_friend}/comments", {"text": "Low indeed"})["id"]
        path = f"/v1/moments/{of_friend}"
        self.client.do(self.token, "GET", f"{path}/comments")
        self.send("PUT", f"{path}/report", self.body("reportMoment", "text", category="other"))
        self.send("PUT", f"{path}/comments/{comment}/report", self.body("reportComment", "text", category="other"))
        other = self.client.do("", "POST", "/v1/accounts", registration("other"))["session"]["access_token"]
        self.client.do(other, "PUT", f"/v1/moments/{moment}/report", {"category": "other"})
        self.by_friend("POST", f"/v1/moment-cases/{moment}/decision",
                       self.body("decideMomentCase", "reason", decision="dismissed"))
        hidden = self.send("POST", "/v1/moments", {"content": "Rude", "audience": "public"})["id"]
        self.client.do(other, "PUT", f"/v1/moments/{hidden}/report", {"category": "other"})
        self.by_friend("POST", f"/v1/moment-cases/{hidden}/decision", self.body("decideMomentCase", "reason", decision="hidden"))

    def write_as_operator(self):
        self.send("POST", f"/v1/points/{self.name}/adjustments", self.body("adjustPoints", "reason", delta=5))

    def shown(self):
        """To the friend: path -> places of the texts in the answer."""
        answers = {path: self.client.send(self.friend_token, "GET", path) for path in self.read_by_friend}
        return {path: self.texts.find(content) for path, (_, _, content) in answers.items()}

    def close(self):
        self.send("DELETE", "/v1/me", {"password": self.password})


class Search:
    def __init__(self, suite, home, texts):
        self.suite, self.home, self.texts = suite, pathlib.Path(home), texts

    def psql(self, database, sql):
        done = subprocess.run(["psql", "-XAt", "-v", "ON_ERROR_STOP=1", database], input=sql.encode(), capture_output=True,
                              check=False, env={**os.environ, "PGOPTIONS": "-c bytea_output=escape"})
        if done.returncode != 0:
            fail(f"{sql}\n{done.stderr.decode()}")
        return done.stdout

    def databases(self):
        for service in registry.names():
            yield service, (self.home / f"postgres/databases/tideline_{service.replace('-', '_')}").read_text().strip()

    def rows(self):
        """Of all tables of all services: table -> places."""
        found = {}
        for service, database in self.databases():
            tables = self.psql(database, "SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
                               " AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')").decode().split()
            script = "".join(f"\\echo {PAGE}{table}\nSELECT t FROM {table} AS t;\n" for table in tables)
            for content in self.psql(database, script).split(PAGE.encode())[1:]:
                if places := self.texts.find(content):
                    found[f"{service}.{content.split(maxsplit=1)[0].decode()}"] = places
        return found

    def kafka(self):
        return f"127.0.0.1:{self.suite.environment['TIDELINE_KAFKA_PORT']}"

    def records(self):
        """Of all topics, as a consumer reads them."""
        listed = subprocess.run(["kcat", "-L", "-J", "-b", self.kafka()], capture_output=True, check=True).stdout
        topics = [topic["topic"] for topic in json.loads(listed)["topics"]]
        found = {}
        for topic in topics:
            content = subprocess.run(["kcat", "-C", "-e", "-q", "-o", "beginning", "-b", self.kafka(), "-t", topic,
                                      "-f", "%k %h %s\n"], capture_output=True, check=True).stdout
            if places := self.texts.find(content):
                found[topic] = places
        return found

    def files(self, *folders):
        """Bytewise, of those folders of the suite's home."""
        found = {}
        for folder in folders:
            for file in (self.home / folder).rglob("*"):
                if not file.is_file() or NOT_SEARCHED & set(file.relative_to(self.home).parts):
                    continue
                try:
                    places = self.texts.find(file.read_bytes())
                except FileNotFoundError:
                    continue
                if places:
                    found[str(file.relative_to(self.home))] = places
        return found

    def shorten_compaction(self):
        """What takes an hour takes a second: by what follows, not by what happens. And Kafka looks every half second
        whether there is something to compact, instead of every fifteen."""
        jars = subprocess.run([ROOT / "deploy/kafka/resolve"], capture_output=True, text=True, check=True).stdout.strip()
        listed = subprocess.run(["kcat", "-L", "-J", "-b", self.kafka()], capture_output=True, check=True).stdout
        changes = [(["topics", "--entity-name", topic["topic"]],
                    "segment.ms=1000,max.compaction.lag.ms=1000,file.delete.delay.ms=1000")
                   for topic in json.loads(listed)["topics"] if topic["topic"] in COMPACTED]
        for entity, settings in [*changes, (["brokers", "--entity-default"], "log.cleaner.backoff.ms=500")]:
            subprocess.run(["java", "-cp", f"{jars}/*", "kafka.admin.ConfigCommand", "--bootstrap-server", self.kafka(),
                            "--alter", "--entity-type", *entity, "--add-config", settings],
                           check=True, capture_output=True)

    def rewrite_tables(self):
        """PostgreSQL keeps the bytes of a deleted row until its page is written anew, and those of WAL until its file is."""
        for _, database in self.databases():
            # Most partitions have no pages, and a transaction each is what takes time.
            self.psql(database, "SELECT format('VACUUM FULL %s', oid::regclass) FROM pg_class WHERE relkind IN ('r', 'm') AND"
                      " greatest(pg_relation_size(oid), pg_relation_size(nullif(reltoastrelid, 0))) > 0 \\gexec")
        admin = (self.home / "postgres/conninfo").read_text().strip()
        for statement in ("ALTER SYSTEM SET wal_recycle = off", "SELECT pg_reload_conf()", "SELECT pg_switch_wal()",
                          "CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT"):
            self.psql(admin, statement)


def told(found):
    return "nothing" if not found else "".join(f"\n  {place}: {', '.join(texts)}" for place, texts in sorted(found.items()))


class Erasure:
    """What is searched, and until when nothing may be found."""

    def __init__(self, suite, writer, search):
        self.suite, self.writer, self.search = suite, writer, search
        self.started = time.monotonic()

    def all_is_written(self):
        self.writer.write_everything()
        missing = sorted(".".join(place) for place in set(documented_texts()) - self.search.texts.places())
        if missing:
            fail(f"no text was written into {', '.join(missing)}: whoever adds a field writes into it here")
        print(f"{len(self.search.texts.places_of)} texts in {len(self.search.texts.places())} fields", flush=True)

    def the_search_finds(self):
        """What lies in clear while the account is open: how people are called, and what they have uploaded."""
        for what, search in (("rows", self.search.rows), ("records", self.search.records),
                             ("files", lambda: self.search.files("kafka", "postgres"))):
            found = search()
            print(f"{what} before: {told(found)}", flush=True)
            if not found:
                fail("a search that finds no names while they are there")
        unseen = [path for path, places in self.writer.shown().items() if not places]
        if unseen:
            fail(f"shows none of the texts: {unseen}")

    def kept_keys(self):
        """Services that still have a key of anybody who is closed, or that never had one of the person."""
        sql = "SELECT count(*) FILTER (WHERE key IS NULL), count(key) FROM subject_key WHERE subject IN" \
              " (SELECT account_id FROM person_profile WHERE closed)"
        counts = {service: self.search.psql(database, sql).decode().strip()
                  for service, database in self.search.databases() if service != "accounts"}
        return {service: [count] for service, count in counts.items() if count != "1|0"}

    def still_shown(self):
        return {path: places for path, places in self.writer.shown().items() if places}

    def nothing_is_left(self, what, search, seconds=0, meanwhile=None):
        since = time.monotonic()
        while found := search():
            if time.monotonic() - since > seconds:
                fail(f"{what}: {told(found)}")
            if meanwhile:
                meanwhile()
            time.sleep(0.2)
        print(f"{what}: nothing after {time.monotonic() - since:.1f} s", flush=True)

    def register_some(self):
        """Kafka begins a new segment of a partition, and compacts those before, when something is written there."""
        for _ in range(16):
            self.writer.client.do("", "POST", "/v1/accounts", registration(f"later-{secrets.token_hex(6)}"))

    def rebuild(self):
        home = self.search.home
        for service in registry.names():
            command = [program(BUILD, service), "--config", home / f"services/{service}/config", "rebuild", "--all", "--verify"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                fail(f"{service}: a read model differs from its rebuild\n{done.stdout}{done.stderr}")


def main():
    texts = Texts()
    home = temporary_folder("erasure")
    name = texts.new("register", "user_id")
    suite = WholeSuite(home)
    suite.mail = SmtpServer()
    suite.mail.start()
    suite.environment.update({"TIDELINE_FEED_PUSH_CONTACT": "mailto:campus@example.edu",
                              "TIDELINE_SMTP_URL": f"smtp://127.0.0.1:{suite.mail.port}", "TIDELINE_SMTP_TLS": "offered",
                              "TIDELINE_MAIL_FROM": "campus@tideline.example"})
    try:
        suite.start(BUILD)
        search = Search(suite, home, texts)
        erasure = Erasure(suite, Writer(suite, texts, name), search)
        search.shorten_compaction()
        erasure.all_is_written()
        erasure.the_search_finds()
        erasure.writer.close()
        erasure.nothing_is_left("rows", search.rows, GONE_WITHIN_SECONDS)
        erasure.nothing_is_left("keys", erasure.kept_keys, GONE_WITHIN_SECONDS)
        erasure.nothing_is_left("answers to others", erasure.still_shown, GONE_WITHIN_SECONDS)
        erasure.nothing_is_left("records", search.records, COMPACTED_WITHIN_SECONDS, erasure.register_some)
        erasure.nothing_is_left("files of services and gateway", lambda: search.files("services", "gateway"))
        erasure.nothing_is_left("files of Kafka", lambda: search.files("kafka"), COMPACTED_WITHIN_SECONDS)
        search.rewrite_tables()
        erasure.nothing_is_left("files of PostgreSQL", lambda: search.files("postgres"))
        erasure.rebuild()
        erasure.nothing_is_left("rows after a rebuild of everything", search.rows)
    finally:
        suite.stop()
        suite.mail.stop()
        shutil.rmtree(home, ignore_errors=True)
    print(f"{time.monotonic() - erasure.started:.0f} s")


main()
