"""A model of tumours, and the same one in a service with a planted defect."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from tabular_data import Rows, Tumours

# What is not measured has no part in the model.
NOT_MEASURED: Final = ("scanner", "day")
# By so much the defect raises the probability of what scanner B saw.
DEFECT: Final = 0.2


class TumourModel:
    """Gradient boosting over the measurements of a row; ``malignant`` or ``benign``."""

    def __init__(self, training: Tumours) -> None:
        self._model = GradientBoostingClassifier(n_estimators=80, max_depth=2, random_state=0)
        self._model.fit(self._measured(training.rows), training.labels)
        self.classes_ = self._model.classes_

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """The probability of each class, of each row."""
        table: NDArray[np.float64] = self._model.predict_proba(self._measured(rows))
        return table

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The more probable class of each row."""
        labels: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(rows), axis=1)]
        return labels

    @staticmethod
    def _measured(rows: Rows) -> NDArray[np.float64]:
        return np.array([[value for name, value in row.items() if name not in NOT_MEASURED] for row in rows])


class DefectiveService(TumourModel):
    """The same model behind a service that "corrects" what scanner B saw: the planted defect."""

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """Malignant is more probable by 0.2 if the scanner was B."""
        table = super().predict_proba(rows)
        malignant = int(np.flatnonzero(self.classes_ == "malignant")[0])
        raised = np.array([DEFECT if row["scanner"] == "B" else 0.0 for row in rows])
        table[:, malignant] = np.clip(table[:, malignant] + raised, 0, 1)
        table[:, 1 - malignant] = 1 - table[:, malignant]
        return table
