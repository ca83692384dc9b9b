"""CityHash64, version 1.0: CatBoost keeps the lower half of it in place of a category's text.

The hash of Pike and Alakuijala (Google, 2011), in Python integers cut to 64 bits.
"""

K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
K_MUL = 0x9DDFEA08EB382D69
ALL = 2**64 - 1


def category_hash(text: str) -> int:
    """The number of a category in CatBoost's files: 32 bits with a sign."""
    low = city_hash(text.encode()) & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def city_hash(data: bytes) -> int:
    """The 64 bits for some bytes."""
    n = len(data)
    if n <= 16:
        return up_to_16(data)
    if n <= 32:
        return up_to_32(data)
    return up_to_64(data) if n <= 64 else above_64(data)


def word(data: bytes, at: int, size: int = 8) -> int:
    """Some bytes as a number; a negative place counts from the end."""
    at = at if at >= 0 else len(data) + at
    return int.from_bytes(data[at : at + size], "little")


def rotated(value: int, shift: int) -> int:
    value &= ALL
    return value if shift == 0 else (value >> shift | value << (64 - shift)) & ALL


def mixed(value: int) -> int:
    value &= ALL
    return value ^ value >> 47


def of_two(u: int, v: int) -> int:
    a = mixed(((u ^ v) & ALL) * K_MUL)
    return mixed(((v ^ a) & ALL) * K_MUL) * K_MUL & ALL


def up_to_16(data: bytes) -> int:
    n = len(data)
    if n > 8:
        b = word(data, -8)
        return of_two(word(data, 0), rotated(b + n, n)) ^ b
    if n >= 4:
        return of_two(n + (word(data, 0, 4) << 3), word(data, -4, 4))
    if n:
        y, z = data[0] + (data[n >> 1] << 8), n + (data[-1] << 2)
        return mixed(y * K2 ^ z * K3) * K2 & ALL
    return K2


def up_to_32(data: bytes) -> int:
    a, b = word(data, 0) * K1 & ALL, word(data, 8)
    c, d = word(data, -8) * K2 & ALL, word(data, -16) * K0 & ALL
    return of_two(
        (rotated(a - b, 43) + rotated(c, 30) + d) & ALL,
        (a + rotated(b ^ K3, 20) - c + len(data)) & ALL,
    )


def up_to_64(data: bytes) -> int:
    n = len(data)
    first = quarter(
        word(data, 0) + (n + word(data, -16)) * K0, word(data, 24), word(data, 8), word(data, 16)
    )
    last = quarter(
        word(data, 16) + word(data, -32), word(data, -8), word(data, -24), word(data, -16)
    )
    r = mixed((first[0] + last[1]) * K2 + (last[0] + first[1]) * K0)
    return mixed(r * K0 + first[1]) * K2 & ALL


def quarter(a: int, z: int, x: int, y: int) -> tuple[int, int]:
    """Two numbers of half of the bytes."""
    b, c = rotated(a + z, 52), rotated(a, 37)
    a += x
    c += rotated(a, 7)
    a += y
    return (a + z) & ALL, (b + rotated(a, 31) + c) & ALL


def of_32_bytes(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (word(data, at + 8 * i) for i in range(4))
    a += w
    b = rotated(b + a + z, 21)
    c = a
    a += x + y
    b += rotated(a, 44)
    return (a + z) & ALL, (b + c) & ALL


def above_64(data: bytes) -> int:
    n = len(data)
    x, y, z = word(data, 0), word(data, -16) ^ K1, word(data, -56) ^ K0
    v = of_32_bytes(data, n - 64, n, y)
    w = of_32_bytes(data, n - 32, n * K1 & ALL, K0)
    z = (z + mixed(v[1]) * K1) & ALL
    x = rotated(z + x, 39) * K1 & ALL
    y = rotated(y, 33) * K1 & ALL
    for at in range(0, (n - 1) & ~63, 64):
        x = rotated(x + y + v[0] + word(data, at + 16), 37) * K1 & ALL
        y = rotated(y + v[1] + word(data, at + 48), 42) * K1 & ALL
        x, y = x ^ w[1], y ^ v[0]
        z = rotated(z ^ w[0], 33)
        v = of_32_bytes(data, at, v[1] * K1 & ALL, x + w[0])
        w = of_32_bytes(data, at + 32, z + w[1], y)
        x, z = z, x
    return of_two((of_two(v[0], w[0]) + mixed(y) * K1 + z) & ALL, (of_two(v[1], w[1]) + x) & ALL)
