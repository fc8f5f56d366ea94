/** Whether an offer is the next game of the same two players (SPEC.md, section 7.6). */

import { canonical } from "./canonical.js";
import { readOffer } from "./handshake.js";
import { type Ledger, ROLES, type Role } from "./ledger.js";
import type { OfferMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

const SAME = [
  "name",
  "ruleset",
  "start",
  "opening",
  "clock",
  "grace_ms",
  "takebacks",
  "witnesses",
] as const;

/** The player of a game whose offer of a rematch this is; null when it is none (MP-AGAIN-1). */
export function rematchBy(ledger: Ledger, offer: OfferMessage): Role | null {
  const role = ledger.roleOf(offer.host);
  const side = role === null ? null : ledger.sideOf(role);
  if (role === null || side === null || ledger.outcome === null) return null;
  if (offer.rematch_of !== ledger.game || offer.color === side || offer.color === "random") {
    return null;
  }
  const open = offer.access === undefined || isOther(ledger, role, offer.access);
  const terms = (each: OfferMessage): string => canonical(SAME.map((name) => each[name] ?? ""));
  return open && terms(offer) === terms(ledger.offer) ? role : null;
}

/** Whether it is the offer of a rematch by a player, who has signed it. */
export function isOfferOfRematch(ledger: Ledger, offer: OfferMessage, by: Role): boolean {
  try {
    return rematchBy(ledger, offer) === by && readOffer(ledger.engine, offer).length > 0;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function isOther(ledger: Ledger, role: Role, node: string): boolean {
  return ROLES.some((each) => each !== role && ledger.nodeOf(each) === node);
}
