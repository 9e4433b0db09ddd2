#!/usr/bin/env python3
"""check_sizes.py ROOT : no file of code is longer than 500 lines."""
import sys

import tree

LINES_MAX = 500
CODE = ("*.hpp", "*.cpp", "*.py", "*.sql", "*.cmake", "*CMakeLists.txt", "*.cfg*", "deploy/*", "tests/*/run*")


def main():
    root = sys.argv[1]
    paths = tree.tracked(root, *CODE)
    findings = []
    for path in paths:
        count = path.read_bytes().count(b"\n")
        if count > LINES_MAX:
            findings.append(f"{path}: {count} lines, at most {LINES_MAX}")
    return tree.report("files", findings, len(paths))


if __name__ == "__main__":
    sys.exit(main())
