"""mail_server.py ADDRESS PORT CERTIFICATE KEY USER PASSWORD : takes mails by STARTTLS from who knows the password. Prints "ready", and
of the first mail to each address that comes as a line on stdin, as JSON, its sender and its text; null: none has come."""
import json
import pathlib
import ssl
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from smtp_server import SmtpServer

PATIENCE_SECONDS = 60


def mail_to(server, address):
    """Mails to others may come meanwhile."""
    number = 0
    while mail := server.mail(number, PATIENCE_SECONDS):
        if mail["To"].addresses[0].addr_spec == address:
            return {"from": mail["From"].addresses[0].addr_spec, "text": SmtpServer.text_of(mail).replace("\r", "")}
        number += 1
    return None


def main():
    address, port, certificate, key, user, password = sys.argv[1:]
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    server = SmtpServer(tls, user, password, address, int(port))
    server.start()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(mail_to(server, line.strip())), flush=True)
    server.stop()


main()
