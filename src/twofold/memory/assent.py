"""What a short line of the user says: nothing, or yes to what the agent asked."""

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
    day night please no problem ok okay alright sure yes yep yeah yup right exactly got understood noted
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
    r"|certo|va bene|sim|klopt|akkoord)\b|^\W*(?:\d{1,2}|[a-d])\W*$|はい|そうです|是的?|对|好的",
    re.IGNORECASE,
)
_NO = re.compile(r"^\W*(?:no|nope|not|nein|non|nee|não|nie)\b", re.IGNORECASE)
_THANKS = re.compile(r"\b(?:thank\w*|thx|danke|dank|merci|gracias|grazie|obrigad[oa])\b", re.IGNORECASE)
_OKAY = re.compile(r"\b(?:ok(?:ay)?|fine|right|klar|gut|bien|vale|va bene)\b", re.IGNORECASE)
# "Anything else?" asks about nothing that was said.
_CLOSING = re.compile(
    r"\b(?:(?:any|some)thing else|else (?:can|may) i|help you|(?:noch|sonst) (?:etwas|was|noch)|autre chose"
    r"|algo más)\b",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Return whether a line holds nothing but thanks, a greeting or a nod, so that no fact can rest on it alone."""
    return all(word in _PLEASANTRIES for word in _WORD.findall(normalize("NFKC", text).casefold()))


def questions(text: str) -> tuple[str, ...]:
    """Return the sentences of an agent's text that ask something; not "Anything else?"."""
    sentences = _SENTENCES.split(normalize("NFKC", text))
    return tuple(each.strip() for each in sentences if "?" in each and not _CLOSING.search(each))


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
