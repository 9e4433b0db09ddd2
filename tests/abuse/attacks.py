"""What one hostile account could do to the others, each as one function that says what it found. A function with
`count` does it so often; what it measures is printed, and decides nothing."""
import secrets
import threading
import time

from suite import PASSWORD, check, median_ms, until

DIGITS = "0123456789abcdefghijklmnopqrstuv"


def invented_id():
    """As ids of the suite look."""
    return "".join(secrets.choice(DIGITS) for _ in range(25)) + secrets.choice(DIGITS[::4])


def invented_lists(suite, count):
    """Moments that name groups and tags which nobody has made: each took 59 KB of feed's memory for good."""
    mallory = suite.person("mallory-lists").sign_up()

    def publish(times):
        for _ in range(times):
            for kind in ("tag_ids", "group_ids"):
                invented = {kind: [invented_id() for _ in range(100)]}
                mallory.must(404, "POST", "/v1/moments", {"content": "x", "audience": "partly-visible", **invented})

    publish(100)  # what a service takes once, whatever is asked of it
    before = suite.resident_kib("feed")
    publish(count)
    return f"{2 * count} moments with 100 invented ids: 404; feed grew by {suite.resident_kib('feed') - before} KiB"


def long_stream(suite, count):
    """An author who edits a project again and again: each vote and comment folded all of it, 700 ms behind 1,500."""
    mallory = suite.person("mallory-edits").sign_up()
    project = mallory.must(201, "POST", "/v1/projects", {"name": "P", "introduction": "x" * 4900})["id"]

    def comment_ms():
        times = []
        for _ in range(20):
            start = time.monotonic()
            mallory.must(201, "POST", f"/v1/projects/{project}/comments", {"text": "and?"})
            times.append(time.monotonic() - start)
        return median_ms(times)

    first = comment_ms()
    for i in range(count):
        mallory.must(200, "PATCH", f"/v1/projects/{project}", {"introduction": f"{i} " + "x" * 4900})
    last = comment_ms()
    kept = suite.query("projects", f"SELECT cardinality(kept) FROM stream_compaction WHERE stream_id = 'project-{project}'")
    check(kept and int(kept[0]) <= 3, f"of {count} edits {kept} events still count")
    return f"a comment takes {first:.1f} ms, behind {count} edits {last:.1f} ms; {kept[0]} events count"


def switching(suite, count):
    """A follow that is switched to and fro."""
    mallory, victim = (suite.person(name).sign_up() for name in ("mallory-follows", "victim-followed"))
    mallory.position = victim.position
    path = f"/v1/follows/{victim.user_id}"
    until("the victim is known", lambda: mallory.ask("PUT", path)[0] < 300)
    for _ in range(count):
        mallory.must(204, "DELETE", path)
        check(mallory.ask("PUT", path)[0] < 300, "a follow was refused")
    kept = suite.query("social-graph", "SELECT cardinality(kept) FROM stream_compaction WHERE stream_id LIKE 'follow-%'")
    check(kept == ["2"], f"of {2 * count} switches {kept} events still count")
    return f"{2 * count} switches; {kept[0]} events count"


def long_list(suite, count):
    """All projects of an author in one answer."""
    mallory = suite.person("mallory-many").sign_up()
    for i in range(count):
        mallory.must(201, "POST", "/v1/projects", {"name": f"P{i}", "introduction": "x"})
    path = f"/v1/projects?author={mallory.user_id}"
    until("the projects are listed", lambda: mallory.ask("GET", path)[1]["items"])
    page = mallory.must(200, "GET", path + "&limit=10")
    check(len(page["items"]) == 10 and page["after"], f"a page of {len(page['items'])}, after {page['after']}")
    return f"{count} projects come in pages of {len(page['items'])}"


def guessing(suite, count):
    """Wrong passwords for somebody else's account: they locked the owner out of all that takes his password."""
    victim = suite.person("victim-guessed").sign_up()
    mallory = suite.person("victim-guessed")
    statuses = [mallory.sign_in(f"guess number {i}")[0] for i in range(count)]
    check(statuses.count(401) == 10 and set(statuses[10:]) == {429}, f"guesses were answered {statuses}")
    _, headers = mallory.sign_in("another guess")
    check(headers["Retry-After"] and headers["RateLimit"], f"429 came with {headers.items()}")
    changed = victim.ask("POST", "/v1/me/password", {"current": PASSWORD, "new": PASSWORD + "!"})
    check(changed[0] == 200, f"the owner's change of his password was answered {changed}")
    return f"{count} guesses: {statuses.count(401)} were looked at; the owner changed his password meanwhile"


