#!/usr/bin/env python3
"""rotation.py BUILD: secrets are replaced, and nobody is signed out and nothing is lost.

  - another wrapping key wraps the keys of texts while services run; afterwards the one before is not needed
  - another key makes position tokens; those of before are good until their key is taken away
  - services get other passwords for their databases, and the old ones are refused
  - another key signs tokens from now on
  - an access token of the key before is good at the gateway and in every service, and so is the refresh token
  - what is signed from then on names the new key
  - while services run, and within 15 minutes of the last rotation, there is none: it would end tokens that are good
"""
import base64
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

from parts import fail, part, position_of, query, registration, temporary_folder, until
from whole_suite import WholeSuite, registry

READS = ["/v1/me", "/v1/contacts", "/v1/timeline", "/v1/points/me", "/v1/projects?author=ada"]


def key_of(token):
    head = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


def refused(suite, build, why):
    done = suite.run(build, "--rotate-keys")
    if done.returncode == 0 or why not in done.stderr:
        fail(f"a rotation that should be refused, for {why}: {done.returncode} {done.stdout}{done.stderr}")


def unlike(suite, service, condition):
    """How many keys of subjects are not as they should be."""
    line = pathlib.Path(suite.home, f"postgres/databases/tideline_{service}").read_text(encoding="utf-8").strip()
    return int(query(line, f"SELECT count(*) FROM subject_key WHERE key IS NOT NULL AND NOT ({condition})")[0][0])


def wrap_anew(suite, token):
    keys = pathlib.Path(suite.home, "secrets/wrapping_keys")
    before = next(keys.iterdir())
    if unlike(suite, "accounts", "length(key) > 32") != 0:
        fail("a key of a new installation lies in clear")
    part("secrets", "--data", f"{suite.home}/secrets", "--wrap-anew")
    newest = max(keys.iterdir())
    for service in registry.names():
        done = suite.operate(service, "wrap-keys")
        if done.returncode != 0 or "were wrapped anew" not in done.stdout:
            fail(f"wrap-keys of {service}: {done.stdout}{done.stderr}")
    wrapped_by_newest = f"position('{newest.stem}'::bytea in key) = 2"
    if unlike(suite, "accounts", wrapped_by_newest) != 0:
        fail("not every key is wrapped by the new one")
    suite.gateway.expect(200, "PATCH", "/v1/me", token, {"department": "Physics"})
    before.unlink()


def is_sealed_by(file, position):
    token, _, mac = position.rpartition(".")
    key = bytes.fromhex(file.read_text(encoding="utf-8").strip())
    digest = hashlib.blake2b(f"position:{token}".encode(), key=key, digest_size=16).digest()
    return mac == base64.b32encode(digest).decode().rstrip("=").lower()


def read_by_position(suite, status, token, position):
    for path in READS:
        suite.gateway.expect(status, "GET", path, token, Tideline_Position=position)


def check_other_positions(suite, token, before, position):
    """After a start; `position` was sealed by the key in the file `before`."""
    if not is_sealed_by(before, position):
        fail(f"a position token that is not of {before}: {position}")
    headers, _ = suite.gateway.expect(200, "PATCH", "/v1/me", token, {"department": "Physics"})
    newest = max(before.parent.iterdir())
    if newest == before or not is_sealed_by(newest, position_of(headers)):
        fail(f"a position token that is not of {newest}: {headers['Tideline-Position']}")
    read_by_position(suite, 200, token, position)
    before.unlink()


def rotate_passwords(suite, build):
    database = pathlib.Path(suite.home, "postgres/databases/tideline_accounts")
    before = database.read_text(encoding="utf-8").strip()
    suite.start(build, "--rotate-passwords")
    refused_now = subprocess.run(["psql", before, "-XAtc", "SELECT 1"], capture_output=True, text=True, check=False)
    if refused_now.returncode == 0 or "authentication failed" not in refused_now.stderr:
        fail(f"the old password is good: {refused_now.stdout}{refused_now.stderr}")


def main():
    build = sys.argv[1]
    home = temporary_folder("rotation")
    suite = WholeSuite(home)
    gateway = suite.gateway
    try:
        suite.start(build)
        headers, account = gateway.expect(201, "POST", "/v1/accounts", None, registration("ada"))
        before, position = account["session"], position_of(headers)
        position_key = next(pathlib.Path(home, "secrets/position_keys").iterdir())
        part("secrets", "--data", f"{home}/secrets", "--seal-anew")
        wrap_anew(suite, before["access_token"])
        rotate_passwords(suite, build)
        until("accounts answers", lambda: gateway.call("GET", "/v1/me", before["access_token"])[0] == 200)
        _, me = gateway.expect(200, "GET", "/v1/me", before["access_token"])
        if (me["real_name"], me["department"]) != ("ada", "Physics"):
            fail(f"what was sealed under another wrapping key: {me}")
        check_other_positions(suite, before["access_token"], position_key, position)
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
        read_by_position(suite, 400, after["access_token"], position)
        suite.stop()
        refused(suite, build, "less than 15 minutes ago")
    finally:
        suite.stop()
        shutil.rmtree(home, ignore_errors=True)
    print("other keys wrap, seal and sign, other passwords are asked for, and tokens of before were good everywhere")


main()
