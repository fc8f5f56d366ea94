// The page of a study: a game to step through, the engine's opinion, and moves to try.

import { Board } from "./board.js";
import { AFTERWARDS, base, Connection, FAREWELL, STATUS } from "./connection.js";
import { EvaluationView, markMistake } from "./evaluation.js";
import { Entry, gameTitle } from "./game.js";
import { pieceSet } from "./pieces.js";
import { showRules } from "./rules.js";
import { html } from "./shapes.js";
import "./theme.js";
import { markVariation, showVariations } from "./variations.js";

const byId = (id) => document.getElementById(id);
byId("lobby").hidden = base === "";
const SILENT = "The program does not answer; it has ended, unless it comes back in a moment.";
const LONGEST_FILE = 1 << 19;

let state = null;
let nodes = new Map();
let opinions = { thinks: true, progress: null, verdicts: [] };
let verdicts = new Map();
let entry = new Entry([]);
let flipped = false;

const board = new Board(byId("board"), {
  choose: (square) => choose(square),
  hover: (square) => hover(square),
  lift: (square) => lift(square),
  drop: () => letGo(),
});
const opinion = new EvaluationView(byId("evaluation"), (ply) => look(state.line[ply]));

const connection = new Connection({
  status(status, reason) {
    byId("connection").textContent = STATUS[status];
    byId("connection").dataset.state = status;
    document.body.classList.toggle("offline", status !== "connected");
    if (FAREWELL[status]) says(status === "silent" ? SILENT : FAREWELL[status], "error");
    if (status === "left") says(`${reason} ${AFTERWARDS}`, "error");
  },
  study(message) {
    const before = state;
    state = message;
    take(message.nodes);
    if (before?.cursor !== state.cursor || message.nodes.some(({ node }) => node === state.cursor)) entry = new Entry(state.legal);
    show(before);
  },
  opinions(message) {
    opinions = message;
    verdicts = new Map(message.verdicts.map(({ node, verdict, best }) => [node, { ...verdict, best }]));
    if (state !== null) showOpinion();
  },
  told(message) {
    says(message.text);
  },
});

/** Takes new nodes, and finds out which follow which. */
function take(fresh) {
  for (const node of fresh) nodes.set(node.node, node);
  const kept = new Map(state.order.map((number) => [number, nodes.get(number)]));
  nodes = kept;
  for (const node of nodes.values()) node.children = [];
  for (const node of nodes.values()) {
    node.ply = node.parent === null ? 0 : nodes.get(node.parent).ply + 1;
    if (node.parent !== null) nodes.get(node.parent).children.push(node.node);
  }
}

async function send(command) {
  const error = await connection.send(command);
  if (error !== null) says(error, "error");
  return error === null;
}

const here = () => nodes.get(state.cursor);
const best = () => verdicts.get(state.cursor)?.line[0];
const play = (move) => send({ type: "try", node: state.cursor, move });
const look = (number) => number !== undefined && number !== state.cursor && send({ type: "look_at", node: number });

function show(before) {
  const node = here();
  document.body.dataset.game = state.game;
  board.lay(state.game, state.squares, pieceSet(state.game), flipped, state.names);
  board.draw(node.board, before !== null && node.parent === before.cursor ? node : null);
  board.preview(null);
  byId("game-title").textContent = `Study: ${gameTitle(state.game)}`;
  byId("ruleset").textContent = state.ruleset_title;
  showRules(byId("rules"), state.rules);
  byId("who").textContent = state.title;
  byId("typed-move").placeholder = state.example;
  byId("counts").textContent = state.names.map((name, side) => `${name} ${state.pieces[side]}`).join(", ");
  showVariations(byId("variations"), nodes, state.order, look);
  markVariation(byId("variations"), state.cursor);
  showFiles();
  showOpinion();
  const [at, last] = [node.ply, state.line.length - 1];
  for (const button of byId("browse").children) {
    const back = button.dataset.go === "first" || button.dataset.go === "back";
    button.disabled = back ? at === 0 : at === last;
  }
  byId("delete").disabled = at === 0;
  byId("promote").disabled = main().length === state.line.length && main().every((each, ply) => each === state.line[ply]);
  if (before?.cursor !== state.cursor || before.game !== state.game) says(place());
}

/** The main line, from the start. */
function main() {
  const line = [state.order[0]];
  while (nodes.get(line.at(-1)).children.length) line.push(nodes.get(line.at(-1)).children[0]);
  return line;
}

