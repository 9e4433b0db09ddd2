"""What Schemathesis cannot read in the documents of schemas/http.

A refused request that keeps to its document is a finding. RULES and DETAILS name the refusals that are none, for what
no schema can say. Position tokens, which the suite alone can make, come from the environment.
"""

import json
import os
import re

import schemathesis
from hypothesis import strategies
from schemathesis.openapi.checks import RejectedPositiveData

# The last word of a problem's type, and what of the suite's state is in the way.
RULES = {
    "idempotency-key-reused": "the key has come with another request before",
    "precondition-failed": "If-Match names another version than the present one",
    "oneself": "the user_id is the caller's own",
    "message-to-oneself": "the user_id is the caller's own",
    "advice-on-ones-own": "the project is the caller's own",
    "rating-of-ones-own": "the caller, or a project of the caller, is rated",
    "no-such-comment": "the comment that is answered is not there",
    "no-such-image": "the caller has not uploaded the image",
    "poll-closes-at": "the poll would close earlier than now, or in more than 30 days",
    "not-yet": "the id of the moment is of a time to come",
}
# The detail of a problem, or of each of its errors, where the type says only that the request is wrong.
DETAILS = [
    # OpenAPI cannot say that parameters exclude each other.
    r"give one of the cursors before and after, not both",
    r"ask for the projects of one author, or of one label, or for order=newest",
    # A cursor is of one list.
    r"the cursor is not one that this list gave out",
    # JSON Schema cannot compare the items of an array: levels are numbered, and rules have different reasons.
    r"must be from (\d+) to \1",
    r"has a rule already",
    r"is not above the level before",
    # No pattern knows how many days a month has.
    r".*is no key of a message",
    # No schema holds the passwords that many people use.
    r"is easily guessed: .*",
]
DOCUMENTS = [
    b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n",
    b"When to swim: at noon.\n",
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU",
]

schemathesis.openapi.format("position-token", strategies.sampled_from(os.environ["TIDELINE_POSITIONS"].split()))
schemathesis.openapi.format("utc-time", strategies.datetimes().map(lambda time: time.isoformat() + "Z"))
schemathesis.openapi.format("entity-tag", strategies.sampled_from(['*', '"1"', '"2"', '"3"', 'W/"1"', '"of-another"']))
# addDocument finds the type of its body by the bytes.
schemathesis.openapi.media_type("application/octet-stream", strategies.sampled_from(DOCUMENTS))


# Reads may be older than the last change, unless they carry its token. In a sequence of requests each does.
last_position = {}


@schemathesis.hook
def before_call(context, case, kwargs):
    if last_position and case.meta and case.meta.phase.name == "stateful" and case.meta.generation.mode.is_positive:
        case.headers["Tideline-Position"] = last_position["token"]


@schemathesis.hook
def after_call(context, case, response):
    for token in response.headers.get("tideline-position", []):
        last_position["token"] = token


def is_explained(problem):
    details = [error["detail"] for error in problem.get("errors", [])] or [problem["detail"]]
    return problem["type"].rpartition(":")[2] in RULES or all(
        any(re.fullmatch(known, detail, re.DOTALL) for known in DETAILS) for detail in details
    )


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return not (isinstance(failure, RejectedPositiveData) and is_explained(json.loads(response.content)))
