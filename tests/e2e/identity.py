#!/usr/bin/env python3
"""identity.py BUILD: who may register, and whom mails reach, on a suite whose sign-up is closed, with a real mail server.

  - a listed student registers with the code that went to the listed address, and nobody else does under that user_id
  - others register with a code from an address of the domain, or with an invitation made on the server
  - an address is one account's; a forgotten password is replaced by mail, which ends every session
  - an operator signs in with a code of an authenticator app; who has lost it is helped on the server
  - a suspended account is told so at a sign-in, and its tokens have ended in every service
  - mails go by STARTTLS to a server that asks for a password, and to no server of another authority
"""
import base64
import hmac
import pathlib
import re
import shutil
import ssl
import struct
import sys
import time

from parts import fail, registration, temporary_folder, until
from whole_suite import WholeSuite

from authority import Authority
from smtp_server import SmtpServer

BUILD = pathlib.Path(sys.argv[1])
LISTED, DOMAIN = "listed@elsewhere.example", "campus.example"


class Campus(WholeSuite):
    def __init__(self, home):
        super().__init__(home)
        self.authority = Authority(pathlib.Path(home, "tls"))
        certificate, key = self.authority.certify("mail", "IP:127.0.0.1")
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate, key)
        self.mail = SmtpServer(tls, "campus", "a password of the relay")
        password = pathlib.Path(home, "tls/smtp-password")
        password.write_text(self.mail.password + "\n", encoding="utf-8")
        self.environment.update({
            "TIDELINE_OPERATOR_SECOND_FACTOR": "required", "TIDELINE_SIGN_UP": "closed", "TIDELINE_SIGN_UP_DOMAINS": DOMAIN,
            "TIDELINE_SMTP_URL": f"smtp://127.0.0.1:{self.mail.port}", "TIDELINE_SMTP_CA_FILE": str(self.authority.certificate),
            "TIDELINE_SMTP_USER": self.mail.user, "TIDELINE_SMTP_PASSWORD_FILE": str(password),
            "TIDELINE_MAIL_FROM": "campus@tideline.example", "TIDELINE_MAIL_LINK": "https://campus.example/#"})
        self.mails_seen = 0

    def next_mail(self):
        mail = self.mail.mail(self.mails_seen)
        if mail is None:
            fail(f"no mail has come; {self.log('accounts')}")
        self.mails_seen += 1
        return mail

    def code_mailed_to(self, address):
        mail = self.next_mail()
        sides = [mail[side].addresses[0].addr_spec for side in ("From", "To")]
        if sides != ["campus@tideline.example", address]:
            fail(f"a mail to {address} is {mail}")
        return re.search(r"^([a-z2-7]{32})$", SmtpServer.text_of(mail).replace("\r", ""), re.MULTILINE).group(1)

    def no_mail_but(self, count):
        if len(self.mail.mails) != count:
            fail(f"{len(self.mail.mails)} mails instead of {count}: {[mail['To'] for mail in self.mail.mails]}")

    def ask_accounts(self, *words):
        done = self.operate("accounts", *words)
        return done.returncode, done.stdout, done.stderr

    def ask_for_code(self, user, email):
        self.gateway.expect(202, "POST", "/v1/sign-up-codes", None, {"user_id": user, "email": email})

    def register_with(self, status, user, email, code):
        body = {**registration(user), "email": email, **({"sign_up_code": code} if code else {})}
        return self.gateway.expect(status, "POST", "/v1/accounts", None, body)[1]

    def log(self, service):
        return pathlib.Path(self.environment["TIDELINE_HOME"], f"services/{service}/log").read_text(encoding="utf-8")[-2000:]


def expect_problem(answer, code):
    if answer["type"] != f"urn:tideline:problem:{code}":
        fail(f"{answer} instead of {code}")


