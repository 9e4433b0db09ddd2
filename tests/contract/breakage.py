"""Proof that a check of documents can fail: it has to find each of several breakages in a copy."""

import pathlib
import shutil
import tempfile


def unseen(root, breakages, findings):
    """Yields what `findings(copy)` misses. A breakage: a file, what is replaced, by what, a word of the finding."""
    for name, old, new, word in breakages:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            shutil.copytree(root / "schemas", copy / "schemas")
            shutil.copytree(root / "deploy/gateway", copy / "deploy/gateway")
            for page in root.glob("services/*/operations.md"):
                (copy / page.relative_to(root)).parent.mkdir(parents=True)
                shutil.copy(page, copy / page.relative_to(root))
            text = (copy / name).read_text()
            if old not in text:
                yield f"{name} does not hold {old}"
                continue
            (copy / name).write_text(text.replace(old, new))
            if not any(word in finding for finding in findings(copy)):
                yield f"{name}: {old} -> {new} was not found"
