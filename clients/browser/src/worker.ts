/**
 * The node inside a page, in a thread of its own. A page sends the rules, requests and, for the table it
 * shows, commands; it is sent answers and the table's messages.
 */

import { BackupError, type NumberedGame, readBackup, writeBackup } from "./backup.js";
import { digestOf, isSignedBy } from "./codec.js";
import { ConnectionError } from "./connection.js";
import { Engine, RulesError } from "./engine.js";
import { holdGame } from "./holding.js";
import { type Journal, MemoryJournal, StorageError, type StoredGame } from "./journal.js";
import type { Outcome } from "./ledger.js";
import type { LevelResults } from "./level_games.js";
import { LinkError, readLink } from "./link.js";
import type { OfferMessage, StateMessage } from "./messages.js";
import { BrowserNode, type Terms } from "./node.js";
import type { Player, PlayerEvent } from "./player.js";
import { PostGame } from "./post_game.js";
import { RecordError, type Standing, standingOf, verifyRecord } from "./record.js";
import { Refusal } from "./refusal.js";
import { ActError, keyOf } from "./session.js";
import { DatabaseJournal } from "./storage.js";
import { type Command, Table } from "./table.js";
import { termsText } from "./terms.js";
import type { Watcher } from "./watcher.js";
import { findPlayerAtFault } from "./witnesses.js";
import { endingText, wordsOf } from "./words.js";

/** What a page asks of its node; each is answered by `{ request, result }` or `{ request, error }`. */
export type Request =
  | { readonly ask: "about" }
  | { readonly ask: "rulesets" }
  | { readonly ask: "host"; readonly broker: string; readonly terms: Terms }
  | { readonly ask: "join"; readonly link: string }
  /** Looks for the games of a name: the open ones, or all to watch. */
  | {
      readonly ask: "find";
      readonly broker: string;
      readonly name: string;
      readonly watch: boolean;
    }
  /** Gives this node a nickname. */
  | { readonly ask: "call"; readonly nickname: string }
  /** Checks a signed record, the content of a file. */
  | { readonly ask: "verify"; readonly record: Uint8Array }
  /** The key, all games including those of the page alone, their results, and the known nodes, as a file's text. */
  | {
      readonly ask: "save";
      readonly local: readonly NumberedGame[];
      readonly levels: LevelResults;
    }
  /** Takes in such a file; one with another key only if `replace` allows it. */
  | { readonly ask: "restore"; readonly file: Uint8Array; readonly replace: boolean }
  /** Shows a game of this browser by its id, or, to be watched, the game that a link leads to. */
  | { readonly ask: "table"; readonly game: string }
  /** Takes a game of this browser from the tab that plays it; it is played after the next load. */
  | { readonly ask: "take"; readonly game: string }
  /** The signed record of the game that is shown. */
  | { readonly ask: "record" };

/** A game of this browser, for the first page. */
export interface ListedGame {
  readonly id: string;
  readonly name: string;
  readonly ruleset: string;
  /** The other player as people read it; null where nobody has joined. */
  readonly opponent: string | null;
  /** When it was offered, in milliseconds since 1970. */
  readonly createdMs: number;
}

/** What a file of a key and games has done, or would do. */
export interface Restored {
  readonly node: string;
  /** How many games it has, and how many of these can go on. */
  readonly games: number;
  readonly unfinished: number;
  /** The games of the page alone, which the page keeps itself. */
  readonly local: readonly NumberedGame[];
  readonly levels: LevelResults;
  /** Whether nothing was done, because this browser has games of another key. */
  readonly asks: boolean;
}

/** An open game that was looked for by its name. */
export interface FoundGame {
  readonly host: string;
  readonly ruleset: string;
  /** The host as people read it, with the beginning and with all of its id. */
  readonly who: string;
  readonly whole: string;
  /** Whether we have joined a game of this name at this host. */
  readonly joined: boolean;
  /** Another host whose game of this name we have joined, as people read it; null for none. */
  readonly before: string | null;
  /** The witnesses, as people read their ids. */
  readonly witnesses: readonly string[];
  /** The guest's side and the clock, as a sentence. */
  readonly terms: string;
  /** Whether somebody has the guest's seat. */
  readonly taken: boolean;
}

/** What a valid record says. */
export interface VerifiedRecord {
  readonly text: string;
  readonly ruleset: string;
  readonly moves: readonly string[];
  readonly outcome: Outcome | null;
  /** Whether it began at the start of its ruleset. */
  readonly usual: boolean;
}

const port = globalThis as unknown as {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
};

interface Started {
  readonly node: BrowserNode;
  readonly journal: DatabaseJournal;
}

