/** The journal in the browser's own database, which survives reloads, crashes and sleep. */

import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { Backup } from "./backup.js";
import { hex } from "./bytes.js";
import {
  type Journal,
  type KeptGame,
  type KnownHost,
  type KnownName,
  StorageError,
  type StoredGame,
  type StoredMessage,
} from "./journal.js";
import { lookalikeKey } from "./nicknames.js";

interface Schema extends DBSchema {
  node: { key: "seed"; value: Uint8Array };
  games: { key: string; value: GameRow };
  messages: {
    key: [string, number];
    value: StoredMessage & { game: string; at: number };
    indexes: { game: string };
  };
  names: { key: string; value: KnownName & { node: string } };
  hosts: { key: [string, string]; value: KnownHost };
}

interface GameRow extends StoredGame {
  readonly begunMs: number;
  readonly finished: boolean;
  /** The tab that plays it; no other may write in it. */
  readonly holder?: string;
}

/** The parts of a file that go into the database. */
type Restorable = Pick<Backup, "seed" | "games" | "names" | "hosts">;

type Stores = "node" | "games" | "messages" | "names" | "hosts";
type Writing = IDBPTransaction<Schema, Stores[], "readwrite">;

const NAME = "ataxxd";
const VERSION = 2;
// Promises resolve only once the data would survive a crash (MP-NODE-1).
const DURABLE = { durability: "strict" } as const;

/** Opened by `open`; several tabs of one browser share it, and each game is written by one. */
export class DatabaseJournal implements Journal {
  readonly #database: IDBPDatabase<Schema>;
  #outdated = false;
  readonly #tab = hex(crypto.getRandomValues(new Uint8Array(8)));

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  /** Opens the database, and asks the browser to keep it. */
  static async open(): Promise<DatabaseJournal> {
    let blocked: (error: StorageError) => void = () => {};
    const inTheWay = new Promise<never>((_, reject) => {
      blocked = reject;
    });
    let journal: DatabaseJournal | null = null;
    let database: IDBPDatabase<Schema>;
    try {
      const opening = openDB<Schema>(NAME, VERSION, {
        blocked: () => blocked(new StorageError("blocked")),
        blocking: () => {
          if (journal !== null) journal.#makeWay();
        },
        upgrade(made, before) {
          made.createObjectStore("names", { keyPath: "node" });
          made.createObjectStore("hosts", { keyPath: ["name", "host"] });
          if (before === 1) return;
          made.createObjectStore("node");
          made.createObjectStore("games", { keyPath: "id" });
          const messages = made.createObjectStore("messages", { keyPath: ["game", "at"] });
          messages.createIndex("game", "game");
        },
      });
      database = await Promise.race([opening, inTheWay]);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw new StorageError(isFull(error) ? "full" : "forbidden");
    }
    // Not on plain http, and a browser may refuse: then it may delete the games some day.
    await globalThis.navigator?.storage?.persist?.().catch(() => false);
    journal = new DatabaseJournal(database);
    return journal;
  }