def check_lists(suite, home):
    students = pathlib.Path(home, "students.csv")
    students.write_text(f"user_id,email\n0711,{LISTED}\nfine,b@x.example\nnot one\n", encoding="utf-8")
    students.chmod(0o644)
    code, _, told = suite.ask_accounts("import", students)
    if code != 1 or "line 4" not in told:
        fail(f"a list with a mistake: {code} {told}")
    students.write_text(f"user_id,email\n0711,{LISTED}\n", encoding="utf-8")
    for _ in range(2):
        code, said, told = suite.ask_accounts("import", students)
        if code != 0 or said != "1 of 1 are on the list\n":
            fail(f"import: {code} {said} {told}")

    expect_problem(suite.register_with(403, "0711", LISTED, None), "sign-up-code-wanted")
    suite.ask_for_code("0711", f"mallory@{DOMAIN}")
    suite.ask_for_code("0711", LISTED)
    code = suite.code_mailed_to(LISTED)
    suite.no_mail_but(1)
    expect_problem(suite.register_with(403, "0712", LISTED, code), "code-refused")
    account = suite.register_with(201, "0711", LISTED, code)
    if not account["email_verified"]:
        fail(f"registered with a mailed code: {account}")
    return account["session"]


def check_domain_and_invitation(suite):
    suite.ask_for_code("ada", "ada@elsewhere.example")
    suite.ask_for_code("ada", f"ada@{DOMAIN}")
    code = suite.code_mailed_to(f"ada@{DOMAIN}")
    suite.no_mail_but(2)
    suite.register_with(201, "ada", f"ada@{DOMAIN}", code)
    status, said, told = suite.ask_accounts("invite", "ben", "--days", "3")
    if status != 0 or not re.fullmatch(r"ben [a-z2-7]{32}\n", said):
        fail(f"invite: {status} {said} {told}")
    return suite.register_with(201, "ben", LISTED, said.split()[1])["session"]


def check_addresses(suite, ben):
    """Of two accounts with one address the one that has shown it."""
    token = ben["access_token"]
    suite.gateway.expect(202, "POST", "/v1/me/email-verification", token, {"password": "tideline-ben"})
    code = suite.code_mailed_to(LISTED)
    _, taken = suite.gateway.expect(409, "PUT", "/v1/me/email-verification", token, {"code": code})
    expect_problem(taken, "email-taken")


def check_reset(suite, session):
    suite.gateway.expect(202, "POST", "/v1/password-resets", None, {"user_id": "nobody"})
    suite.gateway.expect(202, "POST", "/v1/password-resets", None, {"user_id": "0711"})
    code = suite.code_mailed_to(LISTED)
    body = {"user_id": "0711", "code": code, "new": "drawn at random 4711"}
    suite.gateway.expect(204, "PUT", "/v1/password-resets", None, body)
    expect_problem(suite.gateway.expect(403, "PUT", "/v1/password-resets", None, body)[1], "code-refused")
    for path in ("/v1/me", "/v1/contacts", "/v1/timeline", "/v1/points/me"):
        until(f"{path} refuses a token from before", lambda path=path: suite.gateway.call("GET", path, session["access_token"])[0] == 401)
    suite.gateway.expect(201, "POST", "/v1/sessions", None, {"user_id": "0711", "password": body["new"]})
    if "changed" not in suite.next_mail()["Subject"]:
        fail("nobody is told that the password was changed")


