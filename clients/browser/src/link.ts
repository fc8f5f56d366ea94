/** Links: the part of an address behind `#`, which reaches no web server (SPEC.md, section 4.1). */

/** A game that a link leads to. */
export interface Invitation {
  readonly name: string;
  readonly host: string;
  /** The secret of the invitation, where the offer asks for one; else empty. */
  readonly secret: string;
  /** A websocket's address. */
  readonly broker: string;
}

/** The text is not a link: it is broken, or a later version has written it. */
export class LinkError extends Error {
  constructor(readonly reason: "broken" | "version") {
    super(
      reason === "version"
        ? "This link is for a newer version of this page. Load the page again; if that does not help, open the link as it was sent."
        : "This link is broken: ask for it again, and copy all of it.",
    );
  }
}

const MAX_LINK = 500;
const MAX_BROKER = 255;
const PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";
const BROKER = new RegExp(
  `^wss?://(?:[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+\\])(?::(?:${PORT}))?(?:/[A-Za-z0-9._/-]*)?$`,
);
const GAME = /^([a-z0-9][a-z0-9-]{0,31})~([a-z2-7]{20})(?:\.([0-9a-f]{1,64}))?$/;

/** `NAME~ID~BROKER`, or `NAME~ID.SECRET~BROKER`. */
export function linkOf({ name, host, secret, broker }: Invitation): string {
  return `${name}~${host}${secret === "" ? "" : `.${secret}`}~${broker}`;
}

/** Whether an address of a broker can stand in a link. */
export function canBeLinked(broker: string): boolean {
  return broker.length <= MAX_BROKER && BROKER.test(broker);
}

/** Whether the browser forbids this page to use a broker: a page loaded by https needs TLS. */
export function isMixed(broker: string): boolean {
  // Node.js has no location.
  return globalThis.location?.protocol === "https:" && broker.startsWith("ws:");
}

export const MIXED =
  "This page was loaded by https, and browsers let it use a broker with TLS (wss) only. Open the page by http, or choose a broker with wss.";

/** Reads a link's fragment, without its `#`; throws a LinkError. */
export function readLink(fragment: string): Invitation {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which a link is written in.
  const ascii = /^[\x00-\x7f]*$/.test(fragment);
  if (fragment.length > MAX_LINK || !ascii || /%(?![0-7][0-9A-Fa-f])/.test(fragment)) {
    throw new LinkError("broken");
  }
  // Unescape only once: an escaped escape is not an escape.
  const text = decodeURIComponent(fragment);
  if (/^[1-9][0-9]{0,3}!/.test(text)) throw new LinkError("version");
  const [first = "", second = "", broker = ""] = text.split("~");
  const found = GAME.exec(`${first}~${second}`);
  if (found === null || !canBeLinked(broker)) throw new LinkError("broken");
  const [, name = "", host = "", secret = ""] = found;
  return { name, host, secret, broker };
}
