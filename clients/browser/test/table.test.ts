/** What a page is told at the end of a game, in whatever order it is heard. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Aftermath } from "../src/aftermath.js";
import type { OfferMessage } from "../src/messages.js";
import type { BrowserNode } from "../src/node.js";
import type { Player, PlayerEvent } from "../src/player.js";
import { Table } from "../src/table.js";

const nothing = (): void => {};

/** A table whose game is over; what its page was told. */
function atTheEnd(t: TestContext): { hear: (event: PlayerEvent) => void; told: string[] } {
  // Of the game no more is asked here.
  const ledger = { offer: { name: "ourgame" }, hostSide: null };
  const game = { role: "guest", isLost: false, isSettled: false, ledger } as unknown as Player;
  const aftermath = new Aftermath({} as BrowserNode, game, () => nothing, nothing);
  const told: string[] = [];
  const table = new Table(
    game,
    (message) => {
      if (message["type"] === "told") told.push(`${message["kind"]}: ${message["text"]}`);
    },
    nothing,
    aftermath,
  );
  const hear = (event: PlayerEvent): void => {
    aftermath.hear(event);
    table.hear(event);
  };
  t.after(() => table.close());
  return { hear, told };
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
