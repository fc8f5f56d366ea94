// The lobby: lists of games, forms to begin one, and the way to each table.

import { isSure } from "./asking.js";
import { AFTERWARDS, Connection, FAREWELL, STATUS } from "./connection.js";
import { html } from "./shapes.js";
import "./theme.js";

const byId = (id) => document.getElementById(id);
let rulesets = [];
// Whom the open form challenges.
let challenged = null;
const UNREACHABLE = "The broker cannot be reached; the program keeps trying.";
const NOT_JOINED = "You have not joined that game.";

const connection = new Connection(
  {
    status(status, reason) {
      byId("connection").textContent = STATUS[status];
      byId("connection").dataset.state = status;
      if (FAREWELL[status]) says(FAREWELL[status]);
      if (status === "left") says(`${reason} ${AFTERWARDS}`);
    },
    lobby: show,
    opened: ({ table }) => location.assign(`/table/${table}`),
    trouble: ({ text }) => says(text),
  },
  "/lobby",
);

/** Sends a command; true when it was obeyed, and else the fault is shown beside its field. */
async function send(command, form = null) {
  const fault = await connection.send(command);
  if (fault === null) return true;
  const { text, field, question } = typeof fault === "string" ? { text: fault, field: "" } : fault;
  if (question) return (await agreed(question, NOT_JOINED)) && send({ ...command, new_host: true }, form);
  if (!form || !explain(form, field, text)) says(text);
  return false;
}

function show(state) {
  byId("broker").textContent = state.broker;
  byId("node").textContent = state.node;
  if (!state.connected) says(UNREACHABLE);
  else if (byId("says").textContent === UNREACHABLE) says("");
  if (rulesets.length === 0) {
    rulesets = state.rulesets;
    for (const id of ["host", "against"]) fillRules(id, rulesets);
  }
  byId("called").textContent = state.nickname
    ? `Others see you as ${state.nickname} (${state.node.slice(0, 9)}).`
    : `Others see you as unnamed (${state.node.slice(0, 9)}).`;
  if (document.activeElement !== byId("call-me-nickname")) byId("call-me-nickname").placeholder = state.nickname || "ana";
  const open = state.games.filter((game) => game.progress === "open");
  const running = state.games.filter((game) => game.progress === "playing");
  list("tables", state.tables, (table) =>
    row(table.id, named(table.players, table), [table.title, table.doing].filter(Boolean).join(": "), link(table)),
  );
  list("challenges", state.challenges, (each) =>
    row(each.id, `${each.name} asks you for a game of ${title(each.ruleset)}`, offered(each),
      button("Accept", `the challenge of ${each.name}`, () => send({ type: "accept", challenge: each.id })),
      button("Decline", `the challenge of ${each.name}`, () => send({ type: "decline", challenge: each.id }))),
  );
  list("people", state.players, (player) =>
    row(player.node, player.name, about_player(player), player.free && player.rulesets.length > 0
      ? button("Challenge", player.name, () => ask(player))
      : html("small", {}, "takes no game now")),
  );
  list("open", open, (game) =>
    row(key(game), named(game.players, game), about(game), game.obstacle ? html("small", {}, game.obstacle) : seat(game)),
  );
  list("running", running, (game) =>
    row(key(game), named(game.players, game), about(game), game.watchable ? button("Watch", game.name, () => watch(game)) : html("small", {}, game.obstacle)),
  );
  const over = state.games.filter((game) => game.progress === "over" && game.watchable && !game.ours);
  list("over", over, (game) =>
    row(key(game), named(game.players, game), about(game), button("Watch", game.name, () => watch(game))),
  );
  list("finished", state.finished, (game) =>
    row(game.id, named(game.players, game), `${game.result}, ${ago(game.age_s)}`,
      button("Study", `${named(game.players, game)}, ${game.result}`, () => send({ type: "study", game: game.id })),
      button("Rematch", `${named(game.players, game)}, ${game.result}`, () => send({ type: "rematch", game: game.id }))),
  );
  list("kept", state.kept, (game) =>
    row(game.id, named(game.players, game), `${game.name}: ${waits(game)}`,
      button("Resume", game.name, () => send({ type: "resume", game: game.id }))),
  );
  byId("tables-section").hidden = state.tables.length === 0;
  byId("challenges-section").hidden = state.challenges.length === 0;
  byId("people-none").hidden = state.players.length > 0;
  byId("finished-section").hidden = state.finished.length === 0;
  byId("over-section").hidden = over.length === 0;
  byId("kept-section").hidden = state.kept.length === 0;
  byId("open-none").hidden = open.length > 0;
  byId("running-none").hidden = running.length > 0;
}

