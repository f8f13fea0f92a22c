"""Labels under the names that a service has for them, there and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from robust.backends.place import path_of
from robust.backends.service import Reply, short_text
from robust.canon import describe
from robust.errors import BackendError
from robust.records.request import BackendFailure

_REMEMBERED = 1024


class WireLabels:
    """Translates labels.

    Only a label shown as the contract writes it has another name; one in another form is sent in that form.

    Args:
        names: by contract label, the service's name for it.
        labels: the contract's labels.
        name: the backend's name in the contract, for errors.

    Raises:
        BackendError: a name is for no label, or two labels would have one name.
    """

    def __init__(self, names: Mapping[str, str], labels: Sequence[str], name: str) -> None:
        self._names = names
        path = f"{path_of(name)}.label_map"
        unknown = sorted(set(names) - set(labels))
        if unknown:
            hint = "write it as service name: contract label"
            raise BackendError.of("bad_label_map", f"{unknown[0]!r} is no label of the decision", path=path, hint=hint)
        sent = [names.get(label, label) for label in labels]
        twice = next((wire for wire in sent if sent.count(wire) > 1), None)
        if twice is not None:
            raise BackendError.of("bad_label_map", f"two labels would be sent as {twice!r}", path=path)
        self.of = lru_cache(_REMEMBERED)(self._of)

    def _of(self, shown: tuple[str, ...]) -> dict[str, str]:
        """By the name to send, in the order to send them, the labels as shown; not to be changed.

        Raises:
            BackendFailure: two labels in this form would be sent under one name.
        """
        sent = {self._names.get(label, label): label for label in shown}
        if len(sent) < len(shown):
            raise BackendFailure("backend_error", "two of the labels shown would be sent under one name of label_map")
        return sent


def read_distribution(reply: Reply, answer: Any, sent: Mapping[str, str]) -> dict[str, Any]:
    """An answer's numbers by the labels as shown; the numbers themselves are not looked at.

    Raises:
        BackendFailure: it is no object of exactly the labels sent.
    """
    if not isinstance(answer, dict):
        raise reply.refuse(f"probabilities must be an object, not {describe(answer)}")
    if answer.keys() != sent.keys():
        missing = next((label for label in sent if label not in answer), None)
        unknown = next((label for label in answer if label not in sent), None)
        parts = [] if missing is None else [f"has no {missing!r}"]
        parts += [] if unknown is None else [f"has the unknown label {short_text(unknown) or ''!r}"]
        raise reply.refuse("the answer " + " and ".join(parts))
    return {shown: answer[wire] for wire, shown in sent.items()}
