"""Whether this node may take a seat: as the host of a name, or as the guest of a found game."""

import re
from collections.abc import Callable

from ataxxd.errors import UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NameInUse, OtherHost, SeatTaken
from ataxxd.node.game_finder import GAME_DIGITS, FoundGame, GameName
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.names import NameBook
from ataxxd.node.offers import is_at, wire_name
from ataxxd.node.profile import Profile
from ataxxd.node.settings import Settings
from ataxxd.session.state import IN_PLAY, UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol import grouped
from ataxxd_protocol.links import Link, LinkError
from ataxxd_protocol.messages import NAME_PATTERN, Offer
from ataxxd_protocol.version import is_known_version


def parse_name(typed: str) -> str:
    """The name on the broker that a typed one stands for, as `wire_name` gives it.

    Raises:
        UsageError: it is not valid; the text says what names are.
    """
    name = wire_name(typed)
    if not re.fullmatch(NAME_PATTERN, name):
        raise UsageError(_explain_invalid_name(typed))
    return name


def _explain_invalid_name(typed: str) -> str:
    return (
        f"{typed!r} is not a name for a game: use up to 32 letters, digits and dashes, beginning "
        "with a letter or a digit, such as ourgame. Blanks, _ and . count as dashes."
    )


def free_name(
    profile: Profile, name: str, *, new: bool = False, besides: StoredGame | None = None
) -> None:
    """Free a name for a new game, by giving up our games of that name that have not begun.

    Args:
        profile: this node's profile.
        name: the name of the game to host.
        new: also give up a game that has begun.
        besides: keep this game.

    Raises:
        NameInUse: there is a game that has begun, or one left for somebody who may have taken
            it; or another process has it.
    """
    for old in profile.journal.unfinished(name, Role.HOST):
        if besides is not None and old.id == besides.id:
            continue
        with profile.home.lock(old.offer.digest, name):
            phase = profile.journal.ledger(old).phase
            anew = _host_anew(profile, name)
            if not new and phase in UNDER_WAY:
                raise NameInUse(
                    f'You already host "{name}", which is not over. Continue it: '
                    f"`{profile.home.resume_command(name)}`. Or give it up for a new one: {anew}"
                )
            if not new and phase is Phase.OPEN and _is_left(old):
                raise NameInUse(
                    f'You have left a challenge to "{name}", which may have been taken. See: '
                    f"`{profile.home.resume_command(name)}`. Or give it up for a new game: {anew}"
                )
            profile.journal.finish(old)


def check_no_challenge_waits(profile: Profile, node: str, title: str) -> None:
    """Check that no challenge of ours is left for a node: the broker keeps one for each pair.

    Args:
        profile: this node's profile.
        node: the challenged node.
        title: that node as people read it.

    Raises:
        NameInUse: one is, and may have been taken.
    """
    if (old := left_challenge(profile.journal, node)) is not None:
        raise NameInUse(
            f'You have left a challenge to "{old.offer.name}" for {title}, and only one at a time '
            "can wait for them. See whether it was taken: "
            f"`{profile.home.resume_command(old.offer.name)}`. Or give it up for a new game: "
            f"{_host_anew(profile, old.offer.name)}"
        )


def left_challenge(journal: Journal, node: str) -> StoredGame | None:
    """The offer left with a challenge for a node that has not taken it yet; None without one."""
    for game in journal.unfinished(role=Role.HOST):
        ours = game.offer.access == node and is_known_version(game.offer.v)
        left = ours and Settings.restored(game.settings).left
        if left and journal.ledger(game).phase is Phase.OPEN:
            return game
    return None


def _host_anew(profile: Profile, name: str) -> str:
    return command_line(f"host {name} --new", profile.home.option)


def _is_left(game: StoredGame) -> bool:
    """Whether an offer stands at the broker while we are away."""
    stands = game.offer.expires_ms > SYSTEM_CLOCK.now_ms()
    return stands and Settings.restored(game.settings).left


# How many digits of a game's id people are shown.
_SHOWN_DIGITS = 12


