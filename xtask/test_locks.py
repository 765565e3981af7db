"""Tests of the lock files of npm."""

from locks import LOCKS, with_a_package_a_line


def test_they_have_a_package_a_line():
    """`python3 xtask/locks.py` writes them so."""
    for lock in LOCKS:
        text = lock.read_text(encoding="utf-8")
        assert with_a_package_a_line(text) == text, lock
