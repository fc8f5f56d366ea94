/** One game that we watch over a broker, and the rematches that follow it. */

import { TokenBucket } from "./budget.js";
import { hex } from "./bytes.js";
import { decode, digestOf, encode, MalformedMessage, messageOf } from "./codec.js";
import { Connection, ConnectionError, type Delivery } from "./connection.js";
import type { Engine } from "./engine.js";
import { Ledger, ROLES, type Role } from "./ledger.js";
import type { AnyMessage, OfferMessage } from "./messages.js";
import { Introductions, type NameBook } from "./names.js";
import { stayConnected } from "./reconnecting.js";
import { Refusal } from "./refusal.js";
import { rematchBy } from "./rematch.js";
import { ActError, type GameEvent, type Key } from "./session.js";
import { SpectatorSession } from "./spectator.js";
import { TalkRoom } from "./talk.js";
import { type Address, Topics } from "./topics.js";

/** The events of a spectator: those of the game, and those about the connection and other people. */
export type WatchEvent =
  | GameEvent
  | { readonly type: "connection"; readonly connected: boolean; readonly why: string }
  /** A player or a spectator has published its nickname. */
  | { readonly type: "named" }
  /** Another spectator has said something. */
  | { readonly type: "overheard"; readonly node: string; readonly text: string }
  /** The players have begun a rematch, which is the game from now on. */
  | { readonly type: "next" };

const WHO = encode({ type: "who" });
// Milliseconds of silence after which what is retained is asked for again; doubles up to the second (MP-SYNC-12).
const FIRST_SILENCE_MS = 5_000;
const LAST_SILENCE_MS = 30_000;

/** A game that is watched; only what its players have signed is believed. */
export class Watcher {
  readonly role = null;
  readonly broker: string;
  readonly #engine: Engine;
  readonly #topics = new Topics();
  readonly #tell: (event: WatchEvent) => void;
  readonly #strangers = new TokenBucket();
  readonly #witnesses = new TokenBucket();
  readonly #introductions: Introductions;
  readonly #talk: TalkRoom;
  #session: SpectatorSession;
  // A rematch that a player has offered, until one of them has begun.
  #offered: Partial<Record<Role, SpectatorSession>> = {};
  #connection: Connection | null = null;
  #lost = false;
  #closed = false;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #silenceMs = FIRST_SILENCE_MS;
  #movedMs = performance.now();
  // Whether a state has come since it was last asked for.
  #stated = false;
  // Whether the broker has not heeded a second SUBSCRIBE.
  #renews = false;

  /**
   * Watches the game of an offer; `run` does the rest.
   * @throws Refusal The offer is forged, or cannot be judged here.
   */
  constructor(
    engine: Engine,
    key: Key,
    names: NameBook,
    broker: string,
    offer: OfferMessage,
    tell: (event: WatchEvent) => void,
  ) {
    this.#engine = engine;
    this.broker = broker;
    this.#tell = tell;
    this.#session = new SpectatorSession(new Ledger(engine, offer));
    this.#introductions = new Introductions(names, this.#topics);
    this.#talk = new TalkRoom(engine, key);
  }

  /** What is known of everybody's nicknames. */
  get names(): NameBook {
    return this.#introductions.names;
  }

