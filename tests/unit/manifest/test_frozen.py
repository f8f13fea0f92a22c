"""A manifest in memory: frozen, equal by identity, handed out as fresh views."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust import Case, Manifest, UsageError
from robust.canon import digest_bytes
from tests.builders import valid_variant


def manifest(name: str = "frozen") -> Manifest:
    case = Case("q", 1, case_id="a", source_id="s", metadata={"x": [1]})
    return Manifest.build(name, cases=[case], validations=[valid_variant()], provenance={"from": ["x"]})


def test_saving_and_loading_gives_the_same(tmp_path: Path) -> None:
    """Bytes, identity and views survive."""
    first = manifest()
    first.save(tmp_path / "m.jsonl")
    again = Manifest.load(tmp_path / "m.jsonl")
    again.save(tmp_path / "n.jsonl")
    assert (tmp_path / "m.jsonl").read_bytes() == (tmp_path / "n.jsonl").read_bytes()
    assert again == first
    assert (again.digest, again.root, again.name) == (first.digest, first.root, "frozen")
    assert again.cases == first.cases
    assert again.validations == first.validations
    assert len({again, first}) == 1


def test_the_identity_is_the_hash_of_the_first_line(tmp_path: Path) -> None:
    """As head and sha256sum would compute it."""
    manifest().save(tmp_path / "m.jsonl")
    assert manifest().digest == digest_bytes((tmp_path / "m.jsonl").read_bytes().split(b"\n")[0])


def test_saving_never_writes_over_unless_asked(tmp_path: Path) -> None:
    """The second save needs overwrite=True."""
    path = tmp_path / "m.jsonl"
    manifest("first").save(path)
    with pytest.raises(UsageError):
        manifest("second").save(path)
    assert Manifest.load(path).name == "first"
    manifest("second").save(path, overwrite=True)
    assert Manifest.load(path).name == "second"


def test_views_are_sequences_of_fresh_objects() -> None:
    """Indices, slices and lengths work; changing what was handed out changes nothing."""
    cases = manifest().cases
    assert len(cases) == 3
    assert [case.case_id for case in cases[1:]] == ["base", "variant-5"]
    assert cases[-1].case_id == "variant-5"
    assert cases == list(cases)
    assert cases != list(cases)[:2]
    cases[0].metadata["x"].append(2)
    manifest_with_provenance = manifest()
    manifest_with_provenance.provenance["from"].append("y")
    assert cases[0].metadata == {"x": [1]}
    assert manifest_with_provenance.provenance == {"from": ["x"]}


def test_any_difference_is_another_identity() -> None:
    """Name, provenance, an answer or a split: each changes the digest; what does not differ is equal."""
    case = Case("q", 1, case_id="a", source_id="s")
    built = [
        Manifest.build("n", cases=[case]),
        Manifest.build("other", cases=[case]),
        Manifest.build("n", cases=[case], provenance={"a": 1}),
        Manifest.build("n", cases=[case.with_expected(2)]),
        Manifest.build("n", cases=[case], splits={"test": ["a"]}),
    ]
    assert len({item.digest for item in built}) == len(built)
    assert Manifest.build("n", cases=[case.with_expected(1.0)]) == built[0]


def test_secret_metadata_never_reaches_a_manifest(tmp_path: Path) -> None:
    """Values under secret-looking keys are redacted in the file."""
    case = Case("q", case_id="a", source_id="s", metadata={"api_key": "hunter2"})
    Manifest.build("n", cases=[case]).save(tmp_path / "m.jsonl")
    assert b"hunter2" not in (tmp_path / "m.jsonl").read_bytes()


def test_the_representation_names_it() -> None:
    """Name, size and digest."""
    assert repr(manifest()).startswith("<Manifest 'frozen' 3 cases sha256:")
