#!/usr/bin/env python3
"""check_shell.py ROOT : shellcheck finds nothing in the scripts."""
import subprocess
import sys

import tree


def main():
    scripts = tree.scripts(sys.argv[1])
    run = subprocess.run(["shellcheck", "--format=gcc", *map(str, scripts)], capture_output=True, text=True, check=False)
    return tree.report("scripts", (run.stdout + run.stderr).splitlines(), len(scripts))


if __name__ == "__main__":
    sys.exit(main())
