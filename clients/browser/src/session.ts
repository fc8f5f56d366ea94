/**
 * A player's end of a game: host or guest (SPEC.md, sections 7 and 9).
 *
 * Everything that reaches it is taken into the ledger, answered or ignored; nothing that anybody
 * sends can make `receive` throw. What our own side asks for throws `ActError` when the rules or
 * the moment forbid it, and then nothing has changed. It does no I/O and reads no clock: times come
 * as arguments, and what is to be done goes out as effects, to be carried out in their order.
 */

import { digestOf, isSignedBy, signedBytes } from "./codec.js";
import type { Engine, Side } from "./engine.js";
import {
  allowsSyncEchoes,
  checkJoinFits,
  hasSinceInAnswers,
  hostSide,
  isInvited,
  makeTicket,
} from "./handshake.js";
import { judgeMessage } from "./judge.js";
import {
  type Fault,
  isAgreed,
  type Ledger,
  type Outcome,
  other,
  ROLES,
  type Role,
} from "./ledger.js";
import {
  type AnyMessage,
  type ConsentMessage,
  isLogMessage,
  type JoinMessage,
  type LogMessage,
  MAX_UNREAD,
  type MessageOf,
  type SignedMessage,
  type StateMessage,
} from "./messages.js";
import { checkSignatures, expand, predict, type Standing, standingOf } from "./record.js";
import { Refusal } from "./refusal.js";
import { addStatement } from "./witnesses.js";

/** A node's key. */
export interface Key {
  readonly seed: Uint8Array;
  readonly publicKey: string;
  readonly node: string;
}

/** The key of a seed of 32 bytes. */
export function keyOf(engine: Engine, seed: Uint8Array): Key {
  const publicKey = engine.publicKey(seed);
  return { seed, publicKey, node: engine.nodeId(publicKey) };
}

/** A message with its author's signature. */
export function signed<T extends SignedMessage>(engine: Engine, key: Key, message: T): T {
  return { ...message, sig: engine.sign(key.seed, signedBytes(message)) };
}

/** What became known, for the user interface. */
export type GameEvent =
  | { readonly type: "started"; readonly guest: string; readonly hostSide: Side }
  | { readonly type: "moved"; readonly by: Role; readonly move: string; readonly ply: number }
  | { readonly type: "draw-offered"; readonly by: Role }
  | { readonly type: "draw-rejected"; readonly by: Role }
  | {
      readonly type: "undone";
      readonly by: Role;
      readonly moves: readonly string[];
      readonly agreed: boolean;
    }
  | { readonly type: "asked"; readonly by: Role; readonly what: ConsentMessage["what"] }
  | { readonly type: "said"; readonly by: Role; readonly text: string }
  | { readonly type: "ended"; readonly outcome: Outcome; readonly fault: Fault | null }
  | { readonly type: "closed"; readonly standing: Standing }
  | { readonly type: "rejected"; readonly code: string; readonly reason: string }
  /** Our key has signed something else in this game, elsewhere. */
  | { readonly type: "contradicted" };

/** What is to be done; `keep` is durable before anything after it is done (MP-NODE-1). */
export type Effect =
  | { readonly do: "keep"; readonly by: Role; readonly message: LogMessage }
  | { readonly do: "send"; readonly message: SignedMessage }
  | { readonly do: "publish-state" }
  /** All that we have said in a restored game is known again: it is now like any other game. */
  | { readonly do: "caught-up" }
  | { readonly do: "tell"; readonly event: GameEvent };

/** What our own side asks for, and the rules or the moment forbid. */
export class ActError extends Error {
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}

/** What a player can say about the time that it is claimed to have let pass (MP-CLAIM-6, MP-CLAIM-7). */
export interface Times {
  readonly hadMs: number;
  readonly sinceMs: number;
}

/** Gives the times for a claim: by the number of our message that it names as seen, and of the claimant's before it. */
export type Timing = (seen: number, asked: number) => Times;

