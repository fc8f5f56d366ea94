// The page: puts the connection, the game, the board and the panel together.

import { isSure } from "./asking.js";
import { Board } from "./board.js";
import { AFTERWARDS, base, Connection, ENDED, FAREWELL, LEAVING, openStudy, STATUS } from "./connection.js";
import { audible, call, notifies, setAudible, setNotifying, sound, title as setTitle } from "./cue.js";
import { EvaluationView, markMistake } from "./evaluation.js";
import { Entry, Game, gameTitle } from "./game.js";
import { showLesson } from "./lesson.js";
import { showActions, showClocks, showEnding, showMoves, showPlayers } from "./panel.js";
import { pieceSet } from "./pieces.js";
import { Premove } from "./premove.js";
import { showRules } from "./rules.js";
import { showShare } from "./share.js";
import { Talk } from "./talk.js";
import "./theme.js";

const byId = (id) => document.getElementById(id);
byId("lobby").hidden = base === "";

const game = new Game();
let entry = new Entry([]);
let flipped = null;
let heard = 0;
let shownFarewell = false;
let forGuest = false;
let told = false;
const talk = new Talk(send);
const premove = new Premove(game, { send, says, mark });
let hint = { ply: -1, squares: [] };
let evaluation = { on: false, verdicts: [] };

const board = new Board(byId("board"), {
  choose: (square, by) => choose(square, by),
  hover: (square) => hover(square),
  lift: (square) => lift(square),
  drop: () => letGo(),
});

const connection = new Connection({
  status(status, reason) {
    byId("connection").textContent = STATUS[status];
    byId("connection").dataset.state = status;
    document.body.classList.toggle("offline", status !== "connected");
    if (game.state !== null) showTitle();
    if (status === "connected" && shownFarewell) says("");
    shownFarewell = status in FAREWELL;
    byId("waiting-text").hidden = shownFarewell;
    if (shownFarewell) says(FAREWELL[status], "error");
    if (status === "left") {
      // Without a game there is no table to show.
      if (game.state === null) stage("waiting");
      if (!byId("waiting").hidden) stopWaiting();
      says(`${reason} ${AFTERWARDS}`.trim(), "error");
    }
  },
  share(share) {
    showShare(byId(share.join ? "join" : "watch"), share, says);
    byId("waiting-terms").textContent = `Terms: ${share.terms}.`;
    byId("waiting-terms").hidden = share.terms === "";
    byId("share").hidden = false;
  },
  waiting({ title, who, refused = false }) {
    forGuest = who !== "the host";
    stage("waiting");
    byId("waiting-text").textContent = refused ? "You have no seat in this game" : `Waiting for ${who || "a guest"} …`;
    byId("game-title").textContent = title;
    setTitle(`${refused ? "No seat" : "Waiting"} – ${title} – ataxxd`);
  },
  said(message) {
    if (talk.hear(message)) says(`${message.speaker}: ${message.text}`);
  },
  state(state) {
    const first = game.state === null;
    const awaited = forGuest && state.kind !== "watch" && !byId("waiting").hidden;
    const mine = game.can("move");
    const over = game.state?.ending != null;
    const before = game.moves.length;
    stage("table");
    heard = performance.now();
    // Keep what is half entered if it is still possible: a notice must not drop a piece.
    const path = game.stands(state) ? entry.path : [];
    const move = game.take(state);
    entry = new Entry(state.legal);
    entry.path = path;
    if (!game.can("premove")) premove.from = null;
    show(move);
    if (!first) {
      // No event tells of an undo, a redo or a new game.
      if (before !== game.moves.length && !told) greet();
      told = false;
      if (!mine && game.can("move") && !document.hasFocus()) call();
      else if (state.ending !== null && !over) sound("end");
      else if (move !== null) sound(turned(game.board(game.moves.length - 1), move).length > 0 ? "capture" : "move");
      return;
    }
    performance.mark("first board");
    greet();
    if (!awaited) return;
    says(`Your guest is here. ${byId("says").textContent}`);
    call("Your guest is here");
  },
  hint(message) {
    hint = message;
    mark();
    says(message.text);
  },
  evaluation(message) {
    evaluation = message;
    if (game.state !== null) showEvaluation();
  },
  told(message) {
    told = true;
    // News after the end, such as that your opponent has left, must not replace the result.
    const ending = message.kind === "notice" ? game.state?.ending : null;
    says(ending ? `${ending.text} ${message.text}` : message.text, message.kind === "dropped" ? "error" : "");
    if (message.kind === "may_be_claimed") call("Move soon", message.text);
  },
});

