/**
 * The node as a program for the tests: it plays a game to its end by moves that follow from a seed,
 * or watches games to their ends. Of several games it asks for each rematch, or agrees to it.
 *
 *   node program.js host|join|watch BROKER NAME OUT [--ruleset ID] [--seed N] [--games N] [--rematch ask|agree]
 *
 * The broker is a websocket's address. Writes the record to OUT, and lines of JSON on what happens.
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MemoryJournal } from "../src/journal.js";
import { BrowserNode } from "../src/node.js";
import type { Player, PlayerEvent } from "../src/player.js";
import { PostGame } from "../src/post_game.js";
import { dumpRecord, standingOf } from "../src/record.js";
import { loadEngine } from "./support.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ruleset: { type: "string", default: "ataxx/cs61b-2022" },
    seed: { type: "string", default: "1" },
    start: { type: "string" },
    games: { type: "string", default: "1" },
    rematch: { type: "string", default: "agree" },
  },
});
const [what = "", broker = "", name = "", out = ""] = positionals;

const log = (line: object): void => console.log(JSON.stringify(line));

let random = Number(values.seed) >>> 0;
function below(bound: number): number {
  // Numerical Recipes' generator: any will do, so long as it repeats.
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return Math.floor((random / 2 ** 32) * bound);
}

let player: Player | undefined;
let postGame: PostGame | undefined;
let left = Number(values.games);
// Whether the other player offers a rematch, and whether our side has asked for one.
let offered = false;
let wished = false;
let finish: () => void = () => {};
const finished = new Promise<void>((resolve) => {
  finish = resolve;
});
let failed: (error: unknown) => void = () => {};
const trouble = new Promise<never>((_, reject) => {
  failed = reject;
});

function moveIfDue(): void {
  const game = player;
  if (game === undefined) return;
  const { ledger, session } = game;
  if (ledger.phase === "asked" && ledger.onTurn === session.role) {
    game.act((each) => each.answerDraw(false)).catch(failed);
  } else if (ledger.phase === "playing" && ledger.onTurn === session.role) {
    const { moves } = ledger.position;
    const move = moves[below(moves.length)] ?? "";
    game.act((each) => each.play(move, Math.max(0, game.stopwatch.elapsedMs))).catch(failed);
  }
}

function tell(event: PlayerEvent): void {
  log(event);
  if (event.type === "rejected") failed(new Error(event.reason));
  if (["started", "moved", "draw-offered", "draw-rejected", "undone"].includes(event.type)) {
    // Not from within the act that caused the event.
    setImmediate(moveIfDue);
  }
  if (event.type === "rematch-offered") offered = event.offer !== null;
  if (event.type === "settled") keep();
  const wanted = values.rematch === "ask" ? event.type === "settled" : offered;
  if (!wanted || wished || left === 0 || player?.isSettled !== true) return;
  // Only once: events until the rematch begins must not ask again.
  wished = true;
  postGame?.wish().catch(failed);
}

function pathOf(number: number): string {
  return number === 1 ? out : out.replace(".json", `-${number}.json`);
}

/** Writes the record of the game that is over. */
function keep(): void {
  if (player === undefined) return;
  const number = Number(values.games) - left + 1;
  writeFileSync(pathOf(number), dumpRecord(player.ledger));
  left -= 1;
  if (left === 0) finish();
}

/** Takes a seat; returns the listener for the game's events. */
function sit(seated: Player): (event: PlayerEvent) => void {
  player = seated;
  offered = wished = false;
  seated.stays = true;
  const follows = new PostGame(node, seated, sit, failed);
  postGame = follows;
  return (event) => {
    follows.hear(event);
    tell(event);
  };
}

const engine = await loadEngine();
const node = await BrowserNode.open(engine, new MemoryJournal());
if (what === "watch") {
  await watch();
} else {
  await play();
}
process.exit(0);

async function watch(): Promise<void> {
  const [offer] = await node.find(broker, name, undefined, false);
  if (offer === undefined) throw new Error(`nobody hosts ${name}`);
  const watcher = node.watch(broker, offer, (event) => {
    log(event);
    if (event.type !== "closed") return;
    const number = Number(values.games) - left + 1;
    writeFileSync(pathOf(number), dumpRecord(watcher.ledger));
    left -= 1;
    if (left === 0) void watcher.close();
  });
  await watcher.run();
  log({ type: "finished", standing: standingOf(watcher.ledger) });
}

async function play(): Promise<void> {
  let hear: (event: PlayerEvent) => void = log;
  const told = (event: PlayerEvent): void => hear(event);
  let seated: Player;
  if (what === "host") {
    const terms = {
      name,
      ruleset: values.ruleset,
      color: "random" as const,
      ...(values.start === undefined ? {} : { start: values.start }),
    };
    seated = await node.host(broker, terms, told);
    log({ type: "hosting", name, host: node.key.node });
  } else {
    const [offer] = await node.find(broker, name);
    if (offer === undefined) throw new Error(`nobody hosts ${name}`);
    seated = await node.join(broker, offer, told);
  }
  hear = sit(seated);
  seated.run().catch(failed);
  await Promise.race([finished, trouble]);
  await player?.close();
  log({ type: "finished" });
}
