/** Whether an offer and a join fit each other and this node, before any play (section 7.3). */

import { concatenate, fromHex, utf8 } from "./bytes.js";
import { digestOf, isSignedBy } from "./codec.js";
import { type Engine, type Position, RulesError, type Side } from "./engine.js";
import type { JoinMessage, OfferMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

/** The version that this node speaks. */
export const PROTOCOL_VERSION = "1.2";
/** The versions whose games it can judge. */
export const KNOWN_VERSIONS: readonly string[] = ["1.0", "1.1", PROTOCOL_VERSION];

/** The milliseconds of a player's first move that do not count on its clock (MP-TIME-4). */
export function freeFirstMs(version: string): number {
  return minor(version) >= 1 ? 30_000 : 0;
}

/** Whether answers to claims have a `since_ms` (MP-CLAIM-7). */
export function hasSinceInAnswers(version: string): boolean {
  return minor(version) >= 2;
}

/** Whether a sync may have a nonce, or an echo (MP-SYNC-11). */
export function allowsSyncEchoes(version: string): boolean {
  return minor(version) >= 2;
}

/** Whether an offer may name witnesses (MP-WITNESS-1). */
function knowsWitnesses(version: string): boolean {
  return minor(version) >= 2;
}

function minor(version: string): number {
  return Number(version.split(".")[1]);
}

/**
 * The positions that an offer's game begins with: the start, and one after each move of its opening.
 * @throws Refusal The offer is forged, or cannot be judged here.
 */
export function readOffer(engine: Engine, offer: OfferMessage): Position[] {
  if (engine.nodeId(offer.key) !== offer.host || !isSignedBy(engine, offer, offer.key)) {
    throw new Refusal("offer/forged", `the offer is not by ${offer.host}`);
  }
  if (!KNOWN_VERSIONS.includes(offer.v)) {
    throw new Refusal(
      "handshake/version",
      `the host speaks protocol ${offer.v}, this node ${PROTOCOL_VERSION}`,
    );
  }
  if (offer.witnesses !== undefined && !knowsWitnesses(offer.v)) {
    throw new Refusal("offer/version", `an offer of protocol ${offer.v} names no witnesses`);
  }
  const positions = [startOf(engine, offer)];
  for (const move of offer.opening ?? []) {
    try {
      positions.push(engine.play(positions.at(-1) as Position, move));
    } catch (error) {
      throw refused(error, "handshake/opening");
    }
  }
  const last = positions.at(-1) as Position;
  if (engine.positionDigest(last) !== offer.start_hash) {
    throw new Refusal("handshake/start", "the host's start position reads differently here");
  }
  if (last.outcome !== null) {
    throw new Refusal("handshake/start", "the offered position is over already");
  }
  return positions;
}

function startOf(engine: Engine, offer: OfferMessage): Position {
  let start: Position;
  try {
    start = engine.position(offer.ruleset, offer.start);
  } catch (error) {
    throw refused(error, "handshake/ruleset");
  }
  if (start.text !== offer.start) {
    throw new Refusal("handshake/start", "the text of the start position is not canonical");
  }
  return start;
}

function refused(error: unknown, code: string): unknown {
  return error instanceof RulesError ? new Refusal(code, error.message) : error;
}

/**
 * Checks all of a join except its signature, which a record need not have.
 * @throws Refusal It does not fit the offer.
 */
export function checkJoinFits(engine: Engine, offer: OfferMessage, join: JoinMessage): void {
  if (engine.nodeId(join.key) !== join.from) {
    throw new Refusal("join/forged", `the key of the join is not that of ${join.from}`);
  }
  if (join.from === offer.host) {
    throw new Refusal("join/self", "a node cannot join its own game");
  }
  if (offer.access !== undefined && offer.access !== "invited" && offer.access !== join.from) {
    throw new Refusal("seat/reserved", `the seat is kept for ${offer.access}`);
  }
  if (offer.witnesses?.includes(join.from) === true) {
    throw new Refusal("seat/reserved", "a witness of the game cannot play it");
  }
  if (join.v !== offer.v) {
    throw new Refusal(
      "handshake/version",
      `the guest speaks protocol ${join.v}, the offer ${offer.v}`,
    );
  }
  if (join.ruleset !== offer.ruleset) {
    throw new Refusal("handshake/ruleset", `the guest would play ${join.ruleset}`);
  }
  if (join.start_hash !== offer.start_hash) {
    throw new Refusal("handshake/start", "the guest reads the start position differently");
  }
}

/** The ticket, which shows that a guest was invited (MP-HAND-13). */
export function makeTicket(
  engine: Engine,
  secret: string,
  game: string,
  guest: string,
  nonce: string,
): string {
  return engine.hmac(utf8(secret), utf8(`${game}\n${guest}\n${nonce}`));
}

/** Whether a join may have the seat as far as invitations go, which only the host can tell. */
export function isInvited(
  engine: Engine,
  offer: OfferMessage,
  join: JoinMessage,
  secret: string,
): boolean {
  if (offer.access !== "invited") return true;
  return join.ticket === makeTicket(engine, secret, digestOf(engine, offer), join.from, join.nonce);
}

/** The side that the host must take (MP-HAND-8). */
export function hostSide(
  engine: Engine,
  color: OfferMessage["color"],
  secret: string,
  nonce: string,
): Side {
  if (color !== "random") return color;
  const toss = engine.sha256(concatenate(fromHex(secret), fromHex(nonce)));
  return Number.parseInt(toss.slice(0, 2), 16) % 2 === 0 ? "first" : "second";
}

/** The `commit` of an offer to a secret. */
export function makeCommitment(engine: Engine, secret: string): string {
  return engine.sha256(fromHex(secret));
}
