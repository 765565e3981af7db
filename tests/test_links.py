"""Tests that every link of the pages leads to a file, and to a heading of it."""

import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parent.parent
LISTED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
)
PAGES = sorted(
    page for page in LISTED.stdout.split("\n") if page and not (ROOT / page).is_symlink()
)
#: Packages show their pages outside of the repository, where relative links lead nowhere.
ABSOLUTE = "https://github.com/backoff-rs/backoff/blob/main/"
BINDINGS = ["c", "go", "python", "rust", "wasm"]
MAX_README_LINES = 200


@cache
def prose(page):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


@cache
def anchors(page):
    """What GitHub calls the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        same = (f"{name}-{count}" for count in range(1, 100))
        found.add(
            name if name not in found else next(other for other in same if other not in found)
        )
    return found


def links(page):
    """The links of a page to files of this repository."""
    text = re.sub(r"`[^`]*`", "", prose(page))
    for link in re.findall(r"\]\(([^)\s]*)\)", text):
        if link.startswith(ABSOLUTE):
            file, _, anchor = link.removeprefix(ABSOLUTE).partition("#")
            yield link, ROOT / file, anchor
        elif (
            re.search(r"[./#]", link) and not urlsplit(link).scheme
        ):  # The others are items of Rust.
            file, _, anchor = link.partition("#")
            yield link, page.parent / file if file else page, anchor


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page):
    lost = [
        link
        for link, file, anchor in links(ROOT / page)
        if not file.exists() or (anchor and anchor not in anchors(file))
    ]
    assert lost == []


@pytest.mark.parametrize("binding", BINDINGS)
def test_relative_links_stay_in_the_package(binding):
    """A package has only the pages of its folder."""
    folder = ROOT / f"bindings-{binding}"
    pages = [folder / "README.md", *folder.glob("ADAPTERS.md"), *folder.glob("docs/*.md")]
    away = [
        (page.name, link)
        for page in pages
        for link, file, _ in links(page)
        if not link.startswith(ABSOLUTE) and not file.resolve().is_relative_to(folder)
    ]
    assert away == []
    assert len(pages) >= 5


def test_there_are_links():
    assert sum(1 for page in PAGES for _ in links(ROOT / page)) > 200


FOLDERS = [*(f"bindings-{name}" for name in BINDINGS), "tools/cli"]
READMES = ["README.md", *(f"{folder}/README.md" for folder in FOLDERS)]
READMES += ["core/README.md", "bindings-rust/adapters/README.md"]


@pytest.mark.parametrize("page", READMES)
def test_a_readme_is_short(page):
    assert len((ROOT / page).read_text("utf-8").splitlines()) <= MAX_README_LINES


def test_every_page_of_docs_is_linked_from_the_readme():
    linked = {file.resolve() for _, file, _ in links(ROOT / "README.md")}
    pages = {ROOT / page for page in PAGES if Path(page).parent == Path("docs")}
    assert {page.name for page in pages - linked} == set()