def hashing(suite, count):
    """Sign-ins of many accounts at once: they took every worker of accounts."""
    names = [f"mallory-{i}" for i in range(count)]
    crowd = [suite.person(name).sign_up() for name in names]
    reader = suite.person("reader").sign_up()
    answers = []

    def sign_in_often(name):
        somebody = suite.person(name)
        for _ in range(5):
            answers.append(somebody.sign_in()[0])

    threads = [threading.Thread(target=sign_in_often, args=(somebody.user_id,)) for somebody in crowd for _ in range(10)]
    for thread in threads:
        thread.start()
    times = []
    while any(thread.is_alive() for thread in threads):
        start = time.monotonic()
        reader.must(200, "GET", "/v1/me")
        times.append(time.monotonic() - start)
    for thread in threads:
        thread.join()
    check(set(answers) <= {201, 429, 503}, f"sign-ins were answered {set(answers)}")
    return (f"{len(answers)} sign-ins of {count} accounts at once, {answers.count(201)} done; "
            f"meanwhile a profile was read in {median_ms(times):.1f} ms")


def revoked_tokens(suite, count):
    """Who goes on under a token whose account is closed, whose session has ended or whose password is another: it was
    good for 15 minutes in every service."""
    endings = {
        "closed": ("DELETE", "/v1/me", lambda session: {"password": PASSWORD}),
        "signed out": ("POST", "/v1/sessions/sign-out", lambda session: {"refresh_token": session["refresh_token"]}),
        "password": ("POST", "/v1/me/password", lambda session: {"current": PASSWORD, "new": PASSWORD + "!"}),
    }
    commands = [("accounts", "PATCH", "/v1/me", {"sex": 1}), ("projects", "POST", "/v1/projects", {"name": "P", "introduction": "x"}),
                ("social-graph", "POST", "/v1/tags", {"name": "crew"}), ("feed", "POST", "/v1/moments", {"content": "x", "audience": "public"}),
                ("scoring", "GET", "/v1/points/me", None)]
    slowest = {}
    for i in range(count):
        for ending, (method, path, body) in endings.items():
            mallory = suite.person(f"mallory-{ending.replace(' ', '-')}-{i}").sign_up()
            status, session, _ = mallory.ask("POST", "/v1/sessions", {"user_id": mallory.user_id, "password": PASSWORD})
            check(status == 201, f"a sign-in was answered {status}")
            mallory.token = session["access_token"]
            for _, *command in commands:
                until(f"{command} is done", lambda c=command: mallory.ask(*c)[0] < 300)
            status, said, _ = mallory.ask(method, path, body(session))
            check(status < 300, f"{ending}: {status} {said}")
            ended = time.monotonic()
            for service, *command in commands:
                until(f"{service} refuses a token: {ending}", lambda c=command: mallory.ask(*c)[0] == 401, 10)
                took = 1000 * (time.monotonic() - ended)
                slowest[ending] = max(took, slowest.get(ending, 0))
            again = mallory.ask(method, path, body(session))
            check(again[0] in (204, 403, 404), f"{ending}: the ending itself, again, was answered {again[:2]}")
    return "all services refuse the token: " + ", ".join(f"{ending} {took:.0f} ms" for ending, took in slowest.items())


