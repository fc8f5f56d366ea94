/** A person's strength, estimated as the program does it: see `ataxxd.node.level_games`. */

import { LADDER, LEVEL_NUMBERS } from "./words.js";

const LOWEST = 1;
const HIGHEST = LEVEL_NUMBERS.length;

/** The result of a game against a level. */
export interface GameResult {
  readonly level: number;
  /** Half points for the person: 0, 1 or 2. */
  readonly halves: number;
}

/** The strength that results show, newest last, as a sentence; null with too few. */
export function estimateText(game: string, results: readonly GameResult[]): string | null {
  const newest = results.slice(-LADDER.most_games);
  const steps = (LADDER.steps as Readonly<Record<string, readonly number[]>>)[game];
  if (steps === undefined || newest.length < LADDER.fewest_games) return null;
  // The Elo ratings of level 1, 2, and so on.
  const ladder = [0];
  for (const step of steps) ladder.push((ladder.at(-1) ?? 0) + step);
  const top = (ladder.at(-1) ?? 0) + LADDER.grid_margin;
  const grid: number[] = [];
  for (let elo = -LADDER.grid_margin; elo <= top; elo += LADDER.grid_step) grid.push(elo);
  const logs = grid.map((elo) => logPosterior(elo, ladder, newest));
  const best = Math.max(...logs);
  const sums: number[] = [];
  for (const each of logs) sums.push((sums.at(-1) ?? 0) + Math.exp(each - best));
  const levelAt = (share: number) => {
    const reached = share * (sums.at(-1) ?? 0);
    return nearest(grid[sums.findIndex((sum) => sum >= reached)] ?? top, ladder);
  };
  const level = levelAt(0.5);
  const [low, high] = [levelAt(LADDER.tail), levelAt(1 - LADDER.tail)];
  const next = Math.min(Math.max(level, LOWEST), HIGHEST);
  const about =
    level < LOWEST
      ? `below level ${LOWEST}`
      : level > HIGHEST
        ? `above level ${HIGHEST}`
        : `about level ${level}`;
  const strength = `${about}${rangeText(low, high)}, from ${newest.length} games`;
  return `Your strength, an estimate: ${strength}. Next, play level ${next}.`;
}

function rangeText(low: number, high: number): string {
  if (low === high || (low < LOWEST && high > HIGHEST)) return "";
  if (high > HIGHEST) return ` (at least ${low})`;
  if (low < LOWEST) return ` (at most ${high})`;
  return ` (between ${low} and ${high})`;
}

function logPosterior(
  elo: number,
  ladder: readonly number[],
  results: readonly GameResult[],
): number {
  const ratingOf = (level: number) => ladder[level - 1] ?? 0;
  const far = (elo - ratingOf(LADDER.prior_level)) / LADDER.prior_deviation;
  let total = (-far * far) / 2;
  for (const { level, halves } of results) {
    const ahead = ((elo - ratingOf(level)) * Math.LN10) / 400;
    // The logarithms of the person's expected score, and of the level's.
    const [won, lost] = [-Math.log1p(Math.exp(-ahead)), -Math.log1p(Math.exp(ahead))];
    total += (halves * won + (2 - halves) * lost) / 2;
  }
  return total;
}

/** The level nearest to a strength; outside of the levels if that is over half a step off. */
function nearest(elo: number, ladder: readonly number[]): number {
  const [first = 0, second = 0] = ladder;
  const [beforeLast = 0, last = 0] = ladder.slice(-2);
  if (elo < first - (second - first) / 2) return LOWEST - 1;
  if (elo > last + (last - beforeLast) / 2) return HIGHEST + 1;
  const distances = ladder.map((each) => Math.abs(each - elo));
  return LOWEST + distances.indexOf(Math.min(...distances));
}
