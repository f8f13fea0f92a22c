"""Whether 32 bytes are a public key that can only be satisfied by whoever holds its private half.

Libraries verify with any point of the curve, also with those of small order, with which a signature that nobody made
fits one message in a few. A key that was made as RFC 8032 says never is one of them.
"""

from __future__ import annotations

from typing import Final, TypeAlias

# Edwards25519 and its arithmetic: RFC 8032, 5.1 and 5.1.4; points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
_P: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE: Final = pow(2, (_P - 1) // 4, _P)
_Point: TypeAlias = tuple[int, int, int, int]
_NEUTRAL: Final[_Point] = (0, 1, 1, 0)


def is_sound_point(raw: bytes) -> bool:
    """Whether 32 bytes encode, in the one right way, a point of the curve whose order is the large prime.

    It takes about two milliseconds.
    """
    point = _decode(raw)
    return point is not None and not _is_neutral(point) and _is_neutral(_times(_ORDER, point))


def _decode(raw: bytes) -> _Point | None:
    """The point that is encoded (RFC 8032, 5.1.3); None where there is none, or it has another encoding, too."""
    if len(raw) != 32:
        return None
    number = int.from_bytes(raw, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (v * x * x - u) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(left: _Point, right: _Point) -> _Point:
    a = (left[1] - left[0]) * (right[1] - right[0]) % _P
    b = (left[1] + left[0]) * (right[1] + right[0]) % _P
    c = 2 * left[3] * right[3] * _D % _P
    d = 2 * left[2] * right[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    result = _NEUTRAL
    while factor:
        if factor & 1:
            result = _add(result, point)
        point = _add(point, point)
        factor >>= 1
    return result


def _is_neutral(point: _Point) -> bool:
    return point[0] == 0 and (point[1] - point[2]) % _P == 0
