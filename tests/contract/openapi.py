"""The OpenAPI documents of schemas/http, with their references resolved."""

import yaml

METHODS = ("get", "post", "put", "patch", "delete")


def services(root):
    return sorted(file.stem for file in (root / "schemas/http").glob("*.yaml"))


def document_of(root, service):
    return yaml.load((root / f"schemas/http/{service}.yaml").read_text(), Loader=yaml.CSafeLoader)


def resolved(document, node):
    while "$ref" in node:
        reference = node["$ref"]
        node = document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


class Operation:
    def __init__(self, document, path, method, item):
        described = item[method]
        self.path = path
        self.method = method.upper()
        self.name = f"{self.method} {path}"
        self.id = described.get("operationId", "")
        self.summary = described.get("summary", "")
        listed = item.get("parameters", []) + described.get("parameters", [])
        self.parameters = [resolved(document, parameter) for parameter in listed]
        self.responses = {
            status: resolved(document, response) for status, response in described["responses"].items()
        }
        self.public = described.get("security") == []
        self.by_link = {"link": []} in described.get("security", [])
        self.operators_only = described.get("x-operators-only", False)
        self.moderators_only = described.get("x-moderators-only", False)
        self.has_body = "requestBody" in described
        self.is_query = method == "get"
        self.is_stream = any("text/event-stream" in answer.get("content", {}) for answer in self.responses.values())

    def takes(self, parameter):
        return any(known["name"] == parameter for known in self.parameters)

    @property
    def callers(self):
        if self.by_link:
            return "signed in, or by a link"
        if self.moderators_only:
            return "moderators"
        return "everybody" if self.public else "operators" if self.operators_only else "signed in"


def operations(document):
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield Operation(document, path, method, item)