def split_broker(text: str) -> tuple[GameName, str | None]:
    """Split ``NAME[#ID][@BROKER]``, or a link, into the name and the broker.

    Raises:
        UsageError: it is neither.
    """
    if text.strip().lower().startswith(("https://", "http://")):
        return _of_link(text.strip())
    name, at, broker = text.partition("@")
    wanted = GameName.parse(name)
    if at and not broker and re.fullmatch(NAME_PATTERN, wanted.name):
        raise UsageError(
            f"No broker stands behind {wanted.name}@: write one, such as "
            f"{wanted.name}@192.168.1.5, or leave the @ out."
        )
    if not re.fullmatch(NAME_PATTERN, wanted.name):
        raise UsageError(
            # Do not quote what follows the name: it may be a secret or a broker's password.
            f"{_explain_invalid_name(name.partition('#')[0])} To name its host or broker, "
            "too, write NAME#ID or NAME@BROKER, such as ourgame#k7fq-3xa2 or ourgame@mqtt://192.168.1.5."
        )
    if not re.fullmatch("[a-z2-7]{0,20}|[0-9a-f]{8,64}", wanted.prefix):
        raise UsageError(
            f"{wanted.prefix!r} is the beginning neither of a host's id (letters, and digits from "
            f"2 to 7) nor of a game's id (at least {GAME_DIGITS} of 0 to 9 and a to f). Copy it "
            f"from the invitation, or see: {command_line('games')}"
        )
    return wanted, broker if at else None


def _of_link(text: str) -> tuple[GameName, str]:
    # Do not quote a bad link: it may hold a secret.
    _, _, fragment = text.partition("#")
    try:
        link = Link.read(fragment)
    except LinkError as error:
        if error.reason == "version":
            raise UsageError(
                "This link is for a newer version of ataxxd. Update the program, or open the link "
                "in a browser."
            ) from None
        raise UsageError(
            "This link is broken: it ends with #NAME~ID~BROKER. Ask for it again, and copy all of "
            "it, in quotation marks."
        ) from None
    return GameName(link.name, link.host, link.secret or "", link.name), link.broker


def check_found(
    profile: Profile,
    wanted: GameName,
    found: FoundGame,
    note: Callable[[str], None],
    *,
    new_host: bool,
) -> None:
    """Check what can be known before asking the host for the seat.

    Args:
        profile: this node's profile, which knows the hosts of a name.
        wanted: the game as it was asked for.
        found: the game as it was found.
        note: called with what the person should know about it.
        new_host: allow a host that has not hosted the name before.

    Raises:
        UsageError: it is this node's own game.
        NameInUse: we have a seat in it already.
        SeatTaken: somebody else has the seat, or the game is over.
        OtherHost: the name had a different host before, and neither the whole id nor `new_host`
            was given.
    """
    offer = found.offer
    name = f"{offer.name}#{grouped(offer.host)}"
    if offer.host == profile.key.node:
        raise UsageError(
            f'"{offer.name}" is hosted by this same node. To play against yourself give the '
            f"second node a home of its own: {command_line(f'join {offer.name} --home DIR', '')}"
        )
    if offer.access not in (None, "invited", profile.key.node):
        kept_for = profile.names.display_name(offer.access, full_id=True)
        raise SeatTaken(f"The seat in {name} is kept for {kept_for}.")
    if offer.access == "invited" and not wanted.secret:
        raise SeatTaken(
            f"{name} is by invitation only. Ask the host for the whole invitation: it ends "
            "with a dot and a secret, NAME#ID.SECRET"
        )
    ours = check_no_seat(profile, wanted, offer)
    watch = command_line(f"watch {game_name(offer)}")
    if found.session is not None and found.session.ledger.outcome is not None:
        raise SeatTaken(
            f'No game is open under the name "{wanted.name}" right now; the last one'
            f"{', which you played,' if ours else ''} is over. Try again when its host is back, or "
            f"watch it: {watch}"
        )
    if ours:
        raise SeatTaken(
            f"You have played {name} already; a new game needs a new offer. Watch it: {watch}"
        )
    if found.phase is not Phase.OPEN:
        home = profile.home.option
        raise SeatTaken(
            f'The game "{offer.name}" is under way and its seat is taken. Watch it: '
            f"`{command_line(f'watch {name}')}`. Wait for the next game of that name: "
            f"`{command_line(f'join {offer.name} --wait 600', home)}`. Or open one of another "
            f"name: {command_line('host NAME', home)}"
        )
    if offer.name != wanted.name:
        note(f'The open game at "{wanted.name}" is called "{offer.name}".')
    if wanted.prefix and not wanted.names_game(offer) and wanted.prefix != offer.host:
        whole = grouped(offer.host)
        note(f"Note: {wanted.prefix} is only the beginning of the host's id, {whole}.")
    _check_host(profile, wanted, found, note, new_host=new_host)


