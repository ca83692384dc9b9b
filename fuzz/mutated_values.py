"""JSON values and arrays with something changed: what a structure-aware mutator does first."""

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What readers stumble over: limits of types, and what is just beyond them.
ODD_NUMBERS: tuple[int | float, ...] = (
    *(-(2**63), -(2**31) - 1, -(2**31), -3, -2, -1, 0, 1, 2, 3, 7, 255, 256, 65535, 65536),
    *(2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**40),
    *(0.0, -0.0, 0.5, -0.5, 1.0, 5e-324, 1e-310, 1e308, -1e308, 1.7976931348623157e308),
)
ODD_WORDS = (
    *("", "x", "nan", "inf", "-inf", "NaN", "None", "0", "1", "true", "leaf", "threshold"),
    *("branches", "intervals", "subset", "oblique", "numeric", "nominal", "ordered", "missing"),
    *("majority", "error", "datetime64[ns]", "timedelta64[D]", "str", "bool", "object", "int8"),
    *("float16", "packed", "ordinary", "softmax", "logistic", "same", "own", "\ud800", "ü", "\0"),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, [], {}, [[]], [None], [0], {"float": "nan"}, {"float": "inf"}),
    *({"pairs": []}, {"pairs": [[0, 1]]}, {"function": "os.system"}, {"x": 1}),
    {"estimator": ["C45Classifier", {}]},
)
GOES_DEEPER = 0.85
MOST_COPIES = 300


def changed_json(value: Any, rng: Random, donor: Any) -> Any:
    """A copy of `value` in which one thing is another; `donor` lends parts at the same place."""
    if isinstance(value, dict | list) and value and rng.random() < GOES_DEEPER:
        place = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        copy = value.copy()
        copy[place] = changed_json(value[place], rng, part_of(donor, place, rng))
        return copy
    if donor is not None and rng.random() < 0.2:
        return donor
    if isinstance(value, dict):
        return changed_object(value, rng)
    if isinstance(value, list):
        return changed_list(value, rng)
    return changed_scalar(value, rng)


def part_of(donor: Any, place: str | int, rng: Random) -> Any:
    """What stands at the same place of the donor; of a list, anywhere in it."""
    if isinstance(donor, dict):
        return donor.get(place)
    if isinstance(donor, list) and donor and not isinstance(place, str):
        return rng.choice(donor)
    return None


def changed_scalar(value: Any, rng: Random) -> Any:
    """Another number, word or thing."""
    chance = rng.random()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and chance < 0.3:
        return value + rng.choice((-1, 1))
    if is_number and chance < 0.4:
        return -value
    if is_number and chance < 0.5:
        return float(value) if isinstance(value, int) and abs(value) < 2**60 else 1
    if (is_number and chance < 0.9) or chance < 0.2:
        return rng.choice(ODD_NUMBERS)
    if (isinstance(value, str) and chance < 0.8) or chance < 0.3:
        return rng.choice(ODD_WORDS)
    return rng.choice(ODD_VALUES)


def changed_list(value: list[Any], rng: Random) -> list[Any]:
    """Cut, grown, disordered."""
    copy = value.copy()
    match rng.randrange(8) if copy else 0:
        case 0:
            copy.insert(rng.randint(0, len(copy)), rng.choice(ODD_NUMBERS + ODD_VALUES))
        case 1:
            del copy[rng.randrange(len(copy))]
        case 2:
            copy = copy[: rng.randrange(len(copy))]
        case 3:
            copy += copy
        case 4:
            copy.reverse()
        case 5:
            at, other = rng.randrange(len(copy)), rng.randrange(len(copy))
            copy[at], copy[other] = copy[other], copy[at]
        case 6:
            copy = copy * (MOST_COPIES // len(copy) + 1)
        case 7:
            copy = []
    return copy


def changed_object(value: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Keys gone, added, renamed, or with each other's values."""
    copy = value.copy()
    keys = list(copy)
    match rng.randrange(4) if keys else 1:
        case 0:
            del copy[rng.choice(keys)]
        case 1:
            copy[rng.choice(("more", "pruning", "rules", "target", "by_name"))] = rng.choice(
                ODD_VALUES
            )
        case 2:
            copy[rng.choice(ODD_WORDS)] = copy.pop(rng.choice(keys))
        case 3:
            one, other = rng.choice(keys), rng.choice(keys)
            copy[one], copy[other] = copy[other], copy[one]
    return copy


def changed_array(array: NDArray[Any], rng: Random, donor: NDArray[Any] | None) -> NDArray[Any]:
    """An array with other values, another length, shape or type."""
    chance = rng.random()
    if donor is not None and chance < 0.15:
        return donor
    if array.size and chance < 0.75:
        return with_other_values(array, rng)
    match rng.randrange(6):
        case 0:
            return array[: rng.randint(0, len(array))]
        case 1:
            return np.concatenate([array, array[: rng.randint(0, len(array))]])
        case 2:
            names = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")
            with np.errstate(all="ignore"):
                return array.astype(rng.choice(names))
        case 3:
            return array[None] if array.ndim < 3 else array[0]
        case 4:
            return array.reshape(-1) if array.ndim > 1 else array[:0]
        case _:
            return array[::-1]


def with_other_values(array: NDArray[Any], rng: Random) -> NDArray[Any]:
    """One or a few elements changed: neighbors, limits, each other's values, single bits."""
    copy = array.copy()
    flat = copy.reshape(-1)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(flat.size)
        match rng.randrange(4):
            case 0:
                with np.errstate(all="ignore"):
                    flat[at] += np.array(rng.choice((1, -1))).astype(flat.dtype)
            case 1:
                flat[at] = odd_element(flat.dtype, rng)
            case 2:
                other = rng.randrange(flat.size)
                flat[at], flat[other] = flat[other], flat[at]
            case 3:
                as_bytes = flat[at : at + 1].view(np.uint8)
                as_bytes[rng.randrange(len(as_bytes))] ^= 1 << rng.randrange(8)
    return copy


def odd_element(dtype: np.dtype[Any], rng: Random) -> Any:
    """A limit of a type, or something near 0."""
    if dtype.kind == "f":
        odd = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, -1.0, 0.5, 1e18)
        with np.errstate(all="ignore"):
            return np.array(rng.choice(odd)).astype(dtype)
    info = np.iinfo(dtype)
    return dtype.type(rng.choice((info.min, info.max, 0, 1, 2, 3, info.max // 2, info.max - 1)))
