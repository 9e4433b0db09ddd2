"""next_release.py FOLDER : a release after this one, built in FOLDER: the same tree with one more step in each service's schema,
that programs of this one do not know. Prints the build tree."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = "ALTER TABLE projection_checkpoint ADD COLUMN next_release text NOT NULL DEFAULT 'a release before this one wrote it';\n"


def build(folder):
    source = folder / "tree"
    shutil.rmtree(source, ignore_errors=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    for migrations in source.glob("services/*/migrations"):
        number = max(int(file.name.split("_")[0]) for file in migrations.glob("*.sql")) + 1
        (migrations / f"{number:03}_next_release.sql").write_text(STEP, encoding="utf-8")
    for command in (["cmake", "--preset", "release"], ["cmake", "--build", "build/release", "-j", "2", "--target", "tideline_suite"]):
        done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return source / "build/release"


if __name__ == "__main__":
    print(build(pathlib.Path(sys.argv[1]).resolve()))
