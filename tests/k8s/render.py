#!/usr/bin/env python3
"""render.py FOLDER : prints what `kubectl kustomize FOLDER` prints, for the part of kustomize that k8s/
uses; anything else in a kustomization is an error. Debian has no kustomize; where one is at hand the
test compares the two."""
import copy
import pathlib
import re
import sys

import yaml

# Lists that a strategic merge joins by key; every other list is replaced.
MERGE_KEYS = {
    "containers": ["name"],
    "env": ["name"],
    "volumes": ["name"],
    "volumeMounts": ["mountPath"],
    "ports": ["containerPort", "port"],
    "topologySpreadConstraints": ["topologyKey"],
}
KNOWN = {
    "apiVersion",
    "kind",
    "resources",
    "components",
    "configMapGenerator",
    "generatorOptions",
    "patches",
    "labels",
    "images",
    "replicas",
    "namespace",
}
NOT_NAMESPACED = {"Namespace"}
WORKLOADS = {"Deployment", "StatefulSet"}


def merge(base, patch, field=""):
    if isinstance(base, dict) and isinstance(patch, dict):
        for key, value in patch.items():
            if value is None:
                base.pop(key, None)
            else:
                base[key] = merge(base[key], value, key) if key in base else copy.deepcopy(value)
        return base
    if isinstance(base, list) and isinstance(patch, list):
        for key in MERGE_KEYS.get(field, []):
            if all(isinstance(item, dict) and key in item for item in base + patch):
                return merge_list(base, patch, key, field)
    return copy.deepcopy(patch)


def merge_list(base, patch, key, field):
    result = []
    for item in patch:
        same = [old for old in base if old[key] == item[key]]
        result.append(merge(same[0], item, field + "[]") if same else copy.deepcopy(item))
    return result + [old for old in base if all(old[key] != item[key] for item in patch)]


def wanted(target, resource):
    metadata = resource["metadata"]
    if unknown := set(target) - {"kind", "name", "labelSelector"}:
        raise ValueError(f"target by {unknown} is not supported")
    label, _, value = target.get("labelSelector", "").partition("=")
    return (
        target.get("kind", resource["kind"]) == resource["kind"]
        and re.fullmatch(target.get("name", ".*"), metadata["name"]) is not None
        and (not label or metadata.get("labels", {}).get(label) == value)
    )


def apply_patches(folder, entries, resources):
    for entry in entries:
        for patch in load(folder / entry["path"]):
            identity = {"kind": patch["kind"], "name": re.escape(patch["metadata"]["name"])}
            chosen = [one for one in resources if wanted(entry.get("target", identity), one)]
            if not chosen:
                raise ValueError(f"{folder / entry['path']} fits no resource")
            body = {key: value for key, value in patch.items() if key not in ("apiVersion", "kind")}
            body["metadata"] = {key: value for key, value in body.get("metadata", {}).items() if key != "name"}
            for one in chosen:
                merge(one, body)


def generate_config_maps(folder, kustomization):
    entries = kustomization.get("configMapGenerator", [])
    if entries and not kustomization.get("generatorOptions", {}).get("disableNameSuffixHash"):
        raise ValueError(f"{folder}: a name with a hash is not supported")
    for entry in entries:
        data = {name: (folder / name).read_text(encoding="utf-8") for name in entry["files"]}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": entry["name"]}, "data": data}


def set_images(images, resources):
    for resource in resources:
        for container in pod_of(resource).get("containers", []):
            for image in images:
                if container["image"] == image["name"]:
                    container["image"] = f"{image.get('newName', image['name'])}:{image['newTag']}"


def templates_of(resource):
    """The templates in a resource, from the outside in; the last one is that of its pods."""
    if resource["kind"] == "CronJob":
        job = resource["spec"]["jobTemplate"]
        return [job, job["spec"]["template"]]
    return [resource["spec"]["template"]] if resource["kind"] in WORKLOADS else []


def pod_of(resource):
    templates = templates_of(resource)
    return templates[-1]["spec"] if templates else {}


def add_labels(entries, resources):
    for entry in entries:
        for resource in resources:
            resource["metadata"].setdefault("labels", {}).update(entry["pairs"])
            if entry.get("includeTemplates"):
                claims = resource.get("spec", {}).get("volumeClaimTemplates", [])
                for template in [*templates_of(resource), *claims]:
                    template.setdefault("metadata", {}).setdefault("labels", {}).update(entry["pairs"])


def load(path):
    with open(path, encoding="utf-8") as file:
        return [document for document in yaml.safe_load_all(file) if document]


def render(folder, resources=None):
    """The resources of a kustomization; a component changes those that it is given."""
    folder = pathlib.Path(folder)
    kustomization = load(folder / "kustomization.yaml")[0]
    if unknown := set(kustomization) - KNOWN:
        raise ValueError(f"{folder}: {unknown} is not supported")
    resources = [] if resources is None else resources
    for name in kustomization.get("resources", []):
        path = folder / name
        resources.extend(render(path) if path.is_dir() else load(path))
    resources.extend(generate_config_maps(folder, kustomization))
    for name in kustomization.get("components", []):
        render(folder / name, resources)
    apply_patches(folder, kustomization.get("patches", []), resources)
    add_labels(kustomization.get("labels", []), resources)
    set_images(kustomization.get("images", []), resources)
    for entry in kustomization.get("replicas", []):
        for resource in resources:
            if resource["kind"] in WORKLOADS and resource["metadata"]["name"] == entry["name"]:
                resource["spec"]["replicas"] = entry["count"]
    if "namespace" in kustomization:
        for resource in resources:
            if resource["kind"] not in NOT_NAMESPACED:
                resource["metadata"]["namespace"] = kustomization["namespace"]
    return resources


if __name__ == "__main__":
    print(yaml.safe_dump_all(render(sys.argv[1]), sort_keys=True), end="")
