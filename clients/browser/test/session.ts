/**
 * Sessions as a program for the tests: a line of JSON in, a line out. Several games can go on at once.
 *
 * `{"ask": "sit", "id", "role", "offer", "seed", "secret", "times"}` takes a seat, and `watch` with `id` and
 * `offer` looks on. `receive` takes `payload` in, `act` does `what`, `repeat` says what a new connection
 * or a silence asks for, `restart` begins again with what was kept, `state` publishes the state, `unread`
 * leaves what the other player may not have read, `drop` forgets a game. Each is answered by what is published and by where the game stands.
 */

import { createInterface } from "node:readline";
import { fromHex, utf8 } from "../src/bytes.js";
import { decode, encode, MalformedMessage } from "../src/codec.js";
import { RulesError } from "../src/engine.js";
import { Ledger, type Role } from "../src/ledger.js";
import type { AnyMessage, LogMessage, OfferMessage } from "../src/messages.js";
import { dumpRecord, standingOf } from "../src/record.js";
import {
  ActError,
  type Effect,
  type Key,
  keyOf,
  PlayerSession,
  signed,
  type Timing,
} from "../src/session.js";
import { SpectatorSession } from "../src/spectator.js";
import { StateParts } from "../src/state.js";
import { loadEngine, standsAt } from "./support.js";

interface Question {
  readonly ask: string;
  readonly id: string;
  readonly role: Role;
  readonly offer: string;
  readonly seed: string;
  readonly secret: string;
  readonly times: number;
  readonly payload: string;
  readonly what: string;
  readonly text: string;
  readonly number: number;
  readonly agent: string;
}

interface Published {
  readonly out: readonly string[];
  readonly state: readonly string[];
  readonly refused?: string;
}

const engine = await loadEngine();
const text = (message: AnyMessage): string => new TextDecoder().decode(encode(message));
const NOTHING: Published = { out: [], state: [] };

/** A player, with what it has kept. */
class Seat {
  #session: PlayerSession;
  #kept: { by: Role; message: LogMessage }[] = [];

  constructor(
    readonly offer: OfferMessage,
    readonly role: Role,
    readonly key: Key,
    readonly secret: string,
    readonly timing: Timing,
  ) {
    this.#session = this.#opened();
  }

  get ledger(): Ledger {
    return this.#session.ledger;
  }

  #opened(): PlayerSession {
    const ledger = new Ledger(engine, this.offer);
    for (const { by, message } of this.#kept) ledger.accept(by, message);
    return new PlayerSession(ledger, this.role, this.key, this.secret);
  }

  receive(message: AnyMessage): Published {
    return this.#published(this.#session.receive(message, this.timing));
  }

  repeat(): Published {
    return this.#published(this.#session.repeat());
  }

  restart(): Published {
    this.#session = this.#opened();
    return this.#published([...this.#session.resume(this.timing), ...this.#session.repeat()]);
  }

  state(): string[] {
    return this.role === "host" ? new StateParts(this.ledger, this.key).all().map(text) : [];
  }

  unread(): string[] {
    const messages = [...this.#session.unread];
    if (messages.length === 0) return [];
    const { game } = this.ledger;
    return [
      text(signed(engine, this.key, { type: "unread", game, from: this.key.node, messages })),
    ];
  }

  act({ what, text: said, number, agent }: Question): Published {
    try {
      return this.#published(this.#acted(what, said, number, agent));
    } catch (error) {
      if (error instanceof ActError || error instanceof RulesError) {
        return { ...NOTHING, refused: error.message };
      }
      throw error;
    }
  }

  #acted(what: string, said: string, number: number, agent: string): Effect[] {
    const session = this.#session;
    switch (what) {
      case "join":
        return session.join(said, agent);
      case "play": {
        const { moves } = this.ledger.position;
        return session.play(moves[number % moves.length] ?? "", Number(said));
      }
      case "resign":
        return session.resign();
      case "draw":
        return session.offerDraw();
      case "accept":
      case "reject":
        return session.answerDraw(what === "accept");
      case "takeback":
      case "abort":
        return session.ask(what);
      case "agree":
        return session.agree();
      case "silence":
      case "flag":
        return session.claim(what, number);
      case "say":
        return session.say(said, number);
      default:
        throw new Error(`nobody can ${what}`);
    }
  }

  #published(effects: readonly Effect[]): Published {
    const out: string[] = [];
    let state: string[] = [];
    for (const effect of effects) {
      if (effect.do === "keep") this.#kept.push({ by: effect.by, message: effect.message });
      if (effect.do === "send") out.push(text(effect.message));
      if (effect.do === "publish-state") state = this.state();
    }
    return { out, state };
  }
}

class Looker {
  readonly #session: SpectatorSession;

  constructor(offer: OfferMessage) {
    this.#session = new SpectatorSession(new Ledger(engine, offer));
  }

  get ledger(): Ledger {
    return this.#session.ledger;
  }

  receive(message: AnyMessage): Published {
    this.#session.receive(message);
    return NOTHING;
  }
}

const games = new Map<string, Seat | Looker>();

function answer(question: Question): Published {
  const { ask, id } = question;
  if (ask === "sit" || ask === "watch") {
    const offer = decode(utf8(question.offer)) as OfferMessage;
    const { role, secret, times } = question;
    const seat = (): Seat => {
      const key = keyOf(engine, fromHex(question.seed));
      return new Seat(offer, role, key, secret, () => ({ hadMs: times, sinceMs: times }));
    };
    games.set(id, ask === "sit" ? seat() : new Looker(offer));
    return NOTHING;
  }
  const game = games.get(id);
  if (game === undefined) throw new Error(`there is no game ${id}`);
  if (ask === "receive") {
    let message: AnyMessage;
    try {
      message = decode(utf8(question.payload));
    } catch (error) {
      if (error instanceof MalformedMessage) return NOTHING;
      throw error;
    }
    return game.receive(message);
  }
  if (ask === "look") return NOTHING;
  if (game instanceof Looker) throw new Error(`who looks on cannot ${ask}`);
  switch (ask) {
    case "act":
      return game.act(question);
    case "repeat":
      return game.repeat();
    case "restart":
      return game.restart();
    case "state":
      return { out: [], state: game.state() };
    case "unread":
      return { out: game.unread(), state: [] };
    default:
      throw new Error(`there is no ${ask}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line) as Question;
  if (question.ask === "drop") {
    games.clear();
    process.stdout.write("{}\n");
    continue;
  }
  const published = answer(question);
  const ledger = (games.get(question.id) as Seat | Looker).ledger;
  const told =
    question.ask === "look"
      ? { record: new TextDecoder().decode(dumpRecord(ledger)), standing: standingOf(ledger) }
      : {};
  process.stdout.write(`${JSON.stringify({ ...published, stands: standsAt(ledger), ...told })}\n`);
}
