/** What a node keeps of its games, so that a reload or a crash loses nothing (SPEC.md, section 12). */

import type { Role } from "./ledger.js";
import type { LogMessage, OfferMessage } from "./messages.js";

/** A game as it was begun. */
export interface StoredGame {
  /** The game id. */
  readonly id: string;
  readonly role: Role;
  readonly offer: OfferMessage;
  /** Where it is played. */
  readonly broker: string;
  /** What the offer's `commit` commits to; empty for the guest. */
  readonly secret: string;
  /** The secret of the invitation; empty where everybody may join. */
  readonly invitation: string;
}

/** A message of a game, as it was taken in. */
export interface StoredMessage {
  readonly by: Role;
  readonly message: LogMessage;
  /** When, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Keeps games and their messages. Every promise is kept when the data would survive a crash. */
export interface Journal {
  /** This node's seed; made at the first call. */
  seed(): Promise<Uint8Array>;
  begin(game: StoredGame): Promise<void>;
  append(game: string, message: StoredMessage): Promise<void>;
  /** A game is settled, or given up: nothing is left to resume. */
  finish(game: string): Promise<void>;
  /** Whether nothing is left to resume of a game. */
  isFinished(game: string): Promise<boolean>;
  /** The games that can be resumed, the newest before. */
  unfinished(): Promise<StoredGame[]>;
  /** A game's messages in the order in which they were taken in. */
  messages(game: string): Promise<StoredMessage[]>;
}

/** A journal that ends with the program; for tests and for pages that may store nothing. */
export class MemoryJournal implements Journal {
  readonly #seed: Uint8Array;
  readonly #games = new Map<string, { game: StoredGame; finished: boolean }>();
  readonly #messages = new Map<string, StoredMessage[]>();

  constructor(seed: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    this.#seed = seed;
  }

  async seed(): Promise<Uint8Array> {
    return this.#seed;
  }

  async begin(game: StoredGame): Promise<void> {
    this.#games.set(game.id, { game, finished: false });
    this.#messages.set(game.id, []);
  }

  async append(game: string, message: StoredMessage): Promise<void> {
    this.#messages.get(game)?.push(message);
  }

  async finish(game: string): Promise<void> {
    const held = this.#games.get(game);
    if (held !== undefined) held.finished = true;
  }

  async isFinished(game: string): Promise<boolean> {
    return this.#games.get(game)?.finished ?? false;
  }

  async unfinished(): Promise<StoredGame[]> {
    return [...this.#games.values()]
      .filter(({ finished }) => !finished)
      .map(({ game }) => game)
      .reverse();
  }

  async messages(game: string): Promise<StoredMessage[]> {
    return [...(this.#messages.get(game) ?? [])];
  }
}
