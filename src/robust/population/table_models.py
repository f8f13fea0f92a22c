"""Any model as one function of rows: a callable, ``predict``, ``predict_proba``; what it gives is labels or numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from robust.canon import describe, type_name
from robust.errors import DataError, UsageError
from robust.population.cell_changes import is_missing
from robust.population.output_arrays import (
    JoinedOutputs,
    labels_of,
    numbers_of,
    output_array,
    probabilities_of,
    same_label,
)
from robust.population.rows import Table
from robust.records.population import OutputKind, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A model is called with so many rows at once, so that what it needs besides stays bounded.
BATCH_ROWS: Final = 200_000
_MAX_NAMED: Final = 20
# ``either``: labels of a classifier, numbers of anything else.
Wanted: TypeAlias = Literal["labels", "numbers", "either"]


class Outputs(NamedTuple):
    """The outputs of some rows: labels, with None for a missing one, or numbers, with NaN."""

    kind: OutputKind
    values: NDArray[Any]


class ModelFailure(Exception):
    """The model raised, which is evidence and no fault of the caller of the test."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class TableModel:
    """A model, and what is wanted of it.

    Args:
        model: a callable of rows, or an object with ``predict`` or ``predict_proba``.
        wanted: labels, numbers, or whatever it gives.
        label: the class whose probability is the number, or whose label is looked at; None for none.
        classes: the classes in the order of the columns, if the model does not say so itself by ``classes_``.
        task: regression or classification, where outputs do not tell.

    Raises:
        UsageError: the model cannot be called, or has no such class.
    """

    def __init__(self, model: Any, *, wanted: Wanted, label: Any, classes: Any, task: Task | None) -> None:
        self.calls = 0
        self._wanted, self._task = wanted, task
        self._label = _plain(label)
        own = classes if classes is not None else getattr(model, "classes_", None)
        self._classes = None if own is None else _checked_classes(own)
        self._classifies = self._classes is not None or _method(model, "predict_proba") is not None
        self._call = self._chosen(model)
        self._probabilities = self._call == _method(model, "predict_proba")
        if self._label is not None and self._classes is not None:
            self._position(self._classes)

    def _chosen(self, model: Any) -> Callable[[Any], Any]:
        if isinstance(model, type):
            raise _refused(f"the class {model.__name__} itself is no model", "give a fitted instance of it")
        predict, proba = (_method(model, name) for name in ("predict", "predict_proba"))
        if self._task == "regression":
            proba = None
        wants_labels = self._wanted == "labels" or (self._wanted == "either" and self._label is None)
        # What a model calls its label may differ from its most probable class, as with a threshold of its own.
        chosen = (predict or proba) if wants_labels else (proba or predict)
        if chosen is not None:
            return chosen
        if not callable(model):
            message = f"{describe(model)} is no model"
            raise _refused(message, "give a function of rows, or an object with predict or predict_proba")
        function: Callable[[Any], Any] = model
        return function

    def outputs(self, table: Table) -> Outputs:
        """The outputs of all rows, asked for in batches of :data:`BATCH_ROWS`, each a copy that it may damage.

        Raises:
            DataError: the outputs are not as they must be.
            UsageError: the outputs do not tell what they are, or are not what the test needs.
            ModelFailure: the model raised.
        """
        parts = JoinedOutputs(table.size)
        shape: tuple[int, ...] | None = None
        names: tuple[Any, ...] | None = None
        for start in range(0, table.size, BATCH_ROWS):
            stop = min(start + BATCH_ROWS, table.size)
            rows = table.native(start, stop)
            self.calls += 1
            try:
                given = self._call(rows)
            except Exception as error:
                raise ModelFailure(error) from error
            part, columns = output_array(given, stop - start)
            if shape is not None and (part.shape[1:] != shape or columns != names):
                raise DataError.of("bad_output", "the model gave other columns for other rows", path="model")
            parts.add(part)
            shape, names = part.shape[1:], columns
        return self._read(parts.joined(), names)

    def _read(self, array: NDArray[Any], names: tuple[Any, ...] | None) -> Outputs:
        if array.ndim == 2:
            return self._of_distributions(array, names)
        if self._probabilities:
            raise DataError.of("bad_output", "predict_proba gave one number for each row", path="model")
        kind = self._kind_of(array)
        if kind == "labels":
            labels = labels_of(array)
            self._check_kind("labels")
            return Outputs("labels", labels)
        self._check_kind("numbers")
        return Outputs("numbers", numbers_of(array))

    def _check_kind(self, kind: OutputKind) -> None:
        refused = outputs_problem(self._wanted, self._label, kind, probabilities=False)
        if refused is not None:
            raise refused

    def _of_distributions(self, array: NDArray[Any], names: tuple[Any, ...] | None) -> Outputs:
        import numpy as np

        if self._task == "regression":
            message = f"the model gives {array.shape[1]} numbers for each row"
            raise _refused(message, "wrap it so that it gives one of them", path="model")
        classes = self._classes if self._classes is not None else None if names is None else _checked_classes(names)
        if classes is None:
            message = f"the model gives {array.shape[1]} numbers for each row and has no classes_"
            raise _refused(message, "name the classes in the order of the columns: classes=[…]", path="classes")
        if len(classes) != array.shape[1]:
            message = (
                f"there are {len(classes)} classes ({_listed(classes)}), and the model gives {array.shape[1]} columns"
            )
            raise _refused(message, "name the classes in the order of the columns: classes=[…]", path="classes")
        table = probabilities_of(array)
        wants_labels = self._wanted == "labels" or (self._wanted == "either" and self._label is None)
        if not wants_labels:
            if self._label is None:
                message = "the model is a classifier, and no mean is ever taken over class indices"
                hint = f"name the class whose probability is meant: label= one of {_listed(classes)}"
                raise _refused(message, hint, path="label")
            return Outputs("numbers", table[:, self._position(classes)])
        if self._label is not None:
            self._position(classes)
        missing = np.isnan(table[:, 0])
        # The first of the most probable; of two classes without looking for it row by row.
        two = table.shape[1] == 2
        selected = (table[:, 1] > table[:, 0]).astype(np.intp) if two else np.argmax(table, axis=1)
        named = _label_array(classes)
        if not missing.any():
            return Outputs("labels", named.take(selected))
        labels = named.astype(object)[selected]
        labels[missing] = None
        return Outputs("labels", labels)

    def _kind_of(self, array: NDArray[Any]) -> OutputKind:
        """Whether outputs of one dimension are labels or numbers."""
        if self._task is not None:
            return "labels" if self._task == "classification" else "numbers"
        if self._classifies or array.dtype.kind in "Ub":
            return "labels"
        # Whatever else it is, whoever reads it as numbers says what is wrong.
        if array.dtype.kind not in "iuO":
            return "numbers"
        given = array.tolist() if array.dtype.kind == "O" else [0]
        kinds = {type(_plain(value)) for value in given if not is_missing(value)}
        if kinds & {str, bool}:
            return "labels"
        if kinds - {int}:
            return "numbers"
        if not kinds:
            # All are missing, whatever they would be.
            return "labels" if self._wanted == "labels" else "numbers"
        message = "the model gives whole numbers, which may be labels or amounts"
        raise _refused(message, "say task='classification' or task='regression'", path="task")

    def alike(self, before: Outputs, after: Outputs) -> tuple[Outputs, Outputs]:
        """Outputs of which one could be told only by the other, since all of it is missing.

        Raises:
            DataError: the model gives labels for some rows and numbers for others.
        """
        import numpy as np

        for place, (one, other) in enumerate(((before, after), (after, before))):
            if one.kind == "numbers" and np.isnan(one.values).all():
                labels = np.full(len(one.values), None, dtype=object)
                filled = Outputs("labels", labels)
                return (filled, other) if place == 0 else (other, filled)
        message = "the model gives labels for some rows and numbers for others"
        raise DataError.of("bad_output", message, path="model", hint="say task='classification' or 'regression'")

    def check_label(self, *outputs: NDArray[Any]) -> None:
        """Refuse a label that a model without ``classes_`` never gives; such a test could not but fail.

        Raises:
            UsageError: no output is that label.
        """
        if self._classes is not None or self._label is None:
            return
        seen: dict[Any, None] = {}
        for labels in outputs:
            for value in labels.tolist():
                if value is not None:
                    seen.setdefault(value)
        if seen and not any(same_label(value, self._label) for value in seen):
            raise _no_class(self._label, tuple(seen), "the model never gives it: name its classes by classes=[…]")

    def _position(self, classes: tuple[Any, ...]) -> int:
        for place, value in enumerate(classes):
            if type(value) is type(self._label) and same_label(value, self._label):
                return place
        for place, value in enumerate(classes):
            if not isinstance(value, str) and not isinstance(self._label, str) and same_label(value, self._label):
                return place
        raise _no_class(self._label, classes, None)


