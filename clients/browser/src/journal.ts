/** What a node keeps of its games, so that a reload or a crash loses nothing (SPEC.md, section 12). */

import type { Role } from "./ledger.js";
import type { LogMessage, MessageOf, OfferMessage } from "./messages.js";

/** A game as it was begun. */
export interface StoredGame {
  /** The game id. */
  readonly id: string;
  readonly role: Role;
  readonly offer: OfferMessage;
  /** The address of the broker where it is played. */
  readonly broker: string;
  /** What the offer's `commit` commits to; empty for the guest. */
  readonly secret: string;
  /** The secret of the invitation; empty where everybody may join. */
  readonly invitation: string;
  /** Whether it came out of a file, so that we may have said more in it than is kept (MP-SYNC-9). */
  readonly restored?: boolean;
}

/** A message of a game, as it was taken in. */
export interface StoredMessage {
  readonly by: Role;
  readonly message: LogMessage;
  /** When, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Everything that is kept of one game. */
export interface KeptGame {
  readonly game: StoredGame;
  readonly begunMs: number;
  readonly finished: boolean;
  /** In the order in which they were taken in. */
  readonly messages: readonly StoredMessage[];
}

/** A nickname, with when it was first known of its node: in milliseconds since 1970. */
export interface KnownName {
  readonly message: MessageOf<"nickname">;
  readonly firstMs: number;
}

/** Whom we have joined under a name, and when: in milliseconds since 1970. */
export interface KnownHost {
  readonly name: string;
  readonly host: string;
  readonly joinedMs: number;
}

/** What a person is told when nothing can be stored. */
export const STORAGE_ADVICE = {
  forbidden:
    "This browser does not let the page store anything, as in some private windows. Allow cookies and site data for this page, or open it in an ordinary window.",
  full: "This browser is out of space, so the game has stopped. Free some space, then reload the page to go on.",
  gone: "This browser has deleted what the page had stored. If you saved your key and games in a file, load it on the first page to go on.",
  blocked:
    "An older version of this page is open in another tab. Close that tab, then reload this one.",
  outdated: "A newer version of this page is open in another tab. Reload this one to go on.",
  elsewhere: "You are playing this game in another tab. To play here instead, press Play here.",
} as const;

/** Nothing can be stored, so nothing may be sent; the text says why, and what to do. */
export class StorageError extends Error {
  constructor(readonly reason: keyof typeof STORAGE_ADVICE) {
    super(STORAGE_ADVICE[reason]);
  }
}

/**
 * Keeps games and their messages. Every promise resolves once the data would survive a crash, and
 * rejects with a StorageError if it would not.
 */
export interface Journal {
  /** This node's seed; made at the first call. */
  seed(): Promise<Uint8Array>;
  begin(game: StoredGame): Promise<void>;
  append(game: string, message: StoredMessage): Promise<void>;
  /** Notes that all that we have said in a restored game is known again. */
  caughtUp(game: string): Promise<void>;
  /** Notes that a game is settled, or given up: nothing is left to resume. */
  finish(game: string): Promise<void>;
  /** Whether nothing is left to resume of a game. */
  isFinished(game: string): Promise<boolean>;
  /** The games that can be resumed, the newest first. */
  unfinished(): Promise<StoredGame[]>;
  /** A game's messages in the order in which they were taken in. */
  messages(game: string): Promise<StoredMessage[]>;
  /** The nicknames that are known. */
  names(): Promise<KnownName[]>;
  /** Keeps a nickname in the place of an earlier one of its node. */
  keepName(name: KnownName): Promise<void>;
  /** Whom we have joined under a name, the newest first. */
  hosts(name: string): Promise<string[]>;
  knowHost(name: string, host: string): Promise<void>;
}

/** A journal that ends with the program; for tests and for pages that may store nothing. */
export class MemoryJournal implements Journal {
  readonly #seed: Uint8Array;
  readonly #games = new Map<string, { game: StoredGame; finished: boolean }>();
  readonly #messages = new Map<string, StoredMessage[]>();
  readonly #names = new Map<string, KnownName>();
  readonly #hosts = new Map<string, string[]>();

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

  async caughtUp(id: string): Promise<void> {
    const held = this.#games.get(id);
    if (held !== undefined) held.game = { ...held.game, restored: false };
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

  async names(): Promise<KnownName[]> {
    return [...this.#names.values()];
  }

  async keepName(name: KnownName): Promise<void> {
    this.#names.set(name.message.from, name);
  }

  async hosts(name: string): Promise<string[]> {
    return this.#hosts.get(name) ?? [];
  }

  async knowHost(name: string, host: string): Promise<void> {
    const others = (await this.hosts(name)).filter((each) => each !== host);
    this.#hosts.set(name, [host, ...others]);
  }
}