  /** A newer version of the page waits for this one to let the database go. */
  #makeWay(): void {
    this.#outdated = true;
    this.#database.close();
  }

  async seed(): Promise<Uint8Array> {
    let seed: Uint8Array | undefined;
    await this.#write(["node"], async (writing) => {
      const node = writing.objectStore("node");
      seed = await node.get("seed");
      if (seed !== undefined) return;
      seed = crypto.getRandomValues(new Uint8Array(32));
      await node.put(seed, "seed");
    });
    return seed as unknown as Uint8Array;
  }

  async begin(game: StoredGame): Promise<void> {
    await this.#write(["games"], async (writing) => {
      await writing.objectStore("games").put({ ...game, begunMs: Date.now(), finished: false });
    });
  }

  /** Takes a game over: from now on only this tab may write in it. */
  async hold(game: string): Promise<void> {
    await this.#change(game, (row) => ({ ...row, holder: this.#tab }), true);
  }

  async append(game: string, message: StoredMessage): Promise<void> {
    await this.#write(["games", "messages"], async (writing) => {
      this.#requireHeld(await writing.objectStore("games").get(game));
      const messages = writing.objectStore("messages");
      const at = await messages.index("game").count(game);
      await messages.add({ ...message, game, at });
    });
  }

  async caughtUp(game: string): Promise<void> {
    await this.#change(game, (row) => ({ ...row, restored: false }));
  }

  async finish(game: string): Promise<void> {
    await this.#change(game, (row) => ({ ...row, finished: true }));
  }

  async isFinished(game: string): Promise<boolean> {
    return (await this.#database.get("games", game))?.finished ?? false;
  }

  async unfinished(): Promise<StoredGame[]> {
    return this.#newest(false);
  }

  /** The games that were begun and are over, the newest first. */
  async over(): Promise<StoredGame[]> {
    const games = await this.#newest(true);
    const said = await Promise.all(
      games.map(({ id }) => this.#database.countFromIndex("messages", "game", id)),
    );
    // Without a start there is nothing but a join.
    return games.filter((_, at) => (said[at] ?? 0) > 1);
  }

  async #newest(finished: boolean): Promise<GameRow[]> {
    const games = await this.#database.getAll("games");
    return games.filter((game) => game.finished === finished).sort((a, b) => b.begunMs - a.begunMs);
  }

  /** A game by its id, finished or not. */
  async game(id: string): Promise<StoredGame | undefined> {
    return this.#database.get("games", id);
  }

  /** The other player of a game; null where nobody has joined it. */
  async opponent({ id, role, offer }: StoredGame): Promise<string | null> {
    if (role === "guest") return offer.host;
    // A guest's join comes before everything else.
    const [first] = await this.#database.getAllFromIndex("messages", "game", id, 1);
    return first?.by === "guest" ? first.message.from : null;
  }

  async messages(game: string): Promise<StoredMessage[]> {
    const held = await this.#database.getAllFromIndex("messages", "game", game);
    return held
      .sort((a, b) => a.at - b.at)
      .map(({ by, message, atMs }): StoredMessage => ({ by, message, atMs }));
  }

  async names(): Promise<KnownName[]> {
    return this.#database.getAll("names");
  }

  async keepName({ message, firstMs }: KnownName): Promise<void> {
    await this.#write(["names"], async (writing) => {
      await writing.objectStore("names").put({ message, firstMs, node: message.from });
    });
  }

  async hosts(name: string): Promise<string[]> {
    const known = await this.#database.getAll("hosts", IDBKeyRange.bound([name], [name, []]));
    return known.sort((a, b) => b.joinedMs - a.joinedMs).map(({ host }) => host);
  }

  async knowHost(name: string, host: string): Promise<void> {
    await this.#write(["hosts"], async (writing) => {
      await writing.objectStore("hosts").put({ name, host, joinedMs: Date.now() });
    });
  }

  /** Whom we have joined under any name. */
  async everyHost(): Promise<KnownHost[]> {
    return this.#database.getAll("hosts");
  }

  /** Every game, the oldest first. */
  async everything(): Promise<KeptGame[]> {
    const rows = await this.#database.getAll("games");
    rows.sort((a, b) => a.begunMs - b.begunMs);
    const kept = rows.map(async ({ begunMs, finished, holder: _, ...game }) => {
      return { game, begunMs, finished, messages: await this.messages(game.id) };
    });
    return Promise.all(kept);
  }

  /**
   * Replaces what is kept by a key and games, or adds these if the key is the same. Of two copies of a
   * game the one with more messages stays, of two nicknames the newer one; a known node keeps the
   * earlier time, a joined host the later one. All or nothing.
   */
  async restore({ seed, games, names, hosts }: Restorable): Promise<void> {
    await this.#write(["node", "games", "messages", "names", "hosts"], async (writing) => {
      const [node, rows, messages] = [
        writing.objectStore("node"),
        writing.objectStore("games"),
        writing.objectStore("messages"),
      ];
      const ours = await node.get("seed");
      if (ours === undefined || hex(ours) !== hex(seed)) {
        await Promise.all([rows.clear(), messages.clear(), node.put(seed, "seed")]);
      }
      for (const { game, begunMs, finished, messages: said } of games) {
        const known = await messages.index("game").count(game.id);
        if ((await rows.get(game.id)) !== undefined && known >= said.length) continue;
        await rows.put({ ...game, begunMs, finished, holder: this.#tab });
        for (const [at, message] of said.entries()) {
          await messages.put({ ...message, game: game.id, at });
        }
      }
      const nicknames = writing.objectStore("names");
      for (const { message, firstMs } of names) {
        const known = await nicknames.get(message.from);
        const newer = known === undefined || message.at_ms > known.message.at_ms;
        const kept = newer ? { message, firstMs } : known;
        const same =
          known !== undefined && lookalikeKey(known.message.name) === lookalikeKey(message.name);
        const first = same ? Math.min(firstMs, known.firstMs) : kept.firstMs;
        await nicknames.put({ message: kept.message, firstMs: first, node: message.from });
      }
      const joined = writing.objectStore("hosts");
      for (const each of hosts) {
        const known = await joined.get([each.name, each.host]);
        await joined.put({ ...each, joinedMs: Math.max(each.joinedMs, known?.joinedMs ?? 0) });
      }
    });
  }

  async #change(game: string, changed: (row: GameRow) => GameRow, anyway = false): Promise<void> {
    await this.#write(["games"], async (writing) => {
      const games = writing.objectStore("games");
      const row = await games.get(game);
      if (!anyway) this.#requireHeld(row);
      if (row !== undefined) await games.put(changed(row));
    });
  }

  #requireHeld(row: GameRow | undefined): void {
    if (row === undefined) throw new StorageError("gone");
    if (row.holder !== undefined && row.holder !== this.#tab) throw new StorageError("elsewhere");
  }

  /** One transaction: done and durable, or nothing has changed. */
  async #write(stores: Stores[], work: (writing: Writing) => Promise<void>): Promise<void> {
    let writing: Writing;
    try {
      writing = this.#database.transaction(stores, "readwrite", DURABLE);
    } catch {
      // Browsers close a site's databases when its data is deleted.
      throw new StorageError(this.#outdated ? "outdated" : "gone");
    }
    const working = work(writing).catch((error: unknown) => {
      if (error instanceof StorageError) writing.abort();
      throw error;
    });
    const [worked, done] = await Promise.allSettled([working, writing.done]);
    if (worked.status === "rejected" && worked.reason instanceof StorageError) throw worked.reason;
    const failed = [worked, done].filter((each) => each.status === "rejected");
    if (failed.length === 0) return;
    throw new StorageError(failed.some(({ reason }) => isFull(reason)) ? "full" : "gone");
  }
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}
