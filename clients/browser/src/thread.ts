/** The page's side of its node, which runs in a worker. */

import type { StorageError } from "./journal.js";
import { compileModule } from "./wasm.js";
import type { Request } from "./worker.js";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The node could not do something; the text says why. */
export class NodeError extends Error {
  /** @param reason Why something cannot be stored, if that is what went wrong. */
  constructor(
    text: string,
    readonly reason: StorageError["reason"] | null = null,
  ) {
    super(text);
  }
}

/** Starts the node; requests are answered, and whatever else it says goes to `onMessage`. */
export class NodeThread {
  readonly #worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  /** Why the module of the rules could not be loaded; nothing is answered without it. */
  #missing: string | null = null;
  /** Called with each message of the table. */
  onMessage: (message: Record<string, unknown>) => void = () => {};
  /** Called when the node has failed. */
  onFailure: (text: string) => void = () => {};

  constructor() {
    this.#worker.onmessage = ({ data }) => {
      const waiting = this.#waiting.get(data.number);
      if (waiting === undefined) {
        this.onMessage(data);
        return;
      }
      this.#waiting.delete(data.number);
      if ("error" in data) waiting.reject(new NodeError(data.error, data.reason));
      else waiting.resolve(data.result);
    };
    this.#worker.onerror = ({ message }) => this.#fail(message);
    // The page loads the rules while the worker's script is still being loaded.
    compileModule(new URL("engine.wasm.gzip", document.baseURI)).then(
      (engine) => this.#worker.postMessage({ engine }),
      (error) => {
        this.#missing = String(error.message);
        this.#fail(this.#missing);
      },
    );
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new NodeError(message));
    this.#waiting.clear();
    this.onFailure(message);
  }

  /** Asks the node for something. */
  ask(request: Request): Promise<unknown> {
    if (this.#missing !== null) return Promise.reject(new NodeError(this.#missing));
    this.#number += 1;
    const number = this.#number;
    this.#worker.postMessage({ request, number });
    return new Promise((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
  }

  /** Sends a command of the table. */
  send(command: object): void {
    this.#worker.postMessage({ command });
  }
}
