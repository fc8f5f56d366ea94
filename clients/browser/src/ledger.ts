/**
 * The judge: both mailboxes of one game, message by message (SPEC.md, sections 7 and 8).
 *
 * Players, spectators and verifiers feed the same ledger, so all come to the same result. It does
 * no I/O and reads no clock. Whoever feeds it checks the signatures, because a record has only the
 * newest signature of each player.
 */

import { digestOf, isSignedBy } from "./codec.js";
import { type Engine, type Position, RulesError, type Side } from "./engine.js";
import {
  checkJoinFits,
  freeFirstMs,
  hasSinceInAnswers,
  hostSide,
  makeCommitment,
  readOffer,
} from "./handshake.js";
import type {
  ClaimTerms,
  ConsentMessage,
  JoinMessage,
  LogMessage,
  OfferMessage,
  ProofMessage,
  RecordSignatures,
  ScoreMessage,
  StatementMessage,
} from "./messages.js";
import { Refusal } from "./refusal.js";

export type Role = "host" | "guest";
export const ROLES: readonly Role[] = ["host", "guest"];

/** The other player. */
export function other(role: Role): Role {
  return role === "host" ? "guest" : "host";
}

/** Where a game stands. */
export type Phase = "open" | "joined" | "playing" | "asked" | "over" | "scored" | "closed";

/** How a message stands to the mailbox that it belongs to. */
export type Reception = "next" | "duplicate" | "gap" | "conflict";

/** A breach of the rules of play that its author's signature proves. */
export interface Fault {
  readonly role: Role;
  readonly code: string;
  readonly text: string;
}

/** How a game has ended; `winner` is null for a draw and for a game without a result. */
export interface Outcome {
  readonly score: ScoreMessage["score"];
  readonly termination: string;
  readonly winner: Side | null;
}

/** A message with its author's role. */
export interface Entered {
  readonly by: Role;
  readonly message: LogMessage;
}

type Judged = Fault | null;
type Rule = (state: Ledger, role: Role, message: LogMessage) => Judged;

// The most messages that cross a decision: the move that ended a turn, and a claim or the score.
const MAX_ASIDE = 2;
// How far two clocks may differ about the same time, besides a hundredth of it.
const CLOCKS_MS = 1_000;
const TERMINATION_OF_FAULT: Readonly<Record<string, string>> = {
  "move/illegal": "illegal-move",
  "move/wrong-position": "desync",
  "chain/double-dealing": "double-dealing",
};

/** One game. */
export class Ledger {
  readonly engine: Engine;
  readonly offer: OfferMessage;
  /** The digest of the offer. */
  readonly game: string;
  phase: Phase = "open";
  join: JoinMessage | null = null;
  hostSide: Side | null = null;
  /** From the start to now, one for each ply. */
  positions: readonly Position[];
  /** The moves between them, the opening's first. */
  moves: readonly string[];
  outcome: Outcome | null = null;
  fault: Fault | null = null;
  /** The claim that ended the game. */
  claim: ClaimTerms | null = null;
  /** Whether the times in the answer to the claim contradict it (MP-CLAIM-6, MP-CLAIM-7). */
  contested = false;
  /** Whose score is not the result (MP-SCORE-3). */
  falseScores: readonly Role[] = [];
  /** The player who has decided the game by a score of its own, and the place of that in the line. */
  decision: { readonly by: Role; readonly at: number } | null = null;
  /** What its witnesses say of claims (MP-WITNESS-5). */
  statements: readonly StatementMessage[] = [];
  /** Every message in the order of acceptance. */
  line: readonly Entered[] = [];
  readonly #begun: readonly Position[];
  /** The same messages by their mailboxes. */
  #logs: Readonly<Record<Role, readonly LogMessage[]>> = { host: [], guest: [] };
  /** Whether an offered draw was rejected, so that its offerer may only move. */
  mustMove = false;
  firstScorer: Role | null = null;

