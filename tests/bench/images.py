"""A photograph of 12 megapixels as WebP in three sizes. Peer: sharp, Node.js's wrapper of libvips, with its cache off,
each on one thread and with the same quality. Ours makes a blurhash, too. Memory is all that the process has held."""

from pathlib import Path

from harness import Bench, npm_folder

WIDTH, HEIGHT = 4000, 3000
PEER = "sharp 0.35"

CASES = ["a photograph", "memory at its peak"]


def run(bench: Bench) -> None:
    seconds = 1 if bench.quick else 8
    sharp = npm_folder(Path(__file__).parent / "sharp")
    photograph = bench.scratch / "photograph.jpg"
    bench.command("node", "photograph.mjs", photograph, WIDTH, HEIGHT, cwd=sharp)

    def ours() -> dict:
        return bench.program("tideline-bench-images", "--photograph", photograph, "--seconds", seconds)

    def theirs() -> dict:
        return bench.command("node", "renditions.mjs", photograph, seconds, cwd=sharp)

    bench.compare("a photograph", "ms", ours=lambda: ours()["ms"], peer=PEER, theirs=lambda: theirs()["ms"],
                  smaller_is_better=True)
    bench.compare("memory at its peak", "MiB", ours=lambda: ours()["peak_mib"], peer=PEER,
                  theirs=lambda: theirs()["peak_mib"], smaller_is_better=True)
