"""A mail server of this machine, which keeps what it is sent: aiosmtpd, with STARTTLS and a password."""
import email.policy
import logging
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from ports import free_ports

# A handshake that fails is for the test to see, not for its output.
logging.getLogger("mail").setLevel(logging.CRITICAL)


class SmtpServer:
    """`tls`: an ssl.SSLContext; none: in clear. `user` and `password` are asked for where there is TLS. No `port`: a free one."""

    def __init__(self, tls=None, user="", password="", host="127.0.0.1", port=None):
        self.mails, self.changed = [], threading.Condition()
        self.user, self.password = user, password
        options = {"tls_context": tls, "require_starttls": True, "auth_required": True,
                   "authenticator": self.authenticate} if tls else {}
        self.port = port or free_ports(1)[0]
        self.controller = Controller(self, hostname=host, port=self.port, **options)

    def authenticate(self, _server, _session, _envelope, _mechanism, given):
        known = (given.login, given.password) == (self.user.encode(), self.password.encode())
        return AuthResult(success=known, auth_data=given)

    async def handle_DATA(self, _server, _session, envelope):
        with self.changed:
            self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
            self.changed.notify_all()
        return "250 taken"

    def start(self):
        self.controller.start()

    def stop(self):
        self.controller.stop()

    @staticmethod
    def text_of(mail):
        return mail.get_body(("plain",)).get_content()

    def mail(self, number, seconds=30):
        """The `number`th from 0 on; None: it has not come."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.mails) > number, seconds)
            return self.mails[number] if len(self.mails) > number else None
