/**
 * The node inside a page, in a thread of its own. A page sends requests and, for the table it shows,
 * commands; it is sent answers and the table's messages.
 */

import { Aftermath } from "./aftermath.js";
import { ConnectionError } from "./connection.js";
import { Engine, RulesError } from "./engine.js";
import type { StoredGame } from "./journal.js";
import type { Outcome } from "./ledger.js";
import { LinkError, readLink } from "./link.js";
import { BrowserNode, type Terms } from "./node.js";
import type { Player, PlayerEvent } from "./player.js";
import { BrokenRecord, type Standing, standingOf, verifyRecord } from "./record.js";
import { Refusal } from "./refusal.js";
import { ActError } from "./session.js";
import { DatabaseJournal } from "./storage.js";
import { type Command, Table } from "./table.js";
import type { Watcher } from "./watcher.js";
import { endingText, wordsOf } from "./words.js";

/** What a page asks of its node; each is answered by `{ request, result }` or `{ request, error }`. */
export type Request =
  | { readonly ask: "about" }
  | { readonly ask: "host"; readonly broker: string; readonly terms: Terms }
  | { readonly ask: "join"; readonly link: string }
  | { readonly ask: "find"; readonly broker: string; readonly name: string }
  /** Checks a signed record, the content of a file. */
  | { readonly ask: "verify"; readonly record: Uint8Array }
  /** Shows a game of this browser by its id, or the one that a link leads to, to watch it. */
  | { readonly ask: "table"; readonly game: string };

/** A game that can be gone on with, for the first page. */
export interface KeptGame {
  readonly id: string;
  readonly name: string;
  readonly ruleset: string;
}

/** An open game that was looked for by its name. */
export interface FoundGame {
  readonly host: string;
  readonly ruleset: string;
}

/** What a record that holds says. */
export interface VerifiedRecord {
  readonly text: string;
  readonly ruleset: string;
  readonly moves: readonly string[];
  readonly outcome: Outcome | null;
  /** Whether it began where games of its rules do. */
  readonly usual: boolean;
}

const port = globalThis as unknown as {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
};

const started = start();
let table: Table | null = null;

async function start(): Promise<{ node: BrowserNode; journal: DatabaseJournal }> {
  const answer = await fetch(new URL("./engine.wasm", import.meta.url));
  const engine = await Engine.load(await answer.arrayBuffer());
  const journal = await DatabaseJournal.open();
  return { node: await BrowserNode.open(engine, journal), journal };
}

async function answer(request: Request): Promise<unknown> {
  const { node, journal } = await started;
  const ignore = (): void => {};
  switch (request.ask) {
    case "about": {
      const kept: KeptGame[] = (await node.unfinished()).map(({ id, offer }) => ({
        id,
        name: offer.name,
        ruleset: offer.ruleset,
      }));
      return { node: node.key.node, rulesets: node.engine.rulesets(), kept };
    }
    case "host":
      return (await node.host(request.broker, request.terms, ignore)).ledger.game;
    case "join":
      return join(node, journal, request.link);
    case "find": {
      const offers = await node.find(request.broker, request.name);
      return offers.map(({ host, ruleset }): FoundGame => ({ host, ruleset }));
    }
    case "verify":
      return verified(node.engine, request.record);
    case "table": {
      if (request.game.includes("~")) return watch(node, request.game);
      const stored = await gameToShow(journal, request.game);
      let hear: (event: PlayerEvent) => void = ignore;
      const player = await node.resume(stored, (event) => hear(event));
      hear = showOurs(node, player);
      void player.run().catch(fail);
      return null;
    }
  }
}

