/** Keeps a connection to a broker: reconnects with increasing delays. */

import { type Connection, ConnectionError } from "./connection.js";

// Milliseconds between two attempts to connect; doubles up to the second.
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 15_000;

/** What `stayConnected` keeps connected. */
export interface Link {
  /** Makes a connection, and says what has to be said on a new one. */
  connect(): Promise<Connection>;
  /** Called with the reason when the connection is lost. */
  lost(why: string): void;
  /** Whether nobody needs a connection any more. */
  done(): boolean;
}

/** Returns when the link is done. Ending the link does not close its connection. */
export async function stayConnected(link: Link): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!link.done()) {
    try {
      const connection = await link.connect();
      pauseMs = FIRST_PAUSE_MS;
      await connection.closed;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (link.done()) return;
      link.lost(error.message);
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
      pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    }
  }
}
