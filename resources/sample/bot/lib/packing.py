"""First-fit packing: heaviest first, each thing into the first box that still has room."""

from __future__ import annotations


def pack(weights: list[int], limit: int) -> list[list[int]]:
    """Boxes as lists of weights; no box is over `limit`.

    Raises ValueError when one thing alone is over it.
    """
    boxes: list[list[int]] = []
    for weight in sorted(weights, reverse=True):
        if weight > limit:
            raise ValueError(f"{weight} g fits no box: the limit is {limit} g. Split it or raise the limit.")
        box = next((box for box in boxes if sum(box) + weight <= limit), None)
        if box is None:
            boxes.append(box := [])
        box.append(weight)
    return boxes
