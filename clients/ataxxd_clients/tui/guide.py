"""A full-screen guide: one question per page, with answers to choose or type."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ataxxd.sanitize import sanitized
from ataxxd_clients.guide import BadAnswerError, Guide, Plan, Question
from ataxxd_clients.tui.clean_app import CleanApp, Keys

# Nobody types more; an invitation with an address has about a hundred characters.
_LONGEST = 500
_MAX_WAITING = 200


class GuideWindow(CleanApp):
    """Asks questions until there is a plan.

    Args:
        make_guide: makes the questions; it is given a function that shows what is being done.

    Attributes:
        plan: the result; without words if the person left.
    """

    CSS = """
    #page { height: 1fr; padding: 1 2 0 2; }
    #page > * { margin: 0 0 1 0; }
    #note { color: $text-warning; }
    #question { text-style: bold; }
    #choices { height: auto; border: none; padding: 0; background: $surface; }
    #typed { background: $surface; padding: 0 1; }
    #problem { color: $text-error; }
    #page > .-empty { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "before", "Back", key_display="Esc", priority=True),
        Binding("ctrl+q,ctrl+c,f10", "quit", "Quit", key_display="^Q", priority=True),
    ]

    def __init__(self, make_guide: Callable[[Callable[[str], object]], Guide]) -> None:
        super().__init__()
        self.plan = Plan(())
        self._guide = make_guide(lambda text: self._put("#note", text))
        self._question: Question | None = None
        self._asking: asyncio.Task[None] | None = None
        self._line = ""
        # Whether the line is a proposal, which the first character typed replaces.
        self._proposed = False
        self._waiting: deque[events.Key] = deque(maxlen=_MAX_WAITING)

    def compose(self) -> ComposeResult:
        """The page of a question, and the keys."""
        with VerticalScroll(id="page", can_focus=False):
            yield Static(id="note", markup=False)
            yield Static(id="question", markup=False)
            yield OptionList(id="choices", compact=True, markup=False)
            yield Static(id="hint", markup=False)
            yield Static(id="typed", markup=False)
            yield Static(id="problem", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        """Ask the first question."""
        self.query_one(OptionList).can_focus = False
        self._show_next()

    async def on_unmount(self) -> None:
        """Stop a search that is under way."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})

    def action_before(self) -> None:
        """Go back to the previous question."""
        self._waiting.clear()
        if self._guide.back():
            self._show_next()
        else:
            self._put("#problem", "This is the first question. Ctrl-Q leaves.")

    def on_key(self, event: events.Key) -> None:
        """Handle keys here: nothing has the focus, so that no key overtakes another."""
        if event.is_printable or event.key in {"up", "down", "enter", "backspace", "ctrl+u"}:
            event.stop()
            event.prevent_default()
            self._waiting.append(event)
            self._handle_keys()

    def on_paste(self, event: events.Paste) -> None:
        """Take a pasted line, such as an invitation."""
        if self._question is not None and self._question.typed:
            self._type("" if self._proposed else self._line, (event.text.splitlines() or [""])[0])

    def _handle_keys(self) -> None:
        """Handle the keys that wait, also those pressed before the question was shown."""
        while self._question is not None and self._waiting:
            self._handle_key(self._waiting.popleft(), self._question)

    def _handle_key(self, event: events.Key, question: Question) -> None:
        choices, character = self.query_one(OptionList), event.character or ""
        if event.key in {"up", "down"} and question.choices:
            self._type("")
            choices.action_cursor_up() if event.key == "up" else choices.action_cursor_down()
        elif event.key == "enter":
            at = choices.highlighted
            chosen = "" if at is None else question.choices[at].value
            self._answer(self._line or chosen)
        elif event.key == "ctrl+u":
            self._type("")
        elif event.key == "backspace":
            self._type(self._line[:-1])
        elif event.is_printable and question.typed:
            self._type("" if self._proposed else self._line, character)
        elif character.isdecimal() and 0 < int(character) <= len(question.choices):
            self._answer(question.choices[int(character) - 1].value)

    def _type(self, before: str, more: str = "") -> None:
        """Show what is typed now."""
        self._line, self._proposed = (before + more)[:_LONGEST], False
        self.query_one("#typed", Static).update(f"> {sanitized(self._line)}_")

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        if self._question is not None:
            self._answer(self._question.choices[event.option_index].value)

    def _answer(self, text: str) -> None:
        if self._question is None:
            return
        try:
            self._guide.answer(text)
        except BadAnswerError as error:
            self._put("#problem", str(error))
            return
        self._show_next()

    def _show_next(self) -> None:
        """Show the next question; it may take a while to find out what it is."""
        if self._asking is not None:
            self._asking.cancel()
        self._question = None
        self._asking = asyncio.create_task(self._load_question(), name="question")

    async def _load_question(self) -> None:
        for part in ("#note", "#question", "#hint", "#problem"):
            self._put(part, "")
        choices = self.query_one(OptionList)
        choices.clear_options()
        for widget in (choices, self.query_one("#typed")):
            widget.add_class("-empty")
        try:
            step = await self._guide.next()
        except Exception as error:  # noqa: BLE001 -- told by whoever started the UI
            self.failure = error
            self.exit(1)
            return
        if isinstance(step, Plan):
            self.plan = step
            self.exit(0)
            return
        self._show(step)

    def _show(self, question: Question) -> None:
        proposal = self._guide.proposal(question)
        values = [choice.value for choice in question.choices]
        self._put("#note", question.note)
        self._put("#question", question.text)
        choices = self.query_one(OptionList)
        choices.add_options(
            Option(f"{number:2}  {sanitized(choice.label)}")
            for number, choice in enumerate(question.choices, 1)
        )
        choices.set_class(not values, "-empty")
        choices.highlighted = values.index(proposal) if proposal in values else None
        if question.typed:
            self._put("#hint", f"{'Or type' if values else 'Type'} {question.typed}:")
        self._type("" if proposal in values else proposal)
        self._proposed = True
        self.query_one("#typed").set_class(not question.typed, "-empty")
        self._question = question
        self._handle_keys()

    def _put(self, part: str, text: str) -> None:
        widget = self.query_one(part, Static)
        widget.update(sanitized(text))
        widget.set_class(not text, "-empty")
