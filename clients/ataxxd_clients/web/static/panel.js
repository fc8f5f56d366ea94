// What stands beside the board: the players, what can be done, the moves, the end, the talk.

import { fileLink, openStudy } from "./connection.js";
import { html, svg } from "./shapes.js";

const LOW_MS = 20_000;
const byId = (id) => document.getElementById(id);

/** The two players, with the score between them. */
export function showPlayers(game, set, { fill, setLevel }) {
  const { players, turn, ending, draw_offered_by: offered, level } = game.state;
  const acting = offered === null ? turn : 1 - offered;
  const signature = JSON.stringify([players.map((each) => [each.name, each.seat, each.who]), game.state.game, game.can("fill"), game.state.kind, level]);
  const host = byId("players");
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    host.replaceChildren(...players.map((player, side) => card(game, set, player, side, fill, setLevel)), bar());
  }
  players.forEach((player, side) => {
    const shown = host.children[side];
    shown.querySelector(".pieces").textContent = player.pieces;
    shown.classList.toggle("acting", ending === null && side === acting);
    shown.classList.toggle("winner", ending?.winner === side);
    shown.querySelector(".state").textContent =
      ending === null ? (side === acting ? state(player, offered) : "") : ending.winner === side ? "wins" : "";
  });
  const [first, second] = players.map((player) => player.pieces);
  host.querySelector(".share").style.width = `${(100 * first) / Math.max(first + second, 1)}%`;
}

function state(player, offered) {
  if (offered !== null) return "must answer";
  return player.seat === "auto" ? "is thinking" : "to move";
}

function card(game, set, player, side, fill, setLevel) {
  const icon = svg("svg", { viewBox: "-46 -46 92 92", class: "board icon", "aria-hidden": "true" });
  icon.append(set.piece(side === 0 ? "x" : "o"));
  let who = html("span", { class: "seat" }, player.who);
  if (game.can("fill")) {
    who = html("select", { class: "seat", "aria-label": `Who plays ${player.name}` });
    for (const [value, text] of [["human", "by hand"], ["auto", "computer"]]) {
      const option = html("option", { value }, text);
      option.selected = value === player.seat;
      who.append(option);
    }
    who.addEventListener("change", () => fill(side, who.value));
    if (game.can("level") && player.seat === "auto") who = html("span", { class: "seats" }, who, levels(game, setLevel));
  }
  return html(
    "div",
    { class: `player side-${side}` },
    icon,
    html("div", { class: "who" }, html("strong", {}, player.name), who),
    html("span", { class: "state" }),
    html("span", { class: "clock", role: "timer" }),
    html("span", { class: "pieces" }),
  );
}

const HIGHEST_LEVEL = 10;

function levels(game, setLevel) {
  const level = html("select", { class: "seat", "aria-label": "Level of the computer" });
  for (let each = 1; each <= HIGHEST_LEVEL; each++) {
    const option = html("option", { value: each }, `level ${each}`);
    option.selected = each === game.state.level;
    level.append(option);
  }
  level.addEventListener("change", () => setLevel(Number(level.value)));
  return level;
}

function bar() {
  return html("div", { class: "score", "aria-hidden": "true" }, html("div", { class: "share" }));
}

/** The clocks, `since` so many milliseconds after the state; whether the one that runs is low. */
export function showClocks(game, since) {
  const { players, turn, ending, draw_offered_by: offered } = game.state;
  const acting = offered === null ? turn : 1 - offered;
  let low = false;
  players.forEach((player, side) => {
    const shown = byId("players").children[side].querySelector(".clock");
    shown.hidden = player.clock_ms === null;
    if (shown.hidden) return;
    const running = ending === null && side === acting;
    const starts = player.starts_in_ms - (running ? since : 0);
    const left = Math.max(0, player.clock_ms - (running ? Math.max(0, -starts) : 0));
    shown.title = starts > 0 ? `starts with the first move, at the latest after ${Math.ceil(starts / 1000)} s` : "";
    shown.classList.toggle("waiting", starts > 0);
    const seconds = Math.floor(left / 1000);
    shown.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const isLow = running && left < LOW_MS;
    low ||= isLow;
    shown.classList.toggle("low", isLow);
  });
  return low;
}

/** What is said of an offer of a draw while it stands. */
function offerText({ state: { kind, players, draw_offered_by: offered } }) {
  const ours = kind === "network" && players[offered].seat === "human";
  return ours ? `Your offer of a draw waits for ${players[1 - offered].name}'s answer.` : `${players[offered].name} offers a draw.`;
}