def app_code(secret, step):
    """RFC 6238, as an authenticator app computes it."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), "sha1").digest()
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at:at + 4], 'big') & 0x7FFFFFFF) % 1000000:06}"


def check_second_factor(suite, ben):
    token = ben["access_token"]
    password = "tideline-ben"

    def sign_in(status, **code):
        return suite.gateway.expect(status, "POST", "/v1/sessions", None, {"user_id": "ben", "password": password, **code})[1]

    def statistics(status, token):
        suite.gateway.expect(status, "GET", "/v1/statistics", token)
    status, _, told = suite.ask_accounts("roles", "give", "operator", "ben")
    if status != 1 or "second factor" not in told:
        fail(f"an operator without a second factor: {status} {told}")
    _, drawn = suite.gateway.expect(200, "POST", "/v1/me/second-factor", token)
    step = int(time.time()) // 30
    _, set_ = suite.gateway.expect(200, "PUT", "/v1/me/second-factor", token, {
        "password": password, "secret": drawn["secret"], "code": app_code(drawn["secret"], step)})
    suite.make_operators("ben")
    _, refreshed = suite.gateway.expect(200, "POST", "/v1/sessions/refresh", None, {"refresh_token": set_["refresh_token"]})
    until("scoring knows the new session", lambda: suite.gateway.call("GET", "/v1/statistics", refreshed["access_token"])[0] == 200)
    expect_problem(sign_in(403), "second-factor-wanted")
    # One step ahead is good as well, so nobody waits for it here.
    session = sign_in(201, code=app_code(drawn["secret"], step + 1))
    statistics(200, session["access_token"])
    expect_problem(sign_in(403, code=app_code(drawn["secret"], step + 1)), "second-factor-refused")
    status, said, told = suite.ask_accounts("second-factor", "remove", "ben")
    if status != 0:
        fail(f"second-factor remove: {status} {said} {told}")
    until("a token of an operator is refused", lambda: suite.gateway.call("GET", "/v1/statistics", session["access_token"])[0] == 401)
    statistics(403, sign_in(201)["access_token"])


def check_suspension(suite):
    reason = "Advertisements, after a warning"
    credentials = {"user_id": "ben", "password": "tideline-ben"}
    token = suite.gateway.expect(201, "POST", "/v1/sessions", None, credentials)[1]["access_token"]
    suspended = suite.operate("accounts", "suspension", "begin", "ben", "--days", "14", told=f"{reason}\n")
    if suspended.returncode != 0 or "ben is suspended until" not in suspended.stdout:
        fail(f"suspension begin: {suspended}")
    until("scoring knows that the session has ended", lambda: suite.gateway.call("GET", "/v1/points/me", token)[0] == 401)
    refused = suite.gateway.expect(403, "POST", "/v1/sessions", None, credentials)[1]
    expect_problem(refused, "account-suspended")
    if refused["detail"] != reason or refused["until"] not in suspended.stdout:
        fail(f"{refused} instead of {reason} and {suspended.stdout}")
    suite.gateway.expect(401, "POST", "/v1/sessions", None, {**credentials, "password": "another"})
    status, said, told = suite.ask_accounts("suspension", "lift", "ben")
    if status != 0:
        fail(f"suspension lift: {status} {said} {told}")
    suite.gateway.expect(201, "POST", "/v1/sessions", None, credentials)
    if suite.operate("accounts", "suspension", "begin", "ben", "--days", "14", told="\n").returncode != 1:
        fail("a suspension without a reason is none")


def check_strange_server(suite, home):
    """Another authority's server gets no code, nor the password."""
    another = Authority(pathlib.Path(home, "another"))
    suite.environment["TIDELINE_SMTP_CA_FILE"] = str(another.certificate)
    suite.start(BUILD)
    before = len(suite.mail.mails)
    suite.ask_for_code("eve", f"eve@{DOMAIN}")
    until("the log says why no mail is sent", lambda: "a mail was not sent" in suite.log("accounts"), 30)
    if DOMAIN in suite.log("accounts"):
        fail("an address is in the log")
    suite.no_mail_but(before)


def main():
    home = temporary_folder("identity")
    suite = Campus(home)
    suite.mail.start()
    try:
        suite.start(BUILD)
        session = check_lists(suite, home)
        ben = check_domain_and_invitation(suite)
        check_addresses(suite, ben)
        check_reset(suite, session)
        check_second_factor(suite, ben)
        check_suspension(suite)
        check_strange_server(suite, home)
    finally:
        suite.stop()
        suite.mail.stop()
        shutil.rmtree(home, ignore_errors=True)
    print("done")


main()