// The most messages repeated for one request; the rest follow on the next (MP-SYNC-2).
const RESEND_LIMIT = 64;
// The most lines of chat that are kept for an absent opponent.
const MAX_KEPT_CHAT = 8;
// The most messages of a restored game that wait for those before them.
const MAX_WAITING = 1024;

/** One player's side of one game. */
export class PlayerSession {
  readonly engine: Engine;
  readonly ledger: Ledger;
  readonly role: Role;
  /** Whether we resign as soon as it is our turn. */
  resigning = false;
  #keptChat: Effect[] = [];
  readonly #key: Key;
  readonly #secret: string;
  readonly #invitation: string;
  // The number last asked for; it is asked for again after a silence or on a new connection.
  #asked: number | null = null;
  #toldContradicted = false;
  #timing: Timing = () => ({ hadMs: 0, sinceMs: 0 });
  // What each player is willing to do, while it is current.
  #given: ConsentMessage | null = null;
  #heard: ConsentMessage | null = null;
  // How many of our messages the opponent has, by what it asks for.
  #arrived = 0;
  #chattedMs = 0;
  #spokenMs = 0;
  // A random nonce while we may have said more than is known (MP-SYNC-9); null otherwise.
  #doubt: string | null;
  // Messages of a restored game that must wait, by author and number: they come from two mailboxes.
  readonly #waiting = new Map<string, LogMessage>();
  // The most of our messages that the opponent has claimed to have.
  #heardOfUs = 0;
  #answered = false;

  /**
   * Takes up a game, new or restored from its journal.
   *
   * @param secret For the host, what the offer's `commit` commits to.
   * @param invitation The secret of an invitation, where only the invited may join.
   * @param doubt 32 random hexadecimal digits where we may have said more in it than is known.
   */
  constructor(
    ledger: Ledger,
    role: Role,
    key: Key,
    secret = "",
    invitation = "",
    doubt: string | null = null,
  ) {
    this.engine = ledger.engine;
    this.ledger = ledger;
    this.role = role;
    this.#key = key;
    this.#secret = secret;
    this.#invitation = invitation;
    this.#doubt = ledger.phase === "closed" ? null : doubt;
  }

  /** Our side; null before the start. */
  get side(): Side | null {
    return this.ledger.sideOf(this.role);
  }

  /** Whether we may not write yet, because we may have said more than is known (MP-SYNC-9). */
  get isInDoubt(): boolean {
    return this.#doubt !== null;
  }

  /** The other player's node; null while there is none. */
  get opponent(): string | null {
    return this.ledger.nodeOf(other(this.role));
  }

