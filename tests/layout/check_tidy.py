#!/usr/bin/env python3
"""check_tidy.py ROOT BUILD [--all] : clang-tidy (.clang-tidy) over the pure parts: libs/core,
libs/sql, libs/eventsourcing and the domains of the services; with --all over every source of the product."""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

import tree

PURE = re.compile(r"(libs/(core|eventsourcing|sql)/(?!.*tests/).*\.cpp|services/[^/]+/domain/.*\.cpp)")
PRODUCT = re.compile(r"((libs|services)/(?!.*tests/).*|deploy/demo/.*)\.cpp")


# GCC's precompiled headers mean nothing to clang, and a source has to say what it includes.
OF_GCC = re.compile(r"-Winvalid-pch -include \S+|-fpch-preprocess")


def sources_of(commands):
    """The entries of compile_commands.json, with one for each source that a batch (unity build) includes."""
    for entry in commands:
        entry = {**entry, "command": OF_GCC.sub("", entry["command"])}
        batch = pathlib.Path(entry["file"])
        if batch.parent.name != "Unity":
            yield entry
            continue
        for source in re.findall(r'^#include "(.+)"$', batch.read_text(encoding="utf-8"), re.MULTILINE):
            yield {**entry, "file": source, "command": entry["command"].replace(str(batch), source)}


def tidy(build, path):
    run = subprocess.run(
        # GCC's warning names mean nothing to clang.
        ["clang-tidy", "-p", str(build), "--quiet", "--extra-arg=-Wno-everything", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in run.stdout.splitlines() if ": error: " in line or ": warning: " in line]
    return found or ([f"{path}: {run.stderr.strip()}"] if run.returncode != 0 else [])


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    wanted = PRODUCT if "--all" in sys.argv else PURE
    commands = list(sources_of(json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))))
    build = build / "tidy"
    build.mkdir(exist_ok=True)
    (build / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
    sources = sorted({pathlib.Path(entry["file"]) for entry in commands})
    sources = [path for path in sources if path.is_relative_to(root)]
    sources = [path for path in sources if wanted.fullmatch(path.relative_to(root).as_posix())]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        findings = sorted({line for found in pool.map(lambda path: tidy(build, path), sources) for line in found})
    return tree.report("sources", findings, len(sources))


if __name__ == "__main__":
    sys.exit(main())