// Called when the page has sent the module.
let load: (engine: WebAssembly.Module) => void = () => {};
const engine = new Promise<WebAssembly.Module>((resolve) => {
  load = resolve;
}).then(Engine.load);
let started = start();
// Every request that needs the node reports the error itself.
started.catch(() => {});
let table: Table | null = null;

async function start(): Promise<Started> {
  const journal = await DatabaseJournal.open();
  return { node: await BrowserNode.open(await engine, journal), journal };
}

/** A node that keeps nothing: for watching games where a browser forbids storage. */
async function startForNow(error: unknown): Promise<{ node: BrowserNode; journal: Journal }> {
  if (!(error instanceof StorageError)) throw error;
  const journal = new MemoryJournal();
  return { node: await BrowserNode.open(await engine, journal), journal };
}

async function answer(request: Request): Promise<unknown> {
  const ignore = (): void => {};
  switch (request.ask) {
    case "rulesets":
      return (await engine).rulesets();
    case "find": {
      const { node, journal } = await started.catch(startForNow);
      const { broker, name, watch } = request;
      const states: StateMessage[] = [];
      const [offers, known] = await Promise.all([
        node.find(broker, name, undefined, !watch, (state) => states.push(state)),
        journal.hosts(name),
      ]);
      const isTaken = (offer: OfferMessage): boolean => {
        const game = digestOf(node.engine, offer);
        return states.some(
          (state) =>
            state.game === game &&
            state.entries.length > 0 &&
            isSignedBy(node.engine, state, offer.key),
        );
      };
      return offers.map((offer): FoundGame => {
        const { host, ruleset, witnesses = [] } = offer;
        const other = known.length > 0 && ![...known, node.key.node].includes(host);
        const before = other ? node.names.shown(known[0] ?? "", true) : null;
        const who = node.names.shown(host);
        const whole = node.names.shown(host, true);
        const joined = known.includes(host);
        const judges = witnesses.map((each) => node.names.shown(each, true));
        const [terms, taken] = [termsText(offer), isTaken(offer)];
        return { host, ruleset, who, whole, joined, before, witnesses: judges, terms, taken };
      });
    }
    case "verify":
      return verified(await engine, request.record);
    case "record":
      if (table === null) throw new ActError("game", "No game is shown yet.");
      return table.record();
    case "table":
      if (request.game.includes("~")) {
        return watch((await started.catch(startForNow)).node, request.game);
      }
  }
  const { node, journal } = await started;
  switch (request.ask) {
    case "about": {
      const listed = async (game: StoredGame): Promise<ListedGame> => {
        const { id, offer } = game;
        const other = await journal.opponent(game);
        const opponent = other === null ? null : node.names.shown(other);
        const { name, ruleset, created_ms: createdMs } = offer;
        return { id, name, ruleset, opponent, createdMs };
      };
      const kept = await Promise.all((await node.unfinished()).map(listed));
      const over = await Promise.all((await journal.over()).map(listed));
      return { node: node.key.node, nickname: node.names.ours?.name ?? "", kept, over };
    }
    case "call":
      await node.names.setNickname(node.key, request.nickname);
      return null;
    case "host":
      // Do not show a link that leads nowhere.
      await node.tryBroker(request.broker);
      return (await node.host(request.broker, request.terms, ignore)).ledger.game;
    case "join":
      return join(node, journal, request.link);
    case "save":
      return writeBackup(node.engine, {
        seed: node.key.seed,
        games: await journal.everything(),
        nickname: node.names.ours,
        local: request.local,
        levels: request.levels,
        names: (await journal.names()).filter(({ message }) => message.from !== node.key.node),
        hosts: await journal.everyHost(),
      });
    case "restore":
      return restore(node, journal, request.file, request.replace);
    case "take":
      await hold(journal, (await gameToShow(journal, request.game)).id, true, ignore);
      return null;
    case "table": {
      const stored = await gameToShow(journal, request.game);
      let player: Player | null = null;
      const elsewhere = (): void => player?.fail(new StorageError("elsewhere"));
      await hold(journal, stored.id, false, elsewhere);
      let hear: (event: PlayerEvent) => void = ignore;
      player = await node.resume(stored, (event) => hear(event));
      hear = showOurs(node, journal, player);
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
    lines[0] = `The record is genuine, but the ${fault.role} broke a rule: ${fault.text}.`;
  }
  const wrong = findPlayerAtFault(ledger);
  if (wrong !== null && ledger.decision !== null) {
    const heard = wrong === ledger.decision.by ? "no such silence as" : "the silence that";
    lines.push(`Most of its witnesses heard ${heard} was claimed, which decides.`);
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
  const kept = await journal.unfinished();
  // A game that is under way goes on without its offer, and needs no broker to be shown.
  const ours = kept.find((game) => game.offer.name === name && game.offer.host === host);
  const [offer] = await node.find(broker, name, host, false).catch((error) => {
    if (error instanceof ConnectionError && ours !== undefined) return [];
    throw error;
  });
  if (offer === undefined) {
    if (ours !== undefined) return ours.id;
    const text = `Nobody answers for "${name}": the host has gone, or the game is over.`;
    throw new ActError("game", text);
  }
  const again = kept.find((game) => game.offer.sig === offer.sig);
  if (again !== undefined) return again.id;
  if (offer.expires_ms <= Date.now()) {
    const ended = new Date(offer.expires_ms).toLocaleString();
    const text = `By this device's clock the offer of "${name}" expired on ${ended}. Check the date and time here, or ask for a new link.`;
    throw new ActError("offer/date", text);
  }
  await journal.knowHost(name, host);
  const player: Player = await node.join(broker, offer, () => {}, secret);
  return player.ledger.game;
}

const NO_SUCH_GAME =
  "This browser does not have this game: perhaps it was played in another one, or the site's data was deleted. If you have saved your key and games in a file, load it on the first page.";

/** Has this tab, and no other, play a game. */
async function hold(
  journal: DatabaseJournal,
  game: string,
  takeOver: boolean,
  lost: () => void,
): Promise<void> {
  if (!(await holdGame(game, takeOver, lost))) throw new StorageError("elsewhere");
  await journal.hold(game);
}

async function restore(
  { engine, key }: BrowserNode,
  journal: DatabaseJournal,
  file: Uint8Array,
  replace: boolean,
): Promise<Restored> {
  const backup = readBackup(engine, file);
  const { seed, games, nickname, local, levels } = backup;
  const { node } = keyOf(engine, seed);
  const other = node !== key.node && (await journal.everything()).length > 0;
  const asks = other && !replace;
  if (!asks) {
    await journal.restore(backup);
    if (nickname !== null) await journal.keepName({ message: nickname, firstMs: Date.now() });
    started = start();
    await started;
  }
  const unfinished = games.filter(({ finished }) => !finished).length;
  return { node, games: games.length, unfinished, local, levels, asks };
}

/** A game of this browser; for a rematch that has not begun, the game before it, where both can agree. */
async function gameToShow(journal: DatabaseJournal, id: string): Promise<StoredGame> {
  const stored = await journal.game(id);
  if (stored === undefined) throw new ActError("game", NO_SUCH_GAME);
  const { rematch_of } = stored.offer;
  const ended = rematch_of === undefined ? undefined : await journal.game(rematch_of);
  const messages = await journal.messages(id);
  const begun = messages.some(({ message }) => message.type === "start");
  return ended === undefined || begun ? stored : ended;
}

/** Shows a game on the page, in the place of the one before. */
function show(game: Player | Watcher, postGame: PostGame | null = null): Table {
  const left = (): void => port.postMessage({ left: true });
  table?.close();
  table = new Table(game, (message) => port.postMessage(message), left, postGame);
  table.greet();
  return table;
}

/** Shows a game that we play, and then the rematch; returns the listener for its events. */
function showOurs(
  node: BrowserNode,
  journal: DatabaseJournal,
  player: Player,
): (event: PlayerEvent) => void {
  player.stays = true;
  const begun = (next: Player): ((event: PlayerEvent) => void) => {
    port.postMessage({ now: next.ledger.game });
    const elsewhere = (): void => next.fail(new StorageError("elsewhere"));
    hold(journal, next.ledger.game, false, elsewhere).catch((error) => {
      if (error instanceof StorageError) next.fail(error);
      else fail(error);
    });
    return showOurs(node, journal, next);
  };
  const postGame = new PostGame(node, player, begun, fail);
  const shown = show(player, postGame);
  if (player.isSettled) void postGame.resume().catch(fail);
  return (event) => {
    postGame.hear(event);
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
  // The table has reported it.
  if (error instanceof StorageError) return;
  // Throw it as an error of the worker, which the page shows.
  setTimeout(() => {
    throw error;
  });
}

const KNOWN = [
  ActError,
  BackupError,
  RecordError,
  ConnectionError,
  LinkError,
  Refusal,
  RulesError,
  StorageError,
];

port.onmessage = ({ data }: MessageEvent): void => {
  if ("engine" in data) {
    load(data.engine as WebAssembly.Module);
    return;
  }
  if ("command" in data) {
    void table?.obey(data.command as Command).catch(fail);
    return;
  }
  const { request, number } = data as { request: Request; number: number };
  answer(request).then(
    (result) => port.postMessage({ number, result }),
    (error) => {
      if (!KNOWN.some((kind) => error instanceof kind)) fail(error);
      const reason = error instanceof StorageError ? error.reason : null;
      port.postMessage({ number, error: String(error.message), reason });
    },
  );
};
