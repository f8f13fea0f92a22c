"""Words and phrases by which a label refers to its position or to the other labels: English, German, French, Spanish.

They are written without accents and compared so; what is between the words, hyphens and apostrophes included, counts
as a space.
"""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = (
    *("of the above", "of the below", "of the following", "of the preceding", "of the previous", "of the foregoing"),
    *("of these", "of those", "of them", "of the others", "of the two", "of the listed"),
    *(
        "of the options",
        "of the answers",
        "of the choices",
        "of the alternatives",
        "of the labels",
        "of the statements",
    ),
    *("the above", "the below", "the former", "the latter", "the preceding", "the foregoing", "the previous one"),
    *(
        "all above",
        "none above",
        "both above",
        "any above",
        "all below",
        "none below",
        "the one above",
        "the one below",
    ),
    *("option above", "options above", "answer above", "answers above", "above options", "above answers"),
    *("option below", "options below", "answer below", "answers below", "previous option", "previous answer"),
    *("preceding option", "preceding answer", "next option", "next answer", "following option", "following options"),
    *(
        "listed above",
        "listed below",
        "mentioned above",
        "stated above",
        "as above",
        "as below",
        "see above",
        "see below",
    ),
    *("all options", "all answers", "any option", "any answer", "both options", "both answers", "both statements"),
    *("neither option", "neither answer", "neither statement", "either option", "either answer", "either statement"),
    *("top option", "bottom option", "middle option", "top one", "bottom one", "middle one", "ditto"),
    *("none of the other", "any of the other", "the one before", "option before", "answer before", "the one after"),
)
_GERMAN: Final = (
    *("der oben", "den oben", "die oben", "der unten", "den unten", "oben genannt", "oben genannte", "oben genannten"),
    *("oben genanntes", "obengenannte", "obengenannten", "obige", "obigen", "obiges", "wie oben", "siehe oben"),
    *("siehe unten", "der folgenden", "der nachfolgenden", "der nachstehenden", "der vorstehenden", "der vorherigen"),
    *("der vorhergehenden", "der vorigen", "der genannten", "der aufgefuhrten", "alle genannten", "alles genannte"),
    *("der antworten", "der optionen", "der moglichkeiten", "der moeglichkeiten", "der aussagen", "der alternativen"),
    *("dieser antworten", "dieser optionen", "dieser moglichkeiten", "dieser moeglichkeiten", "dieser aussagen"),
    *("dieser alternativen", "keine der anderen", "keiner der anderen", "keines der anderen", "von diesen"),
    *("keine davon", "keiner davon", "keines davon", "keins davon", "nichts davon", "alle davon", "alles davon"),
    *("beide davon", "beides davon", "eine davon", "einer davon", "eines davon", "eins davon", "mehrere davon"),
    *("alle antworten", "alle optionen", "beide antworten", "beide optionen", "beide aussagen", "von beiden"),
    *("der beiden", "weder noch", "dito"),
)
_FRENCH: Final = (
    *("ci dessus", "ci dessous", "ci avant", "ci apres", "plus haut", "plus bas", "susmentionne", "susmentionnee"),
    *("susmentionnes", "susmentionnees", "de ces", "d entre eux", "d entre elles", "d entre ces", "parmi ces"),
    *("de ceux ci", "de celles ci", "celui ci", "celle ci", "ceux ci", "celles ci", "celui la", "celle la"),
    *("des deux", "tous les deux", "toutes les deux", "les deux options", "les deux reponses", "l un et l autre"),
    *("ni l un ni l autre", "ni l une ni l autre", "l un ou l autre", "l une ou l autre", "l une et l autre"),
    *("ce dernier", "cette derniere", "ces derniers", "ces dernieres", "qui precede", "qui precedent"),
    *("des options", "des reponses", "des choix", "des propositions", "des precedents", "des precedentes"),
    *("des suivants", "des suivantes", "aucun des autres", "aucune des autres", "ces reponses", "ces options"),
    *("ces propositions", "ces choix", "option precedente", "options precedentes", "reponse precedente"),
    *("reponses precedentes", "option suivante", "options suivantes", "reponse suivante", "reponses suivantes"),
    *("toutes les reponses", "toutes les options", "tous les choix", "idem"),
)
_SPANISH: Final = (
    *("las anteriores", "los anteriores", "lo anterior", "el anterior", "la anterior", "las siguientes"),
    *("los siguientes", "de arriba", "de abajo", "mas arriba", "mas abajo", "de estos", "de estas", "de esos"),
    *("de esas", "de ellos", "de ellas", "de los dos", "de las dos", "ni uno ni otro", "ni una ni otra"),
    *("ni lo uno ni lo otro", "uno u otro", "una u otra", "uno y otro", "una y otra", "este ultimo", "esta ultima"),
    *("estos ultimos", "estas ultimas", "de las opciones", "de las respuestas", "de las alternativas"),
    *("de los otros", "de las otras", "de los demas", "de las demas", "opcion anterior", "opciones anteriores"),
    *("respuesta anterior", "respuestas anteriores", "opcion siguiente", "respuesta siguiente", "todas las opciones"),
    *("todas las respuestas", "ambas opciones", "ambas respuestas", "antes mencionado", "antes mencionada"),
    *("antes mencionados", "antes mencionadas", "arriba mencionado", "arriba mencionada", "arriba mencionados"),
    *("arriba mencionadas", "mencionado anteriormente", "mencionada anteriormente", "mencionados anteriormente"),
    "mencionadas anteriormente",
)
# A label that has one of these, as whole words at any place, depends on its position or on the other labels.
POSITIONAL_PHRASES: Final[tuple[str, ...]] = (*_ENGLISH, *_GERMAN, *_FRENCH, *_SPANISH)

