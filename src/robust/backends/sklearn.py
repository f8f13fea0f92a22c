"""A fitted classifier as a model: anything with ``predict_proba`` and ``classes_``; scikit-learn is not imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from robust.backends.in_process import sent_in_process
from robust.backends.shown_forms import meaning
from robust.canon import JsonObject, canonical_text, describe, type_name
from robust.errors import BackendError
from robust.records.request import BackendAnswer, BackendFailure, BackendIdentity, DecisionRequest

# How many orders and forms of the labels are remembered with the columns that they stand for.
_REMEMBERED = 1024
_REMEDY: Final = "say which class means which label: SklearnBackend(model, labels={class: label})"


class SklearnBackend:
    """A backend around a fitted classifier.

    Columns of ``predict_proba`` go by ``classes_``, in the classifier's own order, and each class goes to one label: to
    the one that ``labels`` names for it, else to the label that is the class's text (``true``, ``false`` and numbers as
    JSON writes them). A classifier is not shown any labels, so a label in another order or form, such as ``B) Refund``,
    gets the answer of the label that it means. Classes and labels must cover each other; a class without a label, or a
    label without a class, is an ``invalid_response``, for what it would have got cannot be known.

    Args:
        model: the classifier, fitted. It is called from several threads at once, unless it is ``inline``.
        labels: the label of each class whose text is not the label.
        features: how an input becomes a row: the names of its fields, in the order of the columns; or a function of the
            input that gives the row, or a two-dimensional table with that row (an array, a data frame). Without it a
            text is handed over as it is, as to a pipeline that begins with a vectorizer.
        name: what reports call the backend.
        model_name: the model's name, for the record; by default that of its class.
        version: the model's version, for the record; with it answers can be cached, as with ``CallableBackend``.
        inline: ask one request after the other, without threads: for a quick model, or one that is not safe in threads.

    Raises:
        BackendError: the model is no fitted classifier, or ``labels`` or ``features`` do not fit it.
    """

    is_async = False

    def __init__(
        self,
        model: Any,
        *,
        labels: Mapping[Any, str] | None = None,
        features: Sequence[str] | Callable[[Any], Any] | None = None,
        name: str = "default",
        model_name: str | None = None,
        version: str | None = None,
        inline: bool = False,
    ) -> None:
        self._model = model
        self._classes = _classes_of(model)
        self._labels = _labels_of(self._classes, {} if labels is None else labels)
        self._features = _checked_features(features)
        self.inline = inline
        self._identity = BackendIdentity(
            name=name,
            provider="callable",
            model=model_name or type_name(model),
            model_version=version,
            details={
                "class": _full_name(model),
                "steps": [_full_name(step) for step in _steps_of(model)],
                "classes": [_text_of(value) for value in self._classes],
                "labels": list(self._labels),
                "features": _described(self._features),
            },
        )
        self._identity_json = self._identity.to_json()
        self._columns = lru_cache(_REMEMBERED)(self._match)

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the classes of the model and of its steps, its answers, and how it is fed."""
        return self._identity

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that the answer depends on; None without a declared version."""
        return sent_in_process(self._identity_json, request)

    def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Ask about one input.

        Raises:
            BackendFailure: ``backend_error`` for an input that cannot become a row; ``invalid_response`` where classes
                and labels do not fit, or the answer is not one number for each class.
        """
        columns = self._columns(request.decision.labels)
        if isinstance(columns, str):
            raise BackendFailure("invalid_response", columns)
        if not _same(_classes_of(self._model), self._classes):
            raise BackendFailure("invalid_response", "the model has other classes now than when the backend was made")
        numbers = self._ask(self._rows(request.input))
        return BackendAnswer(probabilities={label: numbers[column] for label, column in columns.items()})

    def _rows(self, value: Any) -> Any:
        features = self._features
        if callable(features):
            row = features(value)
            return row if _dimensions(row) == 2 else [row]
        if features is None:
            if isinstance(value, str):
                return [value]
            message = "the input is an object; say which fields are the columns: SklearnBackend(model, features=[...])"
            raise BackendFailure("backend_error", message)
        if isinstance(value, str):
            raise BackendFailure("backend_error", "the input is text, and has no fields to take features from")
        missing = [name for name in features if name not in value]
        if missing:
            raise BackendFailure("backend_error", f"the input has no field {missing[0]!r}")
        return [[value[name] for name in features]]

    def _ask(self, rows: Any) -> list[Any]:
        table = _plain(self._model.predict_proba(rows))
        if not isinstance(table, list) or len(table) != 1:
            shown = f"{len(table)} rows" if isinstance(table, list) else describe(table)
            raise BackendFailure("invalid_response", f"predict_proba gave {shown} for one input")
        row = _plain(table[0])
        if not isinstance(row, list) or len(row) != len(self._classes):
            shown = f"{len(row)} numbers" if isinstance(row, list) else describe(row)
            message = f"predict_proba gave {shown} for {len(self._classes)} classes"
            raise BackendFailure("invalid_response", message)
        return [_plain(number) for number in row]

    def _match(self, shown: tuple[str, ...]) -> dict[str, int] | str:
        """The column of each label as shown, or why they do not fit."""
        own = {label: column for column, label in enumerate(self._labels)}
        if set(own) != set(shown):
            # By meaning, but only where it tells all of them apart.
            own = {meaning(label): column for label, column in own.items()}
        found = {label: own.get(label, own.get(meaning(label))) for label in shown}
        columns = {label: column for label, column in found.items() if column is not None}
        if len(columns) < len(shown):
            label = next(label for label in shown if label not in columns)
            return f"the model has no class for the label {label!r}; {_REMEDY}"
        if len(set(columns.values())) < len(self._labels):
            column = next(column for column in range(len(self._labels)) if column not in columns.values())
            return f"the model's class {self._labels[column]!r} is no label of the decision; {_REMEDY}"
        return columns