  /** Our newest messages that the opponent is not known to have, in their order. */
  get unread(): readonly LogMessage[] {
    const ours = this.ledger.log(this.role);
    const newest = this.ledger.log(other(this.role)).at(-1);
    const seen = newest === undefined ? 0 : this.ledger.countUpTo(this.role, newest.seen);
    const arrived = Math.max(seen ?? 0, this.#arrived);
    return ours.slice(arrived, arrived + MAX_UNREAD);
  }

  /** A receipt for a host that wrote the last score (MP-SYNC-7); null if none is due. */
  get receipt(): MessageOf<"sync"> | null {
    const hostWasLast = this.ledger.phase === "closed" && this.ledger.line.at(-1)?.by === "host";
    return hostWasLast && this.role === "guest" ? this.#signedSync() : null;
  }

  /** Whether a note is signed by the other player of this game. */
  vouches(note: SignedMessage): boolean {
    const key = this.ledger.keyOf(other(this.role));
    return key !== null && isSignedBy(this.engine, note, key);
  }

  // Incoming messages

  /**
   * Takes in a message from the game's topics, whoever sent it.
   * @param timing What we know of our times, should this be a claim that we did not answer.
   */
  receive(message: AnyMessage, timing?: Timing): Effect[] {
    if (timing !== undefined) this.#timing = timing;
    try {
      return this.#receive(message);
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  }

  #receive(message: AnyMessage): Effect[] {
    if (!("game" in message) || message.game !== this.ledger.game) return [];
    if (message.type === "join" && this.role === "host" && message.n === 0) {
      return this.#onJoin(message);
    }
    if (message.type === "unread") return this.#onUnread(message);
    if (message.type === "state") return this.#onState(message);
    if (message.type === "reject") return this.#onReject(message);
    if (message.type === "statement") {
      addStatement(this.ledger, message);
      return [];
    }
    if (message.from !== this.opponent) return [];
    if (isLogMessage(message)) {
      return this.isInDoubt ? this.#learn(message) : this.#onLogMessage(message);
    }
    switch (message.type) {
      case "sync":
        return this.#onSync(message);
      case "consent":
        return this.#onConsent(message);
      case "chat":
        return this.#onChat(message);
      case "recall":
        return this.#onRecall(message);
      default:
        return [];
    }
  }

  #onJoin(join: JoinMessage): Effect[] {
    const { offer, join: accepted } = this.ledger;
    if (accepted !== null && digestOf(this.engine, accepted) === digestOf(this.engine, join)) {
      return this.#resend(0);
    }
    if (!isSignedBy(this.engine, join, join.key) || this.engine.nodeId(join.key) !== join.from) {
      return [];
    }
    try {
      checkJoinFits(this.engine, offer, join);
    } catch (error) {
      if (!(error instanceof Refusal) || !/^(handshake|seat)\//.test(error.code)) throw error;
      return [this.#reject(join, error.code, error.message)];
    }
    if (accepted !== null) {
      return [this.#reject(join, "seat/taken", `the seat is taken by ${accepted.from}`)];
    }
    if (!isInvited(this.engine, offer, join, this.#invitation)) {
      return [this.#reject(join, "seat/not-invited", "the secret of the invitation is missing")];
    }
    return this.#take("guest", join);
  }

  #reject(join: JoinMessage, code: string, reason: string): Effect {
    const reject: MessageOf<"reject"> = {
      type: "reject",
      game: this.ledger.game,
      from: this.#key.node,
      to: join.from,
      join: digestOf(this.engine, join),
      code,
      reason,
    };
    return this.#send(reject);
  }

  #onLogMessage(message: LogMessage): Effect[] {
    const before = this.ledger.copy();
    const verdict = judgeMessage(this.ledger, message);
    switch (verdict.became) {
      case "accepted":
      case "fault":
        return this.#taken(before, verdict.role, message);
      case "gap":
        return this.#ask();
      case "conflict":
        // What the opponent gives back may be what another device of ours has signed.
        if (message.from === this.#key.node) return this.#contradicted();
        return this.#accuse(message);
      case "refused": {
        const { proof } = message.type === "score" ? message : {};
        const ours = proof !== undefined && proof.from === this.#key.node;
        return ours && this.#isKnown(proof) ? this.#contradicted() : [];
      }
      default:
        return [];
    }
  }

  /** Whether our log has a message of ours; an accusation with it shows that another one exists. */
  #isKnown(message: LogMessage): boolean {
    const held = this.ledger.log(this.role)[message.n];
    return held !== undefined && digestOf(this.engine, held) === digestOf(this.engine, message);
  }

  #contradicted(): Effect[] {
    if (this.#toldContradicted) return [];
    this.#toldContradicted = true;
    return [tell({ type: "contradicted" })];
  }

  /** Accuses the opponent (MP-FAULT-3), unless MP-FAULT-4 or MP-FAULT-5 forbids it. */
  #accuse(message: LogMessage): Effect[] {
    const proves =
      message.type !== "join" && !(message.type === "score" && message.proof !== undefined);
    if (
      !proves ||
      this.isInDoubt ||
      (this.ledger.phase !== "playing" && this.ledger.phase !== "asked")
    )
      return [];
    return this.#write("score", {
      score: this.side === "first" ? "1-0" : "0-1",
      termination: "double-dealing",
      proof: message,
    });
  }

