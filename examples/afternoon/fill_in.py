"""Plays the person who judges ``queue.csv`` by hand, row by row, and saves it as ``judged.csv``."""

from __future__ import annotations

import csv
import re
from pathlib import Path

LIMIT = 1000
UNJUDGED = 2


def judge(row: dict[str, str]) -> dict[str, str]:
    """What a person reads in a row: digits whatever parts them, and euros whatever a typo made of them."""
    text = row["base"].removeprefix("'")
    amount = re.findall(r"[\d,.]+(?= euros)", text)[0]
    answer = "yes" if float(amount.replace(",", "")) > LIMIT else "no"
    judged = {"valid": "yes", "base_answer": answer, "variant_answer": answer, "reviewed_at": "2026-03-31"}
    if "'" in row["candidate"].removeprefix("'"):
        if answer == "yes" and re.search(r"\b1'", row["candidate"]):
            return {**judged, "valid": "unknown", "reason": f"{amount} with an apostrophe may be a slip of the pen"}
        return {**judged, "reason": "thousands are parted as the Swiss do"}
    if "\u202f" in row["candidate"] or "\u00a0" in row["candidate"]:
        return {**judged, "reason": "thousands are parted by a narrow space"}
    return {**judged, "reason": "a slip of the finger in the word euros"}


with Path("queue.csv").open(encoding="utf-8-sig", newline="") as file:
    rows = list(csv.DictReader(file, delimiter=";"))
# Two rows are left for another day; the name was filled down the whole column.
judged = [{**row, **judge(row)} for row in rows[:-UNJUDGED]] + rows[-UNJUDGED:]
# As a spreadsheet saves "CSV UTF-8" where decimals have a comma.
with Path("judged.csv").open("w", encoding="utf-8-sig", newline="") as file:
    writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows({**row, "reviewer": "Rosa"} for row in judged)
