"""Words of protected items: English number words, months, and negations."""

from __future__ import annotations

from typing import Final


def words_of(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


def _table(*lines: str) -> dict[str, str]:
    """Words with what they say, from lines of one meaning and its words."""
    return {word: meaning for meaning, *words in map(words_of, lines) for word in words}


def _themselves(words: str) -> dict[str, str]:
    return {word: word for word in words.split()}


UNITS_OF_ONE: Final = {
    word: number
    for number, word in enumerate(
        words_of(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
TENS: Final = {
    word: 10 * number
    for number, word in enumerate(words_of("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
# Powers of ten.
SCALES: Final = {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
NUMBER_WORDS: Final = frozenset((*UNITS_OF_ONE, *TENS, *SCALES))
# Words that are a number, or how often, without being part of a longer one.
LONE_NUMBERS: Final = {
    **_table("12 dozen", "0.5 half", "2 both", "0 nil nought"),
    **_themselves("once twice thrice double triple halves quarter quarters"),
    **_themselves("dozens hundreds thousands millions billions trillions"),
}
ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        words_of(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        start=1,
    )
} | _table(
    *("30 thirtieth", "40 fortieth", "50 fiftieth", "60 sixtieth", "70 seventieth", "80 eightieth", "90 ninetieth"),
    *("100 hundredth", "1000 thousandth", "1000000 millionth"),
)
FRACTION_PARTS: Final = _table(
    *("3 thirds", "4 fourths", "5 fifths", "6 sixths", "7 sevenths", "8 eighths", "9 ninths", "10 tenths"),
    *("100 hundredths", "1000 thousandths"),
)
SIGN_WORDS: Final = {"minus": "-", "negative": "-", "plus": "", "positive": ""}

MONTHS: Final = {
    name: f"{number:02d}"
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio januari janeiro",
            "february feb februar février febrero febbraio februari fevereiro",
            "march mar märz mars marzo maart março",
            "april apr avril abril aprile",
            "may mai mayo maggio mei maio",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre diciembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}

_AUXILIARIES: Final = words_of(
    "ai am are ca could dare did do does had has have is may might must need ought sha should was were wo would"
)
# A negation, and what it says. Words of other languages are here only where they mean nothing else in English.
NEGATIONS: Final = {
    **_table("not not cannot", "nicht nicht", "kein kein keine keinen keinem keiner keines"),
    **{f"{word}n't": "not" for word in _AUXILIARIES},
    # The apostrophe is what is most often left out.
    **{f"{word}nt": "not" for word in _AUXILIARIES},
    **_themselves("no never none without neither nor nobody nothing nowhere"),
    **_themselves("niemals niemand nirgends ohne weder jamais aucun aucune nunca ningún ninguna tampoco nessuno senza"),
    **_themselves("niet geen nooit não inte aldrig ikke aldri не нет никогда без değil لا ليس"),
}
