"""How large the HTML report of a large run is, and how soon a browser shows it.

The run is that of ``properties_speed.py``: about ten pairs of every case, a part of which fails. The page is opened by
chromium from disk, with an empty cache, each time in a new context; measured is until its load event, when its script
has run too, and how long a search over all listed failures takes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import measure, read_apart, robust
from benchmarks.peers import BENCH
from benchmarks.properties_speed import write_data
from benchmarks.table import say_load

FOLDER = BENCH / "report_page"
MOST_BYTES = 25_000_000
MOST_SECONDS = 2.0
_LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
_SEARCH = """() => {
  const start = performance.now();
  document.getElementById("search").value = "radio claim";
  document.querySelector("form.filters").requestSubmit();
  return performance.now() - start;
}"""


def open_page(file: Path, rounds: int) -> list[tuple[float, float]]:
    """Seconds until the page was loaded, and of a search in it, each time it was opened."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise SystemExit("there is no chromium here: apt-get install chromium")
    taken = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(rounds):
            context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.goto(file.resolve().as_uri())
            taken.append((page.evaluate(_LOADED) / 1000, page.evaluate(_SEARCH) / 1000))
            context.close()
        browser.close()
    return taken


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Measure the HTML report of a large run in a browser.")
    parser.add_argument("--rounds", type=int, default=5, help="how often the page is opened (default: 5)")
    parser.add_argument("--count", type=int, default=10_000, help="cases (default: 10000)")
    chosen = parser.parse_args(arguments)
    shutil.rmtree(FOLDER, ignore_errors=True)
    try:
        write_data(chosen.count, FOLDER)
        measure([robust(), "run", "contract.json", "-o", FOLDER / "run"], FOLDER)
        made = measure([robust(), "report", "run", "-f", "html", "-o", "page.html"], FOLDER)
        pairs = read_apart("data['counts']['pairs']", FOLDER / "run" / "report.json")
        size = (FOLDER / "page.html").stat().st_size
        taken = open_page(FOLDER / "page.html", chosen.rounds)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    loaded, searched = (sorted(each) for each in zip(*taken, strict=True))
    print(f"{pairs} pairs; the report took {made.seconds:.1f} s and {made.peak_mib:.0f} MiB to make")
    print(f"size    {size / 1e6:6.2f} MB, of {MOST_BYTES / 1e6:.0f} at most")
    print(f"opened  {median(loaded):6.2f} s ({loaded[0]:.2f}–{loaded[-1]:.2f}), in less than {MOST_SECONDS:.0f}")
    print(f"search  {median(searched):6.2f} s ({searched[0]:.2f}–{searched[-1]:.2f})")
    say_load()
    return 0 if size <= MOST_BYTES and median(loaded) < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
