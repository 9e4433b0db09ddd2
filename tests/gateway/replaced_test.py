"""Instances of services, and the gateway itself, are replaced under requests: with a grace and with patience."""
import http.client
import json
import signal
import threading
import time
import unittest
import urllib.error
import urllib.request

from running_gateway import SERVICES, RunningGateway
from stubs import start_stub

DEADLINE_SECONDS = 40
PATIENCE_SECONDS = 12


def until(condition):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("not within its deadline")
        time.sleep(0.02)


class Replaced(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.stubs = [start_stub(service) for service in SERVICES]
        self.accounts = self.stubs[SERVICES.index("ACCOUNTS")]
        self.gateway = RunningGateway({stub.service: f"127.0.0.1:{stub.server_port}" for stub in self.stubs}, **self.settings)

    def tearDown(self):
        self.gateway.close()
        for stub in self.stubs:
            stub.shutdown()
            stub.server_close()

    def connect(self, timeout=DEADLINE_SECONDS):
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=timeout)
        self.addCleanup(connection.close)
        return connection

    @staticmethod
    def ask(connection):
        connection.request("GET", "/.well-known/jwks.json")
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.getheader("Connection")

    def operations(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.gateway.operations_port}/readyz", timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as answer:
            return answer.code, json.load(answer)


class Gateway(Replaced):
    settings = {"TIDELINE_GATEWAY_GRACE": "3s"}

    def test_one_that_is_to_stop_serves_until_nobody_is_sent_to_it(self):
        kept = self.connect()
        self.assertEqual(self.ask(kept), (200, None))
        self.gateway.haproxy.send_signal(signal.SIGUSR1)
        until(lambda: self.operations()[0] == 503)
        # Who has a connection is told to open another one, which goes elsewhere.
        self.assertEqual(self.ask(kept), (200, "close"))
        self.assertEqual(self.ask(self.connect()), (200, "close"))
        self.assertEqual(self.gateway.haproxy.wait(timeout=DEADLINE_SECONDS), 0)


class Service(Replaced):
    settings = {"TIDELINE_PATIENCE_S": str(PATIENCE_SECONDS), "TIDELINE_PATIENT_MAX": "2"}

    def setUp(self):
        super().setUp()
        self.answers = []

    def take_away(self):
        self.accounts.readiness = 404
        until(lambda: self.operations()[1]["services"]["accounts"] == 0)

    def ask_on_threads(self, count):
        threads = [threading.Thread(target=lambda: self.answers.append(self.ask(self.connect())[0])) for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def test_requests_wait_for_it_but_not_all_of_them(self):
        self.take_away()
        threads = self.ask_on_threads(3)
        until(lambda: self.answers)
        self.assertEqual(self.answers, [503])
        self.accounts.readiness = 200
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(self.answers), [200, 200, 503])

    def test_an_outage_that_goes_on_is_told_at_once(self):
        self.take_away()
        self.assertEqual(self.ask(self.connect())[0], 503)
        # Nobody waits any more: his connection would time out.
        for _ in range(3):
            self.assertEqual(self.ask(self.connect(PATIENCE_SECONDS / 2))[0], 503)
        # The next outage has a beginning of its own.
        self.accounts.readiness = 200
        until(lambda: self.operations()[1]["services"]["accounts"] == 1)
        self.take_away()
        threads = self.ask_on_threads(1)
        self.accounts.readiness = 200
        threads[0].join()
        self.assertEqual(self.answers[-1], 200)


if __name__ == "__main__":
    unittest.main()
