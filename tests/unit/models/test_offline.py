"""The offline rules, sentence by sentence: what is a fact, what corrects one, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.samples import known, said, turn
from twofold.memory.memories import FactChange
from twofold.memory.redaction import Redactor
from twofold.models.offline import OfflineFactExtractor

US = "The user works with the US Primary Ledger."
EU = "The user works with the EU Primary Ledger."


async def changes(*texts: str, facts: tuple[str, ...] = ()) -> list[FactChange]:
    return list(await OfflineFactExtractor().extract(said(*texts), known(*facts)))


async def added(*texts: str) -> list[str]:
    return [change.text for change in await changes(*texts) if change.action == "ADD"]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        # preferences
        ("I prefer concise answers.", "The user prefers concise answers."),
        ("i prefer pdf", "The user prefers pdf."),
        ("I like reports in PDF", "The user likes reports in PDF."),
        ("I don't like long reports.", "The user does not like long reports."),
        ("Hi, thanks! I prefer tables over prose", "The user prefers tables over prose."),
        ("I like it when you show me totals" + "", None),
        # habits and instructions
        ("I always close by Friday", "The user always closes by Friday."),
        ("We never post before the 5th.", "The user's team never posts before the 5th."),
        ("Please always show amounts in EUR.", "The user wants the agent to always show amounts in EUR."),
        ("never post without my approval", "The user wants the agent never to post without their approval."),
        ("Don't ever post without approval", "The user wants the agent never to post without approval."),
        ("You should always ask me first", "The user wants the agent to always ask them first."),
        ("From now on, send reports on Mondays", "The user wants the agent to send reports on Mondays."),
        # remember
        ("Remember that our auditors come in May.", "The user's auditors come in May."),
        ("Please remember: my cost centre is 4711", "The user works with cost centre 4711."),
        ("Remember to attach the trial balance", "The user wants the agent to attach the trial balance."),
        (
            "Keep in mind that invoices over 10,000 EUR need two approvals.",
            "Invoices over 10,000 EUR need two approvals.",
        ),
        # who they are
        ("I am responsible for company 1010.", "The user is responsible for company 1010."),
        ("I'm the controller of ACME Germany", "The user is the controller of ACME Germany."),
        ("I’m in charge of fixed assets for the UK", "The user is in charge of fixed assets for the UK."),
        ("My name is Anna", "The user's name is Anna."),
        # slots
        ("I work with the US Primary Ledger.", US),
        (
            "I work with the US Primary Ledger and prefer tables.",
            "The user works with the US Primary Ledger and prefers tables.",
        ),
        ("My ledger is US_PRIMARY", "The user works with the US_PRIMARY ledger."),
        ("I usually work with cost center 4711", "The user usually works with cost center 4711."),
        ("Our asset book is CORP", "The user works with the CORP asset book."),
        ("my company code is DE01", "The user works with company code DE01."),
        ("Our currency is EUR.", "The user's currency is EUR."),
        ("Our fiscal year starts in April", "The user's fiscal year starts in April."),
        ("My approver is Anna Meier.", "The user's approver is Anna Meier."),
        ("Anna Meier is my approver", "The user's approver is Anna Meier."),
        ("my period is monthly", "The user's period is monthly."),
        ("My report format is PDF", "The user's report format is PDF."),
        ("We close on the third working day.", "The user's team closes on the third working day."),
        ("I use the US Primary Ledger for transfers.", "The user uses the US Primary Ledger for transfers."),
    ],
)
async def test_an_explicit_statement_is_told_in_the_third_person(text: str, fact: str | None) -> None:
    assert await added(text) == ([fact] if fact else [])


@pytest.mark.parametrize(
    "text",
    [
        "Close March now",
        "Please close the US Primary Ledger for company 1010.",
        "use company 1010",
        "Use company 1010 this time",
        "Which ledger should I use?",
        "Is my ledger the US Primary",
        "I prefer PDF, don't I?",
        "Do I always need an approval",
        "I need company 1010 closed",
        "I closed company 1010",
        "I am closing company 1010",
        "I am ready",
        "I'm a bit tired",
        "I think my ledger is EU",
        "If I say stop, always stop",
        "Maybe I prefer PDF",
        "My report is not ready",
        "My period is closed",
        "My question is why it failed",
        "My problem is the ledger",
        "Today I work with company 1010",
        "I work with company 1010 today",
        "My ledger is EU_PRIMARY for now",
        "No, use company 1010 this time",
        "Can you check whether it fits, my ledger is EU_PRIMARY",
        "If it is March, my ledger is EU_PRIMARY",
        "And if I am away, my approver is Ben",
        "This month my ledger is EU_PRIMARY",
        "I like it",
        "I prefer the first option",
        "Never mind",
        "forget it",
        "Forget everything",
        "Remember this",
        "Thanks, that works!",
        "",
        "...",
        "He said: I prefer PDF",
    ],
)
async def test_what_does_not_last_or_is_not_said_of_the_user_is_no_fact(text: str) -> None:
    assert await changes(text, facts=(US,)) == []


@pytest.mark.parametrize(
    "text",
    [
        "My password is hunter2",
        "Remember my PIN is 1234",
        "my api key is sk-abcdefghijklmnopqrstuvwxyz123456",
        "Always use the token abc123 for login",
        "Remember that the card is 4111 1111 1111 1111",
        "Please always use [redacted: password] for the portal",
        "My login is anna",
    ],
)
async def test_a_secret_is_never_a_fact(text: str) -> None:
    assert await changes(text) == []


KEEPING = Redactor.of({"pin": "keep", "card number": "keep", "iban": "mask"})


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Remember that my PIN is 1234", "The user's PIN is 1234."),
        ("Remember that the card is 4111 1111 1111 1111", "The card is 4111 1111 1111 1111."),
        ("Remember that my PIN is 1234 and my login is anna", None),
        ("Remember that my PIN is 1234 and my password is hunter2", None),
        ("Remember that my PIN is 1234 and my token is [redacted: token]", None),
        ("Remember that our IBAN is DE89 3704 0044 0532 0130 00", None),
        ("My password is hunter2", None),
    ],
)
async def test_a_secret_that_the_policy_keeps_is_a_fact_like_any_other(text: str, fact: str | None) -> None:
    found = await OfflineFactExtractor(KEEPING).extract(said(text), [])
    assert [change.text for change in found] == ([] if fact is None else [fact])


@pytest.mark.parametrize(
    ("text", "facts", "key", "fact"),
    [
        ("my ledger is now EU_PRIMARY", (US,), "k1", "The user works with the EU_PRIMARY Ledger."),
        ("No, actually use the EU Primary Ledger.", (US,), "k1", EU),
        ("Use the EU Primary ledger instead of US Primary", (US,), "k1", EU),
        ("Use EU Primary instead of the US Primary Ledger", (US,), "k1", EU),
        ("It's not US Primary but EU Primary.", (US,), "k1", EU),
        ("Please switch to the EU Primary ledger", (US,), "k1", EU),
        ("We switched from US Primary to EU Primary", (US,), "k1", EU),
        ("Change my ledger to EU Primary", (US,), "k1", EU),
        ("From now on use the EU Primary ledger", (US,), "k1", EU),
        ("I no longer use US Primary, I use EU Primary Ledger.", (US,), "k1", EU),
        ("Not 1000 but 1010", ("Company 10000.", "Company 1000."), "k2", "Company 1010."),
        ("My company is 1010 now", ("The user works with company 1000.",), "k1", "The user works with company 1010."),
        ("My approver is Ben", ("The user's approver is Anna.",), "k1", "The user's approver is Ben."),
        ("Our approver isn't Anna but Ben", ("The user's approver is Anna.",), "k1", "The user's approver is Ben."),
        ("Use Excel instead of PDF", ("The user prefers reports in PDF.",), "k1", "The user prefers reports in Excel."),
        (
            "We switched from monthly to quarterly",
            ("The user's period is monthly.",),
            "k1",
            "The user's period is quarterly.",
        ),
        ("my manager is Ben", ("The user's manager is Anna.",), "k1", "The user's manager is Ben."),
        (
            "I prefer reports in Excel",
            ("The user prefers reports in PDF.",),
            "k1",
            "The user prefers reports in Excel.",
        ),
        (
            "my ledger is EU",
            ("The user uses the US Primary Ledger for transfers.",),
            "k1",
            "The user uses the EU Ledger for transfers.",
        ),
    ],
)
async def test_a_correction_updates_the_known_fact_of_the_same_slot(
    text: str, facts: tuple[str, ...], key: str, fact: str
) -> None:
    assert await changes(text, facts=facts) == [FactChange(action="UPDATE", key=key, text=fact, event_ids=("v1",))]


async def test_a_correction_may_refer_to_what_the_agent_just_said() -> None:
    turns = [
        turn("I will use the US Primary Ledger.", event_id="a1", role="agent"),
        turn("No, actually use EU Primary", event_id="v1"),
    ]
    (change,) = await OfflineFactExtractor().extract(turns, known("The user speaks German.", US))
    assert change == FactChange(action="UPDATE", key="k2", text=EU, event_ids=("v1",))


@pytest.mark.parametrize("text", ["No, it is fine", "No, use the other one", "No, use it", "No, take a look"])
async def test_a_correction_of_nothing_in_particular_changes_nothing(text: str) -> None:
    turns = [turn("I will use the US Primary Ledger.", event_id="a1", role="agent"), turn(text)]
    assert list(await OfflineFactExtractor().extract(turns, known(US))) == []


async def test_a_correction_without_anything_it_could_refer_to_changes_nothing() -> None:
    assert await changes("No, actually use X", facts=(US,)) == []


async def test_a_statement_on_how_two_slots_belong_together_stays_one_fact() -> None:
    assert await added("I use the US Primary Ledger for company 1010") == [
        "The user uses the US Primary Ledger for company 1010."
    ]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Close the period, not March but April", "The user's fiscal year starts in March."),
        ("I am not sure but Anna knows", "The user is sure of Anna."),
        ("It is not urgent but please close March", "The user wants the agent to always flag urgent items."),
        ("Not 1000 but 1010", "The user wants the agent never to post to company 1000."),
        ("My company is 1010 now", "The user wants the agent never to post to company 1000."),
        ("Use ledger B instead of A", "The user prefers A over all."),
    ],
)
async def test_a_fact_that_only_mentions_the_corrected_value_is_left_alone(text: str, fact: str) -> None:
    assert "k1" not in {change.key for change in await changes(text, facts=(fact,))}


async def test_of_several_known_values_a_correction_takes_the_one_just_spoken_of() -> None:
    turns = [turn("I used company 1010.", event_id="a1", role="agent"), turn("No, use company 1020", event_id="v1")]
    facts = known("The user works with company 1000.", "The user works with company 1010.")
    (change,) = await OfflineFactExtractor().extract(turns, facts)
    assert (change.key, change.text) == ("k2", "The user works with company 1020.")


async def test_another_company_or_ledger_is_added_and_not_a_correction() -> None:
    facts = ("The user works with company 1000.", US)
    assert [change.action for change in await changes("I also work with company 1010", facts=facts)] == ["ADD"]
    assert [change.action for change in await changes("I work with the EU Primary Ledger", facts=facts)] == ["ADD"]


async def test_two_slots_in_one_statement_are_two_facts() -> None:
    assert await added("I work with the US Primary Ledger and company 1010") == [
        US,
        "The user works with company 1010.",
    ]


async def test_a_later_turn_corrects_what_an_earlier_one_of_the_same_session_said() -> None:
    (change,) = await changes("My ledger is US_PRIMARY", "Sorry, my ledger is EU_PRIMARY")
    assert change == FactChange(action="ADD", text="The user works with the EU_PRIMARY ledger.", event_ids=("v1", "v2"))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Forget that I work with the US Primary Ledger.", ["k1"]),
        ("Please forget my ledger", ["k1"]),
        ("I no longer use US Primary.", ["k1"]),
        ("I don't use the US Primary Ledger anymore", ["k1"]),
        ("I no longer work with company 1010", ["k3"]),
        ("Forget about company 1010", ["k3"]),
        ("Forget that I prefer PDF reports", ["k4"]),
        ("Forget about company 9999", []),
        ("I no longer use US Secondary", []),
    ],
)
async def test_what_is_to_be_forgotten_or_no_longer_holds_is_deleted(text: str, keys: list[str]) -> None:
    facts = (
        US,
        "The user works with company 1000.",
        "The user works with company 1010.",
        "The user prefers reports in PDF.",
    )
    found = await changes(text, facts=facts)
    assert [change.action for change in found] == ["DELETE"] * len(keys)
    assert [change.key for change in found] == keys


async def test_several_sentences_each_say_their_own() -> None:
    text = "Hello. I use SAP, e.g. for postings. My approver is Anna; I prefer German!\nPlease close March."
    assert await added(text) == [
        "The user uses SAP, e.g. for postings.",
        "The user's approver is Anna.",
        "The user prefers German.",
    ]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("I my use ledger not but is to US 10.,?!'no forget\n"), max_size=120))
async def test_no_text_breaks_the_rules(text: str) -> None:
    for change in await changes(text, facts=(US,)):
        assert bool(change.text) == (change.action != "DELETE")
        assert "\n" not in change.text


async def test_a_list_of_what_one_works_with_is_one_fact_each() -> None:
    text = "I work with the US Primary Ledger, company 1000 and the corporate asset book."
    assert await added(text) == [
        "The user works with the US Primary Ledger.",
        "The user works with company 1000.",
        "The user works with the corporate asset book.",
    ]
