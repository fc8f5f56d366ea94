/** Measures how long a player has had the message to answer, and how long it has waited for an answer. */

import type { Times } from "./session.js";

/** When something was, by both clocks in milliseconds, and how long we had been away by then. */
interface Moment {
  /** Does not jump, but stands still while a phone sleeps. */
  readonly steady: number;
  /** Runs on while it sleeps, but may be set. */
  readonly wall: number;
  readonly away: number;
}

/** The two clocks; tests have their own. */
export interface Clocks {
  steadyMs(): number;
  wallMs(): number;
}

const SYSTEM_CLOCKS: Clocks = {
  steadyMs: () => performance.now(),
  wallMs: () => Date.now(),
};

// A dead connection is noticed after one and a half keepalives, and checked three times in each.
const UNNOTICED_MS = 2 * 15_000;

/**
 * Times one player in one game. Thinking goes on without a connection and over a restart; waiting
 * begins again with each connection (MP-CLAIM-5). The times in an answer to a claim are the most that
 * they can be: all time for which we may have been away counts for the claimant, until the broker has
 * our answer (MP-CLAIM-6).
 */
export class Stopwatch {
  readonly #clocks: Clocks;
  readonly #messages: Record<"ours" | "theirs", Moment[]> = { ours: [], theirs: [] };
  #waiting: number;
  #newest: number;
  /** How long we had been away when the broker was known to have each message of ours. */
  readonly #delivered: number[] = [];
  #away = 0;
  #connectedAt: Moment | null = null;
  #lost: Moment | null;

  /** `kept` are the messages before a restart, in order: whose, and when by the time of day. */
  constructor(
    clocks: Clocks = SYSTEM_CLOCKS,
    kept: readonly { readonly ours: boolean; readonly atMs: number }[] = [],
  ) {
    this.#clocks = clocks;
    const now = this.#at(0);
    this.#waiting = this.#newest = now.steady;
    this.#lost = now;
    for (const { ours, atMs } of kept) {
      const age = Math.max(0, now.wall - atMs);
      // Nobody knows how long we were there, so all of it counts as away.
      const moment = { steady: now.steady - age, wall: now.wall - age, away: -age };
      this.#messages[ours ? "ours" : "theirs"].push(moment);
      this.#newest = moment.steady;
    }
  }

  /** A message of a player was added to the game. */
  turned(ours: boolean): void {
    this.#newest = this.#waiting = this.#clocks.steadyMs();
    this.#messages[ours ? "ours" : "theirs"].push(this.#now());
  }

  connected(): void {
    if (this.#lost === null) this.disconnected();
    this.#away = this.#now().away;
    this.#lost = null;
    this.#connectedAt = this.#at(this.#away);
    this.#waiting = this.#clocks.steadyMs();
  }

  /**
   * The connection is known to be lost; it may have been dead for a while, but not before the broker
   * last said something, `silentMs` ago. `delivered` of our messages the broker has acknowledged.
   */
  disconnected(silentMs = Number.POSITIVE_INFINITY, delivered = 0): void {
    if (this.#lost !== null || this.#connectedAt === null) return;
    while (this.#delivered.length < delivered) this.#delivered.push(this.#away);
    const now = this.#at(this.#away);
    const unnoticed = Math.min(UNNOTICED_MS, silentMs, between(this.#connectedAt, now));
    this.#lost = { steady: now.steady - unnoticed, wall: now.wall - unnoticed, away: this.#away };
  }

  /** Milliseconds since the newest message of the game. */
  get elapsedMs(): number {
    return Math.floor(this.#clocks.steadyMs() - this.#newest);
  }

  /** Milliseconds since then, or since we connected again, if that was later. */
  get waitedMs(): number {
    return Math.floor(this.#clocks.steadyMs() - this.#waiting);
  }

  /** What we can say about a claim; see `Timing`. */
  times(seen: number, asked: number): Times {
    const { ours, theirs } = this.#messages;
    const came = theirs[asked + 1] ?? this.#now();
    const wrote = ours[seen] ?? came;
    const heard = theirs[asked];
    const begun = heard !== undefined && heard.steady > wrote.steady ? heard : wrote;
    const answered = ours[seen + 1] ?? came;
    const away = Math.min(came.away, this.#delivered[seen + 1] ?? Number.POSITIVE_INFINITY);
    const had = between(begun, answered) + begun.away - wrote.away + away - answered.away;
    const since = between(wrote, came);
    return {
      hadMs: Math.floor(Math.min(Math.max(had, 0), since)),
      sinceMs: Math.floor(since),
    };
  }

  #at(away: number): Moment {
    return { steady: this.#clocks.steadyMs(), wall: this.#clocks.wallMs(), away };
  }

  #now(): Moment {
    const now = this.#at(this.#away);
    if (this.#lost === null) return now;
    return { ...now, away: this.#away + between(this.#lost, now) };
  }
}

/** The time between two moments, by the clock that says more. */
function between(begin: Moment, end: Moment): number {
  return Math.max(end.steady - begin.steady, end.wall - begin.wall, 0);
}