async function send(command) {
  const error = await connection.send(command);
  if (error !== null) says(error, "error");
  return error === null;
}

const act = {
  send,
  evaluates: () => evaluation.on,
  evaluate: () => send({ type: "evaluate", on: !evaluation.on }),
  play: (move) => send({ type: "play", move, ply: game.moves.length }),
  begin: async () => {
    const fresh = game.moves.length === 0 || game.state.ending !== null;
    if (fresh || (await sure("Begin a new game? This one will be lost."))) send({ type: "new" });
  },
  study: () => openStudy(game),
  resign: async () => (await sure("Resign, and lose this game?")) && send({ type: "resign" }),
  abort: async () => (await sure("End this game without a result? Once you have moved, your opponent has to agree.")) && send({ type: "ask", what: "abort" }),
  leave: async () => {
    const over = game.state?.ending !== null || game.moves.length === 0;
    if (over || (await sure(LEAVING))) send({ type: "leave" });
  },
};

const opinion = new EvaluationView(byId("evaluation"), (ply) => look(ply));

function showEvaluation() {
  byId("evaluation").hidden = !evaluation.on;
  if (evaluation.on) opinion.show(evaluation.verdicts, game.ply);
  const verdicts = evaluation.on ? evaluation.verdicts : [];
  [...byId("moves").children].forEach(({ firstChild: button }, at) => {
    markMistake(button, game.moves[at].side, verdicts[at], verdicts[at + 1]);
  });
  showActions(game, entry, act);
}

function show(move = null) {
  const { state } = game;
  const set = pieceSet(state.game);
  const names = state.players.map((player) => player.name);
  document.body.dataset.game = state.game;
  board.lay(state.game, state.squares, set, flipped ?? fromBelow(set), names);
  board.draw(game.board(), game.live ? move : null);
  board.preview(null);
  mark();
  byId("game-title").textContent = state.title || gameTitle(state.game);
  byId("ruleset").textContent = state.ruleset_title;
  showRules(byId("rules"), state.rules);
  byId("typed-move").placeholder = state.example;
  byId("typed").hidden = state.kind === "watch" || (state.kind === "network" && state.ending !== null);
  talk.show(game);
  byId("broker").hidden = !state.broker_lost;
  showPlayers(game, set, {
    fill: (side, seat) => send({ type: "fill", side, seat }),
    setLevel: (level) => send({ type: "level", level }),
  });
  showMoves(game, look);
  showEvaluation();
  showEnding(game);
  if (state.ending !== null && byId("sure").dataset.asked === "playing") byId("sure").close("no");
  showClocks(game, performance.now() - heard);
  for (const button of byId("browse").children) {
    const back = button.dataset.go === "first" || button.dataset.go === "back";
    button.disabled = back ? game.ply === 0 : game.live;
  }
  document.body.classList.toggle("looking-back", !game.live);
  showTitle();
}

function showTitle() {
  const { state } = game;
  const mine = byId("connection").dataset.state === "connected" && (game.can("move") || game.can("answer_draw"));
  setTitle(`${mine ? "● Your move – " : ""}${state.title || gameTitle(state.game)} – ataxxd`);
}

/** What a person who has just come in should know. */
function greet() {
  const { kind, players, turn, ending } = game.state;
  if (ending !== null) says(ending.text);
  else if (game.can("move")) says(`${players[turn].name} to move: choose ${oneStep() ? "a marked square" : "a piece"}.`);
  else says(kind === "watch" ? "You are watching; every move is verified here." : `${players[turn].name} is to move.`);
}

/** True when the only person here has its pieces at the top. */
function fromBelow(set) {
  const people = game.state.players.map((player) => player.seat === "human");
  return set.bottom !== null && people[1 - set.bottom] && !people[set.bottom];
}

