/** What a page is told at the end of a game, whatever the order of the events. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { OfferMessage } from "../src/messages.js";
import type { BrowserNode } from "../src/node.js";
import { Player, type PlayerEvent } from "../src/player.js";
import { PostGame } from "../src/post_game.js";
import { Table } from "../src/table.js";

const nothing = (): void => {};

/** A table whose game is over; what its page was told. */
function atTheEnd(t: TestContext): {
  hear: (event: PlayerEvent) => void;
  told: string[];
  asks: () => Promise<unknown>;
} {
  // The table asks no more of the game here.
  const ledger = { offer: { name: "ourgame" }, hostSide: null, outcome: {} };
  const values = { role: "guest", isLost: false, isSettled: false, ledger };
  const game = Object.create(Player.prototype, Object.getOwnPropertyDescriptors(values)) as Player;
  const postGame = new PostGame({} as BrowserNode, game, () => nothing, nothing);
  const told: string[] = [];
  const answers: unknown[] = [];
  const table = new Table(
    game,
    (message) => {
      if (message["type"] === "told") told.push(`${message["kind"]}: ${message["text"]}`);
      if (message["type"] === "answer") answers.push(message["error"]);
    },
    nothing,
    postGame,
  );
  const hear = (event: PlayerEvent): void => {
    postGame.hear(event);
    table.hear(event);
  };
  t.after(() => table.close());
  const asks = async (): Promise<unknown> => {
    await table.obey({ type: "rematch", id: 1 });
    return answers.at(-1);
  };
  return { hear, told, asks };
}

const OFFERED: PlayerEvent = { type: "rematch-offered", offer: {} as OfferMessage };
const SETTLED: PlayerEvent = { type: "settled" };

test("a receipt that comes after the offer of a rematch does not hide it", (t) => {
  const { hear, told } = atTheEnd(t);
  hear(OFFERED);
  hear(SETTLED);
  assert.equal(
    told.at(-1),
    "rematch_asked: You both have the whole game, signed. Your opponent would like a rematch: press Rematch to play it, or leave.",
  );
});

test("an offer that was taken back is not told again with the receipt", (t) => {
  const { hear, told } = atTheEnd(t);
  hear(OFFERED);
  hear({ type: "rematch-offered", offer: null });
  hear(SETTLED);
  assert.equal(told.at(-1), "notice: You both have the whole game, signed.");
});

test("a request that has lapsed cannot be refused any more, and nothing is said", async (t) => {
  const said: string[] = [];
  const sent: Record<string, unknown>[] = [];
  const ledger = { offer: { name: "ourgame" }, hostSide: null, sideOf: () => null };
  const act = (does: (session: unknown) => unknown): void => {
    does({ say: (text: string) => said.push(text) });
  };
  const values = { role: "guest", isLost: false, isSettled: false, ledger, act };
  const game = Object.create(Player.prototype, Object.getOwnPropertyDescriptors(values)) as Player;
  const table = new Table(game, (message) => sent.push(message), nothing);
  t.after(() => table.close());
  const refuse = async (): Promise<unknown> => {
    await table.obey({ type: "refuse", id: 1 });
    return sent.findLast((message) => message["type"] === "answer")?.["error"];
  };
  table.hear({ type: "asked", by: "host", what: "takeback" });
  assert.equal(await refuse(), null);
  table.hear({ type: "asked", by: "host", what: "abort" });
  table.hear({ type: "draw-offered", by: "host" });
  assert.equal(await refuse(), "Your opponent is not asking for anything now.");
  assert.deepEqual(said, ["I would rather not take the move back."]);
});

test("a connection that is back soon is no news, and a goodbye is at once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hear, told } = atTheEnd(t);
  const status = (state: "lost" | "left" | "online"): void => hear({ type: "presence", state });
  status("lost");
  t.mock.timers.tick(2_000);
  status("online");
  t.mock.timers.tick(10_000);
  assert.deepEqual(told, []);
  status("lost");
  t.mock.timers.tick(2_000);
  status("lost");
  t.mock.timers.tick(1_000);
  assert.equal(told.at(-1), "notice: Your opponent has lost the connection.");
  status("online");
  assert.equal(told.at(-1), "notice: Your opponent is back.");
  status("lost");
  status("left");
  assert.equal(told.at(-1), "notice: Your opponent has left.");
  t.mock.timers.tick(10_000);
  assert.equal(told.length, 3);
});

