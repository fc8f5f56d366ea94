/** What the tests share: the module, loaded, and where a game stands. */

import { Engine } from "../src/engine.js";
import type { Ledger } from "../src/ledger.js";
import { engineBytes } from "./files.js";

/** The module as `make peer` has built it. */
export async function loadEngine(): Promise<Engine> {
  return Engine.load(await WebAssembly.compile(engineBytes()));
}

/** Where the game of a ledger stands, in the words of the vectors. */
export function standsAt(ledger: Ledger): Record<string, unknown> {
  const made: Record<string, unknown> = {
    phase: ledger.phase,
    position: ledger.position.text,
    entries: ledger.line.length,
  };
  if (ledger.onTurn !== null) made["on_turn"] = ledger.onTurn;
  if (ledger.outcome !== null) {
    made["score"] = ledger.outcome.score;
    made["termination"] = ledger.outcome.termination;
  }
  if (ledger.fault !== null) made["fault"] = { by: ledger.fault.role, code: ledger.fault.code };
  if (ledger.falseScores.length > 0) made["disputed"] = 1;
  if (ledger.contested) made["contested"] = 1;
  return made;
}
