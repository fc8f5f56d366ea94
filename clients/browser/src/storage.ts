/** The journal in the browser's own database, which survives reloads, crashes and sleep. */

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Journal, StoredGame, StoredMessage } from "./journal.js";

interface Schema extends DBSchema {
  node: { key: "seed"; value: Uint8Array };
  games: { key: string; value: StoredGame & { begunMs: number; finished: boolean } };
  messages: {
    key: [string, number];
    value: StoredMessage & { game: string; at: number };
    indexes: { game: string };
  };
}

const NAME = "ataxxd";
const VERSION = 1;
// A promise is kept when the data would survive a crash (MP-NODE-1).
const DURABLE = { durability: "strict" } as const;

/** Opened by `open`; several pages of one browser share it. */
export class DatabaseJournal implements Journal {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  /** Opens the database, and asks the browser to keep it. */
  static async open(): Promise<DatabaseJournal> {
    const database = await openDB<Schema>(NAME, VERSION, {
      upgrade(made) {
        made.createObjectStore("node");
        made.createObjectStore("games", { keyPath: "id" });
        const messages = made.createObjectStore("messages", { keyPath: ["game", "at"] });
        messages.createIndex("game", "game");
      },
    });
    // Not on plain http, and a browser may say no: then it may throw the games away some day.
    await globalThis.navigator?.storage?.persist?.().catch(() => false);
    return new DatabaseJournal(database);
  }

  async seed(): Promise<Uint8Array> {
    const transaction = this.#database.transaction("node", "readwrite", DURABLE);
    let seed = await transaction.store.get("seed");
    if (seed === undefined) {
      seed = crypto.getRandomValues(new Uint8Array(32));
      await transaction.store.put(seed, "seed");
    }
    await transaction.done;
    return seed;
  }

  async begin(game: StoredGame): Promise<void> {
    const transaction = this.#database.transaction("games", "readwrite", DURABLE);
    await transaction.store.put({ ...game, begunMs: Date.now(), finished: false });
    await transaction.done;
  }

  async append(game: string, message: StoredMessage): Promise<void> {
    const transaction = this.#database.transaction("messages", "readwrite", DURABLE);
    const at = await transaction.store.index("game").count(game);
    await transaction.store.add({ ...message, game, at });
    await transaction.done;
  }

  async finish(game: string): Promise<void> {
    const transaction = this.#database.transaction("games", "readwrite", DURABLE);
    const held = await transaction.store.get(game);
    if (held !== undefined) await transaction.store.put({ ...held, finished: true });
    await transaction.done;
  }

  async isFinished(game: string): Promise<boolean> {
    return (await this.#database.get("games", game))?.finished ?? false;
  }

  async unfinished(): Promise<StoredGame[]> {
    const games = await this.#database.getAll("games");
    return games.filter(({ finished }) => !finished).sort((a, b) => b.begunMs - a.begunMs);
  }

  /** A game by its id, finished or not. */
  async game(id: string): Promise<StoredGame | undefined> {
    return this.#database.get("games", id);
  }

  async messages(game: string): Promise<StoredMessage[]> {
    const held = await this.#database.getAllFromIndex("messages", "game", game);
    return held.sort((a, b) => a.at - b.at);
  }
}
