"""Random secrets of every kind, each in every form it is said in, and each vendor's form."""

from __future__ import annotations

import pytest

from tests.canaries import FORMS, KEYS, VENDOR_FORMS, Canary, Form, filled, forms_of, found_in, seeded
from twofold.memory.jsontypes import Json
from twofold.memory.redaction import KINDS, Redactor

MASK = Redactor.of({"iban": "mask"})
CASES = [(kind, number) for kind, forms in FORMS.items() for number in range(len(forms))]


def test_every_kind_has_a_form_and_a_key() -> None:
    assert set(FORMS) == set(KEYS) == set(KINDS)


@pytest.mark.parametrize(("kind", "number"), CASES)
def test_a_secret_is_found_in_each_form_and_masked_dropped_or_kept(kind: str, number: int) -> None:
    form: Form = FORMS[kind][number]
    rng = seeded(f"{kind}{number}")
    for _ in range(40):
        canary = form(rng)
        masked = MASK.text(canary.text)
        assert f"[redacted: {kind}]" in masked
        assert canary.secret not in masked
        dropped = Redactor.of({kind: "drop"}).text(canary.text)
        assert canary.secret not in dropped
        assert f"[redacted: {kind}]" not in dropped
        assert canary.secret in Redactor(kept=frozenset(KINDS)).text(canary.text)


@pytest.mark.parametrize("form", VENDOR_FORMS)
def test_the_token_of_a_vendor_is_told_by_its_form(form: str) -> None:
    rng = seeded(form)
    for _ in range(20):
        token = filled(form, rng)
        assert MASK.text(f"see {token} there") == "see [redacted: api key] there"


@pytest.mark.parametrize(("kind", "key"), KEYS.items())
def test_what_stands_under_the_key_of_a_kind_is_masked_dropped_or_kept(kind: str, key: str) -> None:
    value: Json = {"a": [{key: "12345678", "b": 1}]}
    assert MASK.json(value) == {"a": [{key: f"[redacted: {kind}]", "b": 1}]}
    assert Redactor.of({kind: "drop"}).json(value) == {"a": [{"b": 1}]}
    assert Redactor(kept=frozenset(KINDS)).json(value) == value


def test_a_canary_is_found_in_each_form_a_dump_may_hold_it_in() -> None:
    canary = Canary("password", "", 'a"b/ü c9')
    for form in forms_of(canary.secret):
        assert found_in(b"x" + form + b"y", {"here": canary})
    assert found_in(b"nothing", {"here": canary}) == {}
