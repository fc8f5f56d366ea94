/** The host's retained state: the record so far in parts that fit a payload (SPEC.md, section 10). */

import { canonicalBytes } from "./canonical.js";
import { digestOf } from "./codec.js";
import type { Ledger } from "./ledger.js";
import type { RecordEntry, StateMessage } from "./messages.js";
import { entryOf } from "./record.js";
import { type Key, signed } from "./session.js";

// The newest part is published again after every move: a small one costs the broker less.
const PART_ROOM = 4096;

/** Makes the parts of one game, and caches them: a part is published again and again. */
export class StateParts {
  readonly #ledger: Ledger;
  readonly #key: Key;
  // The ledger as far as `#entries` go: an entry has only what cannot be predicted.
  #replayed: Ledger;
  #entries: RecordEntry[] = [];
  #digests: string[] = [];

  constructor(ledger: Ledger, key: Key) {
    this.#ledger = ledger;
    this.#key = key;
    this.#replayed = ledger.begun();
  }

  /** Every part, signed. */
  all(): StateMessage[] {
    this.#follow();
    const parts: StateMessage[] = [];
    let first = 0;
    let size = 0;
    const cut = (end: number): void => {
      parts.push(this.#part(parts.length, first, end));
      first = end;
      size = 0;
    };
    for (const [at, entry] of this.#entries.entries()) {
      const length = canonicalBytes(entry).length + 1;
      if (size + length > PART_ROOM && at > first) cut(at);
      size += length;
    }
    cut(this.#entries.length);
    return parts;
  }

  #follow(): void {
    const { engine, line } = this.#ledger;
    // A decision may have been inserted before messages that were there.
    const same = this.#digests.every(
      (digest, at) => line[at] !== undefined && digestOf(engine, line[at].message) === digest,
    );
    if (!same) {
      this.#replayed = this.#ledger.begun();
      this.#entries = [];
      this.#digests = [];
    }
    for (const { by, message } of line.slice(this.#entries.length)) {
      this.#entries.push(entryOf(this.#replayed, by, message));
      this.#digests.push(digestOf(engine, message));
      this.#replayed.accept(by, message);
    }
  }

  #part(part: number, first: number, end: number): StateMessage {
    const sigs: Record<string, string> = {};
    for (const { by, message } of this.#ledger.line.slice(0, end)) {
      if (message.sig === undefined) delete sigs[by];
      else sigs[by] = message.sig;
    }
    return signed(this.#ledger.engine, this.#key, {
      type: "state",
      game: this.#ledger.game,
      from: this.#key.node,
      part,
      first,
      entries: this.#entries.slice(first, end),
      sigs,
    });
  }
}
