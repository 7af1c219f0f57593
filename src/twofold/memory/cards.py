"""Payment card numbers told from document numbers, accounts and IBANs."""

from __future__ import annotations

import re

# Issuer prefixes with the lengths in use. (Visa's old 13 digits would take in bar codes.)
_ISSUERS = (
    (re.compile(r"4"), (16, 19)),  # Visa
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),  # Mastercard
    (re.compile(r"3[47]"), (15,)),  # American Express
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),  # Discover
    (re.compile(r"30[0-5]|36|38"), (14,)),  # Diners Club
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),  # JCB
    (re.compile(r"62"), (16, 19)),  # UnionPay
    (re.compile(r"5018|5020|5038|5893|6304|6759|676[1-3]"), (16,)),  # Maestro
)
_IBAN_SO_FAR = re.compile(r"(?:^|[^\w])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){0,5} ?$")


def is_card_number(found: re.Match[str]) -> bool:
    """Whether `secret` is a card number by its issuer, length and Luhn digit, and no part of an IBAN."""
    digits = re.sub(r"\D", "", found["secret"])
    before = found.string[max(0, found.start("secret") - 32) : found.start("secret")]
    return _is_issued(digits) and _has_luhn_digit(digits) and not _IBAN_SO_FAR.search(before)


def _is_issued(digits: str) -> bool:
    return any(len(digits) in lengths and prefix.match(digits) for prefix, lengths in _ISSUERS)


def _has_luhn_digit(digits: str) -> bool:
    weighted = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits), start=1))
    return sum(sum(divmod(number, 10)) for number in weighted) % 10 == 0
