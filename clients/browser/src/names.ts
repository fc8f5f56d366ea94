/**
 * The nicknames that this node knows, its own included: like ssh's known hosts, for players (section
 * 13.4). They are only shown; one that cannot be stored is known until the page closes.
 */

import { TokenBucket } from "./budget.js";
import { isSignedBy } from "./codec.js";
import type { Engine } from "./engine.js";
import { type Journal, type KnownName, StorageError } from "./journal.js";
import type { AnyMessage, MessageOf } from "./messages.js";
import { lookalikeKey, parseNickname, playerName } from "./nicknames.js";
import { ActError, type Key, signed } from "./session.js";
import type { Address, Topics } from "./topics.js";

// When so many are known, no further node's is kept.
const MAX_NAMES = 4096;
// How many nodes' nicknames are asked for: the players', and some of those who talk.
const MAX_MET = 32;

const NO_NICKNAME =
  "This is not a nickname: use up to 32 letters a to z, digits and dashes, beginning with a letter or a digit, such as ana; and no word such as you or host.";

/** What is known of everybody's names. */
export class NameBook {
  readonly #engine: Engine;
  readonly #journal: Journal;
  readonly #us: string;
  readonly #names: Map<string, KnownName>;

  private constructor(engine: Engine, journal: Journal, us: string, names: readonly KnownName[]) {
    this.#engine = engine;
    this.#journal = journal;
    this.#us = us;
    this.#names = new Map(names.map((known) => [known.message.from, known]));
  }

  static async open(engine: Engine, journal: Journal, us: string): Promise<NameBook> {
    return new NameBook(engine, journal, us, await journal.names());
  }

  /** A node as people read it. */
  shown(node: string, whole = false): string {
    const name = this.#names.get(node)?.message.name ?? null;
    return playerName(node, name, this.#isNewKey(node), whole);
  }

  /** The message by which we gave ourselves a nickname; null without one. */
  get ours(): MessageOf<"nickname"> | null {
    return this.#names.get(this.#us)?.message ?? null;
  }

  /** Takes in what came on the topic of a nickname; true when it says something new (MP-NICK-1). */
  take({ kind, writer }: Address, message: AnyMessage): boolean {
    if (kind !== "nickname" || message.type !== "nickname" || message.from !== writer) return false;
    const known = this.#names.get(message.from);
    if (message.from === this.#us || message.at_ms <= (known?.message.at_ms ?? -1)) return false;
    if (this.#engine.nodeId(message.key) !== message.from) return false;
    if (!isSignedBy(this.#engine, message, message.key)) return false;
    this.#keep(message).catch((error) => {
      if (!(error instanceof StorageError)) throw error;
    });
    return true;
  }

  /**
   * Gives this node a nickname, unless it has it already.
   * @throws ActError The text cannot be a nickname; or a StorageError.
   */
  async setNickname(key: Key, text: string): Promise<void> {
    const name = parseNickname(text);
    if (name === null) throw new ActError("nickname", NO_NICKNAME);
    if (this.ours?.name === name) return;
    const at_ms = Math.max(Date.now(), (this.ours?.at_ms ?? 0) + 1);
    const { node: from, publicKey } = key;
    await this.#keep(
      signed<MessageOf<"nickname">>(this.#engine, key, {
        type: "nickname",
        from,
        key: publicKey,
        name,
        at_ms,
      }),
    );
  }

  /** Whether another node has been known for longer by a name that looks the same (MP-NICK-2). */
  #isNewKey(node: string): boolean {
    const here = this.#names.get(node);
    if (here === undefined || node === this.#us) return false;
    const seen = lookalikeKey(here.message.name);
    return [...this.#names.values()].some(
      ({ message, firstMs }) =>
        message.from !== node &&
        lookalikeKey(message.name) === seen &&
        (message.from === this.#us || firstMs < here.firstMs),
    );
  }

  async #keep(message: MessageOf<"nickname">): Promise<void> {
    const known = this.#names.get(message.from);
    const same =
      known !== undefined && lookalikeKey(known.message.name) === lookalikeKey(message.name);
    const kept = { message, firstMs: same ? known.firstMs : Date.now() };
    if (known === undefined && this.#names.size >= MAX_NAMES) return;
    this.#names.set(message.from, kept);
    await this.#journal.keepName(kept);
  }
}

/** The nodes that we meet on one connection, and whose nicknames we subscribe to. */
export class Introductions {
  readonly #met = new Set<string>();
  readonly #budget = new TokenBucket();

  constructor(
    readonly names: NameBook,
    readonly topics: Topics,
  ) {}

  /** The topic of a node's nickname, if it has to be subscribed to; null if we have met the node. */
  meet(node: string | null): string | null {
    if (node === null || this.#met.has(node) || this.#met.size >= MAX_MET) return null;
    this.#met.add(node);
    return this.topics.nickname(node);
  }

  /** The topics of all whom we have met, for a new connection. */
  get subscriptions(): string[] {
    return [...this.#met].map((node) => this.topics.nickname(node));
  }

  /** Whether something may be looked at that came on the topic of a nickname (MP-NICK-4). */
  mayHear({ kind, writer = "" }: Address): boolean {
    return kind === "nickname" && this.#met.has(writer) && this.#budget.take();
  }
}
