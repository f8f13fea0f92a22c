"""``robust manifest diff``, ``prove``, ``check-proof`` and ``check``: what manifests say, compared and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from robust.cli.console import finish, guarded, out, out_json
from robust.cli.manifest_options import ManifestFile, Overwrite
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.app.checks import Verification

Format = Annotated[Literal["text", "json"], typer.Option("-f", "--format", help="How the result is shown.")]


@guarded
def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="A manifest.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="Another one.")],
    *,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when anything differs.")] = False,
    output_format: Format = "text",
) -> None:
    """Show what differs between two manifests: cases added, removed, moved, and changed path by path."""
    from robust.app.manifest_reading import load_manifest
    from robust.render.manifest import diff_text

    found = load_manifest(before).diff(load_manifest(after))
    if output_format == "json":
        out_json(found.to_json())
    else:
        for line in diff_text(found.to_json()):
            out(line)
    finish(1 if exit_code and not found.empty else 0)


@guarded
def prove(
    file: ManifestFile,
    case_id: Annotated[str, typer.Argument(metavar="CASE_ID", help="A case's id, or a validation's digest.")],
    *,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file for the proof.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Prove that a case is in a manifest, so that it can be shown without the others. The proof is JSON."""
    from robust.app.manifest_reading import load_manifest
    from robust.app.proof_files import save_proof
    from robust.render.plain import safe

    proof = load_manifest(file).prove(case_id)
    if output is None:
        out_json(proof.to_json())
        return
    save_proof(proof, output, overwrite=overwrite)
    out(f"line {proof.index + 1} of {proof.size}, manifest digest {proof.manifest}")
    out(f"proof  {safe(str(output))}")


@guarded
def check_proof(
    file: Annotated[Path, typer.Argument(metavar="PROOF", help="An inclusion proof.")],
    *,
    manifest: Annotated[
        Path | None, typer.Option(help="The manifest, or a file with only its first line, the header.")
    ] = None,
    digest: Annotated[str | None, typer.Option(help="The manifest's digest.")] = None,
    output_format: Format = "text",
) -> None:
    """Check that a proof holds, and that it is of the manifest that is named. Exit 0: it does; 3: it does not."""
    from robust.app import manifest_proofs
    from robust.canon import is_digest

    if manifest is not None and digest is not None:
        raise UsageError.of("two_options", "--manifest and --digest exclude each other", hint="give one of them")
    if digest is not None and not is_digest(digest):
        message = f"must be sha256: and 64 hex digits, not {digest!r}"
        raise UsageError.of("bad_digest", message, path="--digest")
    _show_verification(manifest_proofs.check_proof(file, manifest=digest or manifest), output_format)


@guarded
def check(
    file: ManifestFile,
    *,
    near: Annotated[
        bool, typer.Option("--near-duplicates", help="Also look for near-equal inputs in different splits.")
    ] = False,
    threshold: Annotated[float | None, typer.Option(help="The least similarity, up to 1; 0.5 by default.")] = None,
    words: Annotated[int | None, typer.Option(help="How many words make a shingle; 2 by default.")] = None,
    limit: Annotated[int | None, typer.Option(help="The most pairs that are looked for; 10000 by default.")] = None,
    max_comparisons: Annotated[
        int | None, typer.Option(help="The most pairs, or groups of pairs, that are looked at; 50000000 by default.")
    ] = None,
    output_format: Format = "text",
) -> None:
    """Check a manifest; on request find near-equal inputs. Exit 0: nothing is found; 1: near-equal ones; 3: damage."""
    settings = {"threshold": threshold, "words": words, "limit": limit, "max_comparisons": max_comparisons}
    given = {name: value for name, value in settings.items() if value is not None}
    if not near:
        if given:
            message = f"--{next(iter(given)).replace('_', '-')} goes with --near-duplicates"
            raise UsageError.of("unused_option", message, hint="add --near-duplicates")
        from robust.app.manifest_reading import require_manifest
        from robust.app.verifying import verify

        require_manifest(file)
        _show_verification(verify(file), output_format)
        return
    from robust.app.near_duplicates import find_near_duplicates
    from robust.render.manifest import near_duplicates_text

    found = find_near_duplicates(file, **given)  # type: ignore[arg-type]
    if output_format == "json":
        out_json(found.to_json())
    else:
        for line in near_duplicates_text(found.to_json()):
            out(line)
    finish(found.exit_code)


def _show_verification(checked: Verification, output_format: str) -> None:
    """Show the checks and exit with their code."""
    from robust.render.evidence import verification_text

    if output_format == "json":
        out_json(checked.to_json())
    else:
        out(verification_text(checked.to_json(), [problem for each in checked.checks for problem in each.problems]))
    finish(checked.exit_code)