const waits = (game) =>
  game.unconfirmed_s === null
    ? `${plies(game.plies)}, you ${game.hosted ? "host" : "are the guest"}`
    : `over ${ago(game.unconfirmed_s)}, and waits for your opponent`;
const plies = (count) => (count === 1 ? "1 ply" : `${count} plies`);
const key = (game) => `${game.name}#${game.host}`;
const title = (id) => rulesets.find((each) => each.id === id)?.title ?? id;
const watch = (game) => send({ type: "look_on", name: game.name, host: game.host });

/** A table or a game by who is at it, and what is played. */
const named = (players, { ruleset }) => [...(players.length ? [players.join(" vs ")] : []), title(ruleset)].join(", ");

const link = (table) => html("a", { href: `/table/${table.id}` }, "Go to table");

function about(game) {
  const said = game.progress === "open" ? [] : [plies(game.plies)];
  if (game.result) said.push(game.result);
  if (game.terms) said.push(game.terms);
  if (game.instead_of) said.push("not the host you have joined before");
  return [game.name, said.join("; ")].filter(Boolean).join(": ");
}

function about_player(player) {
  const said = [player.bot ? "a bot" : "a person"];
  if (player.playing > 0) said.push(player.playing === 1 ? "at 1 table" : `at ${player.playing} tables`);
  for (const [ruleset, rating] of Object.entries(player.ratings)) said.push(`rated ${rating} in ${title(ruleset)}`);
  if (player.text) said.push(`“${player.text}”`);
  return said.join(", ");
}

/** What a challenge comes to. */
function offered(challenge) {
  const sides = rulesets.find((each) => each.id === challenge.ruleset)?.sides ?? ["the first side", "the second side"];
  const side = { first: `you play ${sides[0]}, and begin`, second: `you play ${sides[1]}` }[challenge.side] ?? "the sides are random";
  return [side, challenge.terms, challenge.text && `“${challenge.text}”`].filter(Boolean).join("; ");
}

