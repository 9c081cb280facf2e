"""Take the pictures of algorithms step by step, in a headless Chromium.

    python -m docs.tools.step_pictures

writes ``docs/images/watch*.png``, and has the tests of the page take one of each algorithm, half way, for
``docs/images/steps/``. It needs the packages of the extra `test`, and chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import reedsp
from reedsp.viewer import generators
from reedsp.viewer.algorithms.catalogue import ALGORITHMS

IMAGES = Path(__file__).resolve().parents[1] / "images"
SIZE = {"width": 1180, "height": 660}
SMALL = (640, 360)
COLOURS, FEW_COLOURS = 96, 24

PICTURES: dict[str, tuple[Any, str, int]] = {
    "watch": (generators.graph("road", 40), "output-parallel", 6),
    "watch-array": (generators.array("random", 24), "naive-scan", 4),
    "watch-matrix": (generators.graph("random", 18), "floyd-warshall-blocked", 3),
}
"""For each picture the input, the algorithm and the step."""


def of_each_algorithm() -> None:
    """Have the tests take a picture of each algorithm, and make them small."""
    from PIL import Image

    (IMAGES / "steps").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "tests/viewer/test_real_traces.py", "-k", "on_the_page"]
        subprocess.run(command, env={**os.environ, "REEDSP_SCREENSHOTS": folder}, check=True)
        for name in ALGORITHMS:
            picture = (
                Image.open(Path(folder, f"real-{name}-1280.png")).convert("RGB").resize(SMALL, Image.Resampling.LANCZOS)
            )
            few = picture.quantize(FEW_COLOURS, dither=Image.Dither.NONE)
            few.save(IMAGES / "steps" / f"{name}.png", optimize=True)


def main() -> None:
    """Write the pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        for name, (given, algorithm, step) in PICTURES.items():
            file = Path(folder, f"{name}.html")
            reedsp.watch(given, algorithm).save(file)
            page.goto(f"{file.as_uri()}#{algorithm}/{step}")
            page.wait_for_selector("body[data-ready]")
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)
        browser.close()
    of_each_algorithm()


if __name__ == "__main__":
    main()