_ROMANCE_ORDINALS: Final = (
    *("premier", "premiere", "premiers", "premieres", "seconde", "deuxieme", "troisieme", "quatrieme", "cinquieme"),
    *("sixieme", "septieme", "huitieme", "neuvieme", "dixieme", "dernier", "derniere", "derniers", "dernieres"),
    *("primero", "primera", "primer", "segundo", "segunda", "tercero", "tercera", "tercer", "cuarto", "cuarta"),
    *("quinto", "quinta", "sexto", "sexta", "septimo", "septima", "octavo", "octava", "noveno", "novena"),
    *("decimo", "decima", "ultimo", "ultima", "ultimos", "ultimas"),
)
_GERMAN_STEMS: Final = (
    *("erste", "zweite", "dritte", "vierte", "funfte", "fuenfte", "sechste", "siebte", "achte", "neunte", "zehnte"),
    *("letzte", "vorletzte", "erstere", "letztere"),
)
# A label of nothing but these and the words below names a place.
ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("last", "penultimate", "former", "latter"),
    *(stem + ending for stem in _GERMAN_STEMS for ending in ("", "r", "s", "n", "m")),
    *_ROMANCE_ORDINALS,
)
# Where the noun comes first: the second answer, la réponse seconde.
ORDINALS_AFTER_NOUNS: Final = frozenset(_ROMANCE_ORDINALS)
# A label of nothing but these and the words below speaks of the others.
BOTH: Final = (
    *("both", "neither", "either", "beide", "beides", "beiden", "ambos", "ambas"),
    *("les deux", "los dos", "las dos"),
)
OPTION_NOUNS: Final = (
    *("option", "options", "answer", "answers", "choice", "choices", "alternative", "alternatives", "item", "items"),
    *("label", "labels", "number", "numbers", "statement", "statements", "response", "responses", "opt", "ans"),
    *("optionen", "antwort", "antworten", "auswahl", "alternativen", "moglichkeit", "moglichkeiten", "moeglichkeit"),
    *("moeglichkeiten", "aussage", "aussagen", "nummer", "nr", "reponse", "reponses", "choix", "proposition"),
    *("propositions", "numero", "numeros", "opcion", "opciones", "respuesta", "respuestas", "alternativa"),
    *("alternativas", "eleccion", "elecciones"),
)
CONNECTIVES: Final = (
    *("and", "or", "nor", "but", "except", "plus", "und", "oder", "noch", "sondern", "sowie", "ausser"),
    *("et", "ou", "ainsi", "que", "mais", "sauf", "pero", "salvo", "excepto", "y", "e", "o", "u"),
)
# Between letters a range of labels, between numerals one of numbers.
RANGES: Final = ("to", "through", "bis")
QUANTIFIERS: Final = (
    *("all", "none", "any", "only", "just", "not", "no", "neither", "either", "both", "one", "ones", "two", "three"),
    *("same", "as", "well"),
    *("alle", "alles", "keine", "keiner", "keines", "keins", "nur", "nicht", "weder", "sowohl", "als", "auch"),
    *("entweder", "zwei", "drei", "tous", "toutes", "tout", "aucun", "aucune", "ni", "seulement", "uniquement"),
    *("deux", "trois", "todos", "todas", "ninguno", "ninguna", "solo", "solamente", "unicamente", "tanto", "como"),
    *("dos", "tres"),
)
ASSERTIONS: Final = (
    *("is", "are", "correct", "right", "true", "wrong", "false", "incorrect", "apply", "applies"),
    *("ist", "sind", "richtig", "korrekt", "wahr", "falsch", "est", "sont", "correcte", "correctes", "corrects"),
    *("juste", "justes", "vrai", "vraie", "vrais", "vraies", "faux", "fausse", "fausses", "es", "son", "correcto"),
    *("correcta", "correctos", "correctas", "verdadero", "verdadera", "verdaderos", "verdaderas", "falso", "falsa"),
    *("falsos", "falsas"),
)
_ARTICLES: Final = (*("the", "der", "die", "das", "den", "dem", "le", "la", "les", "el", "los", "las", "lo"),)
# What stands around references without adding to them.
FRAME: Final = frozenset((*OPTION_NOUNS, *CONNECTIVES, *RANGES, *QUANTIFIERS, *ASSERTIONS, *_ARTICLES))
# What can follow a reference that is also a word: "answer a is right", but not "answer a call".
AFTER_REFERENCE: Final = frozenset((*CONNECTIVES, *ASSERTIONS))
