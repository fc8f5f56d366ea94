/** Records: a whole game as data that anyone can replay and judge (SPEC.md, section 11). */

import { canonical, canonicalBytes } from "./canonical.js";
import { decodeRecord, digestOf, MalformedMessage, messageOf, signedBytes } from "./codec.js";
import { type Engine, RulesError } from "./engine.js";
import { KNOWN_VERSIONS } from "./handshake.js";
import { Ledger, other, type Phase, ROLES, type Role } from "./ledger.js";
import {
  isLogMessage,
  type LogMessage,
  type MessageType,
  type RecordEntry,
  type RecordFile,
  type RecordSignatures,
  SCHEMAS,
} from "./messages.js";
import { Refusal } from "./refusal.js";
import { addStatement, claimStatements } from "./witnesses.js";

/** How far the game of a valid record has come (MP-REC-6). */
export type Standing = "agreed" | "disputed" | "contested" | "unconfirmed" | "unfinished";

const CHECK_LENGTH = 16;
/** The type that a message has when its entry does not say. */
const USUAL: Readonly<Record<Phase, LogMessage["type"]>> = {
  open: "join",
  joined: "start",
  playing: "move",
  asked: "draw-answer",
  over: "score",
  scored: "score",
  closed: "score",
};

type Fields = Record<string, unknown>;

/** The fields of a player's next message as far as they follow from the game. */
export function predict(ledger: Ledger, role: Role, type: string, move: unknown): Fields {
  const fields: Fields = {
    type,
    game: ledger.game,
    n: ledger.log(role).length,
    prev: ledger.head(role),
    seen: ledger.head(other(role)),
  };
  const node = ledger.nodeOf(role);
  if (node !== null) fields["from"] = node;
  switch (type) {
    case "join":
      fields["v"] = ledger.offer.v;
      fields["ruleset"] = ledger.offer.ruleset;
      fields["start_hash"] = ledger.offer.start_hash;
      break;
    case "start":
      if (ledger.join === null) break;
      fields["guest"] = ledger.join.from;
      if (ledger.offer.color !== "random") fields["host_side"] = ledger.offer.color;
      break;
    case "move": {
      fields["ply"] = ledger.ply;
      const position = typeof move === "string" ? positionAfter(ledger, move) : null;
      if (position !== null) fields["position"] = position;
      break;
    }
    case "resign":
    case "draw":
    case "takeback":
    case "abort":
      fields["ply"] = ledger.ply;
      break;
    case "score":
      fields["position"] = ledger.engine.positionDigest(ledger.position);
      if (ledger.outcome !== null) {
        fields["score"] = ledger.outcome.score;
        fields["termination"] = ledger.outcome.termination;
      }
      break;
    default:
      break;
  }
  return fields;
}

/** The digest of the position after a legal move, however it is written; null if it is not legal. */
function positionAfter(ledger: Ledger, move: string): string | null {
  const { engine, position } = ledger;
  try {
    return engine.positionDigest(engine.play(position, engine.parseMove(position, move)));
  } catch (error) {
    if (error instanceof RulesError) return null;
    throw error;
  }
}

/** A player's next message as a record keeps it. */
export function entryOf(ledger: Ledger, role: Role, message: LogMessage): RecordEntry {
  const { sig: _, ...fields } = message as LogMessage & Fields;
  const expected = predict(ledger, role, message.type, fields["move"]);
  expected["type"] = USUAL[ledger.phase];
  const differing = Object.entries(fields).filter(
    ([name, value]) =>
      !Object.hasOwn(expected, name) || canonical(expected[name]) !== canonical(value),
  );
  return {
    by: role,
    set: Object.fromEntries(differing) as RecordEntry["set"],
    check: digestOf(ledger.engine, message).slice(0, CHECK_LENGTH),
  };
}

/**
 * The message that the next entry of a record stands for, without its signature.
 * @throws Refusal The entry does not make a message, or is not in its only valid form.
 */
