/** The page's side of the engine, which searches in a worker. */

import { type Found, type Question, searchObstacle } from "./search.js";

/** The engine cannot be asked; the text says why. */
export class SearchError extends Error {}

interface Waiting {
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: Error) => void;
}

/** Asks the engine; the worker is started by the first question. */
export class SearchThread {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  /**
   * What the engine finds; null if {@link drop} was called meanwhile.
   * @throws SearchError The engine cannot be loaded.
   */
  ask(question: Question): Promise<Found | null> {
    const why = searchObstacle();
    if (why !== null) return Promise.reject(new SearchError(why));
    const worker = this.#started();
    this.#number += 1;
    const number = this.#number;
    worker.postMessage({ number, question });
    return new Promise((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
  }

  /** Ends all searches: only ending the thread stops one. */
  drop(): void {
    if (this.#waiting.size > 0) this.#end(({ resolve }) => resolve(null));
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL("search_worker.js", document.baseURI), { type: "module" });
    worker.onmessage = ({ data }) => {
      const waiting = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if ("found" in data) waiting?.resolve(data.found);
      else waiting?.reject(new SearchError(`The engine cannot be loaded: ${data.error}`));
    };
    worker.onerror = ({ message }) => {
      const error = new SearchError(`The engine has failed: ${message}`);
      this.#end(({ reject }) => reject(error));
    };
    this.#worker = worker;
    return worker;
  }

  #end(tell: (waiting: Waiting) => void): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const waiting of this.#waiting.values()) tell(waiting);
    this.#waiting.clear();
  }
}