function mark() {
  const last = game.ply > 0 ? game.moves[game.ply - 1] : null;
  const playing = game.live && game.can("move");
  board.mark({
    last: last?.squares ?? [],
    changed: last ? turned(game.board(game.ply - 1), last) : [],
    path: entry.path,
    beforehand: game.live ? premove.squares : [],
    targets: playing && (entry.path.length || oneStep()) ? entry.next : new Map(),
    movable: playing ? new Entry(entry.legal).next : new Map(),
    forced: playing && entry.forced,
    hint: playing && hint.ply === game.moves.length ? hint.squares : [],
  });
}

/** Whether a move is one square, as in reversi. */
const oneStep = () => game.state.one_square;
const isMove = (text) => game.can("move") && entry.legal.some(({ move }) => move === text);

/** The squares, besides those of the move itself, that a move changed. */
function turned(before, move) {
  const found = [];
  game.state.squares.forEach((row, y) =>
    row.forEach((square, x) => {
      const changed = square !== null && before[y][x] !== move.board[y][x];
      if (changed && !move.squares.includes(square)) found.push(square);
    }),
  );
  return found;
}

async function choose(square, by) {
  // What this page shows may be old: only what it says of its end is true.
  if (ENDED.includes(byId("connection").dataset.state)) {
    says(FAREWELL[byId("connection").dataset.state], "error");
    return;
  }
  if (!game.live) {
    says("You are looking back. Press » to return to the game, then move.", "error");
    return;
  }
  if (game.can("premove")) {
    premove.choose(square);
    return;
  }
  if (!game.can("move")) {
    says(whyNot(), "error");
    return;
  }
  const result = entry.choose(square);
  board.preview(null);
  mark();
  if (result.play) {
    await act.play(result.play.move);
  } else if (result.refused) {
    const error = await connection.send({ type: "explain", squares: result.refused });
    if (error) says(error, "error");
  } else if (result.chosen && by === "key") {
    const reached = [...entry.next].map(([name, kind]) => `${name} ${kind}`);
    says(`${square} chosen. It can reach ${reached.join(", ")}.`);
  }
}

function whyNot() {
  const { ending, players, turn, can, draw_offered_by: offered } = game.state;
  if (ending !== null) return can.includes("new") ? "The game is over. Undo, or begin a new one." : "The game is over.";
  if (offered !== null) return `${players[offered].name} offers a draw: it must be answered first.`;
  return `It is ${players[turn].name}'s turn.`;
}

/** Takes a piece up to drag it; true when it can move. */
function lift(square) {
  if (!game.live) return false;
  if (game.can("premove")) return premove.lift(square);
  if (!game.can("move")) return false;
  if (!entry.lift(square)) return false;
  mark();
  return true;
}

function letGo() {
  if (game.state === null) return;
  entry.path = [];
  premove.drop();
  board.preview(null);
  mark();
}

function hover(square) {
  if (!game.live || !game.can("move")) return;
  const target = square !== null && (entry.path.length > 0 || oneStep()) && entry.next.has(square);
  board.preview(target ? (entry.leadsTo(square)?.board ?? null) : null);
}

function look(ply) {
  game.look(ply);
  entry.path = [];
  show();
  if (!game.live) says(`Move ${game.ply} of ${game.moves.length}. Press » to return to the game.`);
  else says(game.can("move") ? "Back in the game: your move." : "Back in the game.");
}

/** Shows one of the two main parts of the page. */
function stage(name) {
  for (const each of ["waiting", "table"]) byId(each).hidden = each !== name;
  byId("flip").hidden = name === "waiting";
}

function help() {
  // If the pictures cannot be loaded, the rules below them are there.
  if (game.state !== null) showLesson(byId("lesson"), game.state.game).catch(() => {});
  byId("help").showModal();
}

/** Nobody will join any more: leaves only the words that say why. */
function stopWaiting() {
  for (const each of ["waiting-text", "waiting-terms", "join", "cancel"]) byId(each).hidden = true;
  setTitle("No game – ataxxd");
}

