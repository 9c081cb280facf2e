"""A headless Chromium for the tests of the page; without one they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reedsp.viewer.page import Page

DESKTOP, PHONE, FRAME = (1280, 720), (390, 844), (740, 560)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("there is no chromium on this machine")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page of traces; at the end, nothing was asked of any network and no error was in the console."""
    contexts, wrong = [], []

    def open_(traces: list[Any], size: tuple[int, int] = DESKTOP, address: str = "", **options: Any) -> Any:
        file = tmp_path / f"page{len(contexts)}.html"
        Page(traces).save(file)
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        contexts.append(context)
        page = context.new_page()
        watch_for_errors(page, wrong)
        page.goto(file.as_uri() + address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


def watch_for_errors(page: Any, wrong: list[str]) -> None:
    """Note what no page may do: throw, complain in the console, or send a request beyond files."""
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: wrong.append(f"thrown: {error}"))
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else wrong.append(request.url),
    )
