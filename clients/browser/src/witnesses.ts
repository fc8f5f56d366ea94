/** The witnesses' statements on a claim, and the majority's verdict (SPEC.md, section 11.3). */

import { digestOf, isSignedBy } from "./codec.js";
import { type Ledger, other, type Role } from "./ledger.js";
import type { ClaimTerms, StatementMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

// The most statements of a witness: on a claim by each player, one for it and one against it.
const MAX_OF_ONE = 4;
// Network delay allowed to a player and a witness, besides a hundredth: this, but at most a quarter.
const WIRES_MS = 5_000;

/**
 * Keeps what a witness says.
 * @returns Whether it is new.
 * @throws Refusal It is no statement of a witness of this game.
 */
export function addStatement(game: Ledger, statement: StatementMessage): boolean {
  const { engine } = game;
  if (statement.game !== game.game) {
    throw new Refusal("statement/other-game", "it belongs to another game");
  }
  if (game.offer.witnesses?.includes(statement.from) !== true) {
    throw new Refusal("statement/stranger", `${statement.from} is no witness of the game`);
  }
  const { key, from } = statement;
  if (engine.nodeId(key) !== from || !isSignedBy(engine, statement, key)) {
    throw new Refusal("statement/forged", `it is not signed by ${from}`);
  }
  const ofOne = game.statements.filter((each) => each.from === from);
  const digest = digestOf(engine, statement);
  if (ofOne.length >= MAX_OF_ONE || ofOne.some((each) => digestOf(engine, each) === digest)) {
    return false;
  }
  game.statements = [...game.statements, statement];
  return true;
}

/** The digest of the claim that stands; null where none does. */
function claimOf(game: Ledger): string | null {
  if (game.claim === null || game.decision === null) return null;
  const decided = game.line[game.decision.at];
  return decided === undefined ? null : game.digest(decided.message);
}

/** The statements on the claim that stands, each once, in the order of a record (MP-WITNESS-5). */
export function claimStatements(game: Ledger): readonly StatementMessage[] {
  const claim = claimOf(game);
  return mergeStatements([game]).filter((each) => each.claim === claim);
}

/** All that the witnesses say in several records of one game. */
export function mergeStatements(games: readonly Ledger[]): readonly StatementMessage[] {
  const found = new Map<string, StatementMessage>();
  for (const game of games) {
    for (const each of game.statements) found.set(digestOf(game.engine, each), each);
  }
  const ordered = [...found].sort(
    ([digest, one], [otherDigest, another]) =>
      compared(one.from, another.from) ||
      one.silence_ms - another.silence_ms ||
      compared(digest, otherDigest),
  );
  return ordered.map(([, each]) => each);
}

function compared(one: string, another: string): number {
  if (one === another) return 0;
  return one < another ? -1 : 1;
}

/** Whether a silence that a witness heard bears a claim out. */
function isLongEnough({ waited_ms }: ClaimTerms, silenceMs: number): boolean {
  const wires = Math.min(WIRES_MS, Math.floor(waited_ms / 4));
  return silenceMs + Math.floor(waited_ms / 100) + wires >= waited_ms;
}

/** Who is wrong about the claim that stands, by a majority of the witnesses; null without one. */
export function findPlayerAtFault(game: Ledger): Role | null {
  const { claim, decision } = game;
  if (claim === null || decision === null) return null;
  const said = new Map<string, Set<number>>();
  for (const { from, silence_ms } of claimStatements(game)) {
    said.set(from, (said.get(from) ?? new Set()).add(silence_ms));
  }
  const verdicts = [...said.values()]
    .filter((times) => times.size === 1)
    .map((times) => isLongEnough(claim, [...times][0] ?? 0));
  const most = Math.floor((game.offer.witnesses?.length ?? 0) / 2) + 1;
  if (verdicts.filter((each) => !each).length >= most) return decision.by;
  return verdicts.filter((each) => each).length >= most ? other(decision.by) : null;
}
