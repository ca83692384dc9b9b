"""The numbers of `exp` as the compiled core computes it: native/core/arithmetic/exponential.hpp."""

from collections.abc import Sequence

ROUNDING = float(0x18000000000000)  # added and taken away, it rounds to integers
PER_POWER = 1.44269504088896340736
LOG_2 = 0.69314718055994531
LOG_2_HIGH, LOG_2_LOW = (
    float.fromhex("0x1.62e42fee00000p-1"),
    float.fromhex("0x1.a39ef35793c76p-33"),
)
EVEN = tuple(1.0 / n for n in (2, 24, 720, 40320, 3628800, 479001600))
ODD = tuple(1.0 / n for n in (6, 120, 5040, 362880, 39916800, 6227020800))


def horner(coefficients: Sequence[float], x: str, times: str = "{} * {}") -> str:
    """c0 + x * (c1 + x * (c2 + ...)), with `times` as the form of a product."""
    text = repr(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        inner = text if text[0].isdigit() and " " not in text else f"({text})"
        text = f"{coefficient!r} + {times.format(x, inner)}"
    return text
