/** A node: a key and a journal, and the games that it hosts, joins and resumes. */

import { hex, utf8 } from "./bytes.js";
import { decode, digestOf, encode, MalformedMessage } from "./codec.js";
import { Connection } from "./connection.js";
import type { Engine } from "./engine.js";
import { makeCommitment, PROTOCOL_VERSION, readOffer } from "./handshake.js";
import type { Journal, StoredGame } from "./journal.js";
import type { ClockTerms, OfferMessage, StateMessage } from "./messages.js";
import { Introductions, NameBook } from "./names.js";
import { Player, type PlayerEvent } from "./player.js";
import { Refusal } from "./refusal.js";
import { ActError, type Key, keyOf, signed } from "./session.js";
import { Topics } from "./topics.js";
import { type WatchEvent, Watcher } from "./watcher.js";

/** The name of this program in offers and joins. */
const AGENT = "ataxxd-browser/0.1.0";

/** What a host offers. */
export interface Terms {
  readonly name: string;
  readonly ruleset: string;
  /** Canonical text; the ruleset's own start without one. */
  readonly start?: string;
  readonly color?: OfferMessage["color"];
  readonly clock?: ClockTerms;
  readonly graceMs?: number;
  readonly takebacks?: boolean;
  /** Whether only a guest with the invitation's secret may join. */
  readonly invited?: boolean;
  /** The ids of the nodes that decide what a claim is worth. */
  readonly witnesses?: readonly string[];
  /** How long the offer stands. */
  readonly lastsMs?: number;
}

// How long an offer stands.
const LASTS_MS = 24 * 3_600_000;
// How long to look for a host, and how often to ask for one.
const LOOK_MS = 5_000;
const ASK_MS = 700;
// How long to wait for other hosts of a name, and for the nicknames of all of them.
const LEARN_MS = 500;
// How far an offer's date may be from this clock: a game is rated by it (MP-HAND-16).
const AHEAD_MS = 86_400_000;
const BEHIND_MS = 31 * 86_400_000;
// The most offers kept while looking: anybody can make any number of keys.
const MAX_FOUND = 64;

/** A node; every game that it plays is a `Player`, which the caller runs. */
export class BrowserNode {
  readonly engine: Engine;
  readonly key: Key;
  readonly names: NameBook;
  readonly #journal: Journal;
  readonly #topics = new Topics();

  private constructor(engine: Engine, journal: Journal, key: Key, names: NameBook) {
    this.names = names;
    this.engine = engine;
    this.#journal = journal;
    this.key = key;
  }

  static async open(engine: Engine, journal: Journal): Promise<BrowserNode> {
    const key = keyOf(engine, await journal.seed());
    return new BrowserNode(engine, journal, key, await NameBook.open(engine, journal, key.node));
  }

  /**
   * Tries a broker.
   * @throws ConnectionError It cannot be used; the text says why.
   */
  async tryBroker(broker: string): Promise<void> {
    const clientId = `${this.key.node}-${randomHex(4)}`;
    (await Connection.open(broker, () => {}, { clientId })).close();
  }

  /** Opens a game. */
  async host(broker: string, terms: Terms, tell: (event: PlayerEvent) => void): Promise<Player> {
    const start = terms.start
      ? this.engine.position(terms.ruleset, terms.start)
      : this.engine.start(terms.ruleset);
    const secret = randomHex(16);
    const now = Date.now();
    const offer = signed<OfferMessage>(this.engine, this.key, {
      type: "offer",
      v: PROTOCOL_VERSION,
      name: terms.name,
      host: this.key.node,
      key: this.key.publicKey,
      ruleset: terms.ruleset,
      start: start.text,
      start_hash: this.engine.positionDigest(start),
      color: terms.color ?? "first",
      commit: makeCommitment(this.engine, secret),
      ...(terms.clock && { clock: terms.clock }),
      ...(terms.graceMs !== undefined && { grace_ms: terms.graceMs }),
      ...(terms.takebacks === false && { takebacks: "never" as const }),
      ...(terms.invited && { access: "invited" as const }),
      ...(terms.witnesses?.length && { witnesses: [...terms.witnesses] }),
      agent: AGENT,
      created_ms: now,
      expires_ms: now + (terms.lastsMs ?? LASTS_MS),
    });
    // Do not begin what others would refuse.
    decode(encode(offer));
    readOffer(this.engine, offer);
    const invitation = terms.invited ? randomHex(8) : "";
    const stored: StoredGame = {
      id: digestOf(this.engine, offer),
      role: "host",
      offer,
      broker,
      secret,
      invitation,
    };
    return this.#begin(stored, tell);
  }

