#!/usr/bin/env python3
"""operation_pages.py ROOT [--write | --prove]: ROOT/services/<service>/operations.md lists a service's commands and queries.

The pages are made from schemas/http. Without an option, names the pages that are not what --write would make.
--prove requires that for a changed document and for a changed page."""

import pathlib
import sys

import breakage
import openapi

HEAD = """# Commands and queries of {service}

Made from [schemas/http/{service}.yaml](../../schemas/http/{service}.yaml) by `tests/contract/operation_pages.py . --write`.
"""
TABLE = """
## {title}

| operation | route | callers | what it does |
|---|---|---|---|
"""


def table(title, operations):
    if not operations:
        return ""
    rows = [f"| {one.id} | `{one.name}` | {one.callers} | {one.summary} |\n" for one in operations]
    return TABLE.format(title=title) + "".join(rows)


def page(root, service):
    known = list(openapi.operations(openapi.document_of(root, service)))
    text = HEAD.format(service=service)
    text += table("Commands", [one for one in known if not one.is_query])
    return text + table("Queries", [one for one in known if one.is_query])


def pages(root):
    return {f"services/{service}/operations.md": page(root, service) for service in openapi.services(root)}


def findings(root):
    wanted = pages(root)
    for name, text in wanted.items():
        file = root / name
        if not file.exists() or file.read_text() != text:
            yield f"{name} is not up to date: run tests/contract/operation_pages.py . --write"


def main():
    root = pathlib.Path(sys.argv[1])
    if "--write" in sys.argv:
        for name, text in pages(root).items():
            (root / name).write_text(text)
        return
    breakages = [
        ("schemas/http/feed.yaml", "summary: One moment", "summary: A moment", "services/feed/operations.md is not"),
        ("services/scoring/operations.md", "operators", "everybody", "services/scoring/operations.md is not"),
    ]
    found = list(breakage.unseen(root, breakages, findings) if "--prove" in sys.argv else findings(root))
    for line in found:
        print(line)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


main()
