#!/usr/bin/env python3
"""web_push.py BUILD: messages to browsers, from the whole suite to a push service of this test's own, which decrypts them with the
keys of its browsers.

  - a message comes by TLS, with a token of the sender whose key the API tells, and says how many are unread and of which kind
  - it says nothing else: no name, no text, no id, and all are of one length
  - a subscription of which the push service says that it is gone is gone; one of a session that has ended is sent nothing
"""
import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import shutil
import ssl
import sys
import threading
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from parts import fail, position_of, temporary_folder, until
from whole_suite import WholeSuite

from authority import Authority

BUILD = pathlib.Path(sys.argv[1])


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point_of(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def digest(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


class Browser:
    """Its keys, and what has come for it."""

    def __init__(self, service, name, status=201):
        self.path = f"/push/{name}"
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = hashlib.sha256(name.encode()).digest()[:16]
        self.status = status  # that the push service answers
        self.messages = []
        service.browsers[self.path] = self
        self.subscription = {"endpoint": service.origin + self.path, "p256dh": encoded(point_of(self.key)),
                             "auth": encoded(self.secret)}

    def decrypt(self, body):
        """RFC 8291, of one record."""
        salt, record_size, size = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21:21 + size], body[21 + size:]
        if record_size < len(sealed):
            fail("a message has more than one record")
        agreed = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        about = b"WebPush: info\0" + point_of(self.key) + sender
        pseudorandom = digest(salt, digest(digest(self.secret, agreed), about + b"\1"))
        content_key = digest(pseudorandom, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = digest(pseudorandom, b"Content-Encoding: nonce\0\1")[:12]
        return AESGCM(content_key).decrypt(nonce, sealed, None).rstrip(b"\0")[:-1].decode()


class PushService:
    """https://127.0.0.1, as its authority vouches for it."""

    def __init__(self, authority):
        self.browsers, self.sizes, self.mistakes = {}, set(), []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802  (http.server asks for this name)
                browser = service.browsers[self.path]
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    service.check(self.headers)
                    service.sizes.add(len(body))
                    browser.messages.append(json.loads(browser.decrypt(body)))
                except Exception as wrong:  # pylint: disable=broad-except  (the test reports it)
                    service.mistakes.append(f"{self.path}: {wrong!r}")
                self.send_response(browser.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        certificate, key = authority.certify("push", "IP:127.0.0.1")
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate, key)
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"https://127.0.0.1:{self.server.server_port}"
        self.public_key = None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def check(self, headers):
        """RFC 8030 and RFC 8292."""
        if headers["Content-Encoding"] != "aes128gcm" or int(headers["TTL"]) <= 0 or headers["Topic"] != "notifications":
            raise ValueError(f"headers {dict(headers)}")
        scheme, parameters = headers["Authorization"].split(" ", 1)
        token, key = (part.strip().split("=", 1)[1] for part in parameters.split(","))
        if scheme != "vapid" or key != self.public_key:
            raise ValueError(f"of {scheme} {key}, the API tells {self.public_key}")
        signed, _, signature = token.rpartition(".")
        numbers = decoded(signature)
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
        der = utils.encode_dss_signature(int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big"))
        try:
            sender.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature as wrong:
            raise ValueError("a token of another key") from wrong
        claims = json.loads(decoded(signed.split(".")[1]))
        if claims["aud"] != self.origin or claims["sub"] != "mailto:campus@example.edu":
            raise ValueError(f"claims {claims}")
        if not 0 < claims["exp"] - time.time() <= 24 * 3600:
            raise ValueError(f"good for {claims['exp'] - time.time()} s")


class Campus(WholeSuite):
    def __init__(self, home):
        super().__init__(home)
        authority = Authority(pathlib.Path(home, "tls"))
        authority.folder.chmod(0o755)
        self.push = PushService(authority)
        self.environment.update({
            "TIDELINE_FEED_PUSH_CONTACT": "mailto:campus@example.edu", "TIDELINE_FEED_PUSH_REACH": "anybody",
            "TIDELINE_FEED_PUSH_CA_FILE": str(authority.certificate)})

    def subscribe(self, token, browser):
        return self.gateway.expect(200, "PUT", "/v1/notifications/push", token, browser.subscription)[1]["id"]

    def subscriptions(self, token):
        return {item["id"] for item in self.gateway.expect(200, "GET", "/v1/notifications/push", token)[1]["subscriptions"]}

    def wait_for_message(self, browser, count=1):
        until(lambda: f"{browser.path} has {browser.messages}; {self.push.mistakes}", lambda: len(browser.messages) >= count)


def check_messages(suite):
    ada, position = suite.register("ada")
    bob, _ = suite.register("bob")
    suite.push.public_key = suite.gateway.expect(200, "GET", "/v1/notifications/push", ada)[1]["public_key"]
    laptop, gone = Browser(suite.push, "laptop"), Browser(suite.push, "gone", status=410)
    kept, ended = suite.subscribe(ada, laptop), suite.subscribe(ada, gone)
    suite.gateway.expect(200, "PUT", "/v1/follows/ada", bob, Tideline_Position=position)
    suite.wait_for_message(laptop)
    if laptop.messages != [{"unread": 1, "more": False, "kind": "follow"}]:
        fail(f"told {laptop.messages}")
    until("a subscription that is gone is still there", lambda: suite.subscriptions(ada) == {kept})
    suite.wait_for_message(gone)
    print(f"   told {laptop.messages[0]}; {ended} is gone")
    return ada


def check_session(suite, ada):
    """The phone is of a session that ends; the tablet shows that messages went out since."""
    session = suite.gateway.expect(201, "POST", "/v1/sessions", None, {"user_id": "ada", "password": "tideline-ada"})[1]
    phone, tablet = Browser(suite.push, "phone"), Browser(suite.push, "tablet")
    phone_id = suite.subscribe(session["access_token"], phone)
    listed = suite.gateway.expect(200, "GET", "/v1/sessions", ada)[1]["items"]
    other = next(item["id"] for item in listed if not item["current"])
    headers, _ = suite.gateway.expect(204, "DELETE", f"/v1/sessions/{other}", ada)
    until("a token of a session that has ended is good",
          lambda: suite.gateway.call("GET", "/v1/notifications/push", session["access_token"])[0] == 401)
    suite.subscribe(ada, tablet)
    cleo, _ = suite.register("cleo")
    suite.gateway.expect(200, "PUT", "/v1/follows/ada", cleo, Tideline_Position=position_of(headers))
    suite.wait_for_message(tablet)
    until("a subscription of a session that has ended is there", lambda: phone_id not in suite.subscriptions(ada))
    # Both followers are one notification.
    if phone.messages or tablet.messages != [{"unread": 1, "more": False, "kind": "follow"}]:
        fail(f"the phone was told {phone.messages}, the tablet {tablet.messages}")
    print("   a session that has ended is told nothing")


def main():
    home = temporary_folder("web_push")
    suite = Campus(home)
    try:
        suite.start(BUILD)
        ada = check_messages(suite)
        check_session(suite, ada)
        if suite.push.mistakes or len(suite.push.sizes) != 1:
            fail(f"{suite.push.mistakes}, sizes {suite.push.sizes}")
    finally:
        suite.stop()
        suite.push.server.shutdown()
        shutil.rmtree(home, ignore_errors=True)
    print("done")


main()
