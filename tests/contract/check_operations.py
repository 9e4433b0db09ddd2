#!/usr/bin/env python3
"""check_operations.py ROOT [--prove]: every operation of ROOT/schemas/http documents what its kind can give.

- the statuses of STATUSES, by kind of operation;
- a refusal is a problem document, and 429 and 503 have Retry-After;
- a change by a signed-in caller takes an Idempotency-Key.

--prove breaks a copy of the documents in each of these ways and requires the finding."""

import pathlib
import sys

import breakage
import openapi

# By what an operation is: the statuses that the gateway, libs/http or every handler of the kind can give.
STATUSES = {
    # Limits, timeouts and framing, of the gateway and of the service's port.
    "any": "400 408 413 414 417 429 431 500 502 503 504",
    "for callers who are signed in": "401",
    "for who has a role": "401 403",
    # A path parameter that names nothing.
    "with a path parameter": "404",
    "with a body": "415 422",
    # If-None-Match and If-Match hold for every answer of a query (libs/http/messages/representation.hpp).
    "query": "304 412",
    # Concurrent changes, If-Match, a reused key (libs/http/routing/command_endpoint.hpp).
    "command": "409 412 422",
}
# Uploads are kept under their hash: a repeated one changes nothing. A repeated wish for a mail is another
# mail. A code is good once, so what takes one is not repeated. A browser's subscription is put and taken out whole.
WITHOUT_KEY = {"uploadImage", "sendEmailVerification", "drawSecondFactor", "setSecondFactor", "removeSecondFactor",
               "drawRecoveryCodes", "subscribeToPush", "unsubscribeFromPush"}


def kinds_of(operation):
    yield "any"
    if not operation.public:
        has_role = operation.operators_only or operation.moderators_only
        yield "for who has a role" if has_role else "for callers who are signed in"
    if "{" in operation.path:
        yield "with a path parameter"
    if operation.has_body:
        yield "with a body"
    # An event stream has no version.
    if operation.is_query and not operation.is_stream:
        yield "query"
    if operation.takes("Idempotency-Key"):
        yield "command"


def check_operation(operation):
    for kind in kinds_of(operation):
        for status in STATUSES[kind].split():
            if status not in operation.responses:
                yield f"{operation.name} does not document {status}, which an operation ({kind}) can give"
    for status, response in operation.responses.items():
        if status >= "400" and list(response.get("content", {})) != ["application/problem+json"]:
            yield f"{operation.name} answers {status} without a problem document"
        if status in ("429", "503") and "Retry-After" not in response.get("headers", {}):
            yield f"{operation.name} answers {status} without Retry-After"
    changes = not operation.is_query and not operation.public
    if changes and not operation.takes("Idempotency-Key") and operation.id not in WITHOUT_KEY:
        yield f"{operation.name} takes no Idempotency-Key"


def findings(root):
    count = 0
    for service in openapi.services(root):
        for operation in openapi.operations(openapi.document_of(root, service)):
            yield from check_operation(operation)
            count += 1
    if count == 0:
        yield "there is no operation"


def breakages():
    problem = "{$ref: '#/components/responses/Problem'}"
    later = "{$ref: '#/components/responses/Later'}"
    statuses = [("400", problem), ("429", later), ("401", problem), ("404", problem), ("415", problem),
                ("304", "{$ref: '#/components/responses/NotModified'}"), ("409", problem)]
    for status, response in statuses:
        name = "schemas/http/projects.yaml"
        yield name, f"'{status}': {response}", f"'499': {problem}", f"does not document {status}"
    scoring = "schemas/http/scoring.yaml"
    yield scoring, "'403'", "'405'", "does not document 403"
    yield scoring, "Retry-After", "Retry-Before", "without Retry-After"
    yield scoring, "application/problem+json", "application/json", "without a problem document"
    yield scoring, "name: Idempotency-Key", "name: Key", "takes no Idempotency-Key"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(breakage.unseen(root, breakages(), findings) if "--prove" in sys.argv else findings(root))
    for line in found:
        print(line)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


main()
