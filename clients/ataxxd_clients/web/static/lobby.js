// The lobby: lists of games, forms to begin one, and the way to each table.

import { Connection, FAREWELL, STATUS } from "./connection.js";
import { html } from "./shapes.js";
import "./theme.js";

const byId = (id) => document.getElementById(id);
let rulesets = [];

const connection = new Connection(
  {
    status(status, reason) {
      byId("connection").textContent = STATUS[status];
      byId("connection").dataset.state = status;
      if (FAREWELL[status]) says(FAREWELL[status]);
      if (status === "left") says(`${reason} This tab can be closed.`);
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
  const { text, field } = typeof fault === "string" ? { text: fault, field: "" } : fault;
  if (!form || !explain(form, field, text)) says(text);
  return false;
}

function show(state) {
  byId("broker").textContent = state.broker;
  byId("node").textContent = state.node;
  if (!state.connected) says("The broker is away; it is being tried again.");
  else if (byId("says").textContent.startsWith("The broker is away")) says("");
  if (rulesets.length === 0) {
    rulesets = state.rulesets;
    for (const id of ["host", "against"]) fillRules(id);
  }
  const open = state.games.filter((game) => game.progress === "open");
  const running = state.games.filter((game) => game.progress === "playing");
  list("tables", state.tables, (table) =>
    row(table.id, table.title || "Against the engine", table.doing, html("a", { href: `/table/${table.id}` }, "Go to table")),
  );
  list("open", open, (game) =>
    row(key(game), game.name, about(game), game.obstacle ? html("small", {}, game.obstacle) : seat(game)),
  );
  list("running", running, (game) =>
    row(key(game), game.name, about(game), game.watchable ? button("Watch", game.name, () => watch(game)) : html("small", {}, game.obstacle)),
  );
  list("kept", state.kept, (game) =>
    row(game.id, game.name, `${title(game.ruleset)}, ${game.plies} plies, you ${game.hosted ? "host" : "are the guest"}`,
      button("Resume", game.name, () => send({ type: "resume", game: game.id }))),
  );
  byId("tables-section").hidden = state.tables.length === 0;
  byId("kept-section").hidden = state.kept.length === 0;
  byId("open-none").hidden = open.length > 0;
  byId("running-none").hidden = running.length > 0;
}

const key = (game) => `${game.name}#${game.host}`;
const title = (id) => rulesets.find((each) => each.id === id)?.title ?? id;
const watch = (game) => send({ type: "look_on", name: game.name, host: game.host });

function about(game) {
  const plies = game.progress === "open" ? "" : `, ${game.plies} plies`;
  const terms = game.terms ? `; ${game.terms}` : "";
  return `${title(game.ruleset)}${plies}, hosted by ${game.host_text}${terms}`;
}

/** The way to a free seat; one for the invited is taken with the invitation. */
function seat(game) {
  if (!game.invited) return button("Join", game.name, () => send({ type: "join", invitation: key(game) }, byId("join")));
  return button("Join", game.name, () => {
    byId("join-invitation").focus();
    says("Only who has the invitation may join this game: paste it into the form.");
  });
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

function row(id, name, text, way) {
  return { id, signature: `${name}|${text}|${way.textContent}`, made: () => html("li", {}, html("span", { class: "about" }, html("strong", {}, name), html("small", {}, text)), way) };
}

/** Renews a list, but for the rows that are as they were: focus and a click under way stay. */
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

function fillRules(form) {
  const select = byId(`${form}-ruleset`);
  select.replaceChildren(...rulesets.map((each) => html("option", { value: each.id }, each.title)));
  select.addEventListener("change", () => fillSides(form));
  fillSides(form);
}

function fillSides(form) {
  const rules = rulesets.find((each) => each.id === byId(`${form}-ruleset`).value);
  const [first, second] = rules.sides;
  byId(`${form}-color`).replaceChildren(
    html("option", { value: "first" }, `${first}, who moves first`),
    html("option", { value: "second" }, second),
    html("option", { value: "random" }, "either, by lot"),
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
function onSubmit(form, read) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    forgive(form);
    says("");
    const submit = form.querySelector("[type=submit]");
    submit.disabled = true;
    await send(read(Object.fromEntries(new FormData(form))), form);
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
onSubmit(byId("join"), (fields) => ({ type: "join", ...fields }));
onSubmit(byId("against"), (fields) => ({ type: "against", ...fields }));
byId("host-access").addEventListener("change", () => {
  byId("host-guest-row").hidden = byId("host-access").value !== "node";
});

function says(text) {
  byId("says").textContent = text;
}

byId("close").addEventListener("click", () => {
  const dialog = byId("sure");
  byId("sure-text").textContent = "End the program? Every table is left; what is not over can be resumed.";
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && send({ type: "close" }), { once: true });
});
