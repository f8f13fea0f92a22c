"""The labels in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robust.canon import RandomStream
from robust.records.label_styles import alias_forms, collision, styled
from robust.records.presentation import presentation_of
from robust.records.properties import LabelFormat
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps
from robust.transforms.texts import text_at


class LabelFormatTransformation:
    """Shows the labels in the configured styles and aliases, in the contract's order.

    A step is ``{"label": ..., "shown": ...}``. A form that shows two labels alike is never used, and neither are two
    forms that show the same.
    """

    def __init__(self, settings: LabelFormat, labels: Sequence[str]) -> None:
        self._samples = settings.samples
        self._labels = tuple(labels)
        forms = [
            *(tuple(styled(label, style, n) for n, label in enumerate(self._labels)) for style in settings.styles),
            *alias_forms(self._labels, settings.aliases),
        ]
        changed = [form for form in forms if form != self._labels and collision(self._labels, form) is None]
        self._forms = list(dict.fromkeys(changed))
        self._made = {form: (self._steps(form), self._presentation(form)) for form in self._forms}

    def _steps(self, form: Sequence[str]) -> Steps:
        pairs = zip(self._labels, form, strict=True)
        return tuple({"label": label, "shown": shown} for label, shown in pairs if label != shown)

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:
        """See :class:`Transformation`."""
        if not self._forms:
            return "no_other_form"
        chosen = stream.sample(self._forms, self._samples)
        return [Candidate(steps, shown, presentation) for steps, presentation in map(self._made.__getitem__, chosen)]

    def _presentation(self, form: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
        return presentation_of(list(zip(form, self._labels, strict=True)), self._labels)

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        forms = {label: label for label in self._labels}
        for step in steps:
            label, changed = text_at(step, "label"), text_at(step, "shown")
            if label not in forms or forms[label] != label or changed == label:
                raise StepError(f"{label!r} must be a label, shown otherwise, in one step")
            forms[label] = changed
        form = tuple(forms.values())
        if collision(self._labels, form) is not None:
            raise StepError("two labels are shown alike")
        if not any(self._partly(form, whole) for whole in self._forms):
            raise StepError("no style and no alias shows the labels so")
        return Candidate(steps, shown, self._presentation(form))

    def _partly(self, form: Sequence[str], whole: Sequence[str]) -> bool:
        """Whether each label is shown as the contract has it or as a whole form does."""
        return all(shown in (own, due) for own, shown, due in zip(self._labels, form, whole, strict=True))

    def smaller(self, steps: Steps) -> Iterator[Steps]:
        """The same form with one label less in it, unless two labels would be shown alike."""
        for index in range(len(steps) if len(steps) > 1 else 0):
            fewer = steps[:index] + steps[index + 1 :]
            forms = {step["label"]: step["shown"] for step in fewer}
            if collision(self._labels, [forms.get(label, label) for label in self._labels]) is None:
                yield fewer