function verified(engine: Engine, record: Uint8Array): VerifiedRecord {
  const ledger = verifyRecord(engine, record);
  const { offer, moves, outcome, position, fault } = ledger;
  const lines = [
    `Every rule holds: "${offer.name}", ${wordsOf(offer.ruleset).title}, ${moves.length} moves.`,
    outcome === null ? "The game is not over." : endingText(outcome, position, null),
    STANDINGS[standingOf(ledger)],
  ];
  if (fault !== null) {
    lines[0] = `It is genuine, and the ${fault.role} broke a rule: ${fault.text}.`;
  }
  const usual = offer.start === engine.start(offer.ruleset).text && offer.opening === undefined;
  return { text: lines.join(" "), ruleset: offer.ruleset, moves, outcome, usual };
}

const STANDINGS: Readonly<Record<Standing, string>> = {
  agreed: "Both players have signed this result.",
  contested: "The result is contested.",
  disputed: "A player has signed another result.",
  unconfirmed: "A player has not signed the result.",
  unfinished: "So far this is all that the players have signed.",
};

async function join(node: BrowserNode, journal: DatabaseJournal, link: string): Promise<string> {
  const { name, host, broker, secret } = readLink(link);
  const [offer] = await node.find(broker, name, host);
  if (offer === undefined) {
    const text = `Nobody answers for "${name}": the host has gone, or the game is over.`;
    throw new ActError("game", text);
  }
  const again = (await journal.unfinished()).find((game) => game.offer.sig === offer.sig);
  if (again !== undefined) return again.id;
  const player: Player = await node.join(broker, offer, () => {}, secret);
  return player.ledger.game;
}

/** A game of this browser; of a rematch that has not begun the one before it, where both are still to agree. */
async function gameToShow(journal: DatabaseJournal, id: string): Promise<StoredGame> {
  const stored = await journal.game(id);
  if (stored === undefined) throw new ActError("game", "This browser has no such game.");
  const { rematch_of } = stored.offer;
  const ended = rematch_of === undefined ? undefined : await journal.game(rematch_of);
  const messages = await journal.messages(id);
  const begun = messages.some(({ message }) => message.type === "start");
  return ended === undefined || begun ? stored : ended;
}

/** Shows a game on the page, in the place of the one before. */
function show(game: Player | Watcher, aftermath: Aftermath | null = null): Table {
  const left = (): void => port.postMessage({ left: true });
  table?.close();
  table = new Table(game, (message) => port.postMessage(message), left, aftermath);
  table.greet();
  return table;
}

/** Shows a game that we play, and then the rematch; returns who is to be told of it. */
function showOurs(node: BrowserNode, player: Player): (event: PlayerEvent) => void {
  player.stays = true;
  const begun = (next: Player): ((event: PlayerEvent) => void) => {
    port.postMessage({ now: next.ledger.game });
    return showOurs(node, next);
  };
  const aftermath = new Aftermath(node, player, begun, fail);
  const shown = show(player, aftermath);
  if (player.isSettled) void aftermath.resume().catch(fail);
  return (event) => {
    aftermath.hear(event);
    shown.hear(event);
  };
}

/** Watches the game that a link leads to; it may have begun, or be over. */
async function watch(node: BrowserNode, link: string): Promise<null> {
  const { name, host, broker } = readLink(link);
  const [offer] = await node.find(broker, name, host, false);
  if (offer === undefined) throw new ActError("game", `There is no game "${name}" there.`);
  const watcher = node.watch(broker, offer, (event) => shown.hear(event));
  const shown = show(watcher);
  void watcher.run().catch(fail);
  return null;
}

function fail(error: unknown): void {
  // As an error of the worker, which the page shows.
  setTimeout(() => {
    throw error;
  });
}

port.onmessage = ({ data }: MessageEvent): void => {
  if ("command" in data) {
    void table?.obey(data.command as Command).catch(fail);
    return;
  }
  const { request, number } = data as { request: Request; number: number };
  answer(request).then(
    (result) => port.postMessage({ number, result }),
    (error) => {
      const known = [ActError, Refusal, RulesError, ConnectionError, LinkError, BrokenRecord];
      if (!known.some((kind) => error instanceof kind)) fail(error);
      port.postMessage({ number, error: String(error.message) });
    },
  );
};
