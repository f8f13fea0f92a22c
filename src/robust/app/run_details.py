"""What a page shows of a stored run beyond its report, and what its folder says of signatures."""

from __future__ import annotations

from robust.app.envelopes import open_envelope
from robust.app.running import Run
from robust.app.stored_records import judged_records
from robust.app.verify_production import StoredProduction
from robust.errors import RobustError
from robust.records.run_details import RunDetails
from robust.run.details import DetailsCollector, inputs_of
from robust.store.attestations import attestation_path, claims_of, has_attestation


def run_details(run: Run, most: int) -> RunDetails:
    """What a page shows of a run beyond its report, streamed from its records.

    Args:
        run: the run, whose records were checked before.
        most: how many failing records it lists.

    Raises:
        IntegrityError: the records are not those that the report speaks of.
    """
    collector = DetailsCollector(run.report, most)
    for number, record in judged_records(run):
        collector.add(number, record)
    return collector.finish(inputs_of(run.records(), collector.wanted()))


def signature_words(run: Run | StoredProduction) -> str:
    """Whether a run is signed, by whom as it says, and that nobody checked that here.

    A page is made of the report alone; whose signatures there are is for ``robust verify`` with the keys of people.
    """
    try:
        claims = len(claims_of(run.path))
        told = "not signed"
        if has_attestation(run.path):
            by = open_envelope(attestation_path(run.path)).claimed()
            told = f"says that it is signed by {by}; not checked here: robust verify with --public-key does"
    except RobustError as error:
        return f"cannot be read ({error.problems[0].message})"
    return told if not claims else f"{told}; {claims} claim{'' if claims == 1 else 's'} about it, not checked here"