def _classes_of(model: Any) -> list[Any]:
    """The model's classes as plain values, in the order of its columns."""
    if not callable(getattr(model, "predict_proba", None)):
        hint = "give a classifier with probabilities, or wrap a function: CallableBackend(function)"
        raise _refused("model", f"a {type_name(model)} has no predict_proba", hint)
    classes = _plain(getattr(model, "classes_", None))
    if classes is None:
        raise _refused("model", f"a {type_name(model)} has no classes_", "fit it first")
    if not isinstance(classes, list) or not classes:
        raise _refused("model", "classes_ must be a list of classes", "fit it first")
    return [_plain(value) for value in classes]


def _labels_of(classes: list[Any], labels: Mapping[Any, str]) -> tuple[str, ...]:
    """The label of each class, in the order of the classes."""
    texts = [_text_of(value) for value in classes]
    if not isinstance(labels, Mapping) or not all(isinstance(label, str) for label in labels.values()):
        raise _refused("labels", "must map classes to labels, which are text")
    unknown = [key for key in labels if not any(_same(_plain(key), value) for value in classes)]
    if unknown:
        raise _refused("labels", f"the model has no class {unknown[0]!r}", f"its classes are {', '.join(texts)}")
    named = [next((label for key, label in labels.items() if _same(_plain(key), value)), None) for value in classes]
    chosen = tuple(text if label is None else str(label) for label, text in zip(named, texts, strict=True))
    repeated = [label for label in chosen if chosen.count(label) > 1]
    if repeated:
        raise _refused("labels", f"two classes have the label {repeated[0]!r}", "give each class a label of its own")
    return chosen


def _checked_features(features: Any) -> tuple[str, ...] | Callable[[Any], Any] | None:
    if features is None or callable(features):
        function: Callable[[Any], Any] | None = features
        return function
    listed = isinstance(features, Sequence) and not isinstance(features, str | bytes)
    if not listed or not features or not all(isinstance(name, str) for name in features):
        raise _refused("features", "must be a list of field names, or a function of the input")
    return tuple(str(name) for name in features)


def _text_of(value: Any) -> str:
    """The label text of a class: text is itself; a boolean or a number is written as JSON writes it."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | int | float) and value == value:
        return canonical_text(value)
    message = f"a class is text, a number or a boolean, not {describe(value)}"
    raise _refused("model", message, "a model with several outputs needs a function: CallableBackend(function)")


def _same(first: Any, second: Any) -> bool:
    """Whether two classes, or lists of them, are equal and of one kind: 1 is 1.0, but not true."""
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_same, first, second))
    return bool(first == second) and isinstance(first, bool) == isinstance(second, bool)


def _plain(value: Any) -> Any:
    """Arrays, frames, and numbers of array libraries as lists and numbers of the language; all else as it is."""
    for name in ("to_numpy", "tolist"):
        convert = getattr(value, name, None)
        if callable(convert):
            value = convert()
    return list(value) if isinstance(value, tuple) else value


def _dimensions(value: Any) -> int | None:
    shape = getattr(value, "shape", None)
    return len(shape) if isinstance(shape, tuple) else None


def _steps_of(model: Any) -> list[Any]:
    """The steps of a pipeline, if it is one."""
    steps = getattr(model, "steps", None)
    if not isinstance(steps, list):
        return []
    return [step[1] for step in steps if isinstance(step, tuple) and len(step) == 2]


def _full_name(value: Any) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _described(features: tuple[str, ...] | Callable[[Any], Any] | None) -> Any:
    if features is None:
        return None
    if callable(features):
        return f"function {getattr(features, '__qualname__', type_name(features))}"
    return list(features)


def _refused(path: str, message: str, hint: str | None = None) -> BackendError:
    return BackendError.of("bad_backend", message, path=path, hint=hint)
