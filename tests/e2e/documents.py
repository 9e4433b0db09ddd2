#!/usr/bin/env python3
"""documents.py BUILD SCHEMATHESIS: the whole suite, through the gateway, does what schemas/http says.

Schemathesis sends every operation of every document what it should and should not be sent, alone and in sequences.
Each answer must be one that the document describes; openapi/hooks.py says which refusals need no word in it. Then a
document with a status taken out must be found wrong. Everything runs in a folder and on ports of its own.

  TIDELINE_SEED      the same seed draws the same requests; their answers differ by ids and times (default 1)
  TIDELINE_EXAMPLES  how many are drawn for an operation, besides those that are derived from its schema (default 5)
  TIDELINE_ROUNDS    with the seeds that follow, each with another caller (default 1: about two minutes)
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import yaml
from parts import fail, registration, temporary_folder, until
from whole_suite import ROOT, WholeSuite, registry

BUILD, SCHEMATHESIS = sys.argv[1:3]
SEED = int(os.environ.get("TIDELINE_SEED", 1))
EXAMPLES = int(os.environ.get("TIDELINE_EXAMPLES", 5))
ROUNDS = int(os.environ.get("TIDELINE_ROUNDS", 1))
# Those of the documents' examples. openapi/schemathesis.toml has them too.
PEOPLE = ["0042", "0711", "20260007", "20260042"]


class Suite(WholeSuite):
    def __init__(self, home):
        super().__init__(home)
        self.home = home
        # Schemathesis takes its settings from the folder that it runs in, and leaves files there.
        self.requests = shutil.copytree(ROOT / "tests/e2e/openapi", f"{home}/openapi")


class World:
    """People who have published something, and have asked the caller to become a contact."""

    def __init__(self, suite):
        self.suite = suite
        self.people = {user: suite.register(user) for user in PEOPLE}
        token, position = self.people[PEOPLE[0]]
        self.project = self.answer("/v1/projects", token, {"name": "Tide tables"}, position)["id"]

    def answer(self, path, token, body, position):
        """Of a service that knows the caller, after a while."""
        def succeeds():
            status, _, text = self.suite.gateway.call("POST", path, token, body, Tideline_Position=position)
            answers.append(text)
            return status == 201
        answers = []
        until(lambda: f"POST {path}: {answers[-1]}", succeeds)
        return json.loads(answers[-1])

    def caller(self, name):
        _, position = self.suite.register(name)
        self.suite.make_operators(name)
        for others, _ in self.people.values():
            self.answer("/v1/contact-requests", others, {"user_id": name}, position)
        return {"TIDELINE_POSITIONS": position, "TIDELINE_PROJECT": self.project}

    def signed_in(self, caller, name):
        """Anew for each document: a session that is listed may be ended by the requests."""
        signing_in = {"user_id": name, "password": registration(name)["password"]}
        session = self.suite.gateway.expect(201, "POST", "/v1/sessions", None, signing_in)[1]
        return {**caller, "TIDELINE_TOKEN": session["access_token"]}


def run(suite, document, caller, seed, *options):
    """Its report, and what it printed."""
    report = pathlib.Path(suite.home, "report.json")
    report.unlink(missing_ok=True)
    command = [SCHEMATHESIS, "run", document, "--url", suite.gateway.url,
               "--seed", str(seed), "--max-examples", str(EXAMPLES), "--no-color", "--report-json-path", report]
    done = subprocess.run(
        [*command, *options], cwd=suite.requests, capture_output=True, text=True, check=False,
        env={**suite.environment, **caller, "PYTHONDONTWRITEBYTECODE": "1"})
    printed = done.stdout + done.stderr
    if not report.exists():
        fail(printed)
    return json.loads(report.read_text(encoding="utf-8")), printed


def check(suite, service, caller, seed):
    """How many findings there are; none also means that every phase has sent something to every operation."""
    report, printed = run(suite, ROOT / f"schemas/http/{service}.yaml", caller, seed)
    operations, cases = report["operations"], report["test_cases"]
    findings = cases["unique_failures"] + cases["errored"] + len(report["errors"])
    print(f"{service}: {operations['tested']} operations, {cases['generated']} requests, {findings} findings, "
          f"{report['running_time']:.0f} s", flush=True)
    phases = {name: phase["status"] for name, phase in report["phases"].items()}
    if findings == 0 and (operations["tested"] != operations["total"] or set(phases.values()) != {"success"}):
        fail(f"not everything was tested: {operations}, {phases}\n{printed}")
    if findings > 0:
        print(printed)
    return findings


def check_that_it_can_fail(suite, caller):
    document = yaml.safe_load((ROOT / "schemas/http/accounts.yaml").read_text(encoding="utf-8"))
    changed = copy.deepcopy(document)
    del changed["paths"]["/v1/me"]["get"]["responses"]["200"]
    file = pathlib.Path(suite.home, "changed.json")
    file.write_text(json.dumps(changed), encoding="utf-8")
    report, printed = run(suite, file, caller, SEED, "--include-operation-id", "getMe", "--phases", "coverage")
    if not report["failures"] or "Undocumented status code" not in printed:
        fail(f"a status without a description was not found\n{printed}")


def main():
    started = time.monotonic()
    home = temporary_folder("documents")
    suite = Suite(home)
    findings = 0
    try:
        suite.start(BUILD)
        print(f"the suite runs after {time.monotonic() - started:.0f} s; seed {SEED}", flush=True)
        world = World(suite)
        for round_ in range(ROUNDS):
            name = f"caller-{round_}"
            caller = world.caller(name)
            findings += sum(check(suite, service, world.signed_in(caller, name), SEED + round_) for service in registry.names())
        check_that_it_can_fail(suite, world.signed_in(caller, name))
    finally:
        suite.stop()
        shutil.rmtree(home, ignore_errors=True)
    print(f"{findings} findings, {time.monotonic() - started:.0f} s")
    if findings:
        fail(f"the same requests again: TIDELINE_SEED={SEED} TIDELINE_ROUNDS={ROUNDS} TIDELINE_EXAMPLES={EXAMPLES}")


main()
