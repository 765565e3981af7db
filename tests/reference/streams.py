"""Clause 3: the stream of a seed and a key."""

from reference.numbers import WORD

K1 = 0x312D72657474696A


def stream(seed, key=None):  # 3.1, 3.2
    return seed if key is None else siphash_2_4(seed, K1, key)


def siphash_2_4(k0, k1, message):  # 3.5
    def rotl(x, by):
        return ((x << by) | (x >> (64 - by))) % WORD

    def rounds(v, count):
        v0, v1, v2, v3 = v
        for _ in range(count):
            v0 = (v0 + v1) % WORD
            v1 = rotl(v1, 13) ^ v0
            v0 = rotl(v0, 32)
            v2 = (v2 + v3) % WORD
            v3 = rotl(v3, 16) ^ v2
            v0 = (v0 + v3) % WORD
            v3 = rotl(v3, 21) ^ v0
            v2 = (v2 + v1) % WORD
            v1 = rotl(v1, 17) ^ v2
            v2 = rotl(v2, 32)
        return v0, v1, v2, v3

    v = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    whole = len(message) - len(message) % 8
    words = [message[at : at + 8] for at in range(0, whole, 8)]
    words.append(message[whole:].ljust(7, b"\0") + bytes([len(message) % 256]))
    for word in words:
        m = int.from_bytes(word, "little")
        v0, v1, v2, v3 = rounds((v[0], v[1], v[2], v[3] ^ m), 2)
        v = (v0 ^ m, v1, v2, v3)
    v0, v1, v2, v3 = rounds((v[0], v[1], v[2] ^ 0xFF, v[3]), 4)
    return v0 ^ v1 ^ v2 ^ v3