export function expand(ledger: Ledger, entry: RecordEntry): LogMessage {
  const type = entry.set["type"] ?? USUAL[ledger.phase];
  if (typeof type !== "string" || !Object.hasOwn(SCHEMAS, type)) {
    throw new Refusal("record/entry", "it is of no type");
  }
  const fields = { ...predict(ledger, entry.by, type, entry.set["move"]), ...entry.set };
  let message: ReturnType<typeof messageOf>;
  try {
    message = messageOf(type as MessageType, fields);
  } catch (error) {
    if (error instanceof MalformedMessage) throw new Refusal("record/entry", error.message);
    throw error;
  }
  if (!isLogMessage(message)) throw new Refusal("record/entry", "it stands in no mailbox");
  if (digestOf(ledger.engine, message).slice(0, CHECK_LENGTH) !== entry.check) {
    throw new Refusal("record/entry", "its content does not match its check: it was altered");
  }
  if (canonical(entryOf(ledger, entry.by, message)) !== canonical(entry)) {
    throw new Refusal("record/entry", "it is not in the shortest form");
  }
  return message;
}

/** The entries of a game, made by a replay: each depends on the ledger before it. */
function entriesOf(ledger: Ledger): RecordEntry[] {
  const replayed = ledger.begun();
  return ledger.line.map(({ by, message }) => {
    const entry = entryOf(replayed, by, message);
    replayed.accept(by, message);
    return entry;
  });
}

/** The newest signature of each player over its newest message. */
function signaturesOf(ledger: Ledger): RecordSignatures {
  const sigs: Record<string, string> = {};
  for (const role of ROLES) {
    const sig = ledger.log(role).at(-1)?.sig;
    if (sig !== undefined) sigs[role] = sig;
  }
  return sigs;
}

/** The record file of a game (MP-REC-1). */
export function dumpRecord(ledger: Ledger): Uint8Array<ArrayBuffer> {
  const statements = claimStatements(ledger);
  const record: RecordFile = {
    type: "record",
    v: ledger.offer.v,
    offer: ledger.offer,
    entries: entriesOf(ledger),
    sigs: signaturesOf(ledger),
    ...(statements.length > 0 && { statements: [...statements] }),
  };
  return new Uint8Array([...canonicalBytes(record), 0x0a]);
}

/** How far the game of a ledger has come. */
export function standingOf(ledger: Ledger): Standing {
  if (ledger.falseScores.length > 0) return "disputed";
  if (ledger.contested) return "contested";
  if (ledger.phase === "closed") return "agreed";
  return ledger.outcome === null ? "unfinished" : "unconfirmed";
}

/** The record is not valid; `entry` is the first invalid one, from 1, or null if it is no entry. */
export class RecordError extends Error {
  readonly entry: number | null;

  constructor(text: string, entry: number | null = null) {
    super(entry === null ? text : `entry ${entry}: ${text}`);
    this.entry = entry;
  }
}

/**
 * Judges a record file.
 * @returns The game, replayed.
 * @throws RecordError It is not valid.
 */
export function verifyRecord(engine: Engine, data: Uint8Array): Ledger {
  try {
    return verified(engine, decodeRecord(data));
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof Refusal) {
      throw new RecordError(error.message);
    }
    throw error;
  }
}

function verified(engine: Engine, record: RecordFile): Ledger {
  if (!KNOWN_VERSIONS.includes(record.v) || record.offer.v !== record.v) {
    throw new RecordError(`the record is of protocol ${record.v}, its offer of ${record.offer.v}`);
  }
  const ledger = new Ledger(engine, record.offer);
  for (const [at, entry] of record.entries.entries()) {
    try {
      ledger.accept(entry.by, expand(ledger, entry));
    } catch (error) {
      if (error instanceof Refusal) throw new RecordError(error.message, at + 1);
      throw error;
    }
  }
  checkSignatures(ledger, record.sigs);
  ledger.seal(record.sigs);
  const statements = record.statements ?? [];
  for (const each of statements) addStatement(ledger, each);
  if (canonical(claimStatements(ledger)) !== canonical(statements)) {
    throw new RecordError("its statements are not, each once and in order, on its claim");
  }
  return ledger;
}

/** Checks each player's signature over its newest message (MP-REC-4). */
export function checkSignatures(ledger: Ledger, sigs: RecordSignatures): void {
  for (const role of ROLES) {
    const newest = ledger.log(role).at(-1);
    const key = ledger.keyOf(role);
    const sig = sigs[role];
    if (newest === undefined || key === null) {
      if (sig !== undefined) {
        throw new Refusal("record/signature", `a signature of the ${role}, who wrote nothing`);
      }
    } else if (sig === undefined) {
      throw new Refusal("record/signature", `the signature of the ${role} is missing`);
    } else if (!ledger.engine.verify(key, sig, signedBytes(newest))) {
      throw new Refusal(
        "record/signature",
        `the signature of the ${role} does not cover its messages: one was altered or invented`,
      );
    }
  }
}
