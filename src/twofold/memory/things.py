"""The identifiers in a fact that name a thing, and not how much of something: company 1000, but not 5 days."""

from __future__ import annotations

import re
from unicodedata import normalize

_TOKEN = re.compile(r"\w(?:[\w.,/-]{0,126}\w)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL = re.compile(r"\d{1,3}-?[a-z]{1,12}")
_PART = re.compile(r"[,/]+")
_MONEY_BEFORE, _MONEY_AFTER = tuple("$€£¥"), tuple("%$€£¥‰")
_SHORTEST = 3
_REACH = 2

_NOUNS = frozenset(
    """
    company companies code codes entity entities ledger ledgers period periods account accounts class classes book books
    center centers centre centres plant plants vendor vendors customer customers supplier suppliers asset assets order
    orders project projects segment segments fund funds invoice invoices document documents journal journals tenant
    client clients branch branches year number no id area chart variant form category categories
    buchungskreis buchungskreise buchungskreisen gesellschaft gesellschaften firma firmen hauptbuch periode perioden
    konto konten anlagenklasse anlagenklassen anlageklasse kostenstelle kostenstellen geschäftsjahr jahr werk werke
    lieferant lieferanten kunde kunden beleg belege rechnung rechnungen auftrag mandant mandanten nummer bereich
    société sociétés compte comptes période périodes classe classes livre livres centre exercice année fournisseur
    facture factures client empresa empresas sociedad sociedades cuenta cuentas período períodos periodo periodos clase
    clases libro libros centro ejercicio año proveedor cliente factura facturas
    """.split()
)
_UNITS = frozenset(
    """
    day days week weeks month months years hour hours minute minutes second seconds percent pct euro euros eur usd gbp
    chf jpy cad aud dollar dollars pound pounds k m million millions thousand billion mio tsd times lines rows pages
    items copies decimals digits places people users tage tagen tag woche wochen monat monate monaten jahre jahren
    stunde stunden minuten prozent mal zeilen seiten stellen jour jours semaine semaines mois ans heure heures lignes
    día días semana semanas mes meses años hora horas minutos veces líneas
    """.split()
)
_LINKS = frozenset("and or & to und oder bis et ou y o e of the is are was ist sind est es".split())


def things(text: str) -> frozenset[str]:
    """Return the identifiers in `text` that name a thing, case-folded.

    A token with letters and digits, an underscore, or digits joined by `-` or `/` names one. A number does after
    a word such as company, ledger, period, account or asset class, or with three digits or more where no unit
    or currency is near. Capitals do next to such a word (the US Primary Ledger), and are none by themselves
    (PDF, EUR).
    """
    text = normalize("NFKC", text)
    tokens = list(_TOKEN.finditer(text))
    words = [token[0].casefold() for token in tokens]
    found: set[str] = set()
    for at, token in enumerate(tokens):
        beside = _Beside(words, at, text[: token.start()].rstrip(), text[token.end() :].lstrip(), found)
        parts = [part for part in _PART.split(token[0]) if part]
        if len(parts) > 1 and all(_names_alone(part, beside) for part in parts):
            found.update(part.casefold() for part in parts)
        elif _names(token[0], beside):
            found.add(token[0].casefold())
    return frozenset(found)


class _Beside:
    """What stands around a token."""

    def __init__(self, words: list[str], at: int, before: str, after: str, found: set[str]) -> None:
        self.follows = words[at + 1] if at + 1 < len(words) else ""
        reach = [word for word in words[max(0, at - _REACH - 1) : at] if word not in _LINKS][-_REACH:]
        self.noun_before = any(word in _NOUNS for word in reach[-1:]) or any(word in found for word in reach[-1:])
        self.noun_near = any(word in _NOUNS for word in (*reach, *words[at + 1 : at + 1 + _REACH]))
        self.is_quantity = self.follows in _UNITS or before.endswith(_MONEY_BEFORE) or after.startswith(_MONEY_AFTER)


def _names(token: str, beside: _Beside) -> bool:
    if _NUMBER.fullmatch(token):
        if beside.is_quantity:
            return False
        return beside.noun_before or _names_alone(token, beside)
    if any(character.isdigit() for character in token):
        return beside.noun_before or not _SMALL.fullmatch(token)
    if "_" in token:
        return True
    return len(token) > 1 and token.isalpha() and token.isupper() and beside.noun_near


def _names_alone(token: str, beside: _Beside) -> bool:
    if _NUMBER.fullmatch(token):
        return token.isdigit() and len(token) >= _SHORTEST and not beside.is_quantity
    digits = any(character.isdigit() for character in token)
    return (digits or "_" in token) and not _SMALL.fullmatch(token)
