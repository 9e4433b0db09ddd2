"""live_stream.py GATEWAY RUN : one person listens to his live timeline while another publishes, until a line comes on stdin.
Whoever listens comes back with the last id that he heard when his stream ends. Prints as JSON how many moments were published, how
many of them were heard, and how often he came back."""
import http.client
import json
import sys
import threading
import time
import urllib.parse
import uuid

HOST = urllib.parse.urlsplit(sys.argv[1]).netloc
RUN = sys.argv[2]
EVERY_SECONDS = 0.2  # between two moments, and two attempts
PATIENCE_SECONDS = 180
# A host that was lost says nothing. A stream beats every 15 s.
SILENCE_SECONDS = 20


class Person:
    def __init__(self, name):
        self.user = f"{RUN}-{name}"
        self.token = ""
        self.send("POST", "/v1/accounts", {"user_id": self.user, "password": f"tideline-{self.user}", "real_name": name, "department": "",
                                           "email": f"{self.user}@campus.example"}, (201,))
        self.sign_in()

    def sign_in(self):
        """Tokens are good for a quarter of an hour."""
        self.token = ""
        answer = self.send("POST", "/v1/sessions", {"user_id": self.user, "password": f"tideline-{self.user}"}, (200, 201))
        self.token = answer["access_token"]

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(HOST, timeout=SILENCE_SECONDS)
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json", **headers})
        return connection.getresponse()

    def send(self, method, path, body, expected, again=(502, 503, 504)):
        deadline = time.monotonic() + PATIENCE_SECONDS
        key = str(uuid.uuid4())
        while True:
            try:
                answer = self.request(method, path, body, **({"Idempotency-Key": key} if self.token else {}))
                text = answer.read()
            except (OSError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
                time.sleep(EVERY_SECONDS)
                continue
            if answer.status in expected:
                return json.loads(text) if text else None
            if answer.status == 401 and self.token:
                self.sign_in()
            elif answer.status not in again or time.monotonic() > deadline:
                raise RuntimeError(f"{method} {path}: {answer.status} {text[:200]}")
            time.sleep(EVERY_SECONDS)


class Listener(threading.Thread):
    def __init__(self, person):
        super().__init__(daemon=True)
        self.person = person
        self.heard = set()
        self.streams = 0
        self.last_id = None
        self.listens = threading.Event()

    def run(self):
        while True:
            try:
                self.listen()
            except (OSError, http.client.HTTPException):
                pass

    def listen(self):
        last = {"Last-Event-ID": self.last_id} if self.last_id else {}
        answer = self.person.request("GET", "/v1/timeline/stream", **last)
        if answer.status == 401:
            self.person.sign_in()
        if answer.status != 200:
            time.sleep(EVERY_SECONDS)
            return
        self.streams += 1
        self.listens.set()
        event = {}
        while line := answer.readline().decode():
            line = line.rstrip("\r\n")
            if line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                event[name] = value
            elif event:
                self.last_id = event.get("id", self.last_id)
                if event.get("event") == "moment":
                    self.heard.add(json.loads(event["data"])["id"])
                event = {}


def main():
    author, reader = Person("author"), Person("reader")
    # Names come to social-graph by a topic.
    reader.send("PUT", f"/v1/follows/{author.user}", None, (200, 201, 204), (404, 502, 503, 504))
    listener = Listener(reader)
    listener.start()
    listener.listens.wait(PATIENCE_SECONDS)
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
    published = set()
    print("ready", flush=True)
    while not over.is_set():
        published.add(author.send("POST", "/v1/moments", {"content": "live", "audience": "public"}, (201,))["id"])
        time.sleep(EVERY_SECONDS)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not published <= listener.heard and time.monotonic() < deadline:
        time.sleep(0.05)
    print(json.dumps({"published": len(published), "heard": len(published & listener.heard), "streams": listener.streams}), flush=True)


main()
