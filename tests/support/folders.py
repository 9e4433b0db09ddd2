"""Folders for what tests and benchmarks start. As a program: folders.py NAME makes one and prints it."""

import os
import pathlib
import sys
import tempfile

# What a suite writes, twice over; and deploy/run wants 3 GB to be free.
PLENTY_BYTES = 8 << 30


def root():
    """Memory where there is plenty, and programs may be run from it. PostgreSQL waits for the disk at every commit, and at
    every index of the hundreds of partitions that a service makes; Kafka at every partition."""
    if "TMPDIR" in os.environ:
        return os.environ["TMPDIR"]
    try:
        memory = os.statvfs("/dev/shm")
    except OSError:
        return "/var/tmp"
    good = memory.f_bavail * memory.f_frsize > PLENTY_BYTES and not memory.f_flag & os.ST_NOEXEC
    return "/dev/shm" if good and os.access("/dev/shm", os.W_OK) else "/var/tmp"


def temporary_folder(name):
    """A new folder that the service user may pass through. Who makes it removes it."""
    folder = tempfile.mkdtemp(prefix=f"tideline-{name}.", dir=root())
    pathlib.Path(folder).chmod(0o755)
    return folder


if __name__ == "__main__":
    print(temporary_folder(sys.argv[1]))
