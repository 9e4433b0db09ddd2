"""The gateway before several instances of feed: it learns from their answers which one has a shard."""
import time
import unittest

import gateway_test
from gateway_test import encode_account, shard_of, start_stub
from running_gateway import SERVICES, RunningGateway


class FeedInstances(unittest.TestCase):
    token = gateway_test.Gateway.token
    bearer = gateway_test.Gateway.bearer
    reached = gateway_test.Gateway.reached

    def setUp(self):
        self.stubs = [start_stub(f"feed-{i}") for i in range(2)]
        addresses = [f"127.0.0.1:{stub.server_port}" for stub in self.stubs]
        self.gateway = RunningGateway(
            {service: addresses[0] for service in SERVICES},
            TIDELINE_FEED_1=addresses[1],
            TIDELINE_RATE_ACCOUNT="10000",
        )
        self.folder = self.gateway.folder

    def tearDown(self):
        self.gateway.close()
        for stub in self.stubs:
            stub.shutdown()
            stub.server_close()

    def say(self, instance):
        for stub in self.stubs:
            stub.names_instance = instance

    def ask(self, account):
        """Which instance the request has reached."""
        answer = gateway_test.Gateway.send(
            "GET", "/v1/timeline", self.bearer(sub=account), port=self.gateway.port
        )
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
                self.ask(one)
                self.assertEqual(self.ask(one), instance, "as was said")
                self.assertEqual(self.ask(other), instance, "the shard counts, not the account")

    def test_shards_are_learnt_apart(self):
        (one, _), (other, _) = self.accounts()[:2]
        self.say("feed-1")
        self.ask(one)
        self.say("feed-0")
        self.ask(other)
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
        self.ask(account)
        self.assertEqual(self.ask(account), "feed-1")
        self.stubs[1].shutdown()
        self.stubs[1].server_close()
        deadline = time.monotonic() + 10
        while True:
            answer = gateway_test.Gateway.send(
                "GET", "/v1/timeline", self.bearer(sub=account), port=self.gateway.port
            )
            if answer.status == 200 and self.reached(answer)["service"] == "feed-0":
                return
            self.assertLess(time.monotonic(), deadline, answer.text)


if __name__ == "__main__":
    unittest.main()
