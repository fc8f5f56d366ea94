/** One game that we play over a broker: carries out what the session says, and reconnects. */

import { TokenBucket } from "./budget.js";
import { equal, hex, utf8 } from "./bytes.js";
import { decode, digestOf, encode, isSignedBy, MalformedMessage } from "./codec.js";
import { Connection, ConnectionError, type Delivery } from "./connection.js";
import type { Engine } from "./engine.js";
import { type Journal, StorageError, type StoredGame, type StoredMessage } from "./journal.js";
import { Ledger, other, type Role } from "./ledger.js";
import type { AnyMessage, MessageOf, OfferMessage, StateMessage } from "./messages.js";
import { Introductions, type NameBook } from "./names.js";
import { stayConnected } from "./reconnecting.js";
import { isOfferOfRematch } from "./rematch.js";
import { type Effect, type GameEvent, type Key, PlayerSession, signed } from "./session.js";
import { StateParts } from "./state.js";
import { Stopwatch } from "./stopwatch.js";
import { type Address, Topics } from "./topics.js";

/** The events of a player: those of the game, and those about its connection and its opponent. */
export type PlayerEvent =
  | GameEvent
  | { readonly type: "connection"; readonly connected: boolean; readonly why: string }
  | { readonly type: "presence"; readonly state: MessageOf<"status">["state"] }
  /** A player has published its nickname. */
  | { readonly type: "named" }
  /** All that we have said in a restored game is known again. */
  | { readonly type: "caught-up" }
  /** Nothing can be stored any more, so the game has stopped; a later attempt may work. */
  | { readonly type: "failed"; readonly error: StorageError }
  /** Both players have all of the game; nothing is left to do. */
  | { readonly type: "settled" }
  /** The host has replaced the offer that we have joined: it will not answer any more. */
  | { readonly type: "replaced" }
  /** The other player offers the next game; null when it has withdrawn the offer. */
  | { readonly type: "rematch-offered"; readonly offer: OfferMessage | null };

const WHO = utf8('{"type":"who"}');
// Milliseconds of silence after which an answer is asked for again; doubles up to the second.
const FIRST_SILENCE_MS = 2_000;
const LAST_SILENCE_MS = 30_000;
// From this pause on the broker may also have lost a subscription: after some fourteen seconds.
const LONG_SILENCE_MS = 16_000;
// Offer and state are published again at most this often, however many ask (MP-STATE-6).
const AGAIN_MS = 1_000;
// After a newer offer, wait this long for what the host may have left of the game that we joined.
const REPLACED_MS = 2_000;

/** One game that we play. Acts are the session's; each is durable before it is sent. */
export class Player {
  readonly session: PlayerSession;
  readonly stopwatch: Stopwatch;
  /** Whether we stay when the game is settled, for a rematch, until `close`. */
  stays = false;
  readonly #engine: Engine;
  readonly #journal: Journal;
  readonly #stored: StoredGame;
  readonly #key: Key;
  readonly #topics: Topics;
  readonly #tell: (event: PlayerEvent) => void;
  readonly #introductions: Introductions;
  readonly #parts: StateParts;
  #connection: Connection | null = null;
  #lost = false;
  #published: readonly StateMessage[] = [];
  #epoch = 0;
  // The other player's newest status (MP-PRES-2).
  #presence: Pick<MessageOf<"status">, "epoch" | "state"> = { epoch: -1, state: "lost" };
  #closed = false;
  #failure: StorageError | null = null;
  #settled: boolean;
  // Whether a later game of ours has taken over this one's name at the broker.
  #superseded = false;
  #receipt = false;
  #doubts = false;
  /** How many of our messages the broker has acknowledged. */
  #delivered = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #silenceMs = FIRST_SILENCE_MS;
  #again: ReturnType<typeof setTimeout> | null = null;
  #replaced: ReturnType<typeof setTimeout> | null = null;
  // Whether we have heard the other player while we were connected.
  #heard = false;
  /** The signatures of what lies at the broker for the opponent; null if that is from before. */
  #left: string | null = "";
  /** The numbers of the messages that were published on our mailbox since the page was opened. */
  readonly #said = new Set<number>();
  readonly #strangers = new TokenBucket();
  readonly #witnesses = new TokenBucket();
  // One piece of work after the other: incoming messages, our own acts, timers.
  #line: Promise<void> = Promise.resolve();