def outputs_problem(wanted: Wanted, label: Any, kind: OutputKind, *, probabilities: bool) -> UsageError | None:
    """Why outputs of a kind are not what a test needs; None if they are. A stored test is held to the same.

    Args:
        wanted: by the test.
        label: the class that the test names; None for none.
        kind: of the outputs.
        probabilities: whether numbers are, or may be, the probability of a class.
    """
    if kind == "labels":
        if wanted == "labels" or (wanted == "either" and label is None):
            return None
        hint = "give a model with predict_proba and name label=, or use method='mcnemar'"
        if wanted == "either":
            hint = "leave label out, or give a model with predict_proba"
        return _refused("the model gives labels only, and no mean is ever taken over class indices", hint)
    if wanted == "labels":
        hint = "say task='classification' if these numbers are labels"
        return _refused("the model gives numbers, and this test needs labels", hint)
    if label is not None and not probabilities:
        message = f"label={label!r} names a class, and the model gives one number for each row"
        return _refused(message, "leave label out, or give a model with predict_proba", path="label")
    return None


def _no_class(label: Any, classes: tuple[Any, ...], why: str | None) -> UsageError:
    alike = next((value for value in classes if str(value) == str(label)), None)
    hint = why
    if alike is not None:
        hint = f"the class {alike!r} is of type {type_name(alike)}, and the label of type {type_name(label)}"
    message = f"the label {label!r} is no class of the model; its classes are {_listed(classes)}"
    return UsageError.of("unknown_label", message, path="label", hint=hint)