def harassing(suite, count):
    """Who goes on at somebody: the same request after each refusal, one message after the other, and all of it once
    more after a block. Requests and messages had no end, and there was no block."""
    mallory, victim, friend = (suite.person(name).sign_up() for name in ("mallory-harassing", "victim-harassed", "friend"))
    to_victim = {"user_id": victim.user_id}
    until("the victim is known", lambda: mallory.ask("POST", "/v1/contact-requests", to_victim)[0] == 201)
    victim.position = friend.position = mallory.position
    victim.must(204, "POST", f"/v1/contact-requests/{mallory.user_id}/decline")
    asked = [mallory.ask("POST", "/v1/contact-requests", to_victim)[0] for _ in range(count)]
    check(set(asked) == {409}, f"declined requests were repeated: {asked}")
    message = {"to": victim.user_id, "text": "Answer me"}
    # Feed has names from the topic of profiles, which no position waits for.
    until("feed knows the sender's name", lambda: mallory.ask("POST", "/v1/messages", message)[0] == 201)
    written = [mallory.ask("POST", "/v1/messages", message)[0] for _ in range(count - 1)]
    check(written[:2] == [201, 201] and set(written[2:]) == {409}, f"messages were answered {written}")
    victim.position = mallory.position
    check(victim.must(200, "GET", "/v1/messages/inbox/unread")["unread"] == 0, "they are in the Inbox")

    moment = victim.must(201, "POST", "/v1/moments", {"content": "x", "audience": "public"})["id"]
    project = victim.must(201, "POST", "/v1/projects", {"name": "P", "introduction": "x"})["id"]
    victim.must(200, "PUT", f"/v1/blocks/{mallory.user_id}")
    attempts = [("POST", "/v1/contact-requests", to_victim), ("PUT", f"/v1/follows/{victim.user_id}", None),
                ("POST", "/v1/messages", message), ("GET", f"/v1/profiles/{victim.user_id}", None),
                ("PUT", f"/v1/moments/{moment}/like", None), ("POST", f"/v1/moments/{moment}/comments", {"text": "x"}),
                ("GET", f"/v1/moments/{moment}", None), ("GET", f"/v1/projects/{project}", None),
                ("POST", f"/v1/projects/{project}/comments", {"text": "x"}),
                ("PUT", f"/v1/ratings/people/{victim.user_id}", {"stars": 1})]
    for attempt in attempts:
        until(f"{attempt} is answered as if there was nobody", lambda a=attempt: mallory.ask(*a)[0] == 404, 10)
    nobody = mallory.ask("POST", "/v1/contact-requests", {"user_id": "never-registered"})
    check(mallory.ask(*attempts[0])[1] == nobody[1], "who is blocked can tell it from nobody")
    return f"{count} requests after a refusal: none; {count} messages: 3 wait; {len(attempts)} ways across a block: 404"


def waiting(suite, count):
    """Reads that want to see what Kafka has not carried yet: each held one of 32 workers for two seconds, and 16 a
    second stopped a service that goes on with commands while Kafka stands still."""
    mallory, victim = (suite.person(name).sign_up() for name in ("mallory-waiting", "victim-waiting"))
    until("both are known", lambda: all(
        somebody.ask("PUT", f"/v1/follows/{other.user_id}")[0] == 200 for somebody, other in ((mallory, victim), (victim, mallory))))
    times, stop = [], threading.Event()
    with suite.without_kafka():
        mallory.must(201, "POST", "/v1/tags", {"name": "ahead"})

        def read_ahead():
            reader = suite.person(mallory.user_id)
            reader.token = mallory.token
            while not stop.is_set():
                reader.position = mallory.position
                check(reader.ask("GET", "/v1/follows")[0] == 200, "a read was refused")

        # As many as the gateway lets one account have at once, but for one.
        threads = [threading.Thread(target=read_ahead) for _ in range(60)]
        for thread in threads:
            thread.start()
        until("more wait than there are workers", lambda: suite.metric("social-graph", "tideline_http_requests_waiting") > 32)
        victim.position = ""
        for _ in range(count):
            start = time.monotonic()
            victim.must(201, "POST", "/v1/tags", {"name": "mine"})
            times.append(time.monotonic() - start)
        stop.set()
        for thread in threads:
            thread.join()
    return f"{count} commands of another, beside 60 reads that wait, took {median_ms(times):.1f} ms each"


# In the order in which they are run: name, function, how often by default and with --long.
ATTACKS = [
    ("invented lists", invented_lists, 100, 1500),
    ("long stream", long_stream, 200, 1500),
    ("switching", switching, 40, 1000),
    ("long list", long_list, 30, 3000),
    ("guessing", guessing, 20, 200),
    ("hashing", hashing, 8, 20),
    ("revoked tokens", revoked_tokens, 3, 50),
    ("harassing", harassing, 10, 200),
    ("waiting", waiting, 20, 500),
]
