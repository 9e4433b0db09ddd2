"""image_test.py BUILD : builds the image of deploy/Containerfile around the programs of the folder BUILD, and runs each in it.
Exit code 77, with the reason, where that cannot be done. Nothing is pulled."""
import pathlib
import sys

from images import CannotBuild, Images, registry

TAG = "localhost/tideline:test"


def main():
    built = pathlib.Path(sys.argv[1])
    try:
        images = Images(built / "image-test")
        images.make_base()
    except CannotBuild as reason:
        print(f"skipped: {reason}")
        return 77
    try:
        images.tideline(built, TAG)
        container = images.buildah("from", "--pull-never", TAG).stdout.strip()
        user = images.inside(container, "id", "-u").stdout.strip()
        if user != "10001":
            print(f"the image runs as user {user}")
            return 1
        for service in registry.names():
            print(images.inside(container, f"tideline-{service}", "--version").stdout.strip())
        print(images.inside(container, "tideline-demo", "--help").stdout.splitlines()[0])
        print(images.inside(container, "haproxy", "-v").stdout.splitlines()[0])
        print("the image runs all programs as user 10001")
    finally:
        images.clear()
    return 0


if __name__ == "__main__":
    sys.exit(main())
