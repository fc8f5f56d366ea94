/**
 * The table of this page, where the node is in the page: takes the place of the program's
 * connection.js, with the same exports, and speaks the same messages.
 */

import { NodeThread } from "./thread.js";

export const STATUS = {
  connecting: "connecting",
  connected: "connected",
  stale: "ended",
  left: "ended",
};
export const FAREWELL: Record<string, string> = {
  stale: "The node of this page has failed; load the page again. The game is kept in this browser.",
};
/** The page is not below a lobby. */
export const base = "";

type Handlers = Record<string, (message: unknown, reason?: string) => void>;

export class Connection {
  readonly #thread = new NodeThread();
  readonly #waiting = new Map<number, (error: string | null) => void>();
  #next = 1;

  constructor(on: Handlers) {
    this.#thread.onFailure = () => on["status"]?.("stale");
    this.#thread.onMessage = (message) => {
      if ("left" in message) {
        location.href = "index.html";
      } else if (message["type"] === "hello") {
        on["status"]?.("connected");
      } else if (message["type"] === "answer") {
        const id = message["id"] as number;
        this.#waiting.get(id)?.(message["error"] as string | null);
        this.#waiting.delete(id);
      } else {
        const shown = message["type"] === "share" ? withAddress(message) : message;
        on[String(message["type"])]?.(shown);
      }
    };
    this.#thread
      .ask({ ask: "table", game: location.hash.slice(1) })
      .catch((error: Error) => on["status"]?.("left", error.message));
  }

  /** Sends a command; resolves to why it was refused, or to null. */
  send(command: object): Promise<string | null> {
    const id = this.#next++;
    this.#thread.send({ ...command, id });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

/** A link needs the page's own address, which the worker does not know. */
function withAddress(message: Record<string, unknown>): Record<string, unknown> {
  const link = new URL(`index.html${String(message["join"])}`, location.href).href;
  return { ...message, join: link, watch: link };
}

// Another game in the same tab is another table.
addEventListener("hashchange", () => location.reload());
