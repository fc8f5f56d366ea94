/** The points that a game counts, for ratings and events (SPEC.md, section 11.1). */

import { type Ledger as Game, Ledger, other, ROLES, type Role } from "./ledger.js";
import type { LogMessage } from "./messages.js";
import { Refusal } from "./refusal.js";
import { findPlayerAtFault, mergeStatements } from "./witnesses.js";

/** The points of a game for the player who moved first and for the other: 0, 1/2 or 1 each. */
export interface Count {
  readonly first: 0 | 0.5 | 1;
  readonly second: 0 | 0.5 | 1;
}

/** The points of a game by one record of it; null if it does not count. */
function countPoints(game: Game): Count | null {
  if (game.outcome === null || game.outcome.score === "*") return null;
  const wrong = findPlayerAtFault(game);
  if (wrong !== null) return lostBy(game, wrong);
  if (game.claim !== null && isDenied(game)) return { first: 0, second: 0 };
  return COUNTS[game.outcome.score];
}

const COUNTS = {
  "1-0": { first: 1, second: 0 },
  "0-1": { first: 0, second: 1 },
  "1/2-1/2": { first: 0.5, second: 0.5 },
} as const;

function lostBy(game: Game, role: Role): Count {
  return game.sideOf(role) === "first" ? COUNTS["0-1"] : COUNTS["1-0"];
}

/** Whether the accused contradicts the claim, by its times or by having answered (MP-COUNT-3). */
function isDenied(game: Game): boolean {
  if (game.contested) return true;
  const { decision } = game;
  if (decision === null || game.phase === "closed") return false;
  return game.line.slice(decision.at).some((each) => each.by !== decision.by);
}

/** The points of a game by one or more records of it with the same players (MP-COUNT-4). */
export function countPointsOfAll(records: readonly Game[]): Count | null {
  const begun = records.filter((game) => game.hostSide !== null);
  // The others only have a join, which proves nothing and names no sides.
  const games = begun.length > 0 ? begun : records;
  const [one] = games;
  if (one === undefined) return null;
  const cheats = ROLES.filter((role) => dealsDouble(games, role));
  const [cheat] = cheats;
  if (cheats.length === 2) {
    const counts = games.map(countPoints);
    return counts.every((count) => isSame(count, counts[0] ?? null)) ? (counts[0] ?? null) : null;
  }
  if (cheat !== undefined) {
    return lostBy(one, cheat);
  }
  return countPoints(merged(one, games));
}

function isSame(one: Count | null, another: Count | null): boolean {
  return one?.first === another?.first && one?.second === another?.second;
}

function longestLog(games: readonly Game[], role: Role): readonly LogMessage[] {
  return games
    .map((game) => game.log(role))
    .reduce((longest, log) => (log.length > longest.length ? log : longest), []);
}

/**
 * Whether a player has signed different messages with one number in two records; joins apart, as a
 * guest that has lost its state may join again (MP-FAULT-4).
 */
function dealsDouble(games: readonly Game[], role: Role): boolean {
  const longest = longestLog(games, role);
  return games.some((game) =>
    game.log(role).some((message, n) => {
      const held = longest[n];
      if (held === undefined || message.type === "join") return false;
      return game.digest(held) !== game.digest(message);
    }),
  );
}

/** One game with everything that its records have. */
function merged(one: Game, games: readonly Game[]): Game {
  const whole = new Ledger(one.engine, one.offer);
  whole.statements = mergeStatements(games);
  const takeNext = (role: Role): boolean => {
    const message = longestLog(games, role)[whole.log(role).length];
    if (message === undefined) return false;
    try {
      whole.accept(role, message);
      return true;
    } catch (error) {
      // It depends on a message that comes later, or does not count.
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
  while (takeNext("host") || takeNext(other("host"))) {
    // One message at a time, of whichever player can write next.
  }
  return whole;
}