  /** Offers a rematch of a game that is over to the other player, with the sides swapped. */
  async rematch(ended: Player, tell: (event: PlayerEvent) => void): Promise<Player> {
    const { offer, game } = ended.ledger;
    const { opponent, side } = ended.session;
    if (opponent === null || side === null) throw new TypeError("the game has not been played");
    const secret = randomHex(16);
    const now = Date.now();
    const { sig: _, access: __, ...terms } = offer;
    const next = signed<OfferMessage>(this.engine, this.key, {
      ...terms,
      v: PROTOCOL_VERSION,
      host: this.key.node,
      key: this.key.publicKey,
      color: side === "first" ? "second" : "first",
      commit: makeCommitment(this.engine, secret),
      access: opponent,
      rematch_of: game,
      agent: AGENT,
      created_ms: now,
      expires_ms: now + LASTS_MS,
    });
    const { broker } = ended;
    const id = digestOf(this.engine, next);
    return this.#begin({ id, role: "host", offer: next, broker, secret, invitation: "" }, tell);
  }

  /**
   * Looks for games of a name.
   * @param host Only those of this node; the look ends with the first.
   * @param open Only those whose offer has not expired.
   * @param onState Called with the first part of each record found there, unchecked.
   */
  async find(
    broker: string,
    name: string,
    host?: string,
    open: boolean = true,
    onState: (state: StateMessage) => void = () => {},
  ): Promise<OfferMessage[]> {
    const found = new Map<string, OfferMessage>();
    let enough = (): void => {};
    const first = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const introductions = new Introductions(this.names, this.#topics);
    let named = (): void => {};
    const connection = await Connection.open(
      broker,
      ({ topic, payload }) => {
        if (this.#isNickname(introductions, topic, payload)) named();
        const state = this.#stateIn(topic, payload);
        if (state !== null) onState(state);
        const offer = this.#offerIn(topic, payload, open);
        if (offer === null || (host !== undefined && offer.host !== host)) return;
        if (found.size < MAX_FOUND) found.set(digestOf(this.engine, offer), offer);
        enough();
      },
      { clientId: `${this.key.node}-${randomHex(4)}` },
    );
    try {
      // States first, so that they are known when the offer is.
      await connection.subscribe([
        this.#topics.state(name, host ?? "+"),
        this.#topics.offer(name, host ?? "+"),
      ]);
      const who = utf8('{"type":"who"}');
      await connection.publish(this.#topics.who(name), who);
      const asking = setInterval(() => {
        connection.publish(this.#topics.who(name), who).catch(() => {});
      }, ASK_MS);
      await Promise.race([first, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
      clearInterval(asking);
      // A caller that names a node knows who that is; the table asks for its nickname itself.
      if (host !== undefined || found.size === 0) return [...found.values()];
      // Wait: others may offer the same name.
      await new Promise((resolve) => setTimeout(resolve, LEARN_MS));
      const nodes = [...new Set([...found.values()].map((offer) => offer.host))];
      const asked = nodes.map((node) => introductions.meet(node)).filter((each) => each !== null);
      if (asked.length > 0) {
        // Not every host has a nickname, so the wait for them all is limited.
        const all = new Promise<void>((resolve) => {
          let missing = asked.length;
          named = (): void => {
            missing -= 1;
            if (missing === 0) resolve();
          };
        });
        await connection.subscribe(asked);
        await Promise.race([all, new Promise((resolve) => setTimeout(resolve, LEARN_MS))]);
      }
    } finally {
      connection.close();
    }
    return [...found.values()].sort((a, b) => a.created_ms - b.created_ms);
  }

  /** Takes in a nickname of a host that was found; returns whether it was one. */
  #isNickname(introductions: Introductions, topic: string, payload: Uint8Array): boolean {
    const address = this.#topics.parse(topic);
    if (address === null || !introductions.mayHear(address)) return false;
    try {
      this.names.take(address, decode(payload));
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
    }
    return true;
  }

  /** The first part of a game's record, at its host's topic; its signature is not checked. */
  #stateIn(topic: string, payload: Uint8Array): StateMessage | null {
    const address = this.#topics.parse(topic);
    if (address?.kind !== "state" || address.part !== 0 || payload.length === 0) return null;
    try {
      const state = decode(payload);
      return state.type === "state" && state.from === address.writer ? state : null;
    } catch (error) {
      if (error instanceof MalformedMessage) return null;
      throw error;
    }
  }

  #offerIn(topic: string, payload: Uint8Array, open: boolean): OfferMessage | null {
    const address = this.#topics.parse(topic);
    if (address?.kind !== "offer" || payload.length === 0) return null;
    try {
      const offer = decode(payload);
      if (offer.type !== "offer" || offer.host !== address.writer) return null;
      if (offer.name !== address.name) return null;
      if (open && offer.expires_ms <= Date.now()) return null;
      readOffer(this.engine, offer);
      return offer;
    } catch (error) {
      if (error instanceof MalformedMessage || error instanceof Refusal) return null;
      throw error;
    }
  }

  /**
   * Asks for the seat of an offer.
   * @param invitation The secret of the invitation, where the offer asks for one.
   * @throws ActError The offer cannot be joined; the text says why.
   */
  async join(
    broker: string,
    offer: OfferMessage,
    tell: (event: PlayerEvent) => void,
    invitation = "",
  ): Promise<Player> {
    if (offer.v !== PROTOCOL_VERSION) {
      const older = offer.v < PROTOCOL_VERSION ? "the host" : "this page";
      const text = `The host speaks protocol ${offer.v}, this page ${PROTOCOL_VERSION}: upgrade ${older}.`;
      throw new ActError("handshake/version", text);
    }
    const now = Date.now();
    if (offer.created_ms > now + AHEAD_MS || offer.created_ms < now - BEHIND_MS) {
      throw new ActError(
        "offer/date",
        "The offer's date is far from this device's clock. Check the date and time here, or ask for a new link.",
      );
    }
    if (offer.access !== undefined && ![this.key.node, "invited"].includes(offer.access)) {
      throw new ActError("seat/reserved", `The seat is kept for ${offer.access}.`);
    }
    const stored: StoredGame = {
      id: digestOf(this.engine, offer),
      role: "guest",
      offer,
      broker,
      secret: "",
      invitation,
    };
    const player = await this.#begin(stored, tell);
    await player.act((session) => session.join(randomHex(16), AGENT));
    return player;
  }

  /** Watches the game of an offer. */
  watch(broker: string, offer: OfferMessage, tell: (event: WatchEvent) => void): Watcher {
    return new Watcher(this.engine, this.key, this.names, broker, offer, tell);
  }

  /** The games that can go on, the newest first. */
  unfinished(): Promise<StoredGame[]> {
    return this.#journal.unfinished();
  }

  /** Takes up a game of the journal again. */
  resume(stored: StoredGame, tell: (event: PlayerEvent) => void): Promise<Player> {
    return Player.load(this.engine, this.#journal, this.key, stored, this.names, tell);
  }

  async #begin(stored: StoredGame, tell: (event: PlayerEvent) => void): Promise<Player> {
    await this.#journal.begin(stored);
    return this.resume(stored, tell);
  }
}

function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}
