/** A file with everything that this browser keeps: the key, the games and the known nodes. */

import * as v from "valibot";
import { fromHex, hex } from "./bytes.js";
import { digestOf, isSignedBy, MalformedMessage, messageOf } from "./codec.js";
import { type Engine, RulesError } from "./engine.js";
import { Milliseconds, Name, NodeId, SideName, Termination } from "./fields.js";
import type { KeptGame, KnownHost, KnownName, StoredMessage } from "./journal.js";
import { Ledger } from "./ledger.js";
import type { LevelResults } from "./level_games.js";
import { canBeLinked } from "./link.js";
import type { LocalGame } from "./local_table.js";
import {
  isLogMessage,
  type LogMessage,
  type MessageOf,
  type MessageType,
  SCHEMAS,
} from "./messages.js";
import { replayed } from "./moves.js";
import { Refusal } from "./refusal.js";
import { keyOf } from "./session.js";
import { LADDER, LEVEL_NUMBERS } from "./words.js";

const FORMAT = "ataxxd-browser";
// Version 2 added the games of the page alone, and the known nodes.
const VERSION = 2;
const READABLE: readonly unknown[] = [1, VERSION];
// The most names, and the most hosts, that are read.
const MAX_KNOWN = 4096;

/** A game of the page alone, with its id. */
export type NumberedGame = readonly [string, LocalGame];

/** What such a file holds. */
export interface Backup {
  readonly seed: Uint8Array;
  readonly games: readonly KeptGame[];
  /** As its node has signed it; null without one. */
  readonly nickname: MessageOf<"nickname"> | null;
  /** Against the engine, or of two people at this screen. */
  readonly local: readonly NumberedGame[];
  /** The results against the engine's levels. */
  readonly levels: LevelResults;
  /** The nicknames of others. */
  readonly names: readonly KnownName[];
  /** Whom we have joined. */
  readonly hosts: readonly KnownHost[];
}

/** The file is not such a backup; the text says why, and what to do. */
export class BackupError extends Error {}

const Role = v.picklist(["host", "guest"]);
const Time = Milliseconds;
const Seat = v.picklist(["human", "auto"]);
const Local = v.object({
  ruleset: v.string(),
  level: v.pipe(
    v.number(),
    v.check((level) => LEVEL_NUMBERS.includes(`${level}`)),
  ),
  seats: v.tuple([Seat, Seat]),
  moves: v.array(v.string()),
  undone: v.optional(v.array(v.string()), []),
  seed: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(2 ** 32 - 1)),
  declared: v.nullable(v.object({ termination: Termination, winner: v.nullable(SideName) })),
  evaluating: v.optional(v.boolean(), false),
  uncounted: v.optional(v.boolean(), false),
});
const LevelResult = v.object({
  ladder: v.pipe(v.number(), v.safeInteger()),
  level: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LEVEL_NUMBERS.length)),
  halves: v.picklist([0, 1, 2]),
  ended: Time,
});
const Levels = v.record(v.string(), v.pipe(v.array(LevelResult), v.maxLength(LADDER.most_games)));
const File = v.object({
  node: v.string(),
  seed: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  nickname: v.optional(v.unknown(), null),
  games: v.array(
    v.object({
      role: Role,
      offer: v.unknown(),
      broker: v.pipe(v.string(), v.check(canBeLinked)),
      secret: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{32})?$/)),
      invitation: v.pipe(v.string(), v.regex(/^[0-9a-f]{0,64}$/)),
      restored: v.optional(v.boolean(), false),
      begun_ms: Time,
      finished: v.boolean(),
      messages: v.array(
        v.object({ by: Role, at_ms: Time, message: v.looseObject({ type: v.string() }) }),
      ),
    }),
  ),
  local: v.optional(
    v.array(v.object({ id: v.pipe(v.string(), v.regex(/^engine-[0-9a-z]{1,16}$/)), game: Local })),
    [],
  ),
  levels: v.optional(Levels, {}),
  names: v.optional(
    v.pipe(v.array(v.object({ message: v.unknown(), first_ms: Time })), v.maxLength(MAX_KNOWN)),
    [],
  ),
  hosts: v.optional(
    v.pipe(
      v.array(v.object({ name: Name, host: NodeId, joined_ms: Time })),
      v.maxLength(MAX_KNOWN),
    ),
    [],
  ),
});

