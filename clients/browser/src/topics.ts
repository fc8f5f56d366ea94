/** Where each message goes (SPEC.md, section 4). */

import type { OfferMessage } from "./messages.js";

/** What a topic says: the kind of message, the game it belongs to and its writer. */
export interface Address {
  readonly kind: string;
  /** The game's name; `_` where there is no game; the group's for a call, the event's for an event. */
  readonly name: string;
  readonly host?: string;
  /** The only node that may write here; absent for `who`. */
  readonly writer?: string;
  /** The part of a state, or the round of an event, 0 for the plan. */
  readonly part?: number;
  /** The node that a letter is for. */
  readonly to?: string;
}

const NAME = "[a-z0-9][a-z0-9-]{0,31}";
const NODE = "[a-z2-7]{20}";
const PART = "[1-9][0-9]{0,2}";

type Groups = Record<string, string | undefined>;
const SHAPES: readonly (readonly [RegExp, (found: Groups) => Address])[] = [
  [new RegExp(`^(?<name>${NAME}|_)/who$`), ({ name = "" }) => ({ kind: "who", name })],
  [
    new RegExp(`^_/(?<writer>${NODE})/(?<kind>card|nickname)$`),
    ({ kind = "", writer = "" }) => ({ kind, name: "_", writer }),
  ],
  [
    new RegExp(`^_/(?<writer>${NODE})/(?<kind>post|challenge|decline)/(?<to>${NODE})$`),
    ({ kind = "", writer = "", to = "" }) => ({ kind, name: "_", writer, to }),
  ],
  [
    new RegExp(`^_/(?<writer>${NODE})/call/(?<name>${NAME})$`),
    ({ writer = "", name = "" }) => ({ kind: "call", name, writer }),
  ],
  [
    new RegExp(`^_/(?<host>${NODE})/event/(?<name>${NAME})(?:/(?<part>${PART}))?$`),
    ({ host = "", name = "", part }) => ({
      kind: "event",
      name,
      host,
      writer: host,
      part: Number(part ?? 0),
    }),
  ],
  [
    new RegExp(`^(?<name>${NAME})/(?<host>${NODE})/offer$`),
    ({ name = "", host = "" }) => ({ kind: "offer", name, host, writer: host }),
  ],
  [
    new RegExp(`^(?<name>${NAME})/(?<host>${NODE})/state(?:/(?<part>${PART}))?$`),
    ({ name = "", host = "", part }) => ({
      kind: "state",
      name,
      host,
      writer: host,
      part: Number(part ?? 0),
    }),
  ],
  [
    new RegExp(
      `^(?<name>${NAME})/(?<host>${NODE})/(?<writer>${NODE})/(?<kind>out|unread|talk|status|statement)$`,
    ),
    ({ kind = "", name = "", host = "", writer = "" }) => ({ kind, name, host, writer }),
  ],
];

/** The topics below one root, `{root}/1/…`. */
export class Topics {
  readonly base: string;

  constructor(root = "ataxxd") {
    this.base = `${root}/1`;
  }

  /** Retained: the signed offer; `+` is allowed for either argument. */
  offer(name: string, host: string): string {
    return `${this.base}/${name}/${host}/offer`;
  }

  /** Retained: a part of the record; `+` stands for every part but 0. */
  state(name: string, host: string, part: number | "+" = 0): string {
    return `${this.base}/${name}/${host}/state${part === 0 ? "" : `/${part}`}`;
  }

  /** The outgoing mailbox of a node in a game; `+` for everybody's. */
  out(name: string, host: string, node: string): string {
    return `${this.base}/${name}/${host}/${node}/out`;
  }

  /** Retained: what a node has said in a game while the other player was away (MP-AWAY-1). */
  unread(name: string, host: string, node: string): string {
    return `${this.base}/${name}/${host}/${node}/unread`;
  }

  /** Presence of a node in a game, and the topic of its will. */
  status(name: string, host: string, node: string): string {
    return `${this.base}/${name}/${host}/${node}/status`;
  }

  /** The topics of the statements of a game's witnesses (MP-WITNESS-4). */
  statements({ name, host, witnesses = [] }: OfferMessage): string[] {
    return witnesses.map((witness) => this.statement(name, host, witness));
  }

  /** Retained: the statement of a node, a witness of a game, about a claim. */
  statement(name: string, host: string, node: string): string {
    return `${this.base}/${name}/${host}/${node}/statement`;
  }

  /** Retained: what a node calls itself. */
  nickname(node: string): string {
    return `${this.base}/_/${node}/nickname`;
  }

  /** What a spectator says about a game; `+` for everybody. */
  talk(name: string, host: string, node: string): string {
    return `${this.base}/${name}/${host}/${node}/talk`;
  }

  /** Asks who hosts a name; without one, who hosts anything. */
  who(name = "_"): string {
    return `${this.base}/${name}/who`;
  }

  /** Reads a topic back; null for one that is not of this protocol (MP-TOPIC-1). */
  parse(topic: string): Address | null {
    if (!topic.startsWith(`${this.base}/`)) return null;
    const rest = topic.slice(this.base.length + 1);
    for (const [shape, address] of SHAPES) {
      const found = shape.exec(rest)?.groups;
      if (found !== undefined) return address(found);
    }
    return null;
  }
}
