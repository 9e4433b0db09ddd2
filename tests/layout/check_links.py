#!/usr/bin/env python3
"""check_links.py ROOT : every link between the Markdown pages leads to a file that is there, and to a
heading that is there."""
import pathlib
import re
import sys

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def anchors(text):
    """As GitHub makes them: lower case, only letters, digits, hyphens; blanks become hyphens."""
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def broken(page, link):
    if re.match(r"[a-z]+:", link):
        return None
    target, _, anchor = link.partition("#")
    path = (page.parent / target).resolve() if target else page
    if not path.exists():
        return f"{page}: {link}: no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
        return f"{page}: {link}: no such heading"
    return None


def main():
    pages = tree.tracked(pathlib.Path(sys.argv[1]), "*.md")
    findings = []
    for page in pages:
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            finding = broken(page, link)
            if finding:
                findings.append(finding)
    return tree.report("pages", findings, len(pages))


if __name__ == "__main__":
    sys.exit(main())
