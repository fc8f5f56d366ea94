// The websocket to the table: commands out, messages in, and a way back when it is lost.

const VERSION = 1;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 4000;
const LEFT = 1001;
const FULL = 1013;

/** What is shown of the connection. */
export const STATUS = {
  connecting: "connecting",
  connected: "connected",
  reconnecting: "connection lost, trying again",
  silent: "the program does not answer",
  full: "too many pages",
  stale: "ended",
  left: "ended",
  outdated: "old page",
};

/** What a person should know about a lost connection. */
export const FAREWELL = {
  silent:
    "The program does not answer; it has ended, unless it comes back in a moment. " +
    "A game with somebody else is kept: continue it with ataxxd resume or ataxxd lobby, by the link that it writes.",
  full: "This table has as many pages as it can. Close another one; this page then continues by itself.",
  stale: "This page belongs to a program that has ended. Start it again and open the link it writes.",
  outdated: "The program is newer than this page. Load the page again.",
};

/** The states after which this page shows nothing new, for good. */
export const ENDED = ["stale", "outdated"];

/** Where the table of this page is: in a lobby, which has several, below its own address. */
export const base = location.pathname === "/" ? "" : location.pathname;

/** What is left to do once the table has ended. */
export const AFTERWARDS = base ? "Your other tables are in the lobby." : "This tab can be closed.";

/** The attributes of the link that saves the game in a notation. */
export const fileLink = (name) => ({ href: `${base}/export/${name}`, download: "" });

/** The question before a person leaves a game that is not over. */
export const LEAVING = base ? "Leave the table? The game is kept." : "Leave the table? The program will end.";

/** Opens a study of a game that is over; null, because here the program does that. */
export const openStudy = null;

export class Connection {
  #socket = null;
  #wait = FIRST_WAIT_MS;
  #next = 1;
  #waiting = new Map();
  #status = null;

  /** `on` has the functions share, waiting, state, told and status. */
  constructor(on, path = base === "" ? "/table" : `${base}/socket`) {
    this.on = on;
    this.path = path;
    this.#open();
  }

  /** Sends a command; resolves to why it was refused, or to null. */
  send(command) {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      return Promise.resolve("There is no connection to the table at the moment; the page keeps trying.");
    }
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ ...command, id }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Reports a new status; reporting the same again would wipe out the answer to a click meanwhile. */
  #tell(status, reason = "") {
    if (status === this.#status) return;
    this.#status = status;
    this.on.status(status, reason);
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.#socket = socket;
    socket.onmessage = (event) => this.#take(JSON.parse(event.data));
    socket.onclose = (event) => this.#lost(event);
  }

  #take(message) {
    if (message.type === "hello") {
      this.#wait = FIRST_WAIT_MS;
      const current = message.version === VERSION;
      this.#tell(current ? "connected" : "outdated");
    } else if (message.type === "answer") {
      this.#waiting.get(message.id)?.(message.error);
      this.#waiting.delete(message.id);
    } else {
      this.on[message.type]?.(message);
    }
  }

  async #lost(event) {
    for (const resolve of this.#waiting.values()) {
      resolve("The connection was lost; the board will show whether this came through.");
    }
    this.#waiting.clear();
    if (event.code === LEFT) {
      this.#tell("left", event.reason);
      return;
    }
    this.#tell(event.code === FULL ? "full" : "reconnecting");
    while ((await this.#answer()) === "silent") this.#tell("silent");
    this.#open();
  }

  /** Waits a while, then asks whether this browser is let in; ends for good when it is not. */
  async #answer() {
    await new Promise((resolve) => setTimeout(resolve, this.#wait));
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
    try {
      if ((await fetch("/session")).status !== 403) return "admitted";
    } catch {
      return "silent";
    }
    this.#tell("stale");
    return new Promise(() => {});
  }
}
