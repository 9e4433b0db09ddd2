#!/usr/bin/env python3
"""check_tidy.py ROOT BUILD [--all] : clang-tidy (.clang-tidy) over the pure parts: libs/core,
libs/sql, libs/eventsourcing and the domains of the services; with --all over every source of the product.

Nearly all of its time goes into headers. So what the build compiles in a batch is checked in that batch, and each of
its sources alone only for what a batch hides: whether it includes what it needs, BY_SOURCE and OF_INCLUDES."""
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
# Checks that pass over what is included.
BY_SOURCE = "misc-unused-alias-decls,misc-unused-using-decls"
# A batch includes sources.
OF_INCLUDES = "bugprone-suspicious-include"
ALL, ALONE, BATCH = "", f"-*,{BY_SOURCE},{OF_INCLUDES}", f"-{OF_INCLUDES}"


def jobs(commands, wanted):
    """(entry of compile_commands.json, checks): a source, or a batch (unity build) and each of its sources."""
    for entry in commands:
        entry = {**entry, "command": OF_GCC.sub("", entry["command"])}
        batch = pathlib.Path(entry["file"])
        if batch.parent.name != "Unity":
            if wanted(entry["file"]):
                yield entry, ALL
            continue
        sources = re.findall(r'^#include "(.+)"$', batch.read_text(encoding="utf-8"), re.MULTILINE)
        sources = [source for source in sources if wanted(source)]
        if sources:
            yield entry, BATCH
        for source in sources:
            yield {**entry, "file": source, "command": entry["command"].replace(str(batch), source)}, ALONE


def tidy(root, build, path, checks):
    run = subprocess.run(
        # GCC's warning names mean nothing to clang.
        ["clang-tidy", "-p", str(build), f"--config-file={root}/.clang-tidy", "--quiet", "--extra-arg=-Wno-everything",
         f"--checks={checks}", path],
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in run.stdout.splitlines() if ": error: " in line or ": warning: " in line]
    return found or ([f"{path}: {run.stderr.strip()}"] if run.returncode != 0 else [])


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    pattern = PRODUCT if "--all" in sys.argv else PURE

    def wanted(source):
        path = pathlib.Path(source)
        return path.is_relative_to(root) and pattern.fullmatch(path.relative_to(root).as_posix())

    todo = list(jobs(json.loads((build / "compile_commands.json").read_text(encoding="utf-8")), wanted))
    build = build / "tidy"
    build.mkdir(exist_ok=True)
    (build / "compile_commands.json").write_text(json.dumps([entry for entry, _ in todo]), encoding="utf-8")
    # Batches first: they take longest.
    todo = sorted({(entry["file"], checks) for entry, checks in todo}, key=lambda job: (job[1] == ALONE, job))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        findings = sorted({line for found in pool.map(lambda job: tidy(root, build, *job), todo) for line in found})
    seen = sum(checks != BATCH for _, checks in todo)
    return tree.report("sources", findings, seen)


if __name__ == "__main__":
    sys.exit(main())