  /**
   * The game of an offer.
   * @param begun The positions that it begins with, where the offer was read already.
   * @throws Refusal The offer is forged, or cannot be judged here.
   */
  constructor(engine: Engine, offer: OfferMessage, begun?: readonly Position[]) {
    this.engine = engine;
    this.offer = offer;
    this.game = digestOf(engine, offer);
    this.#begun = begun ?? readOffer(engine, offer);
    this.positions = this.#begun;
    this.moves = offer.opening ?? [];
  }

  /** The same game without a message. */
  begun(): Ledger {
    return new Ledger(this.engine, this.offer, this.#begun);
  }

  /** An independent ledger with the same content. */
  copy(): Ledger {
    const copy = this.begun();
    copy.#take(this);
    return copy;
  }

  /** Takes over the content of another ledger of the same game; fields are replaced, never mutated. */
  #take(other: Ledger): void {
    Object.assign(this, other);
    this.#logs = other.#logs;
  }

  // Players and sides

  /** The position after the newest move. */
  get position(): Position {
    return this.positions.at(-1) as Position;
  }

  /** The number of the next ply, from 1. */
  get ply(): number {
    return this.moves.length + 1;
  }

  nodeOf(role: Role): string | null {
    return role === "host" ? this.offer.host : (this.join?.from ?? null);
  }

  keyOf(role: Role): string | null {
    return role === "host" ? this.offer.key : (this.join?.key ?? null);
  }

  /** The role of a node in this game; null for a stranger. */
  roleOf(node: string): Role | null {
    if (node === this.offer.host) return "host";
    return node === this.join?.from ? "guest" : null;
  }

  /** The side of a player; null before the start. */
  sideOf(role: Role): Side | null {
    if (this.hostSide === null) return null;
    const sides = { first: "second", second: "first" } as const;
    return role === "host" ? this.hostSide : sides[this.hostSide];
  }

  /** Who may write next while the game is in play. */
  get onTurn(): Role | null {
    if (this.phase !== "playing" && this.phase !== "asked") return null;
    const mover = this.position.turn === this.hostSide ? "host" : "guest";
    return this.phase === "asked" ? other(mover) : mover;
  }

  /** Who writes its score next (MP-SCORE-1). */
  get scorer(): Role | null {
    if (this.phase === "over") return this.fault?.role === "host" ? "guest" : "host";
    return this.phase === "scored" && this.firstScorer !== null ? other(this.firstScorer) : null;
  }

  // Mailboxes

  /** The accepted messages of a player's mailbox. */
  log(role: Role): readonly LogMessage[] {
    return this.#logs[role];
  }

  digest(message: LogMessage): string {
    return digestOf(this.engine, message);
  }

  /** The digest of a player's newest message; the game id when there is none. */
  head(role: Role): string {
    const newest = this.log(role).at(-1);
    return newest === undefined ? this.game : this.digest(newest);
  }

  /** The digest of the newest message of the game; the game id when there is none. */
  get tip(): string {
    const newest = this.line.at(-1);
    return newest === undefined ? this.game : this.digest(newest.message);
  }

  /** A player's number of messages up to the one with a digest; null if it has none with it. */
  countUpTo(role: Role, digest: string): number | null {
    if (digest === this.game) return 0;
    const at = this.log(role).findLastIndex((message) => this.digest(message) === digest);
    return at < 0 ? null : at + 1;
  }

  /** How a message signed by a player stands to its mailbox. */
  reception(role: Role, message: LogMessage | ProofMessage): Reception {
    const log = this.log(role);
    const held = log[message.n];
    if (message.n > log.length) return "gap";
    if (held === undefined) return message.prev === this.head(role) ? "next" : "conflict";
    return this.digest(held) === digestOf(this.engine, message) ? "duplicate" : "conflict";
  }

  // Time (section 7.5)

  /** How much of a player's next move its clock does not count. */
  freeMs(role: Role): number {
    const untimed = this.offer.clock === undefined;
    return untimed || this.#movesOf(role).length > 0 ? 0 : freeFirstMs(this.offer.v);
  }

