"""The chaos test itself; tests/chaos/run says what for and with which options."""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time

import report
import sabotage
from checks import Checks, await_quiet
from faults import Faults
from installation import Installation, Trouble, pick_seed
from running_load import RECOVERY_SECONDS, Load


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tests/chaos/run")
    parser.add_argument("--built", type=pathlib.Path, required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--faults", type=int)
    parser.add_argument("--commands", type=int)
    parser.add_argument("--seed", type=int, default=pick_seed())
    parser.add_argument("--only", default="")
    parser.add_argument("--sabotage", choices=sorted(sabotage.KINDS))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args(arguments)
    if options.faults is None:
        options.faults = 100 if options.long else 10
    if options.commands is None:
        options.commands = 1_000_000 if options.long else 4_000
    options.people, options.workers = (400, 64) if options.long else (48, 12)
    return options


def say(text):
    print(f"[{time.monotonic() - STARTED:6.1f} s] {text}", file=sys.stderr, flush=True)


STARTED = time.monotonic()


def inject_all(home, load, faults, options):
    """One fault after the other, some before the suite has recovered from the last. Yields what was done."""
    drawn = faults.draw(options.faults, options.only)
    for number, kind in enumerate(drawn):
        # The commands lie over all faults: each has its share of them.
        load.allow(options.commands * (number + 1) // len(drawn))
        load.await_done(options.commands * number // len(drawn))
        faults.inject(kind)
        over_us = int(time.time() * 1e6)
        say(f"fault {number + 1} of {len(drawn)}: {kind}")
        yield {"kind": kind, "over_us": over_us}
        if faults.random.random() < 0.85:
            load.await_seen(over_us)
            home.await_well(RECOVERY_SECONDS)
        time.sleep(faults.random.uniform(0, 1.5))
    load.allow(options.commands)
    load.await_seen(int(time.time() * 1e6))
    home.await_well(RECOVERY_SECONDS)
    load.await_done(options.commands)


def chaos(home, options, outcome):
    journal, accounts = home.home / "journal", home.home / "accounts"
    home.start()
    outcome["left_out"] = [] if home.own_disks else ["full disks: mounting is refused here"]
    say("; ".join([f"the suite is up in {home.home}", *outcome["left_out"]]))
    load = Load(home, options, journal, accounts)
    if not load.ready.wait(300) or load.process.poll() is not None:
        raise Trouble("the load cannot begin")
    home.make_operator(f"{home.run_name}-operator")
    load.tell("begin")
    home.supervise()
    load.await_seen(1)
    say("the load runs")
    outcome["faults"] = []
    for fault in inject_all(home, load, Faults(home, options.seed, not options.long), options):
        outcome["faults"].append(fault)
    load.finish()
    home.await_well(RECOVERY_SECONDS)
    home.stop_supervising()
    say(f"{load.done} commands done, the parts were started again {home.restarts} times")
    outcome["findings"] += [f"{name}: no snapshot was taken" for name in home.without_snapshot()]
    checks = Checks(home, journal, accounts)
    outcome.update(checks=checks, attempts=load.attempts, restarts=home.restarts, journal=journal)
    await_quiet(home)
    if options.sabotage:
        say(f"sabotage: {sabotage.KINDS[options.sabotage](checks)}")
    for check in checks.all():
        for finding in check():
            say(f"FINDING: {finding}")
            outcome["findings"].append(finding)
        if options.sabotage and outcome["findings"]:
            return  # the harm is done: later checks would only wait for what cannot come
    outcome["summary"] = report.summarise(outcome)
    outcome["findings"] += report.not_recovered(outcome["summary"])


def main():
    options = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say(f"seed {options.seed}: {options.faults} faults, {options.commands} commands")
    outcome = {"findings": [], "seed": options.seed}
    home = Installation(options.built, "chaos", say, snapshot_interval_s=600 if options.long else 15)
    try:
        chaos(home, options, outcome)
    except (Trouble, subprocess.SubprocessError, RuntimeError) as trouble:
        outcome["findings"].append(f"{type(trouble).__name__}: {trouble}")
    finally:
        home.clear_up(keep=options.keep or bool(outcome["findings"]))
    summary = outcome.get("summary") or {}
    summary |= {"seed": options.seed, "seconds": round(time.monotonic() - STARTED), "findings": len(outcome["findings"])}
    if "acknowledged" in summary:
        print(report.as_markdown(summary))
    print(json.dumps(summary))
    for finding in outcome["findings"]:
        print(f"FAILED (seed {options.seed}): {finding}", file=sys.stderr)
    if options.keep or outcome["findings"]:
        say(f"journal and logs are kept in {home.home}")
    return 1 if outcome["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
