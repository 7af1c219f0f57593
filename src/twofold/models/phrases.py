"""The English phrases by which the offline rules tell what lasts."""

from __future__ import annotations

import re

from twofold.models.grammar import ADVERB


def _pattern(regex: str) -> re.Pattern[str]:
    """Compile a phrase: a blank stands for any blanks, a tilde for blanks or none."""
    return re.compile(regex.replace(" ", r"\s+").replace("~", r"\s*"), re.IGNORECASE)


# Asked, passing, supposed or secret: nothing to remember.
QUESTION = _pattern(
    r"(?:can|could|would|will|should|shall|may|do(?! not)|does|did|is|are|was|were|have|has|what|which|who|whose|when"
    r"|where|why|how)\b"
)
PASSING = _pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|for now|(?:at|for) the moment|(?:just|only) once"
    r"|this (?:time|once|run|one|month|week|quarter|year|period|session|report|request)"
    r"|(?:next|last) (?:time|run|month|week|quarter|year|period))\b"
)
SUPPOSED = _pattern(r"(?:if|when|unless|suppose|maybe|perhaps|probably|i (?:think|guess|wonder|hope|wish))\b")
SECRET = _pattern(
    r"\[redacted|pass~(?:word|code|phrase)|\b(?:pwd|pins?|secrets?|tokens?|keys?|logins?|cv[vc]|otp)\b|credential"
    r"|\bcard (?:number|no)\b|\bverification code\b"
)
# How a clause may begin without saying anything.
LEAD = _pattern(
    r"(?:(?:please note|just so you know|for (?:your information|future reference)|fyi|by the way|btw|also|and|but|so"
    r"|well|ok|okay|yes|yeah|sure|hi|hello|hey|thanks|thank you|right|great|good morning|in general|as a rule)\b"
    r"(?: that)?[,:!]? )+"
)
CORRECTING = _pattern(r"(?:(?:no|nope|wait|sorry|correction|actually|rather)\b[,:!.]? )+")
STANDING = _pattern(r"(?:from now on|going forward|in (?:the )?future)\b[,:]?~")

# What takes something back.
FORGET = _pattern(r"(?:please )?forget (?:that |about )?(?P<old>.+)")
NO_LONGER = _pattern(
    r"(?:i|we) (?:am |are )?(?:no longer (?P<old>.+)|(?:do not|don't) (?P<old2>.+?) any~(?:more|longer))"
)
NOT_BUT = _pattern(r"(?:.*?\b)?not (?P<old>.+?),? but (?P<new>.+)")
INSTEAD_OF = _pattern(r"(?:.*?\b(?:use|take|prefer|want|with)\b )(?P<new>.+?),? (?:instead of|rather than) (?P<old>.+)")
SWITCH = _pattern(
    r"(?:(?:please|i|we|have|am|are) )*switch(?:ed|ing)? (?:over |back )?(?:from (?P<old>.+?) )?to (?P<new>.+)"
)
CHANGE = _pattern(r"(?:please )?(?:change|set|update) my (?P<noun>[\w ]+?) (?:from .+? )?to (?P<value>.+)")
USE = _pattern(r"(?:please )?(?:use|take|make it|it is|i mean|i meant)(?: now)? (?P<new>.+)")
USE_INSTEAD = _pattern(r"(?:please )?(?:use|take) (?P<new>.+?),? instead")
# What the agent shall do from now on.
REMEMBER = _pattern(
    r"(?:please )?(?:remember|keep in mind|bear in mind|do not forget|don't forget|note)"
    r"(?: (?P<to>to)\b| that\b|:)? (?P<what>.+)"
)
ORDER = _pattern(
    r"(?:please )?(?:make sure (?:to |that you |you )?|you (?:should|must) |i (?:want|would like|'d like) you to )?"
    r"(?P<what>(?:always|never(?! mind)) .+)"
)
NEVER_EVER = _pattern(r"(?:please )?(?:do not|don't) ever (?P<what>.+)")

# What the user says of themselves.
ROLE = (
    r"\w*(?:accountant|analyst|approver|assistant|auditor|bookkeeper|buyer|cfo|clerk|consultant|controller|director"
    r"|head|lead|manager|officer|owner|planner|specialist|treasurer)\b"
)
LASTING = _pattern(
    rf"(?:i|we) (?:(?P<habit>{ADVERB}) )*(?:(?:do not|don't) )?"
    r"(?:prefer|like|dislike|love|hate|use|manage|handle|oversee|own|speak|consolidate|depreciate|reconcile"
    r"|work (?:with|in|at|for|as|on)|report (?:to|in)|belong to|close (?:the books )?(?:on|by|in|every|each|monthly"
    rf"|quarterly|weekly)|(?:am|are) (?:responsible|accountable|in charge|based|(?:a|an|the) (?:\w+ ){{0,3}}{ROLE})"
    r")\b.*"
)
HABIT = _pattern(r"(?:i|we) (?:always|never|usually|typically|normally|generally|mostly|mainly|only) .+")
MINE = _pattern(r"(?:my|our) (?P<noun>[\w'/ -]{2,60}?) (?P<verb>is|are|starts?|ends?|begins?|runs?) (?P<value>.+)")
IS_MY = _pattern(r"(?P<value>(?-i:[A-Z])[\w.-]*(?: (?-i:[A-Z])[\w.-]*){0,3}) is (?:my|our) (?P<noun>[\w ]{2,40})")
NO_NOUN = _pattern(
    r".*\b(?:answer|bad|computer|concern|connection|fault|guess|idea|issue|laptop|mistake|opinion|plan|point|problem"
    r"|question|request|screen|session|suggestion|turn|understanding)s?"
)
STATE = _pattern(
    r"(?:not|still|already|almost|ready|done|closed|open|late|wrong|missing|stuck|broken|empty|fine|ok|okay|down|slow"
    r"|full|here|attached|\w+ing)\b.*"
)
NOTHING = _pattern(r"(?:about )?(?:it|this|that|me|us|everything|all(?: of (?:it|this|that))?|what i said)")
# "I like it", "I prefer the first option": about what was just said.
POINTING = _pattern(
    r"(?:i|we) (?:\w+ ){0,3}?(?:prefer|like|dislike|love|hate|use) (?:the )?(?:it|this|that|these|those|them|what|how"
    r"|first|second|third|last|former|latter|other|option)\b.*"
)
FIRST_PERSON = _pattern(r"(?:i|we|my|our)\b")
