#!/usr/bin/env python3
"""rotation.py BUILD: another key signs tokens from now on, and nobody is signed out.

  - an access token of the key before is good at the gateway and in every service, and so is the refresh token
  - what is signed from then on names the new key
  - while services run, and within 15 minutes of the last rotation, there is none: it would end tokens that are good
"""
import base64
import json
import pathlib
import shutil
import sys
import tempfile

from parts import fail, registration, until
from whole_suite import WholeSuite

READS = ["/v1/me", "/v1/contacts", "/v1/timeline", "/v1/points/me", "/v1/projects?author=ada"]


def key_of(token):
    head = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


def refused(suite, build, why):
    done = suite.run(build, "--rotate-keys")
    if done.returncode == 0 or why not in done.stderr:
        fail(f"a rotation that should be refused, for {why}: {done.returncode} {done.stdout}{done.stderr}")


def main():
    build = sys.argv[1]
    home = tempfile.mkdtemp(prefix="tideline-rotation.", dir="/var/tmp")
    pathlib.Path(home).chmod(0o755)
    suite = WholeSuite(home)
    gateway = suite.gateway
    try:
        suite.start(build)
        _, account = gateway.expect(201, "POST", "/v1/accounts", None, registration("ada"))
        before = account["session"]
        refused(suite, build, "deploy/stop first")
        suite.stop()
        suite.start(build, "--rotate-keys")
        for path in READS:
            until(lambda path=path: f"{path}: {gateway.call('GET', path, before['access_token'])}",
                  lambda path=path: gateway.call("GET", path, before["access_token"])[0] == 200)
        _, after = gateway.expect(200, "POST", "/v1/sessions/refresh", None, {"refresh_token": before["refresh_token"]})
        if key_of(after["access_token"]) == key_of(before["access_token"]):
            fail("the new token is signed by the key before")
        for path in READS:
            gateway.expect(200, "GET", path, after["access_token"])
        suite.stop()
        refused(suite, build, "less than 15 minutes ago")
    finally:
        suite.stop()
        shutil.rmtree(home, ignore_errors=True)
    print("another key signs, and tokens of the one before were good everywhere")


main()