  /**
   * Says one line to all other spectators.
   * @throws ActError There is no connection.
   */
  async say(text: string): Promise<void> {
    const line = this.#talk.line(this.ledger.game, text);
    const { name, host } = this.ledger.offer;
    const payload = encode(messageOf("talk", line));
    try {
      if (this.#connection === null) throw new ConnectionError("there is none");
      const { ours } = this.names;
      if (ours !== null) {
        await this.#connection.publish(this.#topics.nickname(ours.from), encode(ours), true);
      }
      await this.#connection.publish(this.#topics.talk(name, host, line.from), payload);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      throw new ActError("connection", "The broker cannot be reached now: say it again later.");
    }
  }

  /** Whether the broker is lost, or could not be reached; not during the first attempt. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** The game so far, as verified here. */
  get ledger(): Ledger {
    return this.#session.ledger;
  }

  /** How long ago the newest message of the game came. */
  get elapsedMs(): number {
    return Math.floor(performance.now() - this.#movedMs);
  }

  /** Keeps a connection and watches until `close` is called. */
  run(): Promise<void> {
    return stayConnected({
      connect: () => this.#connect(),
      lost: (why) => {
        this.#connection = null;
        this.#lost = true;
        this.#tell({ type: "connection", connected: false, why });
      },
      done: () => this.#closed,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#silence);
    this.#connection?.close();
  }

  async #connect(): Promise<Connection> {
    const connection = await Connection.open(
      this.broker,
      (delivery) => this.#onDelivery(delivery),
      { clientId: `watch-${hex(crypto.getRandomValues(new Uint8Array(8)))}` },
    );
    this.#connection = connection;
    this.#lost = false;
    this.#tell({ type: "connection", connected: true, why: "" });
    await this.#ask(connection);
    this.#watchSilence();
    return connection;
  }

  /** Subscribes, or `renews` the subscriptions, which brings what is retained, and asks the host for more. */
  async #ask(connection: Connection, renews = false): Promise<void> {
    this.#stated = false;
    for (const node of [this.ledger.nodeOf("host"), this.ledger.nodeOf("guest")]) {
      this.#introductions.meet(node);
    }
    const topics = [...this.#subscriptions(), ...this.#introductions.subscriptions];
    await (renews ? connection.renew(topics) : connection.subscribe(topics));
    if (!this.#stated) await connection.publish(this.#topics.who(this.ledger.offer.name), WHO);
  }

  #subscriptions(): string[] {
    const topics = this.#topics;
    const { name, host } = this.ledger.offer;
    const guest = this.ledger.nodeOf("guest");
    // A rematch may be offered by either.
    const hosts = guest === null ? [host] : [host, guest];
    const followed = hosts.flatMap((node) => [
      topics.talk(name, node, "+"),
      topics.offer(name, node),
      topics.state(name, node),
      topics.state(name, node, "+"),
      topics.out(name, node, "+"),
    ]);
    return [...followed, ...topics.statements(this.ledger.offer)];
  }

  #onDelivery({ topic, payload }: Delivery): void {
    const address = this.#topics.parse(topic);
    if (address === null || this.#closed || payload.length === 0) return;
    const known = this.ledger.roleOf(address.writer ?? "") !== null;
    if (address.kind === "nickname" && !this.#introductions.mayHear(address)) return;
    if (address.kind === "talk" && !this.#talk.mayHear(address.writer ?? "")) return;
    if (address.kind === "statement" && !this.#witnesses.take()) return;
    const aside = ["nickname", "talk", "statement"].includes(address.kind);
    if (!aside && !known && (this.ledger.phase !== "open" || !this.#strangers.take())) return;
    let message: AnyMessage;
    try {
      message = decode(payload);
    } catch (error) {
      if (error instanceof MalformedMessage) return;
      throw error;
    }
    this.#take(address, message);
  }

  #take(address: Address, message: AnyMessage): void {
    if (address.kind === "nickname") {
      if (this.names.take(address, message)) this.#tell({ type: "named" });
      return;
    }
    if (address.kind === "talk") {
      if ("from" in message && message.from === address.writer) this.#overhear(message);
      return;
    }
    if (message.type === "offer") {
      if (message.host === address.writer && message.name === address.name) this.#onOffer(message);
      return;
    }
    if (!("from" in message) || message.from !== address.writer) return;
    if ((message.type === "state") !== (address.kind === "state")) return;
    if ((message.type === "statement") !== (address.kind === "statement")) return;
    if (message.type === "state") this.#stated = true;
    this.#hear(this.#session.receive(message));
    for (const role of ROLES) {
      const next = this.#offered[role];
      if (next === undefined) continue;
      const events = next.receive(message);
      if (next.ledger.hostSide === null) continue;
      this.#session = next;
      this.#offered = {};
      this.#tell({ type: "next" });
      this.#hear(events);
      return;
    }
  }

  #overhear(message: AnyMessage): void {
    if (!this.#talk.hear(message, this.ledger.game)) return;
    const asked = this.#introductions.meet(message.from);
    if (asked !== null) this.#connection?.subscribe([asked]).catch(ignoreLoss);
    this.#tell({ type: "overheard", node: message.from, text: message.text });
  }

  #onOffer(offer: OfferMessage): void {
    const by = rematchBy(this.ledger, offer);
    if (by === null) return;
    if (this.#offered[by]?.ledger.game === digestOf(this.#engine, offer)) return;
    try {
      this.#offered[by] = new SpectatorSession(new Ledger(this.#engine, offer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return;
    }
    // What its host has published so far is retained: ask for it.
    this.#askAgain();
  }

  #hear(events: readonly GameEvent[]): void {
    if (events.length === 0) return;
    this.#silenceMs = FIRST_SILENCE_MS;
    this.#movedMs = performance.now();
    for (const event of events) this.#tell(event);
    this.#watchSilence();
    // The guest is known now, and so are its topics.
    if (events.some((event) => event.type === "started")) this.#askAgain();
  }

  #askAgain(renews = false): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#ask(connection, renews).catch(ignoreLoss);
  }

  #watchSilence(): void {
    clearTimeout(this.#silence);
    if (this.#closed) return;
    this.#silence = setTimeout(() => {
      const asked = this.#silenceMs > FIRST_SILENCE_MS;
      this.#renews ||= asked && !this.#stated;
      this.#silenceMs = Math.min(2 * this.#silenceMs, LAST_SILENCE_MS);
      if (this.ledger.phase !== "closed") this.#askAgain(asked && this.#renews);
      this.#watchSilence();
    }, this.#silenceMs);
  }
}

function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionError)) throw error;
}