/** Where one is, in a sentence that a screen reader can tell. */
function place() {
  const node = here();
  const at = node.ply === 0 ? "The start" : `Move ${node.ply} of ${state.line.length - 1}: ${state.names[node.side]} ${node.name}`;
  return `${at}. ${state.ending?.text ?? `${state.names[state.turn]} to move.`}`;
}

function showOpinion() {
  opinion.show(
    state.line.map((number) => verdicts.get(number) ?? null),
    here().ply,
  );
  for (const button of byId("variations").querySelectorAll("[data-node]")) {
    const { node, parent, side } = nodes.get(Number(button.dataset.node));
    markMistake(button, side, verdicts.get(parent), verdicts.get(node));
  }
  byId("think").setAttribute("aria-pressed", opinions.thinks);
  const { progress } = opinions;
  byId("survey").textContent = progress === null ? "Evaluate the game" : `Stop (${progress[0]} of ${progress[1]})`;
  byId("best").disabled = best() === undefined;
  mark();
}

function showFiles() {
  const signature = state.files.map(({ name }) => name).join();
  if (byId("files").dataset.signature === signature) return;
  byId("files").dataset.signature = signature;
  const links = state.files.map(({ name, title }) =>
    html("li", {}, html("a", { href: `/export/${name}`, download: "" }, name), ` ${title}`),
  );
  byId("files").replaceChildren(...(links.length ? links : [html("li", {}, "No notation can express this line.")]));
}

const oneStep = () => entry.legal.some((move) => move.kind === "place");

function mark() {
  const node = here();
  board.mark({
    last: node.squares,
    path: entry.path,
    targets: entry.path.length || oneStep() ? entry.next : new Map(),
    movable: new Entry(entry.legal).next,
    forced: entry.forced,
    hint: opinions.thinks && entry.path.length === 0 ? (verdicts.get(state.cursor)?.best ?? []) : [],
  });
}

async function choose(square) {
  const result = entry.pass && entry.legal.length === 1 ? { play: entry.pass } : entry.choose(square);
  board.preview(null);
  mark();
  if (result.play) {
    await play(result.play.move);
  } else if (result.refused) {
    const error = await connection.send({ type: "explain", squares: result.refused });
    if (error) says(error, "error");
  }
}

function lift(square) {
  if (!entry.lift(square)) return false;
  mark();
  return true;
}

function letGo() {
  entry.path = [];
  board.preview(null);
  mark();
}

function hover(square) {
  if (state === null) return;
  const target = square !== null && (entry.path.length > 0 || oneStep()) && entry.next.has(square);
  board.preview(target ? (entry.leadsTo(square)?.board ?? null) : null);
}

function says(text, look = "") {
  byId("says").textContent = text;
  byId("says").dataset.look = look;
}

function go(where) {
  const at = here().ply;
  look(state.line[{ first: 0, back: Math.max(at - 1, 0), forward: at + 1, last: state.line.length - 1 }[where]]);
}

byId("browse").addEventListener("click", (event) => event.target.dataset.go && go(event.target.dataset.go));
byId("think").addEventListener("click", () => send({ type: "think", on: !opinions.thinks }));
byId("survey").addEventListener("click", () => send({ type: "survey", on: opinions.progress === null }));
byId("best").addEventListener("click", () => best() && play(best() === "pass" ? "-" : best()));
byId("promote").addEventListener("click", () => send({ type: "promote", node: state.cursor }));
byId("delete").addEventListener("click", () => send({ type: "delete", node: state.cursor }));
byId("leave").addEventListener("click", () => send({ type: "leave" }));
byId("help-open").addEventListener("click", () => byId("help").showModal());
byId("flip").addEventListener("click", () => {
  flipped = !flipped;
  show(state);
});

byId("typed").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("typed-move");
  const typed = field.value;
  const text = typed.trim();
  if (text === "") return;
  const played = await play(text);
  // Keep what was typed while the answer was on its way.
  if (field.value !== typed) return;
  if (played) field.value = "";
  else field.select();
});

byId("open-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = byId("open-file").files[0];
  if (file === undefined) {
    says("Choose a file first.", "error");
    return;
  }
  if (file.size > LONGEST_FILE) {
    says(`${file.name} is too large to be a game: ${file.size} bytes, and at most ${LONGEST_FILE}.`, "error");
    return;
  }
  const opened = await send({ type: "open", name: file.name, notation: byId("open-notation").value || null, text: await file.text() });
  if (opened) byId("open").open = false;
});

document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
  if (!step || state === null || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, select, dialog, [role=slider], [role=grid]")) return;
  event.preventDefault();
  go(step);
});