  /** How long a player may think about its next move, free time included; null without a clock. */
  remainingMs(role: Role): number | null {
    const clock = this.offer.clock;
    if (clock === undefined) return null;
    if (clock.base_ms === undefined) return (clock.move_ms ?? 0) + this.freeMs(role);
    const moves = this.#movesOf(role);
    const used = moves.reduce(
      (sum, elapsed, at) => sum + Math.max(0, elapsed - (at === 0 ? freeFirstMs(this.offer.v) : 0)),
      0,
    );
    return clock.base_ms + (clock.increment_ms ?? 0) * moves.length - used + this.freeMs(role);
  }

  /** How long to wait for the player on turn before its game can be claimed; null for never. */
  claimableAfterMs(reason: ClaimTerms["reason"]): number | null {
    if (this.onTurn === null) return null;
    if (reason === "silence") return this.offer.grace_ms ?? null;
    const remaining = this.remainingMs(this.onTurn);
    if (this.offer.clock === undefined || remaining === null) return null;
    return Math.max(remaining, 0) + this.offer.clock.lag_ms + 1;
  }

  #movesOf(role: Role): number[] {
    return this.log(role).flatMap((each) => (each.type === "move" ? [each.elapsed_ms] : []));
  }

  // Taking messages in

  /**
   * Takes in a message of a player, whose signature is known to hold.
   *
   * @returns The fault in it, which ends the game; null for a message within the rules.
   * @throws Refusal It does not belong here; nothing has changed.
   */
  accept(role: Role, message: LogMessage): Judged {
    if (message.game !== this.game) {
      throw new Refusal("chain/other-game", "the message belongs to another game");
    }
    this.#checkVersion(message);
    if (this.reception(role, message) !== "next") {
      throw new Refusal("chain/not-next", `message ${message.n} of the ${role} is not its next`);
    }
    const seen = this.countUpTo(other(role), message.seen);
    if (seen === null) {
      throw new Refusal("chain/unknown-seen", "it answers a message that is not here");
    }
    if (seen < this.log(other(role)).length) {
      const place = this.#placeOf(role, message, seen);
      if (place !== null) return this.#decideAt(place, role, message);
      if (this.#crossed(role, seen)) {
        this.#setAside(role, message);
        return null;
      }
    }
    return this.#takeNext(role, message);
  }

  #checkVersion(message: LogMessage): void {
    if (message.type !== "score" || hasSinceInAnswers(this.offer.v)) return;
    const proof = message.proof;
    const proven = proof?.type === "score" && proof.since_ms !== undefined;
    if (message.since_ms !== undefined || proven) {
      throw new Refusal("score/version", `a score of protocol ${this.offer.v} has no since_ms`);
    }
  }

  #takeNext(role: Role, message: LogMessage): Judged {
    const rule = TRANSITIONS[this.phase][message.type];
    const late = message.seen !== this.head(other(role));
    const inPlay = this.phase === "playing" || this.phase === "asked";
    if (!inPlay && rule === undefined) {
      throw new Refusal("order/unexpected", `a ${message.type} does not belong here`);
    }
    if (!inPlay && late) {
      throw new Refusal("chain/wrong-seen", "it does not follow the newest message");
    }
    // A rule changes nothing until it has ruled out faults and refusals.
    let fault: Judged;
    if (late) {
      fault = { role, code: "chain/wrong-seen", text: "it does not follow the newest message" };
    } else if (rule === undefined) {
      fault = {
        role,
        code: "order/unexpected",
        text: `a ${message.type} has no place in mid-game`,
      };
    } else {
      fault = rule(this, role, message);
    }
    if (fault !== null && this.fault === null) {
      this.#endByFault(fault);
    }
    this.#append(role, message);
    return fault;
  }

  #endByFault(fault: Fault): void {
    this.end(TERMINATION_OF_FAULT[fault.code] ?? "protocol-violation", other(fault.role));
    this.fault = fault;
  }

  /** Ends the game; without a winner it is a draw, or has no result. */
  end(termination: string, winner: Role | null): void {
    const side = winner === null ? null : this.sideOf(winner);
    const score =
      side === "first"
        ? "1-0"
        : side === "second"
          ? "0-1"
          : termination === "aborted"
            ? "*"
            : "1/2-1/2";
    this.outcome = { score, termination, winner: side };
    this.phase = "over";
  }

  // What crosses a decision (section 7.4)

  /** Where in the line a decision belongs if its author had not seen the newest; null if it had. */
  #placeOf(role: Role, message: LogMessage, seen: number): number | null {
    if (message.type !== "score" || !isDecisive(message)) return null;
    const theirs = this.line.flatMap((each, at) => (each.by === role ? [] : [at]));
    const place = theirs[seen];
    if (place === undefined || this.line.slice(place).some((each) => each.by === role)) return null;
    const rival = this.line[place]?.message;
    if (this.decision?.at !== place || rival?.type !== "score") return place;
    const proves = message.proof !== undefined;
    if (proves !== (rival.proof !== undefined)) return proves ? place : null;
    return role === "host" ? place : null;
  }

  #decideAt(place: number, role: Role, message: LogMessage): Judged {
    const replayed = this.begun();
    replayed.statements = this.statements;
    for (const { by, message: earlier } of this.line.slice(0, place)) replayed.accept(by, earlier);
    const fault = replayed.accept(role, message);
    for (const { by, message: aside } of this.line.slice(place)) replayed.accept(by, aside);
    this.#take(replayed);
    return fault;
  }

  /** Whether the author of a message did not know of the other player's decision. */
  #crossed(role: Role, seen: number): boolean {
    if (this.decision?.by !== other(role)) return false;
    const decided = this.line[this.decision.at]?.message;
    return decided !== undefined && seen <= decided.n;
  }

  #setAside(role: Role, message: LogMessage): void {
    const at = this.decision?.at ?? 0;
    const decided = this.line[at]?.message;
    const later = this.line.slice(at + 1).filter((each) => each.by === role);
    const knew = later.some(
      (each) => decided !== undefined && each.message.seen === this.digest(decided),
    );
    if (later.length >= MAX_ASIDE || knew) {
      throw new Refusal("order/unexpected", `the ${role} wrote on after the game was decided`);
    }
    this.#append(role, message);
  }

  #append(by: Role, message: LogMessage): void {
    this.line = [...this.line, { by, message }];
    this.#logs = { ...this.#logs, [by]: [...this.#logs[by], message] };
  }

  /** Puts checked signatures on the newest messages, which came from entries without them. */
  seal(sigs: RecordSignatures): void {
    for (const role of ROLES) {
      const newest = this.log(role).at(-1);
      const sig = sigs[role];
      if (newest === undefined || sig === undefined) continue;
      const message = { ...newest, sig };
      this.#logs = { ...this.#logs, [role]: this.log(role).with(-1, message) };
      this.line = this.line.map((each) => (each.message === newest ? { by: role, message } : each));
    }
  }
}