  #onReject(reject: MessageOf<"reject">): Effect[] {
    const [join] = this.ledger.log("guest");
    const waits = this.role === "guest" && this.ledger.phase === "joined";
    if (!waits || join === undefined || reject.to !== this.#key.node) return [];
    if (reject.join !== digestOf(this.engine, join) || reject.from !== this.ledger.offer.host) {
      return [];
    }
    if (!isSignedBy(this.engine, reject, this.ledger.offer.key)) return [];
    return [tell({ type: "rejected", code: reject.code, reason: reject.reason })];
  }

  #onSync(sync: MessageOf<"sync">): Effect[] {
    const has = sync.nonce !== undefined || sync.echo !== undefined;
    if ((has && !allowsSyncEchoes(this.ledger.offer.v)) || !this.vouches(sync)) return [];
    this.#arrived = Math.max(this.#arrived, Math.min(sync.need, this.ledger.log(this.role).length));
    if (this.#doubt !== null) return this.#onSyncInDoubt(sync, this.#doubt);
    const effects = [...this.#resend(sync.need), ...this.#recall(sync.head)];
    if (sync.nonce !== undefined) {
      effects.push(this.#sync({ echo: sync.nonce }));
    } else if (sync.head > this.ledger.log(other(this.role)).length) {
      effects.push(...this.#ask());
    }
    return effects;
  }

  /** Whether the opponent has shown that nothing of ours is missing (MP-SYNC-9). */
  #onSyncInDoubt(sync: MessageOf<"sync">, nonce: string): Effect[] {
    this.#heardOfUs = Math.max(this.#heardOfUs, sync.need);
    this.#answered ||= sync.echo === nonce;
    // An opponent that asks gets what we know, also if it is restored from a file itself.
    const effects = [...this.#resend(sync.need), ...this.#recall(sync.head)];
    if (sync.nonce !== undefined) effects.push(this.#sync({ echo: sync.nonce }));
    if (sync.echo === undefined) effects.push(this.#sync({ nonce }));
    return [...effects, ...this.#caughtUp()];
  }

  /** Takes in what follows what is known, and keeps the rest: recalls and messages cross. */
  #learn(message: LogMessage): Effect[] {
    if (this.#waiting.size < MAX_WAITING) {
      this.#waiting.set(`${message.from} ${message.n}`, message);
    }
    const effects: Effect[] = [];
    for (;;) {
      const next = ROLES.map((role) => this.#nextOf(role)).find((each) => each !== null);
      if (next === undefined || next === null) return [...effects, ...this.#caughtUp()];
      this.#waiting.delete(`${next.from} ${next.n}`);
      effects.push(...this.#onLogMessage(next));
    }
  }

  #nextOf(role: Role): LogMessage | null {
    const next = this.#waiting.get(`${this.ledger.nodeOf(role)} ${this.ledger.log(role).length}`);
    if (next === undefined) return null;
    return this.ledger.countUpTo(other(role), next.seen) === null ? null : next;
  }

  #caughtUp(): Effect[] {
    const known = this.ledger.log(this.role).length;
    const closed = this.ledger.phase === "closed";
    if (!closed && !(this.#answered && this.#heardOfUs <= known)) return [];
    this.#doubt = null;
    this.#waiting.clear();
    return [{ do: "caught-up" }, ...this.#owed()];
  }

  #onRecall({ message }: MessageOf<"recall">): Effect[] {
    // A message is ours because we signed it, whoever returns it.
    if (this.isInDoubt) return message.from === this.#key.node ? this.#learn(message) : [];
    // Only a mailbox that lacks something takes it: judged as if we had just sent it (MP-SYNC-10).
    const lacks =
      message.from === this.#key.node && message.n === this.ledger.log(this.role).length;
    return lacks ? this.#onLogMessage(message) : [];
  }

  /** Takes in what the opponent, or whom the seat is kept for, said while we were away. */
  #onUnread(unread: MessageOf<"unread">): Effect[] {
    const [first] = unread.messages;
    const opens = this.ledger.phase === "open" && first?.type === "join";
    const key = opens ? first.key : this.ledger.keyOf(other(this.role));
    if (key === null || !isSignedBy(this.engine, unread, key)) return [];
    return unread.messages.flatMap((message) => this.receive(message));
  }

  #onState(state: StateMessage): Effect[] {
    if (this.role !== "guest" || state.first !== 0 || !this.vouches(state)) return [];
    const known = this.ledger.log("host").length;
    const [join] = this.ledger.log("guest");
    const [first] = state.entries;
    if (this.ledger.phase === "joined" && join !== undefined && first !== undefined) {
      // Where the state begins with another join, the seat is taken (MP-HAND-10).
      if (!digestOf(this.engine, join).startsWith(first.check)) {
        const reason = "the host has given the seat to somebody else";
        return [tell({ type: "rejected", code: "seat/taken", reason })];
      }
    }
    if (state.entries.filter((entry) => entry.by === "host").length !== known + 1) return [];
    const told = this.ledger.begun();
    for (const entry of state.entries) told.accept(entry.by, expand(told, entry));
    checkSignatures(told, state.sigs);
    told.seal(state.sigs);
    const newest = told.log("host").at(-1);
    return newest === undefined ? [] : this.#onLogMessage(newest);
  }

  #onConsent(consent: ConsentMessage): Effect[] {
    if (!this.#isCurrent(consent) || !this.vouches(consent)) return [];
    const heard = this.#heard;
    if (heard !== null && digestOf(this.engine, heard) === digestOf(this.engine, consent))
      return [];
    this.#heard = consent;
    const agreed = this.#agreed();
    if (agreed.length > 0) return agreed;
    return [tell({ type: "asked", by: other(this.role), what: consent.what })];
  }

  #onChat(chat: MessageOf<"chat">): Effect[] {
    if (chat.at_ms <= this.#chattedMs || !this.vouches(chat)) return [];
    this.#chattedMs = chat.at_ms;
    return [tell({ type: "said", by: other(this.role), text: chat.text })];
  }

  // After a silence, or on a new connection

  /** What to say on a new connection, and after a silence (MP-SYNC-5, MP-SYNC-8). */
  repeat(): Effect[] {
    const { phase } = this.ledger;
    const [join] = this.ledger.log("guest");
    if (phase === "joined" && this.role === "guest" && join !== undefined) {
      return [{ do: "send", message: join }];
    }
    if (this.opponent === null || phase === "open") return [];
    if (this.#doubt !== null) return [this.#sync({ nonce: this.#doubt })];
    const newest = this.ledger.log(this.role).slice(-1);
    const asking = this.#given !== null && this.#isCurrent(this.#given) ? [this.#given] : [];
    return [
      ...[...newest, ...asking].map((message): Effect => ({ do: "send", message })),
      this.#sync(),
    ];
  }

  /** Writes what we still owe after a restart: a start, a score, or a resignation. */
  resume(timing?: Timing): Effect[] {
    if (timing !== undefined) this.#timing = timing;
    return this.#owed();
  }

  // Acts

  /** Asks for the seat: the guest's first message. */
  join(nonce: string, agent: string): Effect[] {
    const { offer, phase, game } = this.ledger;
    if (this.role !== "guest" || phase !== "open") {
      throw new ActError("order/unexpected", "You have already asked for the seat.");
    }
    if (offer.host === this.#key.node) {
      throw new ActError("join/self", "This is your own game; another player can join it.");
    }
    if (offer.access === "invited" && this.#invitation === "") {
      throw new ActError("seat/not-invited", "This game is by invitation: use the whole link.");
    }
    const ticket =
      offer.access === "invited"
        ? { ticket: makeTicket(this.engine, this.#invitation, game, this.#key.node, nonce) }
        : {};
    return this.#write("join", {
      from: this.#key.node,
      key: this.#key.publicKey,
      nonce,
      agent,
      ...ticket,
    });
  }

  /**
   * Makes a move.
   * @param move As people type it.
   * @throws RulesError It is not legal.
   */
  play(move: string, elapsedMs: number): Effect[] {
    this.#requireTurn();
    const text = this.engine.parseMove(this.ledger.position, move);
    return this.#write("move", { move: text, elapsed_ms: elapsedMs });
  }

  /** Gives the game up: at once on our turn, else as soon as our turn comes. */
  resign(): Effect[] {
    if (this.ledger.onTurn === other(this.role)) {
      this.resigning = true;
      return [];
    }
    this.#requireTurn();
    this.#requireFreeChoice();
    return this.#write("resign", {});
  }

  offerDraw(): Effect[] {
    this.#requireTurn();
    this.#requireFreeChoice();
    if (!this.ledger.offer.ruleset.startsWith("checkers/")) {
      throw new ActError("draw/unknown-here", "This game has no draws by agreement.");
    }
    return this.#write("draw", {});
  }

  answerDraw(accept: boolean): Effect[] {
    if (this.ledger.phase !== "asked" || this.ledger.onTurn !== this.role) {
      throw new ActError("draw/not-offered", "No draw was offered to you.");
    }
    return this.#write("draw-answer", { answer: accept ? "accept" : "reject" });
  }

  /** Asks for a takeback of our newest move, or for an abort. */
  ask(what: ConsentMessage["what"]): Effect[] {
    this.#requirePlay();
    const to = what === "takeback" ? this.#lastPly() : null;
    if (what === "takeback" && to === null) {
      throw new ActError("takeback/nothing", "You have made no move to take back.");
    }
    if (what === "takeback" && this.ledger.offer.takebacks === "never") {
      throw new ActError("takeback/never", "This game is played without takebacks.");
    }
    const moved = this.ledger.log(this.role).some((message) => message.type === "move");
    if (what === "abort" && !moved && this.ledger.onTurn === this.role) {
      return this.#write("abort", {});
    }
    return this.#consent(what, to);
  }

  /** Agrees to what the opponent asks for. */
  agree(): Effect[] {
    const heard = this.#heard;
    if (heard === null || !this.#isCurrent(heard)) {
      throw new ActError("consent/not-asked", "Your opponent is not asking for anything now.");
    }
    return this.#consent(heard.what, heard.to ?? null);
  }

  /** Claims the game of an opponent who did not answer in time. */
  claim(reason: "silence" | "flag", waitedMs: number): Effect[] {
    const { onTurn } = this.ledger;
    if (onTurn === null || onTurn === this.role) {
      throw new ActError(
        "claim/own-turn",
        "You can claim the game only while you wait for your opponent.",
      );
    }
    const least = this.ledger.claimableAfterMs(reason);
    if (least === null || waitedMs < least) {
      throw new ActError("claim/too-early", "It is too early to claim the game.");
    }
    return this.#write("score", {
      score: this.side === "first" ? "1-0" : "0-1",
      termination: reason === "silence" ? "abandoned" : "time",
      claim: { reason, waited_ms: waitedMs },
    });
  }

  /** Says something to the opponent; `atMs` is the time of day. What is kept is sent again when an absent one is back. */
  say(text: string, atMs: number, keep = false): Effect[] {
    if (this.opponent === null) {
      throw new ActError("order/not-started", "There is nobody to talk to yet.");
    }
    this.#spokenMs = Math.max(atMs, this.#spokenMs + 1);
    const chat: MessageOf<"chat"> = {
      type: "chat",
      game: this.ledger.game,
      from: this.#key.node,
      at_ms: this.#spokenMs,
      text,
    };
    const sent = this.#send(chat);
    if (keep) this.#keptChat = [...this.#keptChat, sent].slice(-MAX_KEPT_CHAT);
    return [sent, tell({ type: "said", by: this.role, text })];
  }

  /** What an opponent that is back has missed of what was said. */
  opponentBack(): Effect[] {
    const missed = this.#keptChat;
    this.#keptChat = [];
    return missed;
  }

  // Writing: into our own ledger first, as everybody else will read it

  #write(type: LogMessage["type"], free: Record<string, unknown>): Effect[] {
    if (this.isInDoubt) {
      throw new ActError(
        "backup",
        "This game was loaded from a file. Wait until your opponent has sent what was played since.",
      );
    }
    const fields = { ...predict(this.ledger, this.role, type, free["move"]), ...free };
    const message = signed(this.engine, this.#key, fields as unknown as LogMessage);
    return this.#take(this.role, message);
  }

  #take(role: Role, message: LogMessage): Effect[] {
    const before = this.ledger.copy();
    this.ledger.accept(role, message);
    return this.#taken(before, role, message);
  }

  #taken(before: Ledger, by: Role, message: LogMessage): Effect[] {
    const effects: Effect[] = [{ do: "keep", by, message }];
    if (by === this.role) effects.push({ do: "send", message });
    effects.push(...eventsOf(before, this.ledger, by, message).map(tell));
    const receipt = by === "host" ? this.receipt : null;
    if (receipt !== null) effects.push({ do: "send", message: receipt });
    const owed = this.#owed();
    // While in doubt, what we know may be older than what the broker has retained.
    if (owed.length === 0 && this.role === "host" && !this.isInDoubt) {
      effects.push({ do: "publish-state" });
    }
    return [...effects, ...owed];
  }

  #owed(): Effect[] {
    if (this.isInDoubt) return [];
    const { join, offer, phase } = this.ledger;
    if (phase === "joined" && this.role === "host" && join !== null) {
      const side = hostSide(this.engine, offer.color, this.#secret, join.nonce);
      return this.#write("start", { host_side: side, secret: this.#secret });
    }
    if (this.ledger.scorer === this.role) return this.#write("score", this.#answerToClaim());
    const free = phase === "playing" && this.ledger.onTurn === this.role && !this.ledger.mustMove;
    if (!this.resigning || !free) return [];
    this.resigning = false;
    return this.#write("resign", {});
  }

  /** Our times, for the answer to a claim against us. */
  #answerToClaim(): Record<string, number> {
    const { claim, decision, line, offer } = this.ledger;
    if (claim === null || decision === null || decision.by === this.role) return {};
    const score = line[decision.at]?.message;
    const seen = score === undefined ? null : this.ledger.countUpTo(this.role, score.seen);
    if (score === undefined || seen === null || seen === 0) return {};
    const { hadMs, sinceMs } = this.#timing(seen - 1, score.n - 1);
    return hasSinceInAnswers(offer.v)
      ? { had_ms: hadMs, since_ms: sinceMs }
      : { had_ms: Math.min(hadMs, sinceMs) };
  }

  #send(note: SignedMessage): Effect {
    return { do: "send", message: signed(this.engine, this.#key, note) };
  }

  #resend(need: number): Effect[] {
    return this.ledger
      .log(this.role)
      .slice(need, need + RESEND_LIMIT)
      .map((message) => ({ do: "send", message }));
  }

  /** Gives the opponent back what it has said and does not know any more (MP-SYNC-10). */
  #recall(head: number): Effect[] {
    return this.ledger
      .log(other(this.role))
      .slice(head, head + RESEND_LIMIT)
      .filter((message) => message.sig !== undefined)
      .map((message) =>
        this.#send({ type: "recall", game: this.ledger.game, from: this.#key.node, message }),
      );
  }

  #ask(): Effect[] {
    return this.#asked === this.ledger.log(other(this.role)).length ? [] : [this.#sync()];
  }