  private constructor(
    engine: Engine,
    journal: Journal,
    key: Key,
    stored: StoredGame,
    kept: readonly StoredMessage[],
    finished: boolean,
    names: NameBook,
    tell: (event: PlayerEvent) => void,
  ) {
    this.#engine = engine;
    this.#journal = journal;
    this.#stored = stored;
    this.#key = key;
    this.#tell = tell;
    this.#topics = new Topics();
    this.#introductions = new Introductions(names, this.#topics);
    const ledger = new Ledger(engine, stored.offer);
    for (const { by, message } of kept) ledger.accept(by, message);
    this.session = new PlayerSession(
      ledger,
      stored.role,
      key,
      stored.secret,
      stored.invitation,
      stored.restored ? hex(crypto.getRandomValues(new Uint8Array(16))) : null,
    );
    this.stopwatch = new Stopwatch(
      undefined,
      kept.map(({ by, atMs }) => ({ ours: by === stored.role, atMs })),
    );
    this.#parts = new StateParts(ledger, key);
    if (ledger.log(stored.role).length > 0) this.#left = null;
    this.#settled = finished;
  }

  /** Takes up a game of the journal; `run` does the rest. */
  static async load(
    engine: Engine,
    journal: Journal,
    key: Key,
    stored: StoredGame,
    names: NameBook,
    tell: (event: PlayerEvent) => void,
  ): Promise<Player> {
    const kept = await journal.messages(stored.id);
    const finished = await journal.isFinished(stored.id);
    return new Player(engine, journal, key, stored, kept, finished, names, tell);
  }

  get ledger(): Ledger {
    return this.session.ledger;
  }

  get role(): Role {
    return this.#stored.role;
  }

  /** What is known of everybody's nicknames. */
  get names(): NameBook {
    return this.#introductions.names;
  }

  /** How long the player on turn has thought. */
  get elapsedMs(): number {
    return this.stopwatch.elapsedMs;
  }

  /** Whether the broker is lost, or could not be reached; not during the first attempt. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** The address of the broker where it is played. */
  get broker(): string {
    return this.#stored.broker;
  }

  /** The secret of the invitation; empty where everybody may join. */
  get invitation(): string {
    return this.#stored.invitation;
  }

