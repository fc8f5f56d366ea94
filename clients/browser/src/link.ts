/** Links: the part of an address behind `#`, which reaches no web server. */

/** A game that a link leads to. */
export interface Invitation {
  readonly name: string;
  readonly host: string;
  /** Of an invitation, where the offer asks for one; else empty. */
  readonly secret: string;
  /** A websocket's address. */
  readonly broker: string;
}

const LINK = /^([a-z0-9][a-z0-9-]{0,31})~([a-z2-7]{20})(?:\.([0-9a-f]{1,64}))?~(.+)$/;

/** `NAME~ID~BROKER`, or `NAME~ID.SECRET~BROKER`. */
export function linkOf({ name, host, secret, broker }: Invitation): string {
  return `${name}~${host}${secret === "" ? "" : `.${secret}`}~${encodeURI(broker)}`;
}

/** Reads a link; null for what is none. */
export function readLink(text: string): Invitation | null {
  const found = LINK.exec(text);
  if (found === null) return null;
  const [, name = "", host = "", secret = "", broker = ""] = found;
  try {
    const address = new URL(decodeURI(broker));
    if (address.protocol !== "ws:" && address.protocol !== "wss:") return null;
    return { name, host, secret, broker: address.href };
  } catch {
    return null;
  }
}