def _check_host(
    profile: Profile,
    wanted: GameName,
    found: FoundGame,
    note: Callable[[str], None],
    *,
    new_host: bool,
) -> None:
    """Check that the host is one that has hosted the name before, as ssh checks host keys."""
    host, shown = found.offer.host, profile.names.display_name
    before = profile.known_hosts.instead_of(wanted.name, host)
    if before is not None and wanted.prefix != host and not new_host:
        raise OtherHost(
            wanted.name,
            before=shown(before, full_id=True),
            now=shown(host, full_id=True),
            host=host,
        )
    # A person who gave an id means the host that it names.
    if not wanted.prefix and not profile.journal.has_joined(host):
        note(
            f"You have never joined a game of {shown(host)}. If you mean somebody else, ask them "
            f"for their invitation: {wanted.name}#ID"
        )
    if found.other_hosts:
        note(describe_other_hosts(wanted, found, profile.names))
    profile.journal.add_known_host(wanted.name, host)


def describe_other_hosts(wanted: GameName, found: FoundGame, names: NameBook) -> str:
    """A note on the other hosts of a name, if a game was chosen because its host is known."""
    others = ", ".join(names.display_name(other, full_id=True) for other in found.other_hosts)
    return f'Note: "{wanted.name}" is offered by {others} too, who has not hosted it before.'


def game_name(offer: Offer) -> str:
    """The name that means exactly this game of a table: ``NAME#GAME``."""
    return f"{offer.name}#{offer.digest[:_SHOWN_DIGITS]}"


def find_earlier_join(profile: Profile, offer: Offer) -> StoredGame | None:
    """Our game of this offer, if we have asked for the seat and have no answer; else None."""
    ours = profile.journal.find(offer.digest, Role.GUEST)
    if ours is None or ours.finished or profile.journal.ledger(ours).phase is not Phase.JOINED:
        return None
    return ours


def check_no_seat(profile: Profile, wanted: GameName, offer: Offer) -> bool:
    """Check that we have no game to resume instead of joining `offer`.

    Returns:
        Whether we have already played this game to its end.

    Raises:
        NameInUse: there is one.
    """
    name = f"{offer.name}#{grouped(offer.host)}"
    ours = profile.journal.find(offer.digest)
    if ours is not None:
        phase = profile.journal.ledger(ours).phase
        if not ours.finished and phase not in (Phase.OPEN, Phase.JOINED):
            raise NameInUse(
                f"You already have a seat in {name}. Continue it: "
                f"{profile.home.resume_command(offer.name)}"
            )
        if phase not in (Phase.OPEN, Phase.JOINED):
            return True
    if offer.name == wanted.name:
        return False
    # A player who was cut off and joins the table again means the game that they left.
    for left in profile.journal.unfinished(role=Role.GUEST):
        here = is_at(wanted.name, left.offer.name) and left.offer.host == offer.host
        if here and profile.journal.ledger(left).phase in IN_PLAY and not _is_played(profile, left):
            raise NameInUse(
                f"You already have a seat in {left.offer.name}#{grouped(offer.host)}. Continue "
                f"it: `{profile.home.resume_command(left.offer.name)}`. Or take another one at "
                f"this table: {command_line(f'join {offer.name}', profile.home.option)}"
            )
    return False


def _is_played(profile: Profile, game: StoredGame) -> bool:
    """Whether a process with this home is playing a game right now."""
    try:
        profile.home.lock(game.offer.digest, game.offer.name).close()
    except NameInUse:
        return True
    return False
