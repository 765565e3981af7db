"""Floating-point numbers that are passed as ratios (SPEC 8.7)."""

from reference.numbers import MAX_TERM, ratio_of

from cases.table import rows


def ratio_cases():
    for id, written, why in rows(RATIOS):
        number = eval(written, {})  # As a program computes it.
        n, d = ratio_of(number)
        yield {
            "id": id,
            "why": why,
            "field": "jitter_above" if number <= 1 else "multiplier",
            "number": repr(number),
            "ratio": f"{n}/{d}" if max(n, d) <= MAX_TERM else None,
        }


# Id, the number in Python, why.
RATIOS = """
zero | 0.0 | nothing
one | 1.0 | a whole number
decimal | 0.1 | its shortest text
decimal-above | 1.6 | its shortest text
finest | 0.000001 | the finest number of six decimals
seven-decimals | 0.0078125 | 1/128 has seven decimals and small terms: it is exact
fourteen-decimals | 0.00006103515625 | 1/16384 has fourteen decimals and small terms
largest | 1e6 | the largest term
third | 1 / 3 | the nearest millionth
two-thirds | 2 / 3 | rounded up
four-thirds | 4 / 3 | a millionth would have a term above 1000000, so five decimals
ten-thirds | 10 / 3 | five decimals, because a tenth of a millionth has no smaller terms
golden | (1 + 5**0.5) / 2 | the terms of 1618034/1000000 are small once they are reduced
hundred | 100 / 3 | four decimals
thousand | 1000 / 3 | three decimals
ten-thousand | 10000 / 3 | two decimals
hundred-thousand | 100000 / 3 | one decimal
million | 1000000 / 3 | six digits, and not one decimal
sum | 0.1 + 0.2 | 0.30000000000000004 is 3/10
product | 0.1 * 3 | 0.30000000000000004 is 3/10
difference | 0.3 - 0.1 | 0.19999999999999998 is 1/5
nearly-one | 1 - 2**-53 | the number before 1 is 1
nearly-multiplier | 1.1 * 1.1 | 1.2100000000000002 is 121/100
nearly-whole | 3 * (1 + 2**-52) | the number after 3 is 3
tiny | 1e-7 | rounded to 0, as a sum that should be 0 is
half-below | 0.0000005 | half a millionth: the number is a little less
half-above | 0.0000015 | one and a half millionths: the number is a little more
tie-above | 0.1234625 | the text is halfway after an even digit, and the number is a little more
tie-below | 0.1234555 | the text is halfway after an odd digit, and the number is a little less
subnormal | 5e-324 | the smallest number above 0
exponent | 1e-5 | a text with an exponent in many languages
exponent-fine | 3.3e-6 | a text with an exponent that is rounded
above-million | 1000001.0 | a term above 1000000
above-million-part | 1000000.5 | a term above 1000000, also rounded
huge | 1e21 | a text with an exponent in JavaScript
largest-number | 1.7976931348623157e308 | the largest number
"""
