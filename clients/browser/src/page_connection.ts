/**
 * The table of this page, where the node is in the page: takes the place of the program's
 * connection.js, with the same exports, and speaks the same messages.
 */

import { download } from "./download.js";
import { Engine } from "./engine.js";
import { STORAGE_ADVICE } from "./journal.js";
import { storeResult } from "./level_games.js";
import { addStudy, keepLocal, localGame } from "./local_games.js";
import { LocalTable } from "./local_table.js";
import type { Command, SavedRecord } from "./table.js";
import { type NodeError, NodeThread } from "./thread.js";
import { compileModule } from "./wasm.js";

// A pass as people type it.
const PASS = "-";

export const STATUS = {
  connecting: "connecting",
  connected: "connected",
  stale: "ended",
  left: "ended",
  ...Object.fromEntries(Object.keys(STORAGE_ADVICE).map((reason) => [reason, "stopped"])),
};
export const FAREWELL: Record<string, string> = {
  ...STORAGE_ADVICE,
  stale: "Something went wrong in this page. Reload it: the game is kept in this browser.",
};
/** The states after which this page shows nothing new: all of those. */
export const ENDED = Object.keys(FAREWELL);
/** The page is not below a lobby. */
export const base = "";
/** The first page is linked instead. */
export const AFTERWARDS = "";
export const LEAVING = "Leave the table? The game is kept in this browser.";

let thread: NodeThread | null = null;

/** The attributes of the link that saves the game: its record, which the node has. */
export function fileLink(_name: string): Record<string, unknown> {
  const onclick = (event: Event): void => {
    event.preventDefault();
    void saveRecord();
  };
  return { href: "#", onclick };
}

async function saveRecord(): Promise<void> {
  if (thread === null) return;
  const { name, content } = (await thread.ask({ ask: "record" })) as SavedRecord;
  download(name, content);
}

/** What the page's scripts know of a game, as far as a study needs it. */
interface Shown {
  readonly state: {
    readonly ruleset: string;
    readonly ending: { readonly winner: 0 | 1 | null; readonly termination: string } | null;
  };
  readonly moves: readonly { readonly name: string | null }[];
}

/** Opens a study of a game that is over: a game of its own with the same moves, evaluated. */
export function openStudy({ state, moves }: Shown): void {
  const { winner = null, termination = "" } = state.ending ?? {};
  const side = winner === null ? null : winner === 0 ? "first" : "second";
  const names = moves.map(({ name }) => name ?? PASS);
  location.hash = addStudy(state.ruleset, names, { termination, winner: side });
}

type Handlers = Record<string, (message: unknown, reason?: string) => void>;

export class Connection {
  #send: (command: Command) => void = () => {};
  readonly #waiting = new Map<number, (error: string | null) => void>();
  #next = 1;
  #takeOver: () => Promise<unknown> = () => Promise.resolve();

  constructor(on: Handlers) {
    const id = location.hash.slice(1);
    const hear = (message: Record<string, unknown>): void => this.#hear(message, on);
    if (localGame(id) === null) this.#open(id, on, hear);
    else
      void openLocal(id, hear).then((table) => {
        this.#send = (command) => table.obey(command);
        table.greet();
      });
  }

  /** Opens a game with somebody else, which the node plays. */
  #open(id: string, on: Handlers, hear: (message: Record<string, unknown>) => void): void {
    const node = new NodeThread();
    thread = node;
    this.#send = (command) => node.send(command);
    node.onFailure = () => on["status"]?.("stale");
    node.onMessage = hear;
    this.#takeOver = () => node.ask({ ask: "take", game: id });
    const says = line();
    const looks = id.includes("~");
    if (says !== null) says.textContent = `${looks ? "Looking for" : "Opening"} the game …`;
    node.ask({ ask: "table", game: id }).catch((error: NodeError) => {
      if (error.reason === null) {
        on["status"]?.("left", error.message);
        linkTheFirstPage();
      } else this.#stopped(error.reason, on);
    });
  }

  /** Shows why the game cannot go on here; if another tab plays it, offers to take it over. */
  #stopped(reason: string, on: Handlers): void {
    on["status"]?.(reason);
    if (reason === "elsewhere") offerToPlayHere(this.#takeOver);
  }

  #hear(message: Record<string, unknown>, on: Handlers): void {
    if ("left" in message) {
      location.href = "index.html";
    } else if (message["type"] === "failed") {
      this.#stopped(String(message["reason"]), on);
    } else if ("now" in message) {
      // A rematch: after a reload, the page has to show the new game.
      history.replaceState(null, "", `#${message["now"]}`);
    } else if (message["type"] === "hello") {
      on["status"]?.("connected");
    } else if (message["type"] === "answer") {
      const id = message["id"] as number;
      this.#waiting.get(id)?.(message["error"] as string | null);
      this.#waiting.delete(id);
    } else {
      if (message["type"] === "share") void withAddress(message).then(on["share"]);
      else on[String(message["type"])]?.(message);
    }
  }

  /** Sends a command; resolves to why it was refused, or to null. */
  send(command: { readonly type: string }): Promise<string | null> {
    const id = this.#next++;
    const answered = new Promise<string | null>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ ...command, id });
    return answered;
  }
}

async function openLocal(
  id: string,
  hear: (message: Record<string, unknown>) => void,
): Promise<LocalTable> {
  const engine = await Engine.load(
    await compileModule(new URL("engine.wasm.gzip", document.baseURI)),
  );
  const game = localGame(id);
  if (game === null) throw new Error(`there is no game ${id}`);
  return new LocalTable(engine, game, hear, (now) => keepLocal(id, now), storeResult);
}

/** The line in which the page says something. */
function line(): HTMLElement | null {
  const waiting = document.getElementById("waiting")?.hidden === false;
  return document.getElementById(waiting ? "waiting-says" : "says");
}

/** Links to the first page, which has other games, if there is no game here. */
function linkTheFirstPage(): void {
  const anchor = document.createElement("a");
  anchor.href = "index.html";
  anchor.textContent = "Go to the first page";
  line()?.after(anchor);
}

/** A button below what the page says, by which this tab takes the game from the other one. */
function offerToPlayHere(takeOver: () => Promise<unknown>): void {
  const says = line();
  const button = document.createElement("button");
  button.type = "button";
  button.className = "strong";
  button.textContent = "Play here";
  button.addEventListener("click", () => {
    button.disabled = true;
    takeOver().then(
      () => location.reload(),
      (error: Error) => {
        if (says !== null) says.textContent = error.message;
        button.remove();
      },
    );
  });
  says?.after(button);
}

/** A link needs the page's own address, which the worker does not know; so does its picture. */
async function withAddress(message: Record<string, unknown>): Promise<Record<string, unknown>> {
  const link = new URL(`./${String(message["watch"])}`, location.href).href;
  const join = message["join"] === null ? null : link;
  // If the QR code cannot be made, the link does without.
  const code = await pictured(link).catch(() => []);
  return { ...message, join, watch: link, reaches: true, code };
}

/** A QR code: rows of 1 and 0. The library for it is loaded when needed, not before the board. */
async function pictured(text: string): Promise<string[]> {
  const { generate } = await import("lean-qr");
  const code = generate(text);
  const each = Array.from({ length: code.size }, (_, at) => at);
  return each.map((y) => each.map((x) => (code.get(x, y) ? "1" : "0")).join(""));
}

// Another game in the same tab is another table.
addEventListener("hashchange", () => location.reload());
