#!/usr/bin/env python3
"""check_directions.py ROOT [--expect-marked]

Reads the #include lines of ROOT and reports each that breaks rules.py; exit 1 when there is any.
--expect-marked turns it round, for a tree of known-bad files: every line there that ends in
"// breaks" must be reported, and no other. That proves that the check can fail.
"""
import pathlib
import re
import sys

import rules

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCES = ("libs", "services", "deploy", "tests")


def source_files(root):
    for top in SOURCES:
        for path in sorted((root / top).rglob("*.[ch]pp")):
            name = path.relative_to(root).as_posix()
            if "bad_fixture/" not in name:
                yield name, path.read_text(encoding="utf-8").splitlines()


def allowed_for(name):
    """(what the file may include, the part it belongs to), or None for a file outside the layout."""
    for pattern, allowed in rules.MAY_INCLUDE:
        match = re.match(pattern, name)
        if match:
            own = match.groupdict().get("own") or ""
            part = match.group(0).split("/", 1)[1].rstrip("/")
            return [entry.replace("{own}", own) for entry in allowed], part
    return None


def include_paths(target):
    """A service may be named by its folder or by its C++ name: social-graph, social_graph."""
    first, slash, rest = target.partition("/")
    return {target, first.replace("_", "-") + slash + rest}


def is_ours(target):
    first = target.split("/")[0].replace("_", "-")
    return first in rules.LIBRARIES + rules.SERVICES


def permits(allowed, part, target):
    own_folders = [part] + allowed
    return any(
        path == entry or path.startswith(entry + "/") for path in include_paths(target) for entry in own_folders
    )


def findings_of_line(name, line, allowed, part):
    for pattern, text, why in rules.FORBIDDEN_TEXT:
        if re.match(pattern, name) and re.search(text, line):
            yield why
    match = INCLUDE.match(line)
    if not match:
        return
    target = match.group(2)
    if is_ours(target) and "/" in target and not permits(allowed, part, target):
        yield f"{part or name} may not include {target}"
    for header, home, why in rules.CONFINED:
        if re.match(header, target) and not re.fullmatch(home, name):
            yield why


def check(root):
    """Yields (file, line number, what is wrong)."""
    users = {pattern: {} for pattern, _ in rules.IN_ONE_FILE}
    for name, lines in source_files(root):
        found = allowed_for(name)
        if found is None:
            yield name, 1, "lies outside the layout: rules.py knows no such folder"
            continue
        for number, line in enumerate(lines, 1):
            for what in findings_of_line(name, line, *found):
                yield name, number, what
            for pattern, files in rules.IN_ONE_FILE:
                match = INCLUDE.match(line)
                if match and re.match(pattern, match.group(2)) and re.fullmatch(files, name):
                    users[pattern].setdefault(name, number)
    for pattern, places in users.items():
        for name, number in list(places.items())[1:]:
            yield name, number, f"{pattern} is included by {list(places)[0]} already"


def marked_lines(root):
    for name, lines in source_files(root):
        for number, line in enumerate(lines, 1):
            if line.rstrip().endswith("// breaks"):
                yield name, number


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    findings = sorted(set(check(root)))
    if "--expect-marked" in sys.argv:
        found = {(name, number) for name, number, _ in findings}
        marked = set(marked_lines(root))
        for name, number in sorted(marked - found):
            print(f"{name}:{number}: not found, though it breaks a rule")
        for name, number in sorted(found - marked):
            print(f"{name}:{number}: found, though it breaks no rule")
        print(f"{len(marked & found)} of {len(marked)} known violations found")
        return 0 if marked and found == marked else 1
    files = sum(1 for _ in source_files(root))
    for name, number, what in findings:
        print(f"{name}:{number}: {what}")
    print(f"{files} files, {len(findings)} findings")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
