"""Words by which people say that something changed, no longer holds, or is to be forgotten: a short table."""

from __future__ import annotations

import re

_REPLACES = (
    r"(?:no|nein|non|nee)[,:]|sorry|instead|no longer|not any ?more|n't \w+ (?:\w+ )?any ?more|any ?more|any longer"
    r"|switch\w*|mov(?:ed|ing) (?:to|from)"
    r"|migrat\w+|chang(?:e|es|ed|ing)|replac\w+|renamed|became|correction|corrected|correct (?:that|this|it)"
    r"|wrong(?:ly)?"
    r"|mistak\w+|mistyped|typo|meant|actually|rather than|from now on|effective(?: from)?|formerly|previously|used to"
    r"|superse\w+|obsolete|not [^.;!?\n]{1,60}? but"
    r"|statt(?:dessen)?|anstatt|anstelle|ab sofort|künftig|in zukunft|nicht mehr|kein\w* mehr|geändert|ändert"
    r"|umgestellt"
    r"|gewechselt|wechsel\w*|ersetz\w*|sondern|korrektur|korrigier\w*|falsch|gemeint|meinte|eigentlich|vielmehr|früher"
    r"|désormais|dorénavant|plutôt|au lieu|ne [^.;!?\n]{1,30}? plus|changé\w*|remplac\w+|passée? à|corrig\w+|erreur"
    r"|en vez|en lugar|ya no|cambi\w+|reemplaz\w+|sustitu\w+|a partir de|correcci\w+|error|sino"
    r"|invece|non [^.;!?\n]{1,30}? più|d'ora in poi|cambiat\w+|em vez|já não|não [^.;!?\n]{1,30}? mais"
    r"|a partir de agora"
    r"|in plaats van|niet meer|voortaan|gewijzigd"
)
_NEWS = (
    r"now|nowadays|new|as of|starting|today|jetzt|nun|neu(?:e[nrms]?)?|seit|heute|maintenant|nouve\w+|aujourd'hui|ahora"
    r"|nuev[oa]|hoy|adesso|ora|nuov[oa]|agora|nov[oa]|nu|nieuwe?"
)
_ADDS = (
    r"also|too|as well|additional\w*|in addition|another|both|besides|plus|further"
    r"|auch|zusätzlich|außerdem|ebenfalls|weitere\w*|beide|und noch|aussi|également|en plus|autre"
    r"|también|además|otr[oa]s?|anche|inoltre|altr[oa]|também|além|ook|daarnaast"
)
_FORGETS = (
    r"forget|remove|delete|erase|drop(?:ped)?|discard|ignore|scrap|clear|stop\w*|do(?:n't| not) (?:remember|keep|store)"
    r"|withdraw\w*|cancel\w*|finished with|done with|left"
    r"|vergiss|vergessen|lösch\w*|entfern\w*|streich\w*|ignorier\w*|nicht merken|oubli\w+|supprim\w+|efface\w*|enlev\w+"
    r"|olvid\w+|borr\w+|elimin\w+|quit[ae]\w*|dimentic\w+|cancell\w+|rimuov\w+|esque[cç]\w+|apag\w+|remov\w+"
    r"|vergeet|verwijder\w*"
)
_ENDS = (
    r"end(?:ed|s)|finished|completed|(?:is|are|was) over|expired|is history|dead|dissolv\w+|liquidat\w+|shut\w* down"
    r"|clos(?:ed|ing|e) down|wound up|discontinu\w+|phased out|decommission\w*|terminat\w+|no more"
    r"|beendet|beende|endet\w*|abgeschlossen|vorbei|erledigt|ausgelaufen|abgelaufen|geschlossen|aufgelöst|eingestellt"
    r"|stillgelegt|zu ende|gekündigt"
    r"|termin[ée]\w*|finie?s?|(?:est|sont) clos\w*|clos|clôturée?s?|achevée?s?|ferm[ée]e?s?|dissou\w+"
    r"|expirée?s?|résili\w+"
    r"|termin(?:ado|ada|ó|ados|adas)|finaliz\w+|acab(?:ó|ado|ada)|cerrad[oa]s?|cerró|conclu\w+|venci[dó]\w*|disuelt\w+"
)
_GONE = (
    r"sold|hand(?:ed|ing)? (?:[\w'-]+ ){0,5}?(?:over|off|on|back)|g(?:ave|iven|iving|ive) (?:[\w'-]+ ){0,5}?up"
    r"|pass(?:ed|ing) (?:[\w'-]+ ){0,5}?(?:on|over) to|transferred|retired?|resign\w*|stepped down|took over|taken over"
    r"|divest\w*|spun off"
    r"|verkauft\w*|veräußert|abgegeben|abgetreten|gebe \w+ ab|übergeben|übertragen|übernommen|übernimmt|aufgegeben"
    r"|weitergegeben|ausgeschieden|abgestoßen"
    r"|vendue?s?|cédée?s?|cédé|transmise?s?|transféré\w*|repris\w*|abandonn\w+|confiée?s?|remise? à|quitté\w*"
    r"|vendid[oa]s?|vend(?:í|ió|imos)|cedid[oa]s?|cedí|traspas\w+|entregu?[éa]\w*|transferid[oa]s?|abandon\w+|dej[éó]"
    r"|dejado"
)


def _words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)


REPLACES = _words(_REPLACES)
"""Says that one thing takes the place of another, or that something was wrong or is over."""
NEWS = _words(_NEWS)
"""Says that something is new: a change, unless it is said to come on top."""
ADDS = _words(_ADDS)
FORGETS = _words(_FORGETS)
ENDS = _words(_ENDS)
"""Says of a thing that it is over; of work it may only say that it is done, so it counts beside the thing's name."""
GONE = _words(_GONE)
"""Says of a thing that it went to somebody else."""
NOT = r"(?:(?<!\w)(?:not?|never|nicht|kein\w*|nie|pas|jamais|non|não|nunca|niet|geen)(?!\w)|n['\u2019]t(?!\w))"
ARROWS = r"(?:->|=>|→|⇒)"
