"""What the pytest fixture ``robust_check`` does; nothing here knows pytest."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from robust.canon import JsonObject, describe, digest_value
from robust.errors import UsageError
from robust.relations.argument_words import NOT_IN_A_LINE

if TYPE_CHECKING:
    from robust.app.batch_result import BatchReport
    from robust.app.check_runs import CheckResult

    Checked = TypeVar("Checked", bound=CheckResult)

# What may stand in a marker, and what more a call takes, is told before anything of the engine is loaded.
MARKER_OPTIONS: Final = (
    "samples",
    "baseline_runs",
    "alpha",
    "deterministic_system",
    "workers",
    "early_stop",
    "subject",
    "allow_inconclusive",
)
_ALLOW: Final = "allow_inconclusive"
_PLAIN: Final = re.compile(r"(?:\w+/)*\w+\.py(?:::\w+)+\Z", re.ASCII)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME: Final = 100
_MOST_DIRECTORIES: Final = 10_000


def marked_options(markers: Iterable[tuple[Sequence[Any], Mapping[str, Any]]], test: str) -> dict[str, Any]:
    """The options that the markers of a test give; the one that is nearest to the test counts.

    Args:
        markers: positional and keyword arguments of each, the nearest first.
        test: for errors.

    Raises:
        UsageError: ``unknown_option``: there is no such option, or one has no name.
    """
    options: dict[str, Any] = {}
    for positional, named in markers:
        if positional:
            hint = f"write @pytest.mark.robust({MARKER_OPTIONS[0]}=…)"
            raise UsageError.of("unknown_option", "options of the marker robust have names", file=test, hint=hint)
        for name, value in named.items():
            if name not in MARKER_OPTIONS:
                near = difflib.get_close_matches(name, MARKER_OPTIONS, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(MARKER_OPTIONS)}"
                raise UsageError.of("unknown_option", f"the marker robust has no option {name!r}", file=test, hint=hint)
            options.setdefault(name, value)
    return options


class RobustCheck:
    """Checks of one test, each of which fails it where it does not hold.

    Args:
        test: the test's id, which names its run directories.
        options: what the markers of the test give, for checks that do not say otherwise.
        folder: where run directories go; None for nowhere.
        note: is told in a few words, as JSON, what each check came to.
    """

    def __init__(
        self, test: str, options: Mapping[str, Any], folder: str | None, note: Callable[[JsonObject], None]
    ) -> None:
        self._test = test
        self._options = dict(options)
        self._folder = None if folder is None else Path(folder)
        self._note = note
        self._number = 0

    def __call__(self, system: Any, *arguments: Any, **options: Any) -> Any:
        """Check a system by relations, or judge a result that is there already.

        ``robust_check(system, base_input, relations, …)`` takes what :func:`robust.check` takes, and
        ``allow_inconclusive``; ``robust_check(result)`` takes what a check or a population test returned, and the
        reports of :func:`robust.judge_bias`, :func:`robust.length_bias` and :func:`robust.audit_relation`, which have
        no run directory.

        Returns:
            the result, where it holds.

        Raises:
            AssertionError: it does not hold; the text shows the difference, and the line that replays it.
            UsageError: an argument is not what it must be, or there is but one, and it is no result.
        """
        __tracebackhide__ = True
        if not arguments and not (options.keys() - {_ALLOW}):
            judged = {_ALLOW: options.get(_ALLOW, self._options.get(_ALLOW, False))}
            if _is_result(system):
                return self._judged(system, judged)
            if _is_report(system):
                return self._reported(system, judged)
            raise _no_result(system)
        from robust.app.checking import check

        asked, judged = self._merged(options)
        return self._judged(check(system, *arguments, **asked), judged)

    def many(self, system: Any, inputs: Iterable[Any], relations: Any, **options: Any) -> BatchReport:
        """Check a system over many inputs, as :func:`robust.check_many` does.

        Raises:
            AssertionError: it does not hold.
        """
        __tracebackhide__ = True
        from robust.app.check_many import check_many

        asked, judged = self._merged(options)
        return self._judged(check_many(system, inputs, relations, **asked), judged)

    def _merged(self, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The options of a check, and those of the judgement on it."""
        # Names of tests may hold anything.
        subject = NOT_IN_A_LINE.sub(lambda found: f"\\u{ord(found[0]):04x}", self._test)
        merged = {"subject": subject, **self._options, **options}
        return merged, {_ALLOW: merged.pop(_ALLOW, False)}

    def _judged(self, result: Checked, judged: Mapping[str, Any]) -> Checked:
        __tracebackhide__ = True
        from robust.app.failed_checks import failure_of

        path = self._saved(result)
        failure = failure_of(result, path=path, allow_inconclusive=bool(judged[_ALLOW]))
        self._note(noted(result, path, failed=failure is not None))
        if failure is not None:
            raise AssertionError(failure)
        return result

    def _reported(self, report: Any, judged: Mapping[str, Any]) -> Any:
        """Judge a report that says itself what it comes to."""
        __tracebackhide__ = True
        allowed = bool(judged[_ALLOW]) and report.verdict == "inconclusive"
        failed = report.exit_code != 0 and not allowed
        name = str(getattr(report, "relation", None) or f"{report.kind} bias")
        calls = getattr(report, "calls", None)
        told = {"failed": failed, "verdicts": {name: str(report.verdict)}, "calls": calls, "calls_saved": None}
        self._note({**told, "path": None})
        if failed:
            from robust.render.screen import Screen

            screen = Screen()
            raise AssertionError("\n".join(screen.safe(line) for line in report.summary().splitlines()))
        return report

    def _saved(self, result: CheckResult) -> Path | None:
        if self._folder is None:
            return None
        from robust.app.check_runs import save_check

        name = safe_name(self._test)
        while True:
            self._number += 1
            path = self._folder / (name if self._number == 1 else f"{name}-{self._number}")
            _refuse_signed(path)
            try:
                save_check(result, path, overwrite=True)
            except UsageError as error:
                # Another process that runs the same test has this one.
                if error.code != "in_use" or self._number > _MOST_DIRECTORIES:
                    raise
            else:
                return path


