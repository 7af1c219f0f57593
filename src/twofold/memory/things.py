"""The identifiers in a fact that name a thing, and not how much of something: company 1000, but not 5 days."""

from __future__ import annotations

import re

from twofold.memory.spelling import plain_dashes

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


_VALUES = re.compile(
    r"(?:limit|threshold|budget|amount|price|rate|ceiling|cap|tolerance|materiality|minimum|maximum|discount|salary|fee"
    r"|límite|limite|plafond|seuil|montant|prix|taux|umbral|importe|monto|precio|tasa|presupuesto)s?"
    r"|\w*(?:grenzen?|limits?|beträge?|betrags?|schwellen?|schwellenwerte?|preise?|budgets?|sätze?|satz|toleranz|rabatt)"
)
_AMOUNTS = ("amount", "montant", "betrag", "beträg", "importe", "monto")
_THAN = frozenset("above over below exceeding exceeds than beyond ab über oberhalb unterhalb".split())
_IS = frozenset("is are was be now at ist sind war beträgt liegt bei lautet est es".split())
_TO = frozenset("to auf zu à a al".split())
_JOINS = (
    _IS | _THAN | _TO | frozenset("of von de and or und oder et ou y o up bis about around ca circa max only".split())
)
_CURRENCIES = frozenset("eur euro euros usd gbp chf jpy cad aud us$ dollar dollars".split())
_SENTENCE = 12
_END = re.compile(r"[.!?;\n]\s")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})|\d{1,2}/\d{1,2}/\d{4}")
_TIME = re.compile(r"\d{1,2}h\d{2}|\d{1,2}:\d{2}", re.IGNORECASE)
_PHONE = re.compile(
    r"(?:\b(?:tele)?(?:phone|fon)|\btel|\bmobile|\bcell|\bhandy|\bfax|\btéléphone|\bportable|\bteléfono|\bmóvil"
    r"|\brufnummer|\btelefonnummer|\bhandynummer|\bmobilnummer)\b\W{0,3}"
    r"(?:(?:number|nummer|nr|no|numéro|número|is|ist|lautet|est|es|of|the|user|s|now)\b\W{1,3}){0,6}"
    r"(\+?\(?\d[\d ()/.-]{4,24}\d)|(?<!\w)(\+\d[\d ()/.-]{6,24}\d)",
    re.IGNORECASE,
)


def things(text: str) -> frozenset[str]:
    """Return the identifiers in `text` that name a thing, case-folded.

    A token with letters and digits, an underscore, or digits joined by `-` or `/` names one. A number does after
    a word such as company, ledger, period, account or asset class, or with three digits or more where no unit
    or currency is near. Capitals do next to such a word (the US Primary Ledger), and are none by themselves
    (PDF, EUR). A value that another one replaces names none: what follows a limit, a price or a rate, a full date,
    a time of day, a phone number.
    """
    text = plain_dashes(text)
    phones = [found.span(found.lastindex or 0) for found in _PHONE.finditer(text)]
    tokens = [each for each in _TOKEN.finditer(text) if not any(a <= each.start() < b for a, b in phones)]
    words = [token[0].casefold() for token in tokens]
    found: set[str] = set()
    begin = end = 0
    for at, token in enumerate(tokens):
        gap, end = text[end : token.start()], token.end()
        begin = at if _END.search(gap) else max(begin, at - _SENTENCE)
        around = gap.strip(), text[end : end + _REACH].strip()
        before, behind = words[max(0, at - _REACH - 1) : at], words[at + 1 : at + 1 + _REACH]
        beside = _Beside(before, behind, words[begin:at], around, found)
        if beside.is_value(token[0]) or not _is_word(token[0]):
            continue
        parts = [part for part in _PART.split(token[0]) if _is_word(part)]
        if len(parts) > 1 and all(_names_alone(part, beside) for part in parts):
            found.update(part.casefold() for part in parts)
        elif _names(token[0], beside):
            found.add(token[0].casefold())
    return frozenset(found)


class _Beside:
    """What stands around a token."""

    def __init__(
        self, before: list[str], behind: list[str], sentence: list[str], around: tuple[str, str], found: set[str]
    ) -> None:
        self._sentence, self._found, self._is_set = sentence, found, around[0].endswith((":", "="))
        self._last = before[-1] if before else ""
        reach = [word for word in before if word not in _LINKS][-_REACH:]
        self.noun_before = any(word in _NOUNS for word in reach[-1:]) or any(word in found for word in reach[-1:])
        self.noun_near = any(word in _NOUNS for word in (*reach, *behind))
        self.is_quantity = (
            any(word in _UNITS for word in behind[:1])
            or around[0].endswith(_MONEY_BEFORE)
            or around[1].startswith(_MONEY_AFTER)
            or self._last in _CURRENCIES
        )

    def is_value(self, token: str) -> bool:
        """Return whether a token says how much or when of something that the words before it name."""
        if _DATE.fullmatch(token) or _TIME.fullmatch(token):
            return not self.noun_before
        if not _NUMBER.fullmatch(token):
            return False
        asked = [n for n, word in enumerate(self._sentence) if _VALUES.fullmatch(word)]
        if not asked:
            return self._last in _THAN and not self.noun_near
        noun, behind = self._sentence[asked[-1]], self._sentence[asked[-1] + 1 :]
        if self._last in _TO and noun.startswith(_AMOUNTS):
            return False
        if behind and self._last not in _JOINS | _IS | _THAN | _TO and not self._is_set:
            return False
        named = any(word in _NOUNS or word in self._found for word in behind)
        return not named or self._last in _IS or self._is_set


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)


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
