"""How many steps a second the page draws, and how large it is: ``python -m tests.viewer.speed``."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from reedsp.viewer.page import Page
from tests.viewer import examples

RUN = """async () => {
    const replay = app.state.current.replay;
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    app.go(0);
    await drawn();
    const began = performance.now();
    let steps = 0;
    while (performance.now() - began < 3000) {
        app.go(replay.k === replay.steps.length - 1 ? 0 : replay.k + 1);
        await drawn();
        steps++;
    }
    return (1000 * steps) / (performance.now() - began);
}"""


def inputs() -> dict[str, dict[str, Any]]:
    """Return traces of the largest size that pages are made for."""
    draw = random.Random(1)
    dense = examples.sparse(200, 2000)
    return {
        "shortest paths, 200 vertices, 370 edges": examples.shortest_paths(examples.grid(10, 20)),
        "shortest paths, 200 vertices, 2000 edges": examples.shortest_paths(dense),
        "components, 200 vertices, 2000 edges": examples.components(dense),
        "all pairs, 200 vertices": examples.all_pairs(examples.sparse(200, 600)),
        "sort, 1000 elements, 60 steps": shortened(examples.sort(draw.choices(range(1000), k=1000)), 60),
    }


def shortened(trace: dict[str, Any], steps: int) -> dict[str, Any]:
    return {**trace, "steps": trace["steps"][:steps]}


def main() -> None:
    """Print a line for each trace."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for name, trace in inputs().items():
            file = Path(folder, "page.html")
            Page([trace]).save(file)
            page.goto(file.as_uri())
            page.wait_for_selector("body[data-ready]")
            print(f"{name:42} {page.evaluate(RUN):6.1f} steps/s  {file.stat().st_size:9,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
