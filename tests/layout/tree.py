"""The files of the repository, for the checks of this folder."""
import pathlib
import subprocess


def tracked(root, *patterns):
    """Paths that git knows or would take, without the fixtures of this folder; sorted."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    paths = (pathlib.Path(root) / name for name in sorted(set(listed)) if name and "bad_fixture/" not in name)
    return [path for path in paths if path.is_file()]


def scripts(root):
    """Shell scripts: by their first line, since most have no suffix."""
    found = []
    for path in tracked(root):
        with open(path, "rb") as file:
            start = file.read(64)
        if start.startswith(b"#!") and b"sh" in start.split(b"\n")[0] or b"shellcheck shell=" in start:
            found.append(path)
    return found


def report(kind, findings, seen):
    """Prints the findings; the exit code. Having seen nothing is a failure too."""
    for finding in findings:
        print(finding)
    print(f"{kind}: {seen} seen, {len(findings)} findings")
    return 1 if findings or not seen else 0
