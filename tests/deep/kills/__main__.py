"""Kill calls, and print how many kills each has survived."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.deep.kills import __doc__ as description
from tests.deep.kills import clusters, one_process
from tests.deep.kills.calls import CALLS
from tests.deep.kills.processes import WrongError

COUNTS = {name: call.kills for name, call in CALLS.items()} | {
    name: case.kills for name, case in clusters.CASES.items()
}


def run(name: str, kills: int, seed: int = 1) -> str:
    """Kill a call so often, print what has become of it, and return what is wrong."""
    with tempfile.TemporaryDirectory(prefix="reedsp-kills-") as folder:
        kind = one_process.OneProcess if name in CALLS else clusters.Several
        try:
            with kind(name, Path(folder), seed) as killed:
                while killed.kills < kills:
                    killed.kill()
                    told = f"{killed.seconds:6.2f} s {killed.kills:5,} kills {killed.calls:5,} right answers"
                    print(f"{name:24}{told}", flush=True)
        except WrongError as error:
            print(f"{name}: {error}", flush=True)
            return str(error)
    return ""


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", nargs="+", choices=[*COUNTS], default=[*COUNTS], metavar="NAME")
    parser.add_argument("--kills", type=int, help="of each call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        name, folder = arguments.child
        (one_process if name in CALLS else clusters).child(name, Path(folder))
        return 0
    chosen = {name: COUNTS[name] if arguments.kills is None else arguments.kills for name in arguments.calls}
    wrong = [run(name, kills, arguments.seed) for name, kills in chosen.items()]
    return int(any(wrong))


if __name__ == "__main__":
    sys.exit(main())