/** The buttons of what can be done now. */
export function showActions(game, entry, act) {
  const { can } = game.state;
  const wanted = [
    [entry.pass !== null, "Pass", () => act.play(entry.pass.move), "strong"],
    [can.includes("undo"), "Undo", () => act.send({ type: "undo" })],
    [can.includes("redo"), "Redo", () => act.send({ type: "redo" })],
    [can.includes("new"), "New game", act.begin, game.state.ending ? "strong" : ""],
    [can.includes("takeback"), "Ask for takeback", () => act.send({ type: "ask", what: "takeback" })],
    [can.includes("claim"), "Claim the game", () => act.send({ type: "claim" }), "strong"],
    [can.includes("hint"), "Hint", () => act.send({ type: "hint" })],
    [can.includes("evaluate"), act.evaluates() ? "Stop evaluating" : "Evaluate", act.evaluate],
    [can.includes("offer_draw"), "Offer a draw", () => act.send({ type: "offer_draw" })],
    [can.includes("resign"), "Resign", act.resign],
    [can.includes("abort"), "Abort", act.abort],
    [can.includes("rematch"), "Rematch", () => act.send({ type: "rematch" }), "strong"],
    [openStudy && game.state.ending !== null && game.state.kind !== "local", "Study this game", act.study, "strong"],
    [can.includes("leave"), "Leave", act.leave],
  ];
  replaceButtons(byId("actions"), wanted);
  const box = byId("request");
  const { draw_offered_by: offered, asked, players } = game.state;
  const answers = [
    [can.includes("answer_draw"), "Accept", () => act.send({ type: "answer_draw", accept: true }), "strong"],
    [can.includes("answer_draw"), "Reject", () => act.send({ type: "answer_draw", accept: false })],
    [can.includes("agree"), "Agree", () => act.send({ type: "agree" }), "strong"],
    [can.includes("refuse"), "No", () => act.send({ type: "refuse" })],
    [can.includes("keep_playing"), "Play on", () => act.send({ type: "keep_playing" })],
  ];
  replaceButtons(byId("request-actions"), answers);
  const what = { takeback: "to take a move back", abort: "to end the game without a result" }[asked];
  byId("request-text").textContent = [
    offered !== null ? offerText(game) : what ? `Your opponent asks ${what}.` : "",
    can.includes("keep_playing") ? "You will resign as soon as it is your turn." : "",
  ].join(" ").trim();
  box.hidden = byId("request-text").textContent === "";
}

/** Renews buttons, but leaves them alone where nothing has changed, so that focus stays. */
function replaceButtons(host, wanted) {
  const shown = wanted.filter(([wantedNow]) => wantedNow);
  const signature = shown.map(([, text, , look]) => `${text}/${look ?? ""}`).join();
  const latest = shown.map(([, , action]) => action);
  host.actions = latest;
  if (host.dataset.signature === signature) return;
  host.dataset.signature = signature;
  const focused = host.contains(document.activeElement) ? document.activeElement.textContent : null;
  host.replaceChildren(
    ...shown.map(([, text, , look], index) =>
      html("button", { type: "button", class: look ?? "", onclick: () => host.actions[index]() }, text),
    ),
  );
  [...host.children].find((button) => button.textContent === focused)?.focus();
}

/** The files to save the game in; they are offered when it is over. */
function showFiles({ state: { files, ending } }, over) {
  const list = byId("files");
  const signature = files.map(({ name }) => name).join();
  if (list.dataset.signature !== signature) {
    list.dataset.signature = signature;
    list.replaceChildren(
      ...files.map(({ name, title }) =>
        html("li", {}, html("a", fileLink(name), name), ` ${title}`),
      ),
    );
  }
  byId("save").hidden = files.length === 0;
  if (over && ending !== null) byId("save").open = true;
}

/** The end of the game, beside the board. */
export function showEnding(game) {
  const { ending } = game.state;
  const over = byId("banner").hidden && ending !== null;
  byId("banner").hidden = ending === null;
  showFiles(game, over);
  if (ending === null) return;
  const [head, why] = ending.text.split(/:\s(.*)/s);
  byId("banner-text").textContent = why ? head + "." : head;
  byId("banner-score").textContent = why ? why[0].toUpperCase() + why.slice(1) : "";
  byId("banner").dataset.winner = ending.winner ?? "none";
}

/** The list of moves; a click looks at the position after one. */
export function showMoves(game, look) {
  const list = byId("moves");
  const signature = game.moves.map((move) => `${move.side}${move.name}`).join();
  if (list.dataset.signature !== signature) {
    list.dataset.signature = signature;
    list.replaceChildren(
      ...game.moves.map((move, index) =>
        html(
          "li",
          { class: `side-${move.side}` },
          html("button", { type: "button", onclick: () => look(index + 1) }, `${move.name ?? "pass"}`),
        ),
      ),
    );
  }
  [...list.children].forEach((item, index) => {
    const here = index + 1 === game.ply;
    item.classList.toggle("here", here);
    if (here) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
    if (here) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
  });
}
