"""Reads a service's topic whole, by kcat: the order of each partition is judged here, the rest by topics.sql."""

import hashlib
import json
import subprocess

# A value is one line of JSON and comes last; no other field can hold a tab.
FORMAT = "%p\t%o\t%k\t%h\t%s\n"
LOGS = 16


class OrderOfPartition:
    """By the position rule: the next is the last + 1, or something that was there before."""

    def __init__(self):
        self.last = [0] * LOGS
        self.repeats = 0
        self.holes = []

    def see(self, partition, position, offset):
        if position == self.last[partition] + 1:
            self.last[partition] = position
        elif position <= self.last[partition]:
            self.repeats += 1
        else:
            self.holes.append({"log": partition, "offset": offset, "after": self.last[partition], "came": position})


def row_of(line):
    partition, offset, key, headers, value = line.rstrip("\n").split("\t", 4)
    fields = dict(header.split("=", 1) for header in headers.split(","))
    own = dict(field.split("=", 1) for field in fields["ce_tideline"].split(" "))
    return [
        *(partition, offset, own["position"], fields["ce_id"], fields["ce_type"], key),
        *(own["stream_version"], own.get("private", "false")),
        *(own.get("correlation_id", ""), hashlib.md5(value.encode()).hexdigest()),
    ]


def dump(kcat, service, file):
    """Writes the topic to `file` for topics.sql. `kcat` makes a command of options. Returns (records, repeats, what breaks the order)."""
    order = OrderOfPartition()
    records = 0
    command = kcat("-C", "-t", f"tideline.{service}", "-o", "beginning", "-e", "-q", "-f", FORMAT)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as reader:
        with open(file, "w", encoding="utf-8") as out:
            for line in reader.stdout:
                row = row_of(line)
                order.see(int(row[0]), int(row[2]), int(row[1]))
                out.write("\t".join(row).replace("\\", "\\\\") + "\n")
                records += 1
    if reader.returncode != 0:
        raise RuntimeError(f"kcat could not read tideline.{service}")
    law = {"law": "holes in the topic", "offences": len(order.holes), "examples": order.holes[:5]}
    return records, order.repeats, json.dumps(law)