function ago(seconds) {
  if (seconds < 120) return "just now";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

/** Opens the form that challenges a player. */
function ask(player) {
  challenged = player.node;
  forgive(byId("challenge"));
  byId("ask-title").textContent = `Challenge ${player.name}`;
  fillRules("challenge", rulesets.filter((each) => player.rulesets.includes(each.id)));
  byId("ask").showModal();
}

/** The way to a free seat; one for the invited is taken with the invitation. */
function seat(game) {
  if (!game.invited) return button("Join", game.name, () => take(game));
  return button("Join", game.name, () => {
    byId("join-invitation").focus();
    says("This game is by invitation only: paste the invitation into the form.");
  });
}

/** Takes a listed seat; its host is named whole, so that the program does not ask about it. */
async function take(game) {
  const [host] = game.players;
  const question = `"${game.name}" was hosted by ${game.instead_of} before; now by ${host}. Join anyway?`;
  if (game.instead_of && !(await agreed(question, NOT_JOINED))) return;
  await send({ type: "join", invitation: key(game) }, byId("join"));
}

function button(text, name, action) {
  const made = html("button", { type: "button", "aria-label": `${text} ${name}` }, text);
  made.addEventListener("click", async () => {
    made.disabled = true;
    await action();
    made.disabled = false;
  });
  return made;
}

function row(id, name, text, ...ways) {
  const words = ways.map((way) => way.textContent).join();
  return { id, signature: `${name}|${text}|${words}`, made: () => html("li", {}, html("span", { class: "about" }, html("strong", {}, name), html("small", {}, text)), ...ways) };
}

/** Updates a list, but keeps the rows that have not changed, with their focus and a click under way. */
function list(id, items, make) {
  const host = byId(id);
  const old = new Map([...host.children].map((item) => [item.dataset.key, item]));
  const rows = items.map((each) => {
    const wanted = make(each);
    const known = old.get(wanted.id);
    if (known?.dataset.signature === wanted.signature) return known;
    const made = wanted.made();
    made.dataset.key = wanted.id;
    made.dataset.signature = wanted.signature;
    return made;
  });
  if (rows.length !== host.children.length || rows.some((each, index) => each !== host.children[index])) {
    host.replaceChildren(...rows);
  }
}

// Forms

function fillRules(form, known) {
  const select = byId(`${form}-ruleset`);
  select.replaceChildren(...known.map((each) => html("option", { value: each.id }, each.title)));
  select.onchange = () => fillSides(form);
  fillSides(form);
}

function fillSides(form) {
  const rules = rulesets.find((each) => each.id === byId(`${form}-ruleset`).value);
  const [first, second] = rules.sides;
  byId(`${form}-color`).replaceChildren(
    html("option", { value: "first" }, `${first}, who moves first`),
    html("option", { value: "second" }, second),
    html("option", { value: "random" }, "random"),
  );
  if (form === "host") byId("host-blocks-row").hidden = rules.game !== "ataxx";
}

/** Shows a fault beside the field it is about; false where the form has none of that name. */
function explain(form, field, text) {
  const name = field === "access" ? "guest" : field;
  const input = name === "" ? null : form.elements.namedItem(name);
  if (!input) return false;
  const folded = input.closest("details");
  if (folded) folded.open = true;
  const note = html("p", { class: "error", id: `${input.id}-error`, role: "alert" }, text);
  input.after(note);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
  input.focus();
  return true;
}

function forgive(form) {
  for (const note of form.querySelectorAll(".error")) note.remove();
  for (const input of form.elements) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
}

/** Sends what `read` makes of a form when it is submitted. */
function onSubmit(form, read, done = () => {}) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    forgive(form);
    says("");
    const submit = form.querySelector("[type=submit]");
    submit.disabled = true;
    if (await send(read(Object.fromEntries(new FormData(form))), form)) done();
    submit.disabled = false;
  });
}

onSubmit(byId("host"), ({ access, guest, takebacks, auto, blocks, ...fields }) => ({
  type: "host",
  ...fields,
  access: access === "node" ? guest.trim() || "nobody" : access,
  blocks: byId("host-blocks-row").hidden ? "" : blocks,
  takebacks: takebacks === "on",
  auto: auto === "on",
}));
onSubmit(byId("call-me"), (fields) => ({ type: "call_me", ...fields }), () => byId("call-me").reset());
onSubmit(byId("challenge"), (fields) => ({ type: "challenge", player: challenged, ...fields }), () => byId("ask").close());
byId("ask-close").addEventListener("click", () => byId("ask").close());
onSubmit(byId("join"), (fields) => ({ type: "join", ...fields }));
onSubmit(byId("against"), (fields) => ({ type: "against", ...fields }));
byId("host-access").addEventListener("change", () => {
  byId("host-guest-row").hidden = byId("host-access").value !== "node";
});

function says(text) {
  byId("says").textContent = text;
}

/** Asks a question that is answered by yes or no; after a no the page says what that comes to. */
async function agreed(question, otherwise) {
  byId("sure-text").textContent = question;
  const yes = await isSure(byId("sure"));
  says(yes ? "" : otherwise);
  return yes;
}

byId("close").addEventListener("click", async () => {
  if (await agreed("End the program? Every table is left; what is not over can be resumed.", "The program goes on.")) send({ type: "close" });
});