function says(text, look = "") {
  const line = byId(byId("waiting").hidden ? "says" : "waiting-says");
  line.textContent = text;
  line.dataset.look = look;
}

function sure(question) {
  const dialog = byId("sure");
  byId("sure-text").textContent = question;
  dialog.dataset.asked = game.state?.ending === null ? "playing" : "over";
  return isSure(dialog);
}

const WORDS = {
  new: () => act.begin(),
  undo: () => send({ type: "undo" }),
  redo: () => send({ type: "redo" }),
  draw: () => send({ type: "offer_draw" }),
  accept: () => send({ type: "answer_draw", accept: true }),
  reject: () => send({ type: "answer_draw", accept: false }),
  resign: () => act.resign(),
  unresign: () => send({ type: "keep_playing" }),
  takeback: () => send({ type: "ask", what: "takeback" }),
  abort: () => act.abort(),
  agree: () => send({ type: "agree" }),
  refuse: () => send({ type: "refuse" }),
  claim: () => send({ type: "claim" }),
  rematch: () => send({ type: "rematch" }),
  hint: () => send({ type: "hint" }),
  eval: () => act.evaluate(),
  quit: () => act.leave(),
  help: () => help(),
  pass: () => (entry.pass ? act.play(entry.pass.move) : act.play("-")),
  skip: () => WORDS.pass(),
};

byId("typed").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("typed-move");
  const typed = field.value;
  const text = typed.trim().toLowerCase();
  if (text === "") return;
  if (!game.live) look(game.moves.length);
  if (WORDS[text]) {
    WORDS[text]();
  } else if (/^([a-z]\d{1,2}|\d{1,2})$/.test(text) && !oneStep() && !isMove(text) && (game.can("move") || game.can("premove"))) {
    letGo();
    await choose(text, "key");
  } else if (!(await (game.can("premove") ? premove.play(text) : act.play(text)))) {
    if (field.value === typed) field.select();
    return;
  }
  // Keep what was typed while the answer was on its way.
  if (field.value === typed) field.value = "";
});

byId("browse").addEventListener("click", (event) => {
  const go = event.target.dataset.go;
  if (go) look({ first: 0, back: game.ply - 1, forward: game.ply + 1, live: game.moves.length }[go]);
});

byId("cancel").addEventListener("click", () => send({ type: "leave" }));
byId("sound").setAttribute("aria-pressed", audible());
byId("sound").addEventListener("click", () => {
  setAudible(!audible());
  byId("sound").setAttribute("aria-pressed", audible());
});
byId("notify").checked = notifies();
byId("notify").addEventListener("change", async ({ target }) => {
  const wanted = target.checked;
  target.checked = await setNotifying(wanted);
  byId("notify-says").textContent =
    wanted && !target.checked ? "The browser does not let this page notify you: allow it in the site's settings." : "";
});
// Works wherever the focus is; the board and dialogs handle Escape themselves.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) letGo();
});
byId("help-open").addEventListener("click", help);
function flip() {
  flipped = !(flipped ?? fromBelow(pieceSet(game.state.game)));
  show();
}
byId("flip").addEventListener("click", flip);

const KEYS = {
  ArrowLeft: () => game.ply > 0 && look(game.ply - 1),
  ArrowRight: () => !game.live && look(game.ply + 1),
  f: flip,
};
// Works wherever the focus is, except in a field, a dialog, or where arrows already move it.
document.addEventListener("keydown", (event) => {
  const key = KEYS[event.key];
  const { target, defaultPrevented, ctrlKey, altKey, metaKey } = event;
  if (!key || game.state === null || defaultPrevented || ctrlKey || altKey || metaKey) return;
  const walks = event.key === "f" ? "" : ", [role=slider], [role=gridcell]";
  if (target.closest(`input, select, textarea, dialog${walks}`)) return;
  event.preventDefault();
  key();
});
// Wakes a person whose own time runs out, once a move.
let warned = -1;
setInterval(() => {
  if (game.state === null) return;
  const low = showClocks(game, performance.now() - heard);
  if (low && game.can("move") && warned !== game.moves.length) {
    warned = game.moves.length;
    sound("low");
  }
}, 500);