  #sync(extra: { readonly echo?: string; readonly nonce?: string } = {}): Effect {
    return { do: "send", message: this.#signedSync(extra) };
  }

  #signedSync(extra: { readonly echo?: string; readonly nonce?: string } = {}): MessageOf<"sync"> {
    const need = this.ledger.log(other(this.role)).length;
    this.#asked = need;
    return signed(this.engine, this.#key, {
      type: "sync",
      game: this.ledger.game,
      from: this.#key.node,
      need,
      head: this.ledger.log(this.role).length,
      ...extra,
    });
  }

  // Consent

  #isCurrent(consent: ConsentMessage): boolean {
    return this.ledger.phase === "playing" && consent.tip === this.ledger.tip;
  }

  #consent(what: ConsentMessage["what"], to: number | null): Effect[] {
    const consent: ConsentMessage = {
      type: "consent",
      game: this.ledger.game,
      from: this.#key.node,
      what,
      ...(to === null ? {} : { to }),
      tip: this.ledger.tip,
    };
    this.#given = signed(this.engine, this.#key, consent);
    const agreed = this.#agreed();
    return agreed.length > 0 ? agreed : [{ do: "send", message: this.#given }];
  }

  /** Carries out what both are willing to do, when we are on turn. */
  #agreed(): Effect[] {
    const given = this.#given;
    const heard = this.#heard;
    if (given === null || heard === null || this.isInDoubt || this.ledger.onTurn !== this.role)
      return [];
    if (!this.#isCurrent(given) || !isAgreed(this.ledger, this.role, heard, given.what)) return [];
    if (given.to !== heard.to) return [];
    return this.#write(heard.what, {
      ...(heard.to === undefined ? {} : { to: heard.to }),
      consent: heard,
    });
  }

  /** The newest ply that was ours, which we may ask to play again. */
  #lastPly(): number | null {
    const { positions, moves, offer } = this.ledger;
    const opening = offer.opening?.length ?? 0;
    for (let ply = moves.length; ply > opening; ply--) {
      if (positions[ply - 1]?.turn === this.side) return ply;
    }
    return null;
  }

  #requirePlay(): void {
    switch (this.ledger.phase) {
      case "playing":
        return;
      case "asked":
        throw new ActError("draw/unanswered", "A draw is offered: it must be answered first.");
      case "open":
      case "joined":
        throw new ActError("order/not-started", "The game has not begun.");
      default:
        throw new ActError("order/over", "The game is over.");
    }
  }

  #requireTurn(): void {
    this.#requirePlay();
    if (this.ledger.onTurn !== this.role) {
      throw new ActError("order/not-your-turn", "It is your opponent's turn.");
    }
  }

  #requireFreeChoice(): void {
    if (this.ledger.mustMove) {
      throw new ActError("draw/must-move", "Your offer of a draw was rejected: now you must move.");
    }
  }
}