/** Whether a score itself ends the game: by a proof or a claim. */
function isDecisive(score: ScoreMessage): boolean {
  return score.proof !== undefined || score.claim !== undefined;
}

// The rules of section 7.2, one for each line of its table

function onJoin(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "join") throw new TypeError(message.type);
  if (role !== "guest") throw new Refusal("order/unexpected", "the host cannot join its own game");
  checkJoinFits(state.engine, state.offer, message);
  state.join = message;
  state.phase = "joined";
  return null;
}

function onStart(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "start") throw new TypeError(message.type);
  const { engine, offer, join } = state;
  if (role !== "host" || join === null) {
    throw new Refusal("order/unexpected", "only the host can start the game");
  }
  if (message.guest !== join.from) {
    throw new Refusal("start/guest", `the host gave the seat to ${message.guest}`);
  }
  if (makeCommitment(engine, message.secret) !== offer.commit) {
    throw new Refusal("start/secret", "the secret is not the one that the offer commits to");
  }
  if (message.host_side !== hostSide(engine, offer.color, message.secret, join.nonce)) {
    throw new Refusal("start/side", `the host took the ${message.host_side} side`);
  }
  state.hostSide = message.host_side;
  state.phase = "playing";
  return null;
}

function onMove(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "move") throw new TypeError(message.type);
  const fault = turnFault(state, role, message);
  if (fault !== null) return fault;
  const remaining = state.remainingMs(role);
  if (remaining !== null && message.elapsed_ms > remaining) {
    state.end("time", other(role));
    return null;
  }
  let after: Position;
  try {
    after = state.engine.play(state.position, message.move);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return { role, code: "move/illegal", text: `ply ${message.ply}: ${error.message}` };
  }
  if (state.engine.positionDigest(after) !== message.position) {
    const text = `ply ${message.ply}: the position after ${message.move} is another one`;
    return { role, code: "move/wrong-position", text };
  }
  state.positions = [...state.positions, after];
  state.moves = [...state.moves, message.move];
  state.mustMove = false;
  if (after.outcome !== null) {
    const { score, termination } = after.outcome;
    const winner = score === "1-0" ? "first" : score === "0-1" ? "second" : null;
    state.outcome = { score: score as Outcome["score"], termination, winner };
    state.phase = "over";
  }
  return null;
}