def _refuse_signed(path: Path) -> None:
    """Refuse to replace a run that somebody signed, or made a claim about: that cannot be made again.

    Raises:
        UsageError: ``signed_run``.
    """
    from robust.store.attestations import attestation_path, claims_of

    if path.is_dir() and (attestation_path(path).exists() or claims_of(path)):
        message = "the run of an earlier session here is signed or has claims, and is not replaced"
        raise UsageError.of("signed_run", message, file=os.fspath(path), hint="give --robust-output another folder")


def _is_result(value: object) -> bool:
    """Whether something is the result of a check rather than a system."""
    return all(callable(getattr(value, name, None)) for name in ("plan", "records", "observed"))


def _is_report(value: object) -> bool:
    """Whether something is the report on a judge or on a relation."""
    from robust.records.judge_bias import JudgeBiasReport
    from robust.records.relation_audit import RelationAudit

    return isinstance(value, JudgeBiasReport | RelationAudit)


def _no_result(found: object) -> UsageError:
    if callable(found):
        message, hint = "a system is checked on an input", "robust_check(system, base_input, relations)"
    else:
        message = f"must be a result, or a system with an input and relations, not {describe(found)}"
        hint = "give what check, check_many, a population test, judge_bias, length_bias or audit_relation returned"
    return UsageError.of("bad_argument", message, path="robust_check", hint=hint)


def noted(result: Any, path: Path | None, *, failed: bool) -> JsonObject:
    """What a check came to in a few words, as JSON that one process can send another."""
    from robust.app.failed_checks import verdicts_of

    observed = result.observed()
    return {
        "failed": failed,
        "verdicts": verdicts_of(result),
        "calls": observed.get("calls"),
        "calls_saved": observed.get("calls_saved"),
        "path": None if path is None else os.fspath(path),
    }


def safe_name(test: str) -> str:
    """The name of a folder that every file system takes, and that no other test has.

    Where more had to be changed than the separators of a plain id, or something was cut, digits of a digest follow.
    """
    name = test.replace("/", ".").replace("::", "-")
    if _PLAIN.match(test) and len(name) <= _LONGEST_NAME:
        return name
    digest = digest_value(test.encode("utf-8", "surrogatepass").hex()).removeprefix("sha256:")
    return f"{_UNSAFE.sub('_', name)[-_LONGEST_NAME:].strip('._-') or 'test'}-{digest[:12]}"
