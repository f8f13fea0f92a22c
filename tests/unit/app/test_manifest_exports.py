"""What other tools get to read of a manifest, and that it can be read back."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, DataError, Manifest, UsageError, describe_media, export_for_tools, read_csv_export
from robust.render.samples import COLUMNS
from tests.builders import valid_variant

HOSTILE = [
    "=1+1",
    "+1",
    "-5",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "'=1",
    "''",
    "  =1",
    "＝1",
    "−5",
    '=HYPERLINK("x")',
    'a\r\nb,"c"',
]


def manifest(*cases: Case) -> Manifest:
    return Manifest.build("m", cases=cases, validations=[valid_variant(expected=6)])


def test_a_csv_export_is_read_back_as_it_was(tmp_path: Path) -> None:
    """Texts that look like formulas, objects, numbers, no answer, line feeds, ids with slashes."""
    cases = [
        Case(text, text, case_id=f"h/{number}", source_id=f"={number}", metadata={"=k": text})
        for number, text in enumerate(HOSTILE)
    ]
    cases += [
        Case({"a": [1, "=2"]}, {"b": None}, case_id="o", source_id="o"),
        Case("5", 5, case_id="n", source_id="n"),
        Case("6", "5", case_id="t", source_id="t"),
        Case("none", case_id="none", source_id="none"),
        Case("empty", "", case_id="empty", source_id="empty"),
    ]
    made = manifest(*cases)
    made.save(tmp_path / "m.jsonl")
    assert export_for_tools(tmp_path / "m.jsonl", tmp_path / "m.csv", "csv") == len(cases) + 2
    rows = {row["case_id"]: row for row in read_csv_export(tmp_path / "m.csv")}
    for entry in made.entries:
        row, case = rows.pop(entry.case.case_id), entry.case
        assert [row["input"], row["expected"], row["metadata"]] == [case.input, case.expected, case.metadata]
        assert type(row["expected"]) is type(case.expected)
        assert (row["split"], row["source_id"], row["label_source"]) == (
            entry.split,
            case.source_id,
            entry.label_source,
        )
        assert (row["content"], row["manifest"]) == (case.content_digest, made.digest)
    assert rows == {}


def test_a_variant_names_its_base_its_relation_and_its_validation(tmp_path: Path) -> None:
    """In CSV and in samples."""
    made = manifest()
    made.save(tmp_path / "m.jsonl")
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "m.csv", "csv")
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "s.jsonl", "inspect")
    rows = list(read_csv_export(tmp_path / "m.csv"))
    samples = [json.loads(line)["metadata"] for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    digest = valid_variant(expected=6).digest
    for base, variant in (rows, samples):
        assert (base["relation"], base["validation"]) == (None, None)
        assert (variant["base_id"], variant["relation"], variant["validation"]) == ("base", "counterfactual", digest)
        assert variant["manifest"] == made.digest
    assert (samples[0]["variant_id"], samples[1]["variant_id"]) == (None, "variant-5")


def test_the_csv_is_plain_for_any_reader(tmp_path: Path) -> None:
    """UTF-8, one header, CRLF; every cell that could run is text."""
    manifest(Case("=cmd|' /C calc'!A0", "=1", case_id="x", source_id="@x")).save(tmp_path / "m.jsonl")
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "m.csv", "csv")
    raw = (tmp_path / "m.csv").read_bytes()
    assert raw.startswith(",".join(COLUMNS).encode() + b"\r\n")
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in tuple("=+-@")]


def test_choices_turn_answers_into_letters(tmp_path: Path) -> None:
    """And an answer that is no choice is refused, with nothing written."""
    cases = [Case(f"q{name}", name, case_id=name, source_id=name) for name in ("yes", "no")]
    Manifest.build("m", cases=[*cases, Case("?", case_id="open", source_id="open")]).save(tmp_path / "m.jsonl")
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "s.jsonl", "inspect", choices=["yes", "no"])
    samples = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [(sample["id"], sample["target"]) for sample in samples] == [("no", "B"), ("open", ""), ("yes", "A")]
    with pytest.raises(UsageError) as caught:
        export_for_tools(tmp_path / "m.jsonl", tmp_path / "t.jsonl", "inspect", choices=["yes", "maybe"])
    assert caught.value.code == "unknown_choice"
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.parametrize("choices", [["one"], ["a", "a"], [str(number) for number in range(27)], "ab", [1, 2]])
def test_choices_must_be_some(tmp_path: Path, choices: Any) -> None:
    """Two to as many as there are letters, each a text."""
    with pytest.raises(UsageError) as caught:
        export_for_tools(tmp_path / "m.jsonl", tmp_path / "s.jsonl", "inspect", choices=choices)
    assert caught.value.code == "bad_choices"


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_csv_that_a_spreadsheet_saved_again_is_read_back(tmp_path: Path, delimiter: str) -> None:
    """With a byte order mark, and the delimiter of the country."""
    made = manifest(*(Case(text, text, case_id=f"h{n}", source_id=f"h{n}") for n, text in enumerate(HOSTILE)))
    made.save(tmp_path / "m.jsonl")
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "m.csv", "csv")
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with (tmp_path / "again.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert list(read_csv_export(tmp_path / "again.csv")) == list(read_csv_export(tmp_path / "m.csv"))


def test_one_split_can_be_exported_and_an_empty_one_cannot(tmp_path: Path) -> None:
    """Nothing vacuous is written."""
    case = Case("q", 1, case_id="a", source_id="a")
    Manifest.build("m", cases=[case], splits={"dev": ["a"], "test": []}).save(tmp_path / "m.jsonl")
    assert export_for_tools(tmp_path / "m.jsonl", tmp_path / "dev.csv", "csv", split="dev") == 1
    for split, code in (("test", "no_cases"), ("tset", "unknown_split")):
        with pytest.raises(UsageError) as caught:
            export_for_tools(tmp_path / "m.jsonl", tmp_path / "x.csv", "csv", split=split)
        assert caught.value.code == code
    assert not (tmp_path / "x.csv").exists()


def test_images_become_content_and_lie_beside_the_samples(tmp_path: Path) -> None:
    """Other files are named in the metadata."""
    for name in ("a.png", "b.wav"):
        (tmp_path / name).write_bytes(b"bytes")
    media = tuple(describe_media(tmp_path, name) for name in ("a.png", "b.wav"))
    Manifest.build("m", cases=[Case("Look", 1, case_id="a", source_id="a", media=media)]).save(tmp_path / "m.jsonl")
    (tmp_path / "out").mkdir()
    export_for_tools(tmp_path / "m.jsonl", tmp_path / "out" / "s.jsonl", "inspect")
    sample = json.loads((tmp_path / "out" / "s.jsonl").read_text())
    parts: Any = sample["input"][0]["content"]
    assert parts == [{"type": "text", "text": "Look"}, {"type": "image", "image": "a.png"}]
    assert [item["path"] for item in sample["metadata"]["media"]] == ["a.png", "b.wav"]
    assert (tmp_path / "out" / "a.png").read_bytes() == b"bytes"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "csv_header"),
        (b"id,input\r\n", "csv_header"),
        (",".join(COLUMNS).encode() + b"\r\na,b\r\n", "csv_cells"),
        (",".join(COLUMNS).encode() + b"\r\na,s,x,maybe,q,,,,,,,,,,{},[]\r\n", "wrong_value"),
        (",".join(COLUMNS).encode() + b"\r\na,s,x,text,q,,,,,,,,,,{,[]\r\n", "json_syntax"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(tmp_path: Path, content: bytes, code: str) -> None:
    """Rather than read as something else."""
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(DataError) as caught:
        list(read_csv_export(tmp_path / "x.csv"))
    assert caught.value.code == code
    assert caught.value.problems[0].line is not None
