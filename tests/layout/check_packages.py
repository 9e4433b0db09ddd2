#!/usr/bin/env python3
"""check_packages.py ROOT : the Debian package of every included header stands in deploy/packages.txt.

What comes only as a dependency of a dependency may be gone with the next release of Debian.
"""
import pathlib
import re
import subprocess
import sys

import tree

INCLUDE = re.compile(r"\s*#\s*include\s*<([^>]+)>")
FOLDERS = ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include/postgresql"]
OF_THE_COMPILER = re.compile(r"(libc6-dev|libstdc\+\+-\d+-dev|linux-libc-dev|libgcc-\d+-dev)")
# The unversioned package that depends on the one owning the headers.
LISTED_AS = {r"libboost\d.*-dev": "libboost-dev", r"libpq-dev": "libpqxx-dev"}


def headers_of(paths):
    found = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            # The standard library has no dot in its names; its C headers belong to the compiler.
            if match and "." in match.group(1) or match and "/" in match.group(1):
                found.setdefault(match.group(1), path)
    return found


def owner(header):
    for folder in FOLDERS:
        path = pathlib.Path(folder) / header
        if path.exists():
            listed = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, text=True, check=False).stdout
            return re.split(r"[:,]", listed)[0] if listed else None
    of_library = any(pathlib.Path("/usr/include/c++").glob(f"*/{header}"))
    return "libstdc++-0-dev" if of_library else None


def main():
    root = pathlib.Path(sys.argv[1])
    listed = {
        line.strip() for line in (root / "deploy/packages.txt").read_text(encoding="utf-8").splitlines()
    }
    headers = headers_of(tree.tracked(root, "*.hpp", "*.cpp"))
    findings = []
    for header, path in sorted(headers.items()):
        package = owner(header)
        if package is None:
            findings.append(f"{path}: <{header}> belongs to no Debian package")
            continue
        for pattern, name in LISTED_AS.items():
            package = name if re.fullmatch(pattern, package) else package
        if not OF_THE_COMPILER.fullmatch(package) and package not in listed:
            findings.append(f"{path}: <{header}> comes from {package}, which deploy/packages.txt does not name")
    return tree.report("headers", findings, len(headers))


if __name__ == "__main__":
    sys.exit(main())