function onResign(state: Ledger, role: Role, message: LogMessage): Judged {
  const fault = turnFault(state, role, message) ?? mustMoveFault(state, role);
  if (fault === null) state.end("resignation", other(role));
  return fault;
}

function onDraw(state: Ledger, role: Role, message: LogMessage): Judged {
  const fault = turnFault(state, role, message) ?? mustMoveFault(state, role);
  if (fault !== null) return fault;
  if (!state.offer.ruleset.startsWith("checkers/")) {
    return { role, code: "draw/unknown-here", text: `${state.offer.ruleset} knows no draw offers` };
  }
  state.phase = "asked";
  return null;
}

function onDrawAnswer(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "draw-answer") throw new TypeError(message.type);
  if (role !== state.onTurn) {
    return { role, code: "draw/own-offer", text: `the ${role} answered its own offer of a draw` };
  }
  if (message.answer === "accept") {
    state.end("draw-agreed", null);
  } else {
    state.phase = "playing";
    state.mustMove = true;
  }
  return null;
}

function onTakeback(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "takeback") throw new TypeError(message.type);
  const fault = turnFault(state, role, message);
  if (fault !== null) return fault;
  const { to, consent } = message;
  if (state.offer.takebacks === "never") {
    return { role, code: "takeback/never", text: "the offer allows no takebacks" };
  }
  if (to <= (state.offer.opening?.length ?? 0) || to >= state.ply) {
    return { role, code: "takeback/no-such-ply", text: `ply ${to} was not played` };
  }
  if (consent.to !== to || !isAgreed(state, role, consent, "takeback")) {
    return { role, code: "takeback/no-consent", text: `the ${other(role)} did not agree` };
  }
  state.positions = state.positions.slice(0, to);
  state.moves = state.moves.slice(0, to - 1);
  state.mustMove = false;
  return null;
}

function onAbort(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "abort") throw new TypeError(message.type);
  const fault = turnFault(state, role, message);
  if (fault !== null) return fault;
  const allowed =
    message.consent === undefined
      ? state.log(role).every((each) => each.type !== "move")
      : isAgreed(state, role, message.consent, "abort");
  if (!allowed) return { role, code: "abort/no-consent", text: `the ${other(role)} did not agree` };
  state.end("aborted", null);
  return null;
}

function onDecision(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "score") throw new TypeError(message.type);
  if (!isDecisive(message)) {
    return { role, code: "score/too-early", text: "a score before the game was over" };
  }
  const decision = { by: role, at: state.line.length };
  const fault =
    message.claim === undefined
      ? onAccusation(state, role, message)
      : onClaim(state, role, message.claim);
  state.decision = decision;
  if (fault === null) takeScore(state, role, message);
  return fault;
}

function onClaim(state: Ledger, role: Role, claim: ClaimTerms): Judged {
  if (role === state.onTurn) {
    return { role, code: "claim/own-turn", text: "a claim on one's own turn" };
  }
  const least = state.claimableAfterMs(claim.reason);
  if (least === null || claim.waited_ms < least) {
    return { role, code: "claim/too-early", text: `a claim after ${claim.waited_ms} ms` };
  }
  state.end(claim.reason === "silence" ? "abandoned" : "time", role);
  state.claim = claim;
  return null;
}

