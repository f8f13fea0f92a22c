"""The runs on edited texts: one with everything that an oracle vouches for, and two on English small talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from language_edits_story import candidates_text, context_text, edits_text, refused_text, variants_rows
from language_manifest import CASES, EDITS_CONTRACT, FOLDER, freeze_edits, judge_edits, known_sentences
from language_model import NAME, make_backend
from language_refused import property_tally, variant_tallies
from language_story import INDENT, gates_text
from robust import ContractError, Run, Validation, Verification, run_contract, verify
from robust.records.contract import Contract
from robust.store.contracts import load_contract

CONTEXT_CONTRACT: Final = FOLDER / "context.yaml"
CONTEXT: Final = "irrelevant_context"
_OWN: Final = "known-sentences"
_BUILTIN: Final = "builtin"


class EditedTexts:
    """Candidates judged, valid ones frozen, and all of it run; everything is written below one folder.

    Raises:
        RobustError: a contract is wrong, or pins another manifest than the one that the texts make.
    """

    def __init__(self, output: Path) -> None:
        output.mkdir(parents=True, exist_ok=True)
        self._validations = judge_edits()
        self._manifest = freeze_edits(self._validations)
        self._files = (output / "edits.validations.jsonl", output / "edits.manifest.jsonl")
        Validation.save_all(self._files[0], self._validations, overwrite=True)
        self._manifest.save(self._files[1], overwrite=True)
        contract, backend = load_contract(EDITS_CONTRACT), make_backend()
        self._run = run_contract(
            contract, backend=backend, manifest=self._manifest, output=output / "edits", overwrite=True
        )
        own, builtin, fragments = _context_contracts()
        self._context = {
            _BUILTIN: run_contract(
                builtin, backend=backend, dataset=CASES, output=output / "context-builtin", overwrite=True
            ),
            _OWN: run_contract(
                own,
                backend=backend,
                dataset=CASES,
                oracles={_OWN: known_sentences((fragment, "en") for fragment in fragments)},
                output=output / "context-known-sentences",
                overwrite=True,
            ),
        }

    @property
    def runs(self) -> list[Run]:
        """The runs."""
        return [self._run, *self._context.values()]

    def tell(self) -> Iterator[str]:
        """What came of it."""
        variants = len(self._manifest.validations)
        yield "\n6. The texts in other case and punctuation. Each edit claims that the language"
        yield f"{INDENT}stays. An oracle that knows each text word by word says where that holds."
        yield from candidates_text(self._validations)
        yield f"{INDENT}Texts and valid variants are frozen, and the contract pins their digest:"
        yield f"{INDENT}{self._manifest.digest}"
        yield f"\n7. {NAME} on {variants} valid variants, on other white space, and on signs and"
        yield f"{INDENT}numbers beside the text, judged by `builtin`: {self._run.status.upper()}"
        yield from gates_text(self._run)
        yield from edits_text(self._run)
        yield "\n8. What was refused was put to the model all the same, outside of the run. If it"
        yield f"{INDENT}had been scored, so many would fail, and the rate of all would be:"
        tallies = {name: property_tally(self._run.records(), name) for name in ("whitespace", CONTEXT)}
        yield from refused_text({**tallies, **variants_rows(variant_tallies(self._run.records(), self._validations))})
        yield "\n9. An English sentence beside each text: irrelevant to most questions, but"
        yield f"{INDENT}not to this one. The same candidates before two oracles:"
        yield from context_text(
            self._context, {name: property_tally(run.records(), CONTEXT) for name, run in self._context.items()}, _OWN
        )

    def verify(self) -> Iterator[Verification]:
        """Everything that was written, derived again."""
        for path in self._files:
            yield verify(path)
        yield verify(self._run.path, manifest=self._files[1])
        for run in self._context.values():
            yield verify(run.path)


def _context_contracts() -> tuple[Contract, Contract, tuple[str, ...]]:
    """The contract as it stands, the same with the oracle of ``oracles.default``, and the English sentences."""
    own = load_contract(CONTEXT_CONTRACT)
    settings = own.properties.irrelevant_context
    if settings is None:
        raise ContractError.of("no_property", f"there must be {CONTEXT}", file=str(CONTEXT_CONTRACT))
    properties = own.properties.model_copy(update={CONTEXT: settings.model_copy(update={"oracle": None})})
    return own, own.model_copy(update={"properties": properties}), tuple(settings.fragments)
