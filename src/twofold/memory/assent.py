"""What a short line of the user says: nothing, or yes or no to what the agent asked."""

from __future__ import annotations

import re
from unicodedata import normalize

_WORD = re.compile(r"\w+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[\n\u3002])")
_OPENING = 80

_PLEASANTRIES = frozenset(
    """
    thanks thank thx ty you u so much very many a lot for that this it is all the great good nice perfect cool awesome
    excellent wonderful fine well done welcome cheers hello hi hey dear bye goodbye see later morning evening afternoon
    day night please problem ok okay alright sure yes yep yeah yup right exactly got understood noted
    danke dir ihnen schön schoen vielen dank sehr super toll prima perfekt hallo guten gute tag morgen abend nacht
    tschüss bis bald bitte alles klar gut gerne ja jawohl genau richtig
    merci beaucoup bien bonjour bonsoir salut parfait au revoir très oui super
    gracias muchas hola buenos buenas días tardes noches adiós perfecto muy sí si vale
    grazie mille ciao buongiorno prego perfetto obrigado obrigada olá bom dia dank je wel hoi
    """.split()
)
_YES = re.compile(
    r"\b(?:yes|yep|yeah|yup|sure|correct|right|exactly|agreed|confirm(?:ed)?|approved?|absolutely|definitely|indeed"
    r"|go ahead|do (?:that|it|so)|please do|sounds good|that one|those|both|(?:all|either) of them|ok(?:ay)?|fine"
    r"|the (?:first|second|third|fourth|last|former|latter|other)(?: one)?|option \w|the \d(?:st|nd|rd|th)"
    r"|ja|jawohl|genau|richtig|stimmt|einverstanden|passt|gerne|klar|bestätigt|mach das|beide"
    r"|(?:die|der|das|den) (?:erste|zweite|dritte|letzte|andere)n?"
    r"|oui|exact|exactement|d'accord|bien sûr|(?:le|la) (?:premi\w+|deuxième|second\w?|dernière?)|les deux"
    r"|sí|claro|vale|de acuerdo|correcto|exacto|(?:el|la) (?:primer\w?|segund\w|últim\w|otr\w)|ambos|ambas"
    r"|certo|va bene|sim|klopt|akkoord)\b|^\W*(?:\d{1,2}|[a-d])\W*$|はい|そうです|是的?|对|好的|[👍👌✅✔🆗]",
    re.IGNORECASE,
)
_NO = re.compile(r"^\W*(?:no|nope|not|nein|non|nee|não|nie)\b|^\s*[👎❌]", re.IGNORECASE)
_DENIES = re.compile(
    r"^\W*(?:(?:no|nope|nah|never|nein|nö|nee|nicht|nie(?:mals)?|kein\w*|non|pas|jamais|não|nunca|ya no|niet)\b"
    r"|not\b(?! sure)|(?:i|we)(?:['\u2019](?:m|re)| am| are| do)? (?:not|no longer)\b"
    r"|(?:i|we) don['\u2019]t(?! know)\b)"
    r"|^\s*[👎❌]",
    re.IGNORECASE,
)
# "No problem" is a nod, "no idea" no answer.
_NO_MATTER = re.compile(
    r"\b(?:no (?:problems?|worries|matter|idea|clue|preference|hay problema|lo sé|sé)|kein(?:e)? (?:problem|ahnung)"
    r"|pas de (?:problème|souci)|aucune idée|geen probleem)\b",
    re.IGNORECASE,
)
_NO_WORDS = frozenset("no nope nah nein nö nee non não".split())
_THANKS = re.compile(r"\b(?:thank\w*|thx|danke|dank|merci|gracias|grazie|obrigad[oa])\b", re.IGNORECASE)
_OKAY = re.compile(r"\b(?:ok(?:ay)?|fine|right|klar|gut|bien|vale|va bene)\b", re.IGNORECASE)
# "Anything else?" asks about nothing that was said.
_CLOSING = re.compile(
    r"\b(?:(?:any|some)thing else|else (?:can|may) i|help you|(?:noch|sonst) (?:etwas|was|noch)|autre chose"
    r"|algo más)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:please|kindly) (?:\w+ )?confirm\b|\bbitte (?:\w+ ){0,2}bestätig\w*|\bbestätig\w+ sie\b"
    r"|\b(?:veuillez|merci de) (?:\w+ )?confirmer\b|\bpor favor,? (?:\w+ )?confirm\w+|\bconfirm\w+,? por favor\b",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Return whether a line holds nothing but thanks, a greeting or a nod, so that no fact can rest on it alone."""
    return not _said_beside(text, _PLEASANTRIES)


def questions(text: str) -> tuple[str, ...]:
    """Return the sentences of an agent's text that ask something, or to confirm it; not "Anything else?"."""
    return tuple(each for each in _asking(text) if not _CLOSING.search(each))


def answers(text: str, asked: str) -> bool:
    """Return whether a line is a yes, or a choice, and what the agent said right before it, `asked`, is a question.

    "OK, thanks" is no yes, and neither is a line that begins with a no.
    """
    text = normalize("NFKC", text)[:_OPENING]
    if not questions(asked) or _NO.search(text):
        return False
    if _THANKS.search(text):
        text = _OKAY.sub("", text)
    return _YES.search(text) is not None


def denied(text: str, asked: str) -> tuple[str, ...]:
    """Return the questions in what the agent said right before a line that begins with a no.

    None if the last of them is whether there is anything else: the no says that there is not.
    """
    opening = normalize("NFKC", text)[:_OPENING]
    asking = _asking(asked)
    if not asking or _CLOSING.search(asking[-1]) or _NO_MATTER.search(opening) or not _DENIES.search(opening):
        return ()
    return questions(asked)


def is_bare_no(text: str) -> bool:
    """Return whether a line is a no and nothing else, such as "No, thanks": alone it says nothing."""
    return not says_nothing(text) and not _said_beside(text, _PLEASANTRIES | _NO_WORDS)


def _said_beside(text: str, ignored: frozenset[str]) -> bool:
    words = _WORD.findall(_NO_MATTER.sub(" ", normalize("NFKC", text).casefold()))
    return any(word not in ignored for word in words)


def _asking(text: str) -> tuple[str, ...]:
    sentences = _SENTENCES.split(normalize("NFKC", text))
    return tuple(each.strip() for each in sentences if _ASKS.search(each))