def _checked_classes(given: Any) -> tuple[Any, ...]:
    values = given.tolist() if hasattr(given, "tolist") else list(given) if not isinstance(given, str) else [given]
    classes = tuple(_plain(value) for value in values)
    if not classes or any(isinstance(value, list | dict | tuple) for value in classes):
        raise _refused("classes are a list of labels", "a model with several outputs needs a function", path="classes")
    twice = next(
        (value for place, value in enumerate(classes) if any(same_label(value, each) for each in classes[:place])), None
    )
    if twice is not None:
        raise _refused(f"the class {twice!r} is there twice", "name each class once", path="classes")
    return classes


def _label_array(classes: tuple[Any, ...]) -> NDArray[Any]:
    """Classes as an array that is fast to compare where they are of one kind."""
    import numpy as np

    kinds = set(map(type, classes))
    if kinds in ({int}, {bool}) or (kinds == {str} and not any("\0" in label for label in classes)):
        labels = np.array(classes)
        if labels.dtype.kind in "iubU":
            return labels
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def _listed(classes: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, classes[:_MAX_NAMED])) + (", …" if len(classes) > _MAX_NAMED else "")


def _method(model: Any, name: str) -> Callable[[Any], Any] | None:
    method = getattr(model, name, None)
    return method if callable(method) else None


def model_name(model: Any) -> str:
    """What a model calls itself: the name of a function, or of its class."""
    named = getattr(model, "__qualname__", None)
    return named if isinstance(named, str) and named else type_name(model)


def _refused(message: str, hint: str, path: str = "model") -> UsageError:
    return UsageError.of("bad_model", message, path=path, hint=hint)
