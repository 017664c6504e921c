"""Pictures with nothing but the standard library: a canvas, block letters, bar codes, PNG bytes."""

from __future__ import annotations

import struct
import zlib

INK = (29, 30, 33)
PAPER = (255, 255, 255)
BLUE = (26, 100, 173)

# Letters three dots wide and five high: one octal digit a row, from the top.
_LETTERS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122",
    "8": "75757", "9": "75717", "A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647", "F": "74644",
    "G": "34553", "H": "55755", "I": "72227", "J": "11152", "K": "55655", "L": "44447", "M": "57755", "N": "75555",
    "O": "25552", "P": "65644", "Q": "25563", "R": "65655", "S": "34216", "T": "72222", "U": "55557", "V": "55552",
    "W": "55775", "X": "55255", "Y": "55222", "Z": "71247", "-": "00700", ".": "00002", "/": "11244",
}  # fmt: skip

# Code 39: five bars, two of them wide, and four gaps, one of them wide. The letters of a group share the wide gap.
_BARS = ("WNNNW", "NWNNW", "WWNNN", "NNWNW", "WNWNN", "NWWNN", "NNNWW", "WNNWN", "NWNWN", "NNWWN")
_GROUPS = {"1234567890": 1, "ABCDEFGHIJ": 2, "KLMNOPQRST": 3, "UVWXYZ-. *": 0}


class Canvas:
    """A picture of `width` by `height` pixels, white at first."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows = [bytearray(bytes(PAPER) * width) for _ in range(height)]

    def fill(self, x: int, y: int, width: int, height: int, colour: tuple[int, int, int] = INK) -> None:
        """A filled rectangle; what lies outside the picture is cut off."""
        left, right = max(0, x), min(self.width, x + width)
        if left < right:
            for row in self._rows[max(0, y) : max(0, y + height)]:
                row[3 * left : 3 * right] = bytes(colour) * (right - left)

    def text(self, x: int, y: int, words: str, *, size: int = 3) -> None:
        """Capital letters, digits and `-./`; `size` is the side of one dot. Other characters stay blank."""
        for letter in words.upper():
            for row, digit in enumerate(_LETTERS.get(letter, "00000")):
                for column in range(3):
                    if int(digit) >> (2 - column) & 1:
                        self.fill(x + column * size, y + row * size, size, size)
            x += 4 * size

    def png(self) -> bytes:
        """The picture as the bytes of a PNG file."""
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows), 9)
        return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def code39(text: str) -> list[int]:
    """Widths of bars and gaps in turn, first a bar, for `*text*` in Code 39 (narrow 1, wide 3).

    Raises ValueError for a character that Code 39 does not have.
    """
    widths: list[int] = []
    for character in f"*{text}*":
        group = next((group for group in _GROUPS if character in group), None)
        if group is None:
            raise ValueError(f"Code 39 has no {character!r}.")
        for index, bar in enumerate(_BARS[group.index(character)]):
            widths.append(3 if bar == "W" else 1)
            widths.append(
                3 if index == _GROUPS[group] else 1
            )  # the fifth gap parts this letter from the next
    return widths[:-1]


def draw_code39(canvas: Canvas, x: int, y: int, text: str, *, unit: int = 2, height: int = 60) -> None:
    """Draw `text` as a bar code whose narrow bar is `unit` pixels wide."""
    for index, width in enumerate(code39(text)):
        if index % 2 == 0:
            canvas.fill(x, y, width * unit, height)
        x += width * unit


def bar_chart(values: dict[str, int], *, width: int = 640) -> Canvas:
    """One horizontal bar a value, longest at full width, with its name and number."""
    canvas = Canvas(width, 24 * max(1, len(values)) + 16)
    longest = max(values.values(), default=0) or 1
    for line, (name, value) in enumerate(values.items()):
        y = 12 + 24 * line
        canvas.text(12, y + 3, name[:12])
        canvas.fill(168, y, (width - 280) * value // longest, 16, BLUE)
        canvas.text(width - 100, y + 3, str(value))
    return canvas
