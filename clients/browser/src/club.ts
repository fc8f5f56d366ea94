/** A club's log: who its members are, and which games it announced (SPEC.md, section 11.2). */

import { canonicalBytes } from "./canonical.js";
import { decodeClubLine, decodeClubProof, digestOf, MalformedMessage } from "./codec.js";
import type { Engine } from "./engine.js";
import { Tournament } from "./event.js";
import { Ledger } from "./ledger.js";
import { inclusionProof, isIncluded, leafHash, rootOf } from "./merkle.js";
import type { ClubEntry, ClubHead, ClubProof } from "./messages.js";
import { Refusal } from "./refusal.js";

// A day: how far the clock of a game's host may be ahead of the club's.
const AHEAD_MS = 86_400_000;

/** The log is not valid; `line` is the first line that is not, from 1. */
export class ClubLogError extends Error {
  readonly line: number;

  constructor(line: number, text: string) {
    super(`line ${line}: ${text}`);
    this.line = line;
  }
}

/** A log that is valid. */
export class ClubLog {
  readonly entries: ClubEntry[] = [];
  readonly members = new Set<string>();
  /** The records that the log names of each announced game, by the game's id and its guest. */
  readonly games = new Map<string, Set<string>>();
  readonly events = new Map<string, Tournament>();
  #head: ClubHead | null = null;
  #leaves: string[] = [];
  #latest = 0;
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Read a log, line by line.
   * @throws ClubLogError It is not valid (MP-CLUB-1, MP-CLUB-2, MP-CLUB-4).
   */
  static read(engine: Engine, data: Uint8Array): ClubLog {
    const log = new ClubLog(engine);
    let number = 0;
    let from = 0;
    const lines: Uint8Array[] = [];
    for (let at = data.indexOf(0x0a); at !== -1; at = data.indexOf(0x0a, from)) {
      lines.push(data.subarray(from, at));
      from = at + 1;
    }
    if (from !== data.length) throw new ClubLogError(lines.length + 1, "it has no end");
    const club = lastHead(lines);
    for (const line of lines) {
      number += 1;
      try {
        log.#take(line, club);
      } catch (error) {
        if (!(error instanceof Refusal || error instanceof MalformedMessage)) throw error;
        throw new ClubLogError(number, error.message);
      }
    }
    return log;
  }

  /** The newest head, which signs all entries. */
  get head(): ClubHead {
    return this.#head as ClubHead;
  }

  /** Proves an entry to somebody who does not have the log. */
  proof(index: number): ClubProof {
    return {
      type: "proof",
      index,
      entry: this.entries[index] as ClubEntry,
      path: inclusionProof(this.#engine, this.#leaves, index),
      head: this.head,
    };
  }

  #take(line: Uint8Array, club: string): void {
    const read = decodeClubLine(line);
    if (read.at_ms < this.#latest) refuse("it is older than what stands before it");
    if (read.type === "head") this.#sign(read, club);
    else this.#append(read, line, club);
    this.#latest = read.at_ms;
  }

  #sign(head: ClubHead, club: string): void {
    if (head.club !== club) refuse("it is signed by another club");
    const leaves = this.#leaves;
    const stands = head.size === leaves.length && head.root === rootOf(this.#engine, leaves);
    if (!stands) refuse("what the club signed is not what stands before it");
    if (!headHolds(this.#engine, head)) refuse("the club's signature does not hold");
    this.#head = head;
  }

  #append(entry: ClubEntry, line: Uint8Array, club: string): void {
    switch (entry.type) {
      case "admission":
        if (this.members.has(entry.node)) refuse(`${entry.node} is a member already`);
        this.members.add(entry.node);
        break;
      case "removal":
        this.#checkMember(entry.node);
        this.members.delete(entry.node);
        break;
      case "announcement": {
        const { offer, join } = entry;
        const ledger = new Ledger(this.#engine, offer);
        ledger.accept("guest", join);
        for (const node of [offer.host, join.from]) this.#checkMember(node);
        const game = `${digestOf(this.#engine, offer)} ${join.from}`;
        if (this.games.has(game)) refuse("that game is announced already");
        if (offer.created_ms > entry.at_ms + AHEAD_MS) refuse("its game is dated in the future");
        if (entry.at_ms > offer.expires_ms) refuse("its game's offer had expired");
        if (entry.deadline_ms <= entry.at_ms) refuse("its game's deadline is past");
        if (offer.clock === undefined && offer.grace_ms === undefined) {
          refuse("no silence ends its game");
        }
        this.games.set(game, new Set());
        break;
      }
      case "result": {
        const records = this.games.get(`${entry.game} ${entry.guest}`);
        if (records === undefined) refuse("its game is not announced before it");
        if (records.has(entry.record)) refuse("that record is there already");
        records.add(entry.record);
        break;
      }
      case "event-plan": {
        const { plan } = entry;
        if (plan.host !== club) refuse("it is an event of another host");
        const digest = digestOf(this.#engine, plan);
        if (this.events.has(digest)) refuse("that event is there already");
        for (const node of plan.players) this.#checkMember(node);
        this.events.set(digest, new Tournament(this.#engine, plan));
        break;
      }
      case "event-round": {
        const event = this.events.get(entry.round.event);
        if (event === undefined) refuse("its event is not in the log");
        event.accept(entry.round);
        break;
      }
    }
    this.entries.push(entry);
    this.#leaves.push(leafHash(this.#engine, line));
  }

  #checkMember(node: string): void {
    if (!this.members.has(node)) refuse(`${node} is not a member`);
  }
}

/**
 * The entry that a proof proves.
 * @throws Refusal It does not lead to what the club signed.
 */
export function verifyProof(engine: Engine, data: Uint8Array): ClubEntry {
  const { entry, head, index, path } = decodeClubProof(data);
  const leaf = leafHash(engine, canonicalBytes(entry));
  if (!isIncluded(engine, leaf, index, head.size, path, head.root)) {
    refuse("the proof does not lead to what the club signed");
  }
  if (!headHolds(engine, head)) refuse("the club's signature does not hold");
  return entry;
}

function headHolds(engine: Engine, head: ClubHead): boolean {
  const { sig, ...content } = head;
  return (
    engine.nodeId(head.key) === head.club && engine.verify(head.key, sig, canonicalBytes(content))
  );
}

/** Whose log it is, by its last line. */
function lastHead(lines: readonly Uint8Array[]): string {
  const last = lines.at(-1);
  if (last === undefined) throw new ClubLogError(1, "it is empty");
  try {
    const head = decodeClubLine(last);
    if (head.type === "head") return head.club;
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new ClubLogError(lines.length, error.message);
  }
  throw new ClubLogError(lines.length, "it does not end with the club's signature");
}

function refuse(text: string): never {
  throw new Refusal("club/log", text);
}