/** The text of a file; anybody who reads it can play and sign as this node. */
export function writeBackup(engine: Engine, backup: Backup): string {
  const { seed, games, nickname, local, levels, names, hosts } = backup;
  const file = {
    format: FORMAT,
    version: VERSION,
    node: keyOf(engine, seed).node,
    seed: hex(seed),
    ...(nickname !== null && { nickname }),
    games: games.map(({ game, begunMs, finished, messages }) => ({
      role: game.role,
      offer: game.offer,
      broker: game.broker,
      secret: game.secret,
      invitation: game.invitation,
      ...(game.restored && { restored: true }),
      begun_ms: begunMs,
      finished,
      messages: messages.map(({ by, atMs, message }) => ({ by, at_ms: atMs, message })),
    })),
    // One that could not be opened again would spoil the file.
    local: local
      .filter(([, game]) => v.is(Local, game) && canBeReplayed(engine, game))
      .map(([id, game]) => ({ id, game })),
    levels: v.is(Levels, levels) ? levels : {},
    names: names.map(({ message, firstMs }) => ({ message, first_ms: firstMs })),
    hosts: [...hosts]
      .sort((a, b) => b.joinedMs - a.joinedMs)
      .slice(0, MAX_KNOWN)
      .map(({ name, host, joinedMs }) => ({ name, host, joined_ms: joinedMs })),
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/**
 * Reads a file, and checks each game as if it had just been played. A game in which we may have said
 * more than the file has is marked as restored; an offer that nobody had joined is over.
 * @throws BackupError It holds nothing that could be used.
 */
export function readBackup(engine: Engine, bytes: Uint8Array): Backup {
  const file = parsed(bytes);
  const result = v.safeParse(File, file);
  if (!result.success) throw damaged(v.getDotPath(result.issues[0]) ?? "it has no content");
  const { node, seed: digits, games, nickname, local, levels, names, hosts } = result.output;
  const seed = fromHex(digits);
  if (keyOf(engine, seed).node !== node) throw damaged(`its key is not that of ${node}`);
  return {
    seed,
    games: games.map((game, at) => checkedGame(engine, node, game, at + 1)),
    nickname: nickname === null ? null : checkedNickname(engine, nickname, node),
    local: local.map(({ id, game }, at): NumberedGame => {
      if (!canBeReplayed(engine, game)) throw damaged(`game ${at + 1} of the page alone`);
      return [id, game];
    }),
    levels,
    names: names.map(({ message, first_ms: firstMs }) => ({
      message: checkedNickname(engine, message),
      firstMs,
    })),
    hosts: hosts.map(({ name, host, joined_ms: joinedMs }) => ({ name, host, joinedMs })),
  };
}

function parsed(bytes: Uint8Array): unknown {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    file = null;
  }
  const { format, version } = (file ?? {}) as Record<string, unknown>;
  if (format !== FORMAT) {
    throw new BackupError(
      "This file does not hold a key and games. Choose one that you saved with Save to a file.",
    );
  }
  if (!READABLE.includes(version)) {
    throw new BackupError(
      "This file was saved by a newer version of this page. Reload the page, then load the file.",
    );
  }
  return file;
}

/** A nickname that its node has signed; `node`, if given, must be that node. */
function checkedNickname(engine: Engine, told: unknown, node?: string): MessageOf<"nickname"> {
  const nickname = v.safeParse(SCHEMAS.nickname, told);
  const holds =
    nickname.success &&
    (node === undefined || nickname.output.from === node) &&
    engine.nodeId(nickname.output.key) === nickname.output.from &&
    isSignedBy(engine, nickname.output, nickname.output.key);
  if (!holds) throw damaged("a nickname is not signed by its key");
  return nickname.output;
}

function canBeReplayed(engine: Engine, { ruleset, moves, undone = [] }: LocalGame): boolean {
  try {
    replayed(engine, ruleset, [...moves, ...undone]);
    return true;
  } catch (error) {
    if (error instanceof RulesError) return false;
    throw error;
  }
}

type FileGame = v.InferOutput<typeof File>["games"][number];

function checkedGame(engine: Engine, node: string, told: FileGame, number: number): KeptGame {
  try {
    const offer = messageOf("offer", told.offer);
    const ledger = new Ledger(engine, offer);
    const messages = told.messages.map(({ by, at_ms: atMs, message: fields }): StoredMessage => {
      const message = logMessage(fields);
      const key = message.type === "join" ? message.key : ledger.keyOf(by);
      if (key === null || !isSignedBy(engine, message, key)) {
        throw new Refusal("chain/forged", `message ${message.n} of the ${by} is not signed by it`);
      }
      ledger.accept(by, message);
      return { by, atMs, message };
    });
    const us = told.role === "host" ? offer.host : (ledger.nodeOf("guest") ?? node);
    if (us !== node) throw new Refusal("join/other", "it is a game of somebody else");
    const { role, broker, secret, invitation, begun_ms: begunMs } = told;
    const finished = told.finished || (role === "host" && ledger.phase === "open");
    const id = digestOf(engine, offer);
    const game = { id, role, offer, broker, secret, invitation, restored: !finished };
    return { game, begunMs, finished, messages };
  } catch (error) {
    const known = [Refusal, MalformedMessage, RulesError].some((kind) => error instanceof kind);
    if (!known) throw error;
    throw damaged(`game ${number}: ${(error as Error).message}`);
  }
}

function logMessage(fields: { readonly type: string }): LogMessage {
  const { type } = fields;
  if (!Object.hasOwn(SCHEMAS, type)) throw new MalformedMessage("type: there is no such message");
  const message = messageOf(type as MessageType, fields);
  if (!isLogMessage(message)) throw new MalformedMessage("type: it stands in no mailbox");
  return message;
}

function damaged(why: string): BackupError {
  return new BackupError(
    `This file is damaged, so nothing was loaded (${why}). Choose another one, or save it again.`,
  );
}