function tell(event: GameEvent): Effect {
  return { do: "tell", event };
}

/** What became known when a message was taken into the game `before`. */
export function eventsOf(
  before: Ledger,
  after: Ledger,
  by: Role,
  message: LogMessage,
): GameEvent[] {
  const events: GameEvent[] = [];
  if (after.moves.length < before.moves.length) {
    const moves = before.moves.slice(after.moves.length);
    events.push({ type: "undone", by, moves, agreed: message.type === "takeback" });
  } else if (message.type === "start" && after.hostSide !== null) {
    events.push({ type: "started", guest: message.guest, hostSide: after.hostSide });
  } else if (message.type === "move" && after.moves.length > before.moves.length) {
    events.push({ type: "moved", by, move: message.move, ply: message.ply });
  } else if (message.type === "draw" && after.phase === "asked") {
    events.push({ type: "draw-offered", by });
  } else if (message.type === "draw-answer" && after.phase === "playing") {
    events.push({ type: "draw-rejected", by });
  }
  const was = before.outcome;
  const is = after.outcome;
  if (is !== null && (was?.score !== is.score || was.termination !== is.termination)) {
    events.push({ type: "ended", outcome: is, fault: after.fault });
  }
  if (after.phase === "closed" && before.phase !== "closed") {
    events.push({ type: "closed", standing: standingOf(after) });
  }
  return events;
}
