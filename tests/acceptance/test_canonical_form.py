"""Rows C1 to C10: canonical form and digests."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from robust import Case, Comparator, DataError, IntegrityError, Manifest, Validation
from robust.canon import canonical_bytes, digest_bytes, read_json
from robust.store.datasets import read_dataset
from tests.builders import judged, pair, said, saying, verdict
from tests.programs import python

BUILD = """
import random, sys
from robust import Case, Manifest
from tests.builders import valid_variant
cases = [Case({"n": number, "words": sorted({"a", "b", "c"})}, case_id=f"c{number}", source_id=f"s{number % 7}",
              metadata={key: number for key in {"x", "y", "z", "\\ufb33", "\\U0001f600"}}) for number in range(50)]
validations = [valid_variant(number) for number in range(5, 15)]
random.Random(int(sys.argv[1])).shuffle(cases)
random.Random(int(sys.argv[1])).shuffle(validations)
manifest = Manifest.build("seeded", cases=cases, validations=validations, splits={"dev": 0.5, "test": 0.5})
manifest.save(sys.argv[2])
print(manifest.digest)
"""


def dataset(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode())
    return path


def test_c1_a_large_number_has_its_full_digits() -> None:
    """1e20 is written in full, as JCS demands."""
    assert canonical_bytes({"n": 1e20}) == b'{"n":100000000000000000000}'
    assert canonical_bytes(read_json('{"n":100000000000000000000}')) == b'{"n":100000000000000000000}'


def test_c2_42_and_42_0_are_one_logical_digest_and_two_file_digests(tmp_path: Path) -> None:
    """Two spellings of one number: the manifests are one, the files are two."""
    paths = [
        dataset(tmp_path, f"{n}.jsonl", f'{{"id":"a","input":{{"n":{n}}},"expected":{n}}}\n') for n in ("42", "42.0")
    ]
    manifests = [Manifest.build("n", cases=read_dataset(path)) for path in paths]
    assert manifests[0].digest == manifests[1].digest
    assert len({digest_bytes(path.read_bytes()) for path in paths}) == 2


def test_c3_minus_zero_is_zero_and_small_numbers_stay(tmp_path: Path) -> None:
    """-0.0 becomes 0, 1e-7 stays 1e-7; saving and loading changes neither."""
    assert [canonical_bytes(number) for number in (-0.0, 0, 1e-7, -1e-7)] == [b"0", b"0", b"1e-7", b"-1e-7"]
    manifest = Manifest.build("n", cases=[Case({"zero": -0.0, "small": 1e-7}, case_id="a", source_id="a")])
    manifest.save(tmp_path / "m.jsonl")
    again = Manifest.load(tmp_path / "m.jsonl")
    assert again.digest == manifest.digest
    assert canonical_bytes(again.cases[0].input) == b'{"small":1e-7,"zero":0}'


def test_c4_keys_beyond_the_bmp_come_in_utf_16_order() -> None:
    """The emoji's first code unit is a surrogate, which is below U+FB33."""
    assert canonical_bytes({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'.encode()


def test_c5_an_integer_that_json_cannot_keep_is_refused_with_path_and_hint(tmp_path: Path) -> None:
    """In a file and in Python."""
    path = dataset(tmp_path, "d.jsonl", '{"id":"a","input":"x","metadata":{"deep":[9007199254740993]}}\n')
    with pytest.raises(DataError) as caught:
        list(read_dataset(path))
    problem = caught.value.problems[0]
    assert (problem.line, problem.path) == (1, "$.metadata.deep[0]")
    assert "text" in (problem.hint or "")
    with pytest.raises(DataError, match="text"):
        canonical_bytes({"n": 9007199254740993})


def test_c6_nan_never_reaches_a_file(tmp_path: Path) -> None:
    """Evidence with NaN makes the record unknown with the path; a literal 1e999 is refused."""
    validation = said(verdict(evidence={"good": 1, "scores": [0.5, math.nan]}))
    assert (validation.status, validation.issues) == ("unknown", ("evidence_malformed",))
    assert validation.data["failures"][0]["path"] == "$.evidence.scores[1]"
    Validation.save_all(tmp_path / "v.jsonl", [validation])
    assert b"NaN" not in (tmp_path / "v.jsonl").read_bytes().replace(b"NaN and Infinity are not JSON", b"")
    with pytest.raises(DataError) as caught:
        read_json('{"n": 1e999}')
    assert caught.value.problems[0].path == "$.n"


def test_c7_hash_seed_and_input_order_change_no_byte(tmp_path: Path) -> None:
    """Three seeds, three orders, three processes: identical files."""
    outputs = [python(BUILD, str(seed), str(tmp_path / f"{seed}.jsonl"), PYTHONHASHSEED=str(seed)) for seed in range(3)]
    assert [(output.returncode, output.stderr) for output in outputs] == [(0, "")] * 3
    assert len({output.stdout for output in outputs}) == 1
    assert len({(tmp_path / f"{seed}.jsonl").read_bytes() for seed in range(3)}) == 1


def test_c8_one_flipped_boolean_among_ten_thousand_changes_every_digest_above_it(tmp_path: Path) -> None:
    """The last case's content, the root and the identity change; the case lines before it do not."""

    def build(flag: bool) -> Manifest:
        cases = [
            Case({"n": number, "flag": flag or number < 10_049}, case_id=f"{number:05}", source_id=f"s{number}")
            for number in range(10_050)
        ]
        return Manifest.build("large", cases=cases)

    one, other = build(True), build(False)
    assert one.cases[-1].content_digest != other.cases[-1].content_digest
    assert (one.root, one.digest) != (other.root, other.digest)
    assert one.root != other.root
    one.save(tmp_path / "one.jsonl")
    other.save(tmp_path / "other.jsonl")
    lines = [path.read_bytes().split(b"\n") for path in (tmp_path / "one.jsonl", tmp_path / "other.jsonl")]
    assert [number for number, (a, b) in enumerate(zip(*lines, strict=True)) if a != b] == [0, 10_050]
    assert [Manifest.load(tmp_path / f"{name}.jsonl").digest for name in ("one", "other")] == [one.digest, other.digest]


TWICE = {
    "$.digest": (b'"failures":', b'"digest":"x",'),
    "$.oracle.digest": (b'"labels":', b'"digest":"x","digest":"y",'),
    "$.verdict.evidence.digest": (b'"how":', b'"digest":"x","digest":"y",'),
    "$.candidate.origin.digest": (b'"index":', b'"digest":"x","digest":"y",'),
}


@pytest.mark.parametrize("path", TWICE)
def test_c9_two_digest_keys_at_any_depth_are_an_integrity_error(tmp_path: Path, path: str) -> None:
    """In a validation file and in a manifest; the path is named."""
    before, twice = TWICE[path]
    validation = said(verdict())
    files = {"v.jsonl": [validation.line()], "m.jsonl": list(validation.manifest("m").lines())}
    for name, lines in files.items():
        assert lines[-1].count(before) == 1
        lines[-1] = lines[-1].replace(before, twice + before)
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in lines))
    with pytest.raises(IntegrityError) as caught:
        list(Validation.load_all(tmp_path / "v.jsonl"))
    assert (caught.value.code, caught.value.problems[0].path) == ("duplicate_key", path)
    with pytest.raises(IntegrityError) as caught:
        Manifest.load(tmp_path / "m.jsonl")
    assert (caught.value.code, caught.value.problems[0].path) == ("duplicate_key", f"$.validation{path[1:]}")


class Same(str):
    """Text that claims to equal everything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


def test_c10_text_that_claims_to_equal_everything_is_judged_on_its_bytes() -> None:
    """Answers and labels whose __eq__ always says True are compared by what they hold."""
    contradicted = judged(saying(verdict(True, "5", Same("6"))), relation="invariant")
    assert contradicted.issues == ("relation_contradicted",)
    assert said(verdict(True, Same("5"), "6"), pair(expected="7")).issues == ("base_label_conflict",)
    assert said(verdict(True, "5", "6"), pair(expected=Same("7"))).issues == ("base_label_conflict",)
    for name in ("exact", "text", "json"):
        assert Comparator(name=name).equal(Same("5"), "6") is False


def test_c10_inputs_that_claim_to_be_equal_are_not_unchanged() -> None:
    """Nor are two cases of one content because one of them says so."""
    base = Case(Same("What is 2 plus 4?"), case_id="base", source_id="s")
    other = Case("What is 2 plus 5?", case_id="variant", source_id="s")
    assert said(verdict(), (base, other)).status == "valid"
    same = Case(Same("What is 2 plus 4?"), case_id="variant", source_id="s")
    assert said(verdict(), (base, same)).issues == ("unchanged_input",)
