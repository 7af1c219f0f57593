"""Payment card numbers told from document numbers, accounts and IBANs."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Issuer prefixes with the lengths in use. (Visa's old 13 digits would take in bar codes.)
_ISSUERS = (
    (re.compile(r"4"), (16, 19)),  # Visa
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),  # Mastercard
    (re.compile(r"3[47]"), (15,)),  # American Express
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),  # Discover
    (re.compile(r"30[0-5]|36|38"), (14,)),  # Diners Club
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),  # JCB
    (re.compile(r"62"), (16, 19)),  # UnionPay
    (re.compile(r"220[0-4]"), (16,)),  # Mir
    (re.compile(r"5018|5020|5038|5893|6304|6759|676[1-3]"), (16,)),  # Maestro
)
_IBAN_SO_FAR = re.compile(r"(?:^|[^\w])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){0,5} ?$")
_SPEAKS_OF_CARDS = re.compile(
    r"(?i)(?<!redacted: )card|visa(?!\w)|amex|american express|maestro|diners|discover(?!\w)|jcb|union ?pay"
    r"|cv[vc]|expir|exp[ .:_]|valid thru|karte|kredit|carte|tarjeta|carta|(?<!\w)pan(?!\w)|(?<!\w)cc(?!\w)"
)
_SPEAKS_OF_LISTS = re.compile(
    r"(?i)(?<!\w)(?:g/?l|gls|ledger|accounts|konten|doc(?:ument)?s?|belege?|invoices?|orders?|po|assets?|anlagen?"
    r"|ref(?:erence)?|cost cent(?:er|re)s?|materials?|deliver(?:y|ies)|vouchers?|journals?|shipments?"
    r"|serial|ean|gtin|sscc)(?!\w)[^.;\n]{0,40}$"
)
_EXPIRES = re.compile(r"[\s,;|/]{1,3}(?:0[1-9]|1[0-2])\s?/\s?(?:20)?\d\d(?!\d)")
_LONE = re.compile(r"\s*\d{14,19}\s*")
_BEFORE, _AFTER = 64, 32
_SHORT = 40


def is_card_number(found: re.Match[str]) -> bool:
    """Whether `secret` is a card number: issuer, length, Luhn digit, and something that speaks for a card.

    That is a word around it, a date of expiry behind it, or the gaps a card has, where no list of accounts or
    documents is announced. One document number in ten has a right Luhn digit by chance.
    """
    start, end = found.span("secret")
    if not is_issued(found["secret"]):
        return False
    before = found.string[max(0, start - _BEFORE) : start]
    if _IBAN_SO_FAR.search(before):
        return False
    # With its place in the text, so that what stands before is seen: a placeholder does not speak for a card.
    around = ((max(0, start - _BEFORE), start), (end, end + _AFTER))
    if any(_SPEAKS_OF_CARDS.search(found.string, *place) for place in around):
        return True
    grouped = not found["secret"].isdigit()
    return bool(_EXPIRES.match(found.string, end)) or (grouped and not _SPEAKS_OF_LISTS.search(before))


def is_issued(number: str) -> bool:
    """Whether an issuer's prefix, a length it uses and the Luhn digit are right."""
    digits = re.sub(r"\D", "", number)
    return any(len(digits) in lengths and prefix.match(digits) for prefix, lengths in _ISSUERS) and _has_luhn(digits)


def is_lone_card(value: object) -> bool:
    """Whether a value is nothing but such a number, as a text or as an integer."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    text = str(value) if isinstance(value, str) or 10**13 <= value < 10**19 else ""
    return _LONE.fullmatch(text) is not None and is_issued(text)


def names_a_card(name: str) -> bool:
    """Whether a key speaks of cards, as in `credit_cards`."""
    return _SPEAKS_OF_CARDS.search(name[:_SHORT].replace("_", " ")) is not None


def speaks_of_cards(value: Mapping[str, object]) -> bool:
    """Whether a key, or a short text beside it, speaks of cards."""
    said = (item for item in value.values() if isinstance(item, str) and len(item) < _SHORT)
    return any(map(names_a_card, value)) or any(map(names_a_card, said))


def _has_luhn(digits: str) -> bool:
    weighted = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits), start=1))
    return sum(sum(divmod(number, 10)) for number in weighted) % 10 == 0
