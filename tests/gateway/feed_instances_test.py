"""The gateway before several instances of feed, which it finds by their names: it learns from their answers which one has
a shard."""
import concurrent.futures
import json
import time
import unittest
import urllib.error
import urllib.request

import gateway_test
from gateway_test import encode_account, shard_of, start_stub
from names import DOMAIN, Names
from running_gateway import SERVICES, RunningGateway
from stubs import Stub


class FeedInstances(unittest.TestCase):
    token = gateway_test.Gateway.token
    bearer = gateway_test.Gateway.bearer
    reached = gateway_test.Gateway.reached

    def setUp(self):
        self.stubs = [start_stub(f"feed-{i}") for i in range(2)]
        self.names = Names()
        self.addCleanup(self.names.close)
        self.names.ports = {service.lower().replace("_", "-"): {"only": self.stubs[0].server_port} for service in SERVICES}
        self.names.ports["feed"] = {stub.service: stub.server_port for stub in self.stubs}
        self.start_gateway(TIDELINE_NAMES_HOLD="1s")

    def start_gateway(self, **settings):
        self.gateway = RunningGateway(
            {}, TIDELINE_NAMES=DOMAIN, TIDELINE_NAMESERVER=self.names.address, TIDELINE_RATE_ACCOUNT="10000", **settings
        )
        self.folder = self.gateway.folder
        self.until("both instances", lambda: self.readiness()[1]["services"]["feed"] == 2)

    def tearDown(self):
        self.gateway.close()
        for stub in self.stubs:
            stub.may_answer.set()
            stub.shutdown()
            stub.server_close()

    def until(self, what, condition, seconds=15):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def readiness(self):
        try:
            answer = urllib.request.urlopen(f"http://127.0.0.1:{self.gateway.operations_port}/readyz", timeout=10)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            return answer.status, json.load(answer)

    def say(self, instance):
        for stub in self.stubs:
            stub.names_instance = instance

    def send(self, account, path="/v1/timeline"):
        return gateway_test.Gateway.send("GET", path, self.bearer(sub=account), port=self.gateway.port)

    def ask(self, account):
        """Which instance the request has reached."""
        answer = self.send(account)
        self.assertIsNone(answer.getheader("X-Tideline-Instance"), "of no use outside")
        return self.reached(answer)["service"]

    def accounts(self):
        """Of different shards, two of each."""
        by_shard = {}
        for i in range(400):
            account = encode_account(f"{i}")
            by_shard.setdefault(shard_of(account), []).append(account)
        self.assertEqual(len(by_shard), 64)
        return [accounts[:2] for accounts in by_shard.values() if len(accounts) > 1][:12]

    def test_a_shards_requests_go_where_its_answers_say(self):
        accounts = self.accounts()
        for instance in ("feed-1", "feed-0", "feed-1"):
            self.say(instance)
            for one, other in accounts:
                # Until the instance has once answered by itself, its place is not known.
                self.until(instance, lambda one=one, instance=instance: self.ask(one) == instance)
                self.assertEqual(self.ask(one), instance, "as was said")
                self.assertEqual(self.ask(other), instance, "the shard counts, not the account")

    def test_shards_are_learnt_apart(self):
        (one, _), (other, _) = self.accounts()[:2]
        self.say("feed-1")
        self.until("feed-1", lambda: self.ask(one) == "feed-1")
        self.say("feed-0")
        self.until("feed-0", lambda: self.ask(other) == "feed-0")
        self.say(None)
        self.assertEqual([self.ask(one), self.ask(other)], ["feed-1", "feed-0"])

    def test_an_instance_that_the_gateway_does_not_know(self):
        account = self.accounts()[0][0]
        self.say("feed-9")
        for _ in range(3):
            self.ask(account)

    def test_while_the_instance_is_down_another_one_is_asked(self):
        account = self.accounts()[0][0]
        self.say("feed-1")
        self.until("feed-1", lambda: self.ask(account) == "feed-1")
        self.stubs[1].shutdown()
        self.stubs[1].server_close()
        deadline = time.monotonic() + 10
        while True:
            answer = self.send(account)
            if answer.status == 200 and self.reached(answer)["service"] == "feed-0":
                return
            self.assertLess(time.monotonic(), deadline, answer.text)

    def test_one_that_stops_is_not_sent_more_though_it_still_answers(self):
        account = self.accounts()[0][0]
        self.say("feed-1")
        self.until("feed-1", lambda: self.ask(account) == "feed-1")
        self.stubs[1].readiness = 404
        self.until("feed-0 alone", lambda: self.readiness()[1]["services"]["feed"] == 1)
        self.assertEqual(self.ask(account), "feed-1", "it has the shard")
        self.stubs[1].says_stopping = True
        self.say(None)
        self.ask(account)
        self.assertEqual([self.ask(account) for _ in range(5)], ["feed-0"] * 5)
        self.assertIsNone(self.send(account).getheader("X-Tideline-Stopping"), "of no use outside")

    def test_instances_come_and_go_with_their_names(self):
        account = self.accounts()[0][0]
        names = {stub.service: stub.server_port for stub in self.stubs}
        self.say("feed-1")
        self.until("feed-1", lambda: self.ask(account) == "feed-1")
        self.stubs[1].readiness = 404
        self.say("feed-0")
        self.until("feed-0, which feed-1 names", lambda: self.ask(account) == "feed-0")
        self.lose_name("feed-1")
        self.stubs[0].readiness, self.stubs[1].readiness = 404, 200
        self.say("feed-1")
        self.names.ports["feed"] = {"feed-1": names["feed-1"]}
        self.until("feed-1 alone, where feed-0 was", lambda: self.answers(account) == "feed-1")
        self.stubs[0].readiness = 200
        self.names.ports["feed"] = names
        self.until("both again", lambda: self.readiness()[1]["services"]["feed"] == 2)
        self.until("feed-1", lambda: all(self.ask(account) == "feed-1" for _ in range(20)))

    def lose_name(self, instance):
        """Until the gateway has been told so some times."""
        del self.names.ports["feed"][instance]
        told = self.names.questions
        self.until("names", lambda: self.names.questions > told + 20)

    def answers(self, account):
        answer = self.send(account)
        return self.reached(answer)["service"] if answer.status == 200 else None

    def test_what_an_instance_has_begun_ends_although_it_stops_and_loses_its_name(self):
        self.gateway.close()
        self.start_gateway()
        one, other = self.accounts()[0]
        self.say("feed-1")
        self.until("feed-1", lambda: self.ask(one) == "feed-1")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            begun = pool.submit(self.send, one, Stub.SLOW)
            self.until("it has begun", lambda: Stub.holding.get(Stub.SLOW))
            self.stubs[1].readiness = 404
            self.lose_name("feed-1")
            self.until("found out", lambda: self.readiness()[1]["services"]["feed"] == 1)
            self.say("feed-0")
            self.until("feed-0, which feed-1 names", lambda: self.ask(other) == "feed-0")
            self.stubs[1].may_answer.set()
            self.assertEqual(self.reached(begun.result(30))["service"], "feed-1")

    def test_servers_stay_while_names_cannot_be_told(self):
        self.names.fails = True
        self.until("questions", lambda: self.names.failures > 20)
        self.assertEqual(self.readiness()[1]["services"]["feed"], 2)

    def test_it_is_ready_once_it_has_reached_each_service_and_while_it_reaches_any(self):
        self.assertEqual(self.readiness()[0], 200)
        self.names.ports["scoring"] = {}
        self.until("scoring gone", lambda: self.readiness()[1]["services"]["scoring"] == 0)
        self.assertEqual(self.readiness()[0], 200)
        before = {**self.names.ports, "scoring": {"only": self.stubs[0].server_port}}
        self.names.ports = {}
        self.until("not ready", lambda: self.readiness()[0] == 503)
        self.names.ports = before
        self.until("ready again", lambda: self.readiness()[0] == 200)


if __name__ == "__main__":
    unittest.main()