  /** Whether both players have all of the game. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** Keeps a connection and plays until the game is settled, or, if `stays`, until `close` is called. */
  run(): Promise<void> {
    return stayConnected({
      connect: () => this.#connect(),
      lost: (why) => {
        this.stopwatch.disconnected(this.#connection?.silentMs, this.#delivered);
        this.#connection = null;
        this.#lost = true;
        this.#tell({ type: "connection", connected: false, why });
      },
      done: () => this.#closed || (this.#settled && !this.stays),
    });
  }

  /** Leaves offer and state to a later game of ours with the same name. */
  makeWay(): void {
    this.#superseded = true;
  }

  /** Takes our offer back, unless somebody has joined; says whether it is taken back. */
  async withdraw(): Promise<boolean> {
    let withdrawn = false;
    await this.#serially(async () => {
      if (this.ledger.phase !== "open") return;
      withdrawn = this.#closed = true;
      await this.#leave();
      await this.#journal.finish(this.#stored.id);
    });
    return withdrawn;
  }

  /** Leaves; a game that is not over is kept. */
  async close(): Promise<void> {
    await this.#end();
    await this.#leave();
  }

  /** Ends this game for the next one, without telling anybody that we have left. */
  async goOn(): Promise<void> {
    await this.#end();
    this.#connection?.close();
    this.#connection = null;
  }

  async #end(): Promise<void> {
    this.#closed = true;
    this.#stopTimers();
    await this.#line;
  }

  /** Stops at once, as after a crash: another tab, or a later attempt, continues the game. */
  fail(error: StorageError): void {
    if (this.#closed) return;
    this.#failure = error;
    this.#closed = true;
    this.#stopTimers();
    this.#connection?.close();
    this.#connection = null;
    this.#tell({ type: "failed", error });
  }

  #stopTimers(): void {
    clearTimeout(this.#silence);
    if (this.#again !== null) clearTimeout(this.#again);
    if (this.#replaced !== null) clearTimeout(this.#replaced);
  }

  /**
   * Carries out an act of our own.
   * @throws ActError The moment forbids it; or a RulesError.
   */
  act(work: (session: PlayerSession) => Effect[]): Promise<void> {
    return this.#serially(async () => this.#carryOut(work(this.session)));
  }

  // Connections

  async #connect(): Promise<Connection> {
    const { offer, broker } = this.#stored;
    const us = this.#key.node;
    const mine = this.#topics.status(offer.name, offer.host, us);
    this.#epoch = Math.max(Date.now(), this.#epoch + 1);
    const connection = await Connection.open(broker, (delivery) => this.#onDelivery(delivery), {
      clientId: `${us}-${this.#engine.sha256(utf8(`${this.ledger.game}${this.#epoch}`)).slice(0, 8)}`,
      will: { topic: mine, payload: encode(this.#status("lost")), retained: false },
    });
    try {
      await connection.subscribe(this.#subscriptions());
      await connection.publish(mine, encode(this.#status("online")));
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#connection = connection;
    this.#lost = false;
    this.stopwatch.connected();
    this.#tell({ type: "connection", connected: true, why: "" });
    this.#introduce(this.#introductions.subscriptions);
    await this.#serially(async () => {
      this.#publishAll();
      if (this.#settled) return;
      const timing = this.stopwatch.times.bind(this.stopwatch);
      await this.#carryOut([...this.session.resume(timing), ...this.session.repeat()]);
      this.#watchSilence();
    });
    return connection;
  }

  /** Publishes our nickname, and asks for those of others; nothing waits for it (MP-NICK-3). */
  #introduce(topics: readonly string[]): void {
    const { ours } = this.names;
    const asked = this.#introductions.meet(this.session.opponent);
    if (topics.length > 0 || asked !== null) {
      const all = asked === null ? topics : [...topics, asked];
      this.#connection?.subscribe([...all]).catch(ignoreLoss);
    }
    if (ours !== null) this.#publish(this.#topics.nickname(ours.from), encode(ours), true);
  }

  #subscriptions(): string[] {
    const { offer } = this.#stored;
    const { name, host } = offer;
    const topics = this.#topics;
    if (this.#stored.role === "guest") {
      return [
        topics.offer(name, host),
        topics.state(name, host),
        topics.state(name, host, "+"),
        ...this.#opponentTopics,
        ...topics.statements(offer),
      ];
    }
    const guest = this.#settled ? this.session.opponent : null;
    return [
      ...(guest === null ? [] : [topics.offer(name, guest)]),
      topics.who(name),
      topics.who(),
      topics.offer(name, host),
      topics.state(name, host, "+"),
      ...this.#opponentTopics,
      ...topics.statements(offer),
    ];
  }

  /** What we hear the opponent by. */
  get #opponentTopics(): string[] {
    const { name, host, access } = this.#stored.offer;
    const topics = this.#topics;
    const isGuest = this.#stored.role === "guest";
    const reserved = access === "invited" ? undefined : access;
    const writer = isGuest ? host : "+";
    const reader = isGuest ? host : (this.session.opponent ?? reserved ?? "+");
    return [
      topics.out(name, host, writer),
      topics.status(name, host, writer),
      topics.unread(name, host, reader),
    ];
  }

  #status(state: MessageOf<"status">["state"]): MessageOf<"status"> {
    return signed(this.#engine, this.#key, {
      type: "status",
      game: this.ledger.game,
      from: this.#key.node,
      epoch: this.#epoch,
      state,
    });
  }

  /** Leaves with the broker what the opponent has not read; an empty `unread` clears what is there. */
  async #leave(unread = this.#connection && this.#unread(true)): Promise<void> {
    clearTimeout(this.#silence);
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    const { name, host } = this.#stored.offer;
    try {
      if (this.#stored.role === "host" && this.ledger.phase === "open") {
        // Nobody has joined: the offer is withdrawn (MP-TOPIC-6).
        await connection.publish(this.#topics.offer(name, host), new Uint8Array(0), true);
        await connection.publish(this.#topics.state(name, host), new Uint8Array(0), true);
      }
      if (unread !== null) await connection.publish(this.#unreadTopic, unread, true);
      const status = this.#topics.status(name, host, this.#key.node);
      await connection.publish(status, encode(this.#status("left")));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
    }
    connection.close();
  }

  // Incoming messages

  #onDelivery({ topic, payload, retained }: Delivery): void {
    const address = this.#topics.parse(topic);
    if (address === null) return;
    if (address.kind === "nickname") {
      const message = this.#introductions.mayHear(address) ? decoded(payload) : null;
      if (message !== null && this.names.take(address, message)) this.#tell({ type: "named" });
      return;
    }
    this.#soon(() => this.#receive(address, payload, retained));
  }

  async #receive(address: Address, payload: Uint8Array, retained: boolean): Promise<void> {
    const { offer } = this.#stored;
    if (address.kind === "offer" && address.writer === this.session.opponent) {
      if (this.#awaitsTheHost) this.#onNewerOffer(payload);
      else this.#onRematch(payload);
      return;
    }
    if (this.#stored.role === "host") {
      if (this.#superseded && ["who", "offer", "state"].includes(address.kind)) return;
      if (address.kind === "who") {
        if (equal(payload, WHO)) this.#publishAgain();
        return;
      }
      if (address.kind === "offer") {
        if (!equal(payload, encode(offer))) this.#publishAgain();
        return;
      }
      if (address.kind === "state") {
        // An earlier, longer game of this name may have left it (MP-STATE-7).
        const beyond = (address.part ?? 0) >= this.#published.length && payload.length > 0;
        if (beyond && retained) this.#publish(this.#stateTopic(address.part ?? 0), null, true);
        return;
      }
    }
    const fromPeer = address.writer === this.session.opponent;
    const mayLook =
      address.kind === "statement" ? this.#witnesses.take() : fromPeer || this.#mayLookAtStranger();
    if (address.writer === this.#key.node || !mayLook) return;
    const message = decoded(payload);
    if (message === null || message.type === "offer" || message.type === "who") return;
    if (!("from" in message) || message.from !== address.writer) return;
    if ((message.type === "statement") !== (address.kind === "statement")) return;
    const isUnread = address.kind === "unread";
    if (isUnread ? !["unread", "sync"].includes(message.type) : message.type === "unread") return;
    if (message.type === "status") {
      this.#onStatus(message);
      return;
    }
    this.#heard ||= fromPeer && !retained;
    // A player that leaves unread messages does not know that we have them.
    this.#doubts ||= message.type === "unread";
    const timing = this.stopwatch.times.bind(this.stopwatch);
    await this.#carryOut(this.session.receive(message, timing));
    this.#noteReceipt(message);
    await this.#settle();
  }

  /** Whether we wait for the host's answer to our join; not in a rematch, which the game before it handles. */
  get #awaitsTheHost(): boolean {
    const { rematch_of } = this.#stored.offer;
    return this.role === "guest" && this.ledger.phase === "joined" && rematch_of === undefined;
  }

  #onNewerOffer(payload: Uint8Array): void {
    const { name, key, created_ms } = this.#stored.offer;
    if (this.#replaced !== null || !this.#strangers.take()) return;
    const offer = decoded(payload);
    if (offer?.type !== "offer" || offer.name !== name || offer.created_ms <= created_ms) return;
    if (!isSignedBy(this.#engine, offer, key)) return;
    this.#replaced = setTimeout(() => this.#soon(() => this.#giveUp()), REPLACED_MS);
  }

  /** Ends the wait for an answer that will not come; nothing is left to resume. */
  async #giveUp(): Promise<void> {
    if (this.#closed || !this.#awaitsTheHost) return;
    this.#closed = true;
    await this.#journal.finish(this.#stored.id);
    await this.#leave(new Uint8Array(0)); // nobody will read our join
    this.#tell({ type: "replaced" });
  }

  #onRematch(payload: Uint8Array): void {
    const offer = payload.length === 0 ? null : decoded(payload);
    if (offer === null) {
      this.#tell({ type: "rematch-offered", offer: null });
    } else if (offer.type === "offer") {
      const open = offer.expires_ms > Date.now();
      if (open && isOfferOfRematch(this.ledger, offer, other(this.role))) {
        this.#tell({ type: "rematch-offered", offer });
      }
    }
  }

  /** Whether a stranger's message may be read: while there is a seat, and within a budget. */
  #mayLookAtStranger(): boolean {
    if (this.#stored.role === "guest") return false;
    // A join while the seat is free is looked at in any case.
    return this.ledger.phase === "open" || this.#strangers.take();
  }

  #onStatus(status: MessageOf<"status">): void {
    const known = status.game === this.ledger.game && this.session.vouches(status);
    const { epoch, state } = status;
    if (!known || epoch < this.#presence.epoch) return;
    const isNews = epoch > this.#presence.epoch || state !== this.#presence.state;
    this.#presence = { epoch, state };
    this.#tell({ type: "presence", state });
    // A player that has just come online has not heard us, and may think that we are gone.
    if (isNews && state === "online") {
      this.#announce();
      this.#soon(async () => this.#carryOut(this.session.opponentBack()));
    }
    if (isNews) this.#leaveUnread();
  }

  /** Whether the opponent is known to have left, or to have lost the connection. */
  get isOpponentAway(): boolean {
    const { epoch, state } = this.#presence;
    return epoch >= 0 && state !== "online";
  }

  #announce(): void {
    const { name, host } = this.#stored.offer;
    const topic = this.#topics.status(name, host, this.#key.node);
    this.#publish(topic, encode(this.#status("online")), false);
  }

  /** Notes whether a message shows that the other player has our last one. */
  #noteReceipt(message: AnyMessage): void {
    if (this.ledger.phase !== "closed" || !("game" in message)) return;
    const ours = this.ledger.log(this.session.role);
    const newest = ours.at(-1);
    if (newest === undefined || message.game !== this.ledger.game) return;
    if (message.type === "sync" && message.from === this.session.opponent) {
      this.#receipt ||= message.need >= ours.length && this.session.vouches(message);
    }
    if (message.type === "state" && this.session.vouches(message)) {
      const check = digestOf(this.#engine, newest).slice(0, 16);
      this.#receipt ||= message.entries.some((entry) => entry.check === check);
    }
  }

  async #settle(): Promise<void> {
    const { phase, line, fault } = this.ledger;
    const newest = line.at(-1);
    if (this.#settled || newest === undefined) return;
    const spokeLast = newest.by === this.session.role;
    const closed = phase === "closed" && (!spokeLast || this.#receipt);
    const cheated = fault?.role === other(this.session.role) && phase === "scored";
    if (!closed && !cheated) return;
    this.#settled = true;
    await this.#journal.finish(this.#stored.id);
    if (!this.stays) {
      await this.#leave();
    } else if (this.#stored.role === "guest") {
      this.#leaveUnread();
    } else {
      // A guest offers a rematch on topics of its own.
      this.#connection?.subscribe(this.#subscriptions()).catch(ignoreLoss);
    }
    this.#tell({ type: "settled" });
  }

  // Outgoing messages

  async #carryOut(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) {
      switch (effect.do) {
        case "keep":
          await this.#journal.append(this.#stored.id, {
            by: effect.by,
            message: effect.message,
            atMs: Date.now(),
          });
          this.stopwatch.turned(effect.by === this.session.role);
          this.#silenceMs = FIRST_SILENCE_MS;
          this.#watchSilence();
          break;
        case "send":
          this.#say(effect.message);
          break;
        case "publish-state":
          this.#publishState(false);
          break;
        case "caught-up":
          await this.#journal.caughtUp(this.#stored.id);
          this.#publishAll();
          this.#tell({ type: "caught-up" });
          break;
        case "tell":
          this.#tell(effect.event);
          if (effect.event.type === "started") this.#introduce([]);
          break;
      }
    }
    this.#leaveUnread();
  }

  #say(message: Extract<Effect, { do: "send" }>["message"]): void {
    const { name, host } = this.#stored.offer;
    const topic = this.#topics.out(name, host, this.#key.node);
    if ("n" in message) this.#said.add(message.n);
    this.#connection?.publish(topic, encode(message)).then(() => {
      if ("n" in message) this.#delivered = Math.max(this.#delivered, message.n + 1);
    }, ignoreLoss);
  }

  /** Leaves what an absent opponent cannot read otherwise, and clears what it has read. */
  #leaveUnread(): void {
    const unread = this.#unread(false);
    if (unread !== null) this.#publish(this.#unreadTopic, unread, true);
  }

  get #unreadTopic(): string {
    const { name, host } = this.#stored.offer;
    return this.#topics.unread(name, host, this.#key.node);
  }

  /** What to leave at the broker for the opponent (MP-AWAY-1); null if nothing changes. */
  #unread(leaving: boolean): Uint8Array | null {
    const { phase, offer } = this.ledger;
    const keptForUs = this.role === "guest" && offer.access === this.#key.node;
    if (phase === "open" || (phase === "joined" && !(leaving && keptForUs))) return null;
    const { state } = this.#presence;
    const away = leaving || !this.#heard || this.isOpponentAway;
    const isUnsure = this.#settled && away && (state !== "left" || this.#doubts);
    const receipt = isUnsure ? this.session.receipt : null;
    const messages = this.#settled ? [] : this.session.unread;
    const signatures = receipt?.sig ?? messages.map(({ sig }) => sig).join();
    if (signatures === this.#left || (messages.length > 0 && !away)) return null;
    this.#left = signatures;
    if (receipt !== null) return encode(receipt);
    if (messages.length === 0) return new Uint8Array(0);
    // On our mailbox first, for spectators: the page may have been closed before it did that.
    for (const message of messages) if (!this.#said.has(message.n)) this.#say(message);
    const { game } = this.ledger;
    const from = this.#key.node;
    return encode(
      signed(this.#engine, this.#key, { type: "unread", game, from, messages: [...messages] }),
    );
  }

  /** Publishes if there is a connection; what is lost is asked for on the next (MP-SYNC-5). */
  #publish(topic: string, payload: Uint8Array | null, retained: boolean): void {
    this.#connection?.publish(topic, payload ?? new Uint8Array(0), retained).catch(ignoreLoss);
  }

  #publishAll(): void {
    // While in doubt, what we know may be older than what the broker has retained.
    if (this.#superseded || this.#stored.role === "guest" || this.session.isInDoubt) return;
    const { offer } = this.#stored;
    this.#publish(this.#topics.offer(offer.name, offer.host), encode(offer), true);
    this.#publishState(true);
  }

  #publishAgain(): void {
    this.#again ??= setTimeout(() => {
      this.#again = null;
      this.#soon(async () => this.#publishAll());
    }, AGAIN_MS);
  }

  #publishState(whole: boolean): void {
    if (this.#superseded) return;
    const parts = this.#parts.all();
    for (const [at, part] of parts.entries()) {
      if (!whole && this.#published[at]?.sig === part.sig) continue;
      this.#publish(this.#stateTopic(at), encode(part), true);
    }
    this.#published = parts;
  }

  #stateTopic(part: number): string {
    const { name, host } = this.#stored.offer;
    return this.#topics.state(name, host, part);
  }

  // Silence (MP-SYNC-8)

  #watchSilence(): void {
    clearTimeout(this.#silence);
    if (this.#closed || this.#settled) return;
    this.#silence = setTimeout(() => {
      this.#silenceMs = Math.min(2 * this.#silenceMs, LAST_SILENCE_MS);
      // Not within the line: whatever is done meanwhile does not wait for the broker.
      this.#renew()
        .catch(ignoreLoss)
        .finally(() => this.#soon(() => this.#askAgain()));
    }, this.#silenceMs);
  }

  /** Subscribes anew after a long silence: the connection may live on without its subscriptions. */
  async #renew(): Promise<void> {
    if (this.#silenceMs < LONG_SILENCE_MS || this.ledger.onTurn === this.session.role) return;
    // What is retained comes each time, so everything is renewed only once in a silence.
    const isFirst = this.#silenceMs < LAST_SILENCE_MS;
    await this.#connection?.renew(isFirst ? this.#subscriptions() : this.#opponentTopics);
  }

  async #askAgain(): Promise<void> {
    if (this.#connection !== null) await this.#carryOut(this.session.repeat());
    this.#watchSilence();
  }

  #serially(work: () => Promise<void>): Promise<void> {
    const done = this.#line.then(async () => {
      if (this.#failure !== null) throw this.#failure;
      try {
        await work();
      } catch (error) {
        // The session is now ahead of the journal, so this player must not go on with it.
        if (error instanceof StorageError) this.fail(error);
        throw error;
      }
    });
    this.#line = done.catch(() => {});
    return done;
  }

  /** The same where nobody waits for it; a failure to store is reported as an event. */
  #soon(work: () => Promise<void>): void {
    this.#serially(work).catch((error) => {
      if (!(error instanceof StorageError)) throw error;
    });
  }
}

function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionError)) throw error;
}

function decoded(payload: Uint8Array): AnyMessage | null {
  try {
    return decode(payload);
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}
