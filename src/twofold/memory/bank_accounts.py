"""International bank account numbers told by country, length and check digits."""

from __future__ import annotations

import re

# Length of the IBANs of each country, as the SWIFT registry has them.
_LENGTHS = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD FK",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_COUNTRY = 2

IBAN = "|".join(
    rf"(?:{'|'.join(countries.split())})\d\d(?:[ \u00a0-]?[A-Z0-9]){{{length - 4}}}(?![A-Z0-9])"
    for length, countries in _LENGTHS.items()
)
"""An IBAN with or without gaps, in capitals or not (with the flag); its check digits are still to be looked at."""


def is_iban(found: re.Match[str]) -> bool:
    """Whether the check digits of `secret` are right."""
    compact = re.sub(r"[^A-Za-z0-9]", "", found["secret"]).upper()
    moved = compact[2 * _COUNTRY :] + compact[: 2 * _COUNTRY]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1
