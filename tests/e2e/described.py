"""The documents of schemas/http, as the tests beside this file read them."""


def resolved(document, schema):
    """What a schema or parameter refers to, or itself."""
    while "$ref" in schema:
        node = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        schema = node
    return schema