function onAccusation(state: Ledger, role: Role, score: ScoreMessage): Judged {
  const accused = other(role);
  const { proof } = score;
  const key = state.keyOf(accused);
  const holds =
    proof !== undefined &&
    key !== null &&
    proof.game === state.game &&
    isSignedBy(state.engine, proof, key) &&
    state.reception(accused, proof) === "conflict";
  if (!holds) {
    return { role, code: "score/false-proof", text: "an accusation without proof" };
  }
  state.end("double-dealing", role);
  const text = `the ${accused} signed two different messages with one number`;
  state.fault = { role: accused, code: "chain/double-dealing", text };
  return null;
}

function onScore(state: Ledger, role: Role, message: LogMessage): Judged {
  if (message.type !== "score") throw new TypeError(message.type);
  if (state.scorer !== role) {
    throw new Refusal("score/order", `it is not the ${role}'s turn to write its score`);
  }
  if (isDecisive(message)) {
    throw new Refusal("score/too-late", "a claim or an accusation when the game is over");
  }
  if (message.had_ms !== undefined || message.since_ms !== undefined) {
    if (state.claim === null || state.firstScorer !== other(role)) {
      throw new Refusal("score/no-claim", "an answer to a claim that nobody made");
    }
    state.contested = contradicts(state, state.claim, message);
  }
  takeScore(state, role, message);
  return null;
}

function contradicts(state: Ledger, claim: ClaimTerms, answer: ScoreMessage): boolean {
  const waited = claim.waited_ms;
  const since = answer.since_ms;
  // In exact whole numbers: the times may be near 2^53.
  if (since !== undefined && since + Math.floor(waited / 100) + CLOCKS_MS < waited) return true;
  const lag = state.offer.clock?.lag_ms ?? 0;
  return answer.had_ms !== undefined && BigInt(answer.had_ms) * 2n + BigInt(lag) < BigInt(waited);
}

function takeScore(state: Ledger, role: Role, message: ScoreMessage): void {
  const { outcome } = state;
  const isResult =
    message.score === outcome?.score &&
    message.termination === outcome.termination &&
    message.position === state.engine.positionDigest(state.position);
  if (!isResult) state.falseScores = [...state.falseScores, role];
  if (state.firstScorer === null) {
    state.firstScorer = role;
    state.phase = "scored";
  } else {
    state.phase = "closed";
  }
}

function turnFault(state: Ledger, role: Role, message: LogMessage): Judged {
  if (role !== state.onTurn) {
    return { role, code: `${message.type}/not-your-turn`, text: `the ${role} wrote out of turn` };
  }
  if (!("ply" in message) || message.ply !== state.ply) {
    return { role, code: "move/wrong-ply", text: `the next ply is number ${state.ply}` };
  }
  return null;
}

function mustMoveFault(state: Ledger, role: Role): Judged {
  if (!state.mustMove) return null;
  return { role, code: "draw/must-move", text: "no move after a rejected draw" };
}

/** Whether a consent is by the other player, to this act and at this moment (MP-BACK-3). */
export function isAgreed(
  state: Ledger,
  role: Role,
  consent: ConsentMessage,
  what: ConsentMessage["what"],
): boolean {
  const key = state.keyOf(other(role));
  return (
    consent.what === what &&
    consent.game === state.game &&
    consent.tip === state.tip &&
    consent.from === state.nodeOf(other(role)) &&
    key !== null &&
    isSignedBy(state.engine, consent, key)
  );
}

/** The table of section 7.2; what is not in it is a fault in play and refused at any other time. */
const TRANSITIONS: Readonly<Record<Phase, Partial<Record<LogMessage["type"], Rule>>>> = {
  open: { join: onJoin },
  joined: { start: onStart },
  playing: {
    move: onMove,
    resign: onResign,
    draw: onDraw,
    takeback: onTakeback,
    abort: onAbort,
    score: onDecision,
  },
  asked: { "draw-answer": onDrawAnswer, score: onDecision },
  over: { score: onScore },
  scored: { score: onScore },
  closed: {},
};
