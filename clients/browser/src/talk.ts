/** The spectators' chat about a game: signed, on a topic of its own. */

import { TokenBucket } from "./budget.js";
import { isSignedBy } from "./codec.js";
import type { Engine } from "./engine.js";
import type { AnyMessage, MessageOf } from "./messages.js";
import { type Key, signed } from "./session.js";

const MAX_SPEAKERS = 256;

/** The spectators' chat about one game. */
export class TalkRoom {
  readonly #engine: Engine;
  readonly #key: Key;
  readonly #budget = new TokenBucket();
  readonly #heardMs = new Map<string, number>();
  #spokenMs = 0;

  constructor(engine: Engine, key: Key) {
    this.#engine = engine;
    this.#key = key;
  }

  /** Whether a message on a topic of the chat may be looked at. */
  mayHear(writer: string): boolean {
    return writer !== this.#key.node && this.#budget.take();
  }

  /** Whether a line is authentic and new (MP-CHAT-1). */
  hear(message: AnyMessage, game: string): message is MessageOf<"talk"> {
    if (message.type !== "talk" || message.game !== game) return false;
    const { from, key, at_ms: atMs } = message;
    if (atMs <= (this.#heardMs.get(from) ?? 0)) return false;
    if (this.#engine.nodeId(key) !== from || !isSignedBy(this.#engine, message, key)) return false;
    if (this.#heardMs.size >= MAX_SPEAKERS) this.#heardMs.clear();
    this.#heardMs.set(from, atMs);
    return true;
  }

  /** A line of ours about a game. */
  line(game: string, text: string): MessageOf<"talk"> {
    this.#spokenMs = Math.max(Date.now(), this.#spokenMs + 1);
    const { node: from, publicKey: key } = this.#key;
    return signed(this.#engine, this.#key, {
      type: "talk",
      game,
      from,
      key,
      at_ms: this.#spokenMs,
      text,
    });
  }
}
