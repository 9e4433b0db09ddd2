"""JSON Schema (draft-07) of an event's data, for one version of it."""

PATTERNS = {
    "account_id": "^[a-z2-7]{26}$",
    "id": "^[0-9a-v]{26}$",
    "moment_id": "^[1-9][0-9]{0,18}$",
    "comment_id": "^[1-9][0-9]{0,18}$",
    "message_key": r"^[a-z2-7]{26}_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$",
    "time": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$",
    "day": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "sha256": "^[0-9a-f]{64}$",
    "sealed": r"^1\.",
}
LIMITS = {"min": "minimum", "max": "maximum", "min_length": "minLength", "max_length": "maxLength"}
ABOUT = {
    "account_id": "account id",
    "moment_id": "64-bit moment id, decimal",
    "comment_id": "64-bit comment id, decimal",
    "id": "id made by the server",
    "position_token": "position token that the writer had seen, empty for none",
}


def _value(service, field):
    """Of one value of the field's kind, whether it is nullable or in a list."""
    if field.kind in service.enums:
        enum = service.enums[field.kind]
        return {"type": "integer", "enum": list(enum.numbers.values())} if enum.numbers else {
            "type": "string", "enum": enum.values}
    if field.kind in service.objects:
        fields = service.objects[field.kind].fields
        return {"type": "object", "required": [each.name for each in fields],
                "properties": {each.name: field_schema(service, each) for each in fields}}
    schema = {"type": field.kind if field.kind in ("integer", "boolean") else "string"}
    if field.kind in PATTERNS:
        schema["pattern"] = PATTERNS[field.kind]
    schema.update({word: field.get(key) for key, word in LIMITS.items() if field.get(key) is not None})
    return schema


def _about(service, field):
    if field.sealed:
        of = "text"
        if field.get("holds"):
            of = "JSON of " + ", ".join(each.name for each in service.objects[field.get("holds")].fields)
        return f"{of}, sealed under the key of {field.get('by')} as {field.get('context')}"
    return field.get("about") or ABOUT.get(field.kind)


def field_schema(service, field):
    schema = _value(service, field)
    if field.nullable:
        schema["type"] = [schema["type"], "null"]
    if field.list:
        schema = {"type": "array", "items": schema}
        schema.update({word: field.get(key) for key, word in (("min_items", "minItems"), ("max_items", "maxItems"))
                       if field.get(key) is not None})
    about = _about(service, field)
    return {"description": about, **schema} if about else schema


def event_schema(service, event, version):
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": event.name,
        "description": f"Stream {' or '.join(stream.text for stream in event.streams)}. {event.about}",
        **data_schema(service, event, version),
    }


def data_schema(service, event, version):
    """Of an event, or of an object that lies sealed in one."""
    fields = event.fields_in(version)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field.name for field in fields if not field.get("optional")],
        "properties": {field.name: field_schema(service, field) for field in fields},
    }
