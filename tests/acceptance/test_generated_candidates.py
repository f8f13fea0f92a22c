"""Rows T1, T2, T3, T5, T6 and T13 for candidates that were generated or came from elsewhere, with the command."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from robust import (
    Case,
    Manifest,
    ManifestError,
    OracleVerdict,
    Validation,
    generate_variants,
    import_candidates,
    validate_variant,
)
from robust.oracle.preserves import PreservesOracle
from robust.transforms.strategies import BUILT_IN
from tests.run_fixtures import robust

# An oracle that knows the task: whether something is due, as an English sentence says it.
ORACLE = """
    import json, sys

    for line in sys.stdin:
        question = json.loads(line)
        texts = (question[side]["input"].lower() for side in ("base", "candidate"))
        answers = ["no" if " not " in text or "n't " in text else "yes" for text in texts]
        print(json.dumps({"id": question["id"], "valid": True, "reason": "read for a negation",
                          "base_expected": answers[0], "variant_expected": answers[1],
                          "evidence": {"answers": answers}}), flush=True)
"""


def preserved(base: Case, candidate: Case) -> Validation:
    """What the built-in oracle of text edits says, for the relation that the candidate supposes."""
    return validate_variant(
        base, candidate, relation=candidate.origin.relation or "invariant" if candidate.origin else "invariant",
        contract="robust.preserves/v1", validator=PreservesOracle(), require_answers=False,
    )  # fmt: skip


def imported(folder: Path, before: str, after: str) -> tuple[Case, Case]:
    """A base, and a candidate of it that another tool made."""
    base = Case(before, case_id="base", source_id="s")
    path = folder / "made.jsonl"
    path.write_text(json.dumps({"id": "base", "text": after}) + "\n", encoding="utf-8")
    (candidate,) = import_candidates([base], path, text="text", parent="id", relation="invariant")
    return base, candidate


def test_t1_an_antonym_from_a_table_is_unknown_and_not_exportable() -> None:
    """T1: without an oracle it is no scored variant, and with `preserves` nobody vouches for it either."""
    base = Case("The applicant is eligible.", "yes", case_id="base", source_id="s")
    (candidate,) = generate_variants([base], synonyms=[("eligible", "ineligible")])
    assert candidate.origin is not None
    assert (candidate.expected, candidate.origin.relation) == (None, "invariant")
    with pytest.raises(ManifestError) as unvalidated:
        Manifest.build("m", cases=[base, candidate])
    assert "validation_required" in {problem.code for problem in unvalidated.value.problems}
    found = preserved(base, candidate)
    assert (found.status, found.issues) == ("unknown", ("unreviewed",))
    with pytest.raises(ManifestError):
        found.manifest("m")


def test_t2_texts_of_one_word_give_no_candidates_and_no_success(tmp_path: Path) -> None:
    """T2: each is counted as not applicable; a file of nothing is not written, and the exit code is 2."""
    (tmp_path / "c.jsonl").write_text('{"id":"a","input":"word"}\n{"id":"b","input":""}\n', encoding="utf-8")
    done = robust("variants", "generate", "c.jsonl", "--strategy", "white-space", "-o", "o.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[no_candidates]: no candidate could be made of 2 cases by white-space; ")
    assert {path.name for path in tmp_path.iterdir()} == {"c.jsonl"}


def test_t3_typing_errors_and_negations_are_judged_by_their_own_relation(tmp_path: Path) -> None:
    """T3: made in one run and judged in one run; each variant gets the answer that follows for it."""
    (tmp_path / "oracle.py").write_text(textwrap.dedent(ORACLE), encoding="utf-8")
    (tmp_path / "c.csv").write_text(
        "id,input,expected\nc1,The invoice is due today.,yes\nc2,The rent isn't due before Friday.,no\n",
        encoding="utf-8",
    )
    made = robust(
        "variants", "generate", "c.csv", "--strategy", "typos", "--strategy", "negation", "-o", "v.jsonl",
        "--report", "r.json", cwd=tmp_path,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    judged = robust(
        "variants", "validate", "c.csv", "v.jsonl", "--contract", "due/v1", "--oracle-command",
        f"{sys.executable} oracle.py", "--oracle-name", "due", "-o", "records.jsonl", cwd=tmp_path,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stderr
    records = list(Validation.load_all(tmp_path / "records.jsonl"))
    assert len(records) == json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["candidates"] == 8
    assert {record.status for record in records} == {"valid"}
    manifest = Manifest.build("m", validations=records)
    answers = {case.case_id: case.expected for case in manifest.cases}
    assert (answers["c1~typo-swap-0"], answers["c1~negation-0"]) == ("yes", "no")
    assert (answers["c2~typo-swap-0"], answers["c2~negation-0"]) == ("no", "yes")


def test_t5_a_rewrite_is_a_hypothesis_wherever_it_is_made(tmp_path: Path) -> None:
    """T5: where the text has it already none is made; elsewhere one is made, and it is not valid by being made."""
    (tmp_path / "r.csv").write_text("from,to,relation\neligible,not eligible,counterfactual\n", encoding="utf-8")
    texts = {"has": "She is not eligible.", "lacks": "She is eligible."}
    bases = [Case(text, case_id=name, source_id=name) for name, text in texts.items()]
    made = generate_variants(bases, rewrites=tmp_path / "r.csv")
    (candidate,) = made
    assert made.report["strategies"][0]["not_applicable"] == 1
    assert (candidate.case_id, candidate.input) == ("lacks~rewrites-0", "She is not eligible.")
    assert preserved(bases[1], candidate).status != "valid"


def test_t6_a_comma_that_was_removed_by_another_tool_is_invalid(tmp_path: Path) -> None:
    """T6: the recomputed answers differ. No strategy of ours removes it."""

    def amounts(base: Case, candidate: Case) -> OracleVerdict:
        found = [re.findall(r"[0-9]+(?:[.,][0-9]+)?", str(case.input))[0] for case in (base, candidate)]
        before, after = (str(Decimal(text.replace(",", "."))) for text in found)
        return OracleVerdict(True, "both amounts were read", before, after, {"amounts": [before, after]})

    base, candidate = imported(tmp_path, "Pay 1,25 €", "Pay 125 €")
    terms: Any = {"relation": "invariant", "contract": "amounts/v1", "validator": amounts, "comparator": "number"}
    found = validate_variant(base, candidate, **terms)
    assert (found.status, found.issues) == ("invalid", ("relation_contradicted",))
    for made in generate_variants([base], strategies=["all"], per_case=20):
        assert validate_variant(base, made, **terms).status == "valid", made.input


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rate is −5% this year.", "The rate is 5% this year."),
        ("It costs 3.50 each.", "It costs 3 50 each."),
        ("We meet at 10:30.", "We meet at ten:thirty."),
        ("We ordered 1000 of them.", "We ordered 100t o of them."),
    ],
)
def test_t13_edits_of_other_tools_that_change_a_value_are_invalid(tmp_path: Path, before: str, after: str) -> None:
    """T13: `preserves` says no to what comes in from a table; our own strategies leave such words alone."""
    base, candidate = imported(tmp_path, before, after)
    assert (preserved(base, candidate).status, preserved(base, candidate).issues) == ("invalid", ("rejected",))
    words = [word for word in before.split() if not word[:-1].isalpha()]
    for made in generate_variants([base], strategies=["typos", "white-space", "punctuation"], per_case=5):
        assert all(word.rstrip(".") in str(made.input) for word in words)


def test_the_same_command_writes_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    """Candidates and report; another seed makes others."""
    rows = [
        {"id": f"c{n}", "input": f"The bill no. {n} of 12,500.50 EUR, dated 2025-03-0{n}, is due."} for n in range(1, 9)
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files = []
    for number, (seed, hashes) in enumerate([("1", "0"), ("1", "1"), ("2", "0")]):
        done = robust(
            "variants", "generate", "c.jsonl", "--strategy", "all", "--per-case", "3", "--seed", seed,
            "-o", f"{number}.jsonl", "--report", f"{number}.json", cwd=tmp_path, env={"PYTHONHASHSEED": hashes},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        files.append([(tmp_path / f"{number}.{ending}").read_bytes() for ending in ("jsonl", "json")])
    assert files[0] == files[1]
    assert files[0][0] != files[2][0]


def test_the_strategies_are_listed_without_any_case() -> None:
    """With what each supposes."""
    done = robust("variants", "generate", "--list")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
    assert {name: each.relation for name, each in BUILT_IN.items()}.items() <= listed.items()
    assert {"rewrites", "synonyms", "typos", "all"} <= set(listed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["c.jsonl", "--strategy", "typo", "-o", "o.jsonl"], "error[unknown_strategy]: strategies: there is no "),
        (["c.jsonl", "-o", "o.jsonl"], "error[no_strategies]: strategies: no strategy is named"),
        (["c.jsonl", "--strategy", "rewrites", "-o", "o.jsonl"], "error[no_table]: strategies: "),
        (
            ["c.jsonl", "--strategy", "all", "-o", "c.jsonl", "--overwrite"],
            "error[same_file]: c.jsonl: the file is read ",
        ),
        (
            ["c.jsonl", "--strategy", "all", "-o", "o.jsonl", "--report", "o.jsonl"],
            "error[same_file]: o.jsonl: the file would be written twice",
        ),
        (["c.jsonl", "--strategy", "all", "-o", "twice.jsonl"], "error[exists]: twice.jsonl: "),
        (["c.jsonl", "--strategy", "all", "-o", "no/o.jsonl"], "error[unwritable]: no/o.jsonl: "),
        (
            ["c.jsonl", "--strategy", "all", "-o", "o.jsonl", "--split", "dev"],
            "error[split_without_manifest]: c.jsonl: ",
        ),
        (["twice.jsonl", "--strategy", "all", "-o", "o.jsonl"], "error[duplicate_id]: twice.jsonl:2: "),
        (["half.jsonl", "--strategy", "all", "-o", "o.jsonl"], "error[lone_surrogate]: half.jsonl:1:"),
        (["none.jsonl", "--strategy", "all", "-o", "o.jsonl"], "error[unreadable]: none.jsonl: "),
        (["empty.jsonl", "--strategy", "all", "-o", "o.jsonl"], "error[no_cases]: empty.jsonl: "),
    ],
)
def test_what_cannot_be_generated_is_exit_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    """With one message, and nothing left behind."""
    contents = {
        "c.jsonl": '{"id":"a","input":"Some words."}\n',
        "twice.jsonl": '{"id":"a","input":"x"}\n{"id":"a","input":"y"}\n',
        "half.jsonl": '{"id":"a","input":"\\ud800"}\n',
        "empty.jsonl": "",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = robust("variants", "generate", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == contents


def test_candidates_of_a_table_come_in_with_the_command(tmp_path: Path) -> None:
    """Counted as text and as JSON; wrong rows are all named, and then nothing is written."""
    (tmp_path / "c.csv").write_text("id,input\nc1,Pay the bill.\n", encoding="utf-8-sig")
    (tmp_path / "t.csv").write_text("id;text;p\nc1;Pay teh bill.;1\nc1;Pay the bill.;2\n", encoding="utf-8-sig")
    import_it = ("variants", "import", "c.csv", "t.csv", "--parent", "id", "--text", "text")
    done = robust(*import_it, "--relation", "invariant", "--param", "p", "-o", "o.jsonl", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "1 candidate of 1 base from 2 rows; 1 unchanged, 0 duplicate",
        "candidates  o.jsonl",
    ]
    stored = json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))
    assert (stored["case_id"], stored["origin"]["params"]) == ("c1~external-0", {"p": "1"})
    again = robust(*import_it, "-o", "p.jsonl", "-f", "json", cwd=tmp_path)
    assert json.loads(again.stdout)["unchanged"] == 1
    (tmp_path / "t.csv").write_text("id,text\nc1,x\nc2,y\nc3,z\n", encoding="utf-8")
    refused = robust(*import_it, "-o", "q.jsonl", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert [line.split(": ")[1] for line in refused.stderr.splitlines()] == ["t.csv:3", "t.csv:4"]
    assert not (tmp_path / "q.jsonl").exists()
    (tmp_path / "t.csv").write_text("id,text\nc1,Pay the bill.\n", encoding="utf-8")
    nothing = robust(*import_it, "-o", "q.jsonl", cwd=tmp_path)
    assert nothing.returncode == 2
    assert nothing.stderr.startswith(
        "error[no_candidates]: t.csv: no candidate came of 1 row; unchanged from their base: 1;"
    )
