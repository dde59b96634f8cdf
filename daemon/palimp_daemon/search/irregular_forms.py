"""Map irregular forms and developers' abbreviations, which no stemmer unifies: `chose` to `choose`, `db` to `database`.

Forms that are words of their own (found, left, app, test) are left out.
"""

from typing import Final

_FORMS: Final = """
    arise arose arisen|awake awoke awoken|become became|begin began begun|bend bent|bind bound|bite bit bitten
    |bleed bled|blow blew blown|break broke broken|bring brought|build built|burn burnt|buy bought|catch caught
    |choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
    |drive drove driven|eat ate eaten|fall fell fallen|feed fed|fight fought|fly flew flown|forbid forbade forbidden
    |forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|give gave given|go went gone
    |grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid|lean leant
    |leap leapt|learn learnt|lend lent|lose lost|make made|meet met|pay paid|prove proven|ride rode ridden
    |ring rang rung|rise risen|run ran|say said|see seen|seek sought|sell sold|send sent|shake shook shaken
    |shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
    |slide slid|speak spoke spoken|speed sped|spend spent|spin spun|stand stood|steal stole stolen|stick stuck
    |strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught
    |tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
    |win won|write wrote written
    |child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|wife wives|leaf leaves
    |index indices|matrix matrices|vertex vertices|bad worse worst
    |configuration config configs|database db dbs|dependency dep deps|documentation docs
    |email mail mails|environment env envs|javascript js|kubernetes k8s|postgres postgresql pg|production prod
    |repository repo repos|typescript ts
    |accessibility a11y|authentication auth a12n|authorization authorisation a11n|canonicalization canonicalisation c14n
    |globalization globalisation g11n|internationalization internationalisation i18n|interoperability i14y
    |localizability l12y|localization localisation l10n|modularization modularisation m12n
    |multilingualization multilingualisation m17n|normalization normalisation n11n|observability o11y
    |personalization personalisation p13n|serialization serialisation s11n|translation t9n
    |virtualization virtualisation v12n
"""


def _base_forms() -> dict[str, str]:
    families = [family.split() for family in _FORMS.split("|")]
    return {form: base for base, *forms in families for form in forms}


BASE_FORMS: Final = _base_forms()
"""Irregular and short forms with their base or long form, in lower case."""


def base_form(word: str) -> str:
    """Return the base or long form of the lower-case *word*, itself if regular."""
    return BASE_FORMS.get(word, word)
