/**
 * A spectator's end of a game, as verified here: from the mailboxes, and from the host's state
 * (SPEC.md, sections 9 and 10). Nothing that anybody sends can make `receive` throw.
 */

import { digestOf, isSignedBy } from "./codec.js";
import type { Engine } from "./engine.js";
import { checkJoinFits } from "./handshake.js";
import { judgeMessage } from "./judge.js";
import { type Ledger, ROLES, type Role } from "./ledger.js";
import {
  type AnyMessage,
  isLogMessage,
  type JoinMessage,
  type LogMessage,
  type MessageOf,
  type StateMessage,
} from "./messages.js";
import { checkSignatures, expand } from "./record.js";
import { Refusal } from "./refusal.js";
import { eventsOf, type GameEvent } from "./session.js";
import { addStatement } from "./witnesses.js";

// Joins that are kept until a start names one of them.
const MAX_JOINS = 32;
// Parts of the state that wait for those before them.
const MAX_EARLY = 64;

/** One game that somebody watches. */
export class SpectatorSession {
  readonly engine: Engine;
  #ledger: Ledger;
  readonly #joins = new Map<string, JoinMessage>();
  readonly #early = new Map<number, StateMessage>();
  readonly #chattedMs: Record<Role, number> = { host: 0, guest: 0 };

  /** Watches a game from its beginning, or from what is known of it. */
  constructor(ledger: Ledger) {
    this.engine = ledger.engine;
    this.#ledger = ledger;
  }

  /** The game so far. */
  get ledger(): Ledger {
    return this.#ledger;
  }

  /** Takes in a message from the game's topics, whoever sent it. */
  receive(message: AnyMessage): GameEvent[] {
    if (!("game" in message) || message.game !== this.#ledger.game) return [];
    try {
      if (message.type === "state") return this.#onState(message);
      if (message.type === "statement") {
        addStatement(this.#ledger, message);
        return [];
      }
      if (message.type === "chat") return this.#onChat(message);
      return isLogMessage(message) ? this.#onLogMessage(message) : [];
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  }

  #onLogMessage(message: LogMessage): GameEvent[] {
    if (this.#ledger.phase === "open") return this.#beforeTheStart(message);
    const before = this.#ledger.copy();
    // A message that cannot be placed yet is also in the state that follows, so it is not kept.
    const verdict = judgeMessage(this.#ledger, message);
    const taken = verdict.became === "accepted" || verdict.became === "fault";
    return taken ? eventsOf(before, this.#ledger, verdict.role, message) : [];
  }

  /** Anybody may ask for the seat; the start says who got it. */
  #beforeTheStart(message: LogMessage): GameEvent[] {
    const { offer } = this.#ledger;
    if (message.type === "join") {
      if (this.#joins.size >= MAX_JOINS) return [];
      checkJoinFits(this.engine, offer, message);
      if (isSignedBy(this.engine, message, message.key)) {
        this.#joins.set(digestOf(this.engine, message), message);
      }
      return [];
    }
    const join = message.type === "start" ? this.#joins.get(message.seen) : undefined;
    if (join === undefined || message.from !== offer.host) return [];
    if (!isSignedBy(this.engine, message, offer.key)) return [];
    const begun = this.#ledger.copy();
    begun.accept("guest", join);
    const before = begun.copy();
    begun.accept("host", message);
    this.#ledger = begun;
    this.#joins.clear();
    return eventsOf(before, begun, "host", message);
  }

  #onChat(chat: MessageOf<"chat">): GameEvent[] {
    const role = this.#ledger.roleOf(chat.from);
    const key = role === null ? null : this.#ledger.keyOf(role);
    if (role === null || key === null || chat.at_ms <= this.#chattedMs[role]) return [];
    if (this.#ledger.hostSide === null || !isSignedBy(this.engine, chat, key)) return [];
    this.#chattedMs[role] = chat.at_ms;
    return [{ type: "said", by: role, text: chat.text }];
  }

  /** Takes in a part of the state, and the parts that have waited for it. */
  #onState(part: StateMessage): GameEvent[] {
    const { offer } = this.#ledger;
    if (part.from !== offer.host || !isSignedBy(this.engine, part, offer.key)) return [];
    const events = this.#onPart(part);
    for (;;) {
      const known = this.#ledger.line.length;
      const next = [...this.#early.values()].find(({ first }) => first <= known);
      if (next === undefined) return events;
      this.#early.delete(next.part);
      try {
        events.push(...this.#onPart(next));
      } catch (error) {
        // An old one: the host has published another since.
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }

  #onPart(part: StateMessage): GameEvent[] {
    const { line } = this.#ledger;
    if (part.first > line.length) {
      if (this.#early.has(part.part) || this.#early.size < MAX_EARLY) {
        this.#early.set(part.part, part);
      }
      return [];
    }
    const shared = part.entries.slice(0, line.length - part.first);
    const same = shared.every(({ by, check }, at) => {
      const held = line[part.first + at];
      return held?.by === by && digestOf(this.engine, held.message).startsWith(check);
    });
    if (!same) return this.#onOtherStory(part);
    return shared.length === part.entries.length
      ? []
      : this.#replay(this.#ledger.copy(), part, shared.length);
  }

  /** Takes in a state unlike ours: a decision may have set aside some of what we know (MP-STATE-5). */
  #onOtherStory(part: StateMessage): GameEvent[] {
    const told = this.#ledger.begun();
    told.statements = this.#ledger.statements;
    for (const { by, message } of this.#ledger.line.slice(0, part.first)) told.accept(by, message);
    for (const entry of part.entries) told.accept(entry.by, expand(told, entry));
    checkSignatures(told, part.sigs);
    if (told.decision === null || this.#givesUpMessages(told)) {
      throw new Refusal("state/contradiction", "the state contradicts what its players signed");
    }
    told.seal(part.sigs);
    const before = this.#ledger;
    const newest = told.line.at(-1);
    this.#ledger = told;
    return newest === undefined ? [] : eventsOf(before, told, newest.by, newest.message);
  }

  /** Whether another story has other messages of a player than we know, and proves no breach of that player. */
  #givesUpMessages(told: Ledger): boolean {
    return ROLES.some((role) => {
      if (role === told.fault?.role) return false;
      const others = told.log(role);
      return this.#ledger.log(role).some((known, at) => {
        const instead = others[at];
        return (
          instead !== undefined && digestOf(this.engine, known) !== digestOf(this.engine, instead)
        );
      });
    });
  }

  #replay(trial: Ledger, part: StateMessage, from: number): GameEvent[] {
    const events: GameEvent[] = [];
    for (const entry of part.entries.slice(from)) {
      const before = trial.copy();
      const message = expand(trial, entry);
      trial.accept(entry.by, message);
      events.push(...eventsOf(before, trial, entry.by, message));
    }
    checkSignatures(trial, part.sigs);
    trial.seal(part.sigs);
    this.#ledger = trial;
    return events;
  }
}
