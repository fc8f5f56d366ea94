// Matches between engines as they are played: tables, pairs, the sequential test, and the workers.

import { Connection, STATUS } from "./connection.js";
import { html, svg } from "./shapes.js";
import "./theme.js";

const byId = (id) => document.getElementById(id);
const POINTS = ["0", "½", "1", "1½", "2"];
const BAR = 60;
const FAREWELL = {
  silent: "The program does not answer; it has ended, unless it comes back in a moment.",
  full: "This match has as many pages as it can. Close another one; this page then continues by itself.",
  stale: "This page belongs to a program that has ended. Start it again and open the link it writes.",
  outdated: "The program is newer than this page. Load the page again.",
};

new Connection(
  {
    status(status, reason) {
      byId("connection").textContent = STATUS[status];
      byId("connection").dataset.state = status;
      byId("says").textContent = status === "left" ? `${reason} This is how the match stood.` : (FAREWELL[status] ?? "");
    },
    matches({ matches }) {
      byId("none").hidden = matches.length > 0;
      byId("matches").replaceChildren(...matches.map(match));
    },
  },
  "/match",
);

function match(shown, index) {
  const names = shown.players.map((player) => player.name);
  document.title = `${shown.count}: ${names.join(" – ")}`;
  const parts = [
    html("h2", { id: `match-${index}` }, names.join(" – ")),
    played(shown),
    table("Games", ["player", "won", "drawn", "lost", "failed"], shown.players.map((each) => [each.name, each.won, each.drawn, each.lost, each.failed])),
    html("ul", { class: "facts" }, ...shown.facts.map((fact) => html("li", {}, fact))),
  ];
  if (shown.ratio) parts.push(ratio(shown.ratio, index));
  parts.push(pairs(shown.pairs));
  if (shown.pace && !shown.over) parts.push(html("p", { class: "pace" }, shown.pace));
  if (shown.workers.length > 0) parts.push(table("Workers", shown.columns, shown.workers));
  return html("section", { "aria-labelledby": `match-${index}` }, ...parts);
}

function played(shown) {
  const line = html("p", { class: "count" }, shown.over ? `${shown.count}: the match is over.` : `${shown.count}.`);
  if (shown.planned) {
    line.append(html("progress", { max: shown.planned, value: shown.played, "aria-label": "Games played" }));
  }
  return line;
}

/** A table whose first column names its rows; it may be scrolled where the screen is narrow. */
function table(name, columns, rows) {
  const head = html("tr", {}, ...columns.map((each) => html("th", { scope: "col" }, each)));
  const body = rows.map(([first, ...others]) =>
    html("tr", {}, html("th", { scope: "row" }, first), ...others.map((cell) => html("td", {}, String(cell)))),
  );
  return html(
    "div",
    { class: "rows", role: "region", "aria-label": name, tabindex: "0" },
    html("table", {}, html("caption", {}, name), html("thead", {}, head), html("tbody", {}, ...body)),
  );
}

/** How far the sequential test is between its bounds. */
function ratio({ value, low, high }, index) {
  const words = `Log-likelihood ratio ${value.toFixed(2)}, between ${low.toFixed(2)} (refuted) and ${high.toFixed(2)} (shown)`;
  return html(
    "p",
    {},
    html("label", { for: `ratio-${index}` }, words),
    html("meter", { id: `ratio-${index}`, min: low, max: high, value: Math.min(high, Math.max(low, value)) }),
  );
}

/** Pairs of games by the first player's points: bars over the numbers. */
function pairs(counts) {
  const most = Math.max(1, ...counts);
  const bars = counts.map((count, index) => {
    const height = (BAR * count) / most;
    return svg("rect", { x: 20 * index + 3, y: BAR - height, width: 14, height });
  });
  const drawn = svg("svg", { viewBox: `0 0 100 ${BAR}`, "aria-hidden": "true", class: "pairs" }, ...bars);
  return html("div", {}, drawn, table("Pairs by points", ["points", ...POINTS], [["pairs", ...counts]]));
}
