"""Mails of accounts go to a server outside of the cluster, beside the control plane, with the components and Secrets that an
installation has; nobody else of Tideline reaches it."""
import json
import pathlib
import re
import subprocess

from machine import CONTROL_PLANE_ADDRESS, Trouble, run

HERE = pathlib.Path(__file__).resolve().parent
# Of overlays/trial.
NAME, PORT, SENDER = "mail", 587, "campus@tideline.example"
USER, PASSWORD = "campus", "a password of the relay"


def give_password(suite):
    """The Secret that k8s/README.md names."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mail"}, "stringData": {"user": USER, "password": PASSWORD}}
    suite.kubectl("apply", "-f", "-", input=json.dumps(secret))


class MailServer:
    def __init__(self, suite):
        certificate, key = suite.certify(NAME, f"DNS:{NAME}")
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*suite.cluster.inside(), "/usr/bin/python3", HERE / "mail_server.py", CONTROL_PLANE_ADDRESS, str(PORT), certificate, key,
             USER, PASSWORD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Trouble("the mail server does not start")

    def code_for(self, address):
        self.process.stdin.write(f"{address}\n")
        self.process.stdin.flush()
        mail = json.loads(self.process.stdout.readline())
        if mail is None:
            raise Trouble(f"no mail to {address} has come")
        if mail["from"] != SENDER:
            raise Trouble(f"a mail is from {mail['from']}")
        return re.search(r"^([a-z2-7]{32})$", mail["text"], re.MULTILINE).group(1)

    def stop(self):
        self.process.communicate(timeout=60)


def ask(suite, status, method, path, token, body=None):
    words = ["-H", f"Authorization: Bearer {token}"] if token else []
    if body:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    said = run(*suite.inside("curl", "-sS", "-m", 30, "-X", method, "-w", "\\n%{http_code}", *words, suite.gateway + path)).stdout
    text, _, code = said.rpartition("\n")
    if code != str(status):
        raise Trouble(f"{method} {path}: {code} {text}")
    return json.loads(text) if text else None


def reaches_mail_server(suite, service):
    return suite.kubectl("exec", f"{suite.kind_of(service)}/{service}", "-c", "service", "--", "timeout", "5", "bash", "-c",
                         f"exec 3<>/dev/tcp/{NAME}/{PORT}", check=False).returncode == 0


def check_reach(suite):
    reaching = [name for name in ("accounts", "projects", "feed") if reaches_mail_server(suite, name)]
    if reaching != ["accounts"]:
        raise Trouble(f"the mail server is reached by {reaching}")


def check_list(suite, server, user):
    """A student of a list that the operator has given to the pod is mailed a code, and registers with it."""
    email = f"{user}@campus.example"
    listed = suite.kubectl("exec", "-i", "deployment/accounts", "-c", "service", "--", "tideline-accounts", "import", "/dev/stdin",
                           input=f"user_id,email\n{user},{email}\n").stdout
    if listed != "1 of 1 are on the list\n":
        raise Trouble(f"import: {listed}")
    ask(suite, 202, "POST", "/v1/sign-up-codes", None, {"user_id": user, "email": email})
    person = {"user_id": user, "password": f"tideline-{user}", "real_name": user, "department": "", "email": email}
    registered = ask(suite, 201, "POST", "/v1/accounts", None, {**person, "sign_up_code": server.code_for(email)})
    if not registered["email_verified"]:
        raise Trouble(f"registered with a mailed code: {registered}")


def check_verification(suite, server, user):
    email = f"{user}@campus.example"
    person = {"user_id": user, "password": f"tideline-{user}", "real_name": user, "department": "", "email": email}
    registered = ask(suite, 201, "POST", "/v1/accounts", None, person)
    token = registered["session"]["access_token"]
    ask(suite, 202, "POST", "/v1/me/email-verification", token, {"password": person["password"]})
    ask(suite, 204, "PUT", "/v1/me/email-verification", token, {"code": server.code_for(email)})
    verified = [registered["email_verified"], ask(suite, 200, "GET", "/v1/me", token)["email_verified"]]
    if verified != [False, True]:
        raise Trouble(f"verified before and after the code: {verified}")


def check_mail(suite):
    server = MailServer(suite)
    try:
        check_reach(suite)
        check_verification(suite, server, f"{suite.run_name}-mailed")
        check_list(suite, server, f"{suite.run_name}-listed")
    finally:
        server.stop()