test("while we have no connection ourselves, the opponent's is not told", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hear, told } = atTheEnd(t);
  const status = (state: "lost" | "left" | "online"): void => hear({ type: "presence", state });
  const connection = (connected: boolean): void =>
    hear({ type: "connection", connected, why: connected ? "" : "the broker is gone" });
  const ofOpponent = (): string[] => told.filter((each) => each.includes("opponent"));
  // The broker says so of everybody, on its way out or when it is back; and both are back.
  status("lost");
  connection(false);
  t.mock.timers.tick(60_000);
  connection(true);
  status("lost");
  t.mock.timers.tick(5_000);
  status("online");
  t.mock.timers.tick(60_000);
  assert.deepEqual(ofOpponent(), []);
  // This time the opponent stays away.
  status("lost");
  connection(false);
  connection(true);
  t.mock.timers.tick(5_000);
  assert.deepEqual(ofOpponent(), []);
  t.mock.timers.tick(5_000);
  assert.deepEqual(ofOpponent(), ["notice: Your opponent has lost the connection."]);
});

test("whoever thinks for long is warned once a turn before the opponent may claim the game", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const told: unknown[] = [];
  let elapsedMs = 0;
  const claims = { silence: 60_000, flag: null as number | null };
  const ledger = {
    offer: { name: "ourgame", ruleset: "ataxx/cs61b-2022" },
    hostSide: null,
    sideOf: () => null,
    onTurn: "guest",
    claimableAfterMs: (reason: "silence" | "flag") => claims[reason],
  };
  const stopwatch = {
    get elapsedMs(): number {
      return elapsedMs;
    },
  };
  const session = { role: "guest" };
  const values = { role: "guest", isLost: false, ledger, session, stopwatch };
  const game = Object.create(Player.prototype, Object.getOwnPropertyDescriptors(values)) as Player;
  const table = new Table(game, ({ kind, text }) => told.push(`${kind}: ${text}`), nothing);
  t.after(() => table.close());
  const thinks = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      elapsedMs += 1_000;
      t.mock.timers.tick(1_000);
    }
  };
  thinks(44);
  assert.deepEqual(told, []);
  thinks(100);
  assert.deepEqual(told, ["may_be_claimed: Move within 15s, or your opponent may claim the game."]);
  ledger.onTurn = "host";
  thinks(1);
  ledger.onTurn = "guest";
  elapsedMs = 0;
  // The clock runs out first.
  claims.flag = 50_000;
  thinks(100);
  assert.equal(told.length, 1);
  claims.flag = null;
  thinks(1);
  assert.equal(told.at(-1), "may_be_claimed: Move now, or your opponent may claim the game.");
});

test("whoever has left is not asked for a rematch", async (t) => {
  const { hear, told, asks } = atTheEnd(t);
  hear({ type: "presence", state: "left" });
  assert.equal(await asks(), "Your opponent has left, so there is no rematch.");
  assert.deepEqual(told, ["notice: Your opponent has left."]);
});

test("whoever waits for a host that has made another offer is told so, and waits no more", (t) => {
  const sent: Record<string, unknown>[] = [];
  const ledger = { offer: { name: "ourgame" }, hostSide: null };
  const values = { role: "guest", isLost: false, ledger };
  const game = Object.create(Player.prototype, Object.getOwnPropertyDescriptors(values)) as Player;
  const table = new Table(game, (message) => sent.push(message), nothing);
  t.after(() => table.close());
  table.show();
  assert.deepEqual(
    sent.map(({ type, refused }) => [type, refused]),
    [["waiting", false]],
  );
  table.hear({ type: "replaced" });
  const [told, waiting] = sent.slice(1);
  assert.match(String(told?.["text"]), /its host has made another offer of that name\. To join it/);
  assert.equal(waiting?.["refused"], true);
});
