"""Clauses 1, 2, 4 and 8.7: durations, ratios, draws and samples."""

from fractions import Fraction
from math import gcd

MAX = 2**63 - 1
WORD = 2**64
WORD_MAX = WORD - 1


def sat(x):  # 1.2
    return min(x, MAX)


def reduced(ratio):  # 1.4
    n, d = ratio
    if d == 0:
        return ratio
    divisor = gcd(n, d)
    return n // divisor, d // divisor


MAX_TERM = 1_000_000


def ratio_of(number):  # 8.7
    """The ratio that a float stands for. Its terms may be above MAX_TERM."""
    shortest = Fraction(repr(number))
    for decimals in (None, 6, 5, 4, 3, 2, 1):
        ratio = shortest if decimals is None else round(Fraction(number), decimals)
        if max(ratio.as_integer_ratio()) <= MAX_TERM:
            return ratio.as_integer_ratio()
    return shortest.as_integer_ratio()


def scale(x, ratio):  # 1.4; any terms of the ratio give the same result
    n, d = ratio
    return sat((x * n) // d)


G = 0x9E3779B97F4A7C15


def draw(stream, index):  # 2.1
    z = (stream + (index + 1) * G) % WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
    return z ^ (z >> 31)


def sample(word, low, high):  # 4.1
    return low + word * (high - low + 1) // WORD
