/** A person's results against the levels of the engine, in the storage of this browser. */

import { keep, kept } from "../../ataxxd_clients/web/static/kept.js";
import { estimateText, type GameResult } from "./strength.js";
import { LADDER, wordsOf } from "./words.js";

const KEY = "ataxxd.levels";

/** A result as it is kept. */
export interface LevelResult extends GameResult {
  /** The ladder that the level is of; see `LADDER`. */
  readonly ladder: number;
  /** When the game ended, in milliseconds since 1970. */
  readonly ended: number;
}

/** The results by game, such as `ataxx`, newest last. */
export type LevelResults = Readonly<Record<string, readonly LevelResult[]>>;

/** The results of this browser. */
export function levelResults(): LevelResults {
  try {
    return JSON.parse(kept(KEY) ?? "{}") as LevelResults;
  } catch {
    // Something else has written to this key.
    return {};
  }
}

/** Keeps the result of a game; returns the new estimate as a sentence, or null. */
export function storeResult(ruleset: string, level: number, halves: number): string | null {
  const { game } = wordsOf(ruleset);
  const result = { ladder: LADDER.number, level, halves, ended: Date.now() };
  mergeResults({ [game]: [result] });
  return strengthText(ruleset);
}

/** Adds results, such as those of a file, to the ones here. */
export function mergeResults(more: LevelResults): void {
  const merged: Record<string, readonly LevelResult[]> = { ...levelResults() };
  for (const [game, results] of Object.entries(more)) {
    const here = merged[game] ?? [];
    const known = new Set(here.map(({ ended }) => ended));
    merged[game] = [...here, ...results.filter(({ ended }) => !known.has(ended))]
      .sort((a, b) => a.ended - b.ended)
      .slice(-LADDER.most_games);
  }
  keep(KEY, JSON.stringify(merged));
}

/** The person's strength in a ruleset's game, as a sentence; null with too few games. */
export function strengthText(ruleset: string): string | null {
  const { game } = wordsOf(ruleset);
  const results = (levelResults()[game] ?? []).filter(({ ladder }) => ladder === LADDER.number);
  return estimateText(game, results);
}
