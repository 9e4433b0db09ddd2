#!/usr/bin/env python3
"""check_format.py ROOT : clang-format would change nothing. To apply it: check_format.py ROOT --fix"""
import subprocess
import sys

import tree


def main():
    sources = tree.tracked(sys.argv[1], "*.hpp", "*.cpp")
    if "--fix" in sys.argv:
        return subprocess.run(["clang-format", "-i", *map(str, sources)], check=False).returncode
    run = subprocess.run(
        ["clang-format", "--dry-run", "--Werror", *map(str, sources)], capture_output=True, text=True, check=False
    )
    findings = [line for line in run.stderr.splitlines() if ": error: " in line]
    if run.returncode != 0 and not findings:
        findings = [run.stderr]
    return tree.report("sources", findings, len(sources))


if __name__ == "__main__":
    sys.exit(main())
