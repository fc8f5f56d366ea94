/**
 * Estimates strengths: a list of games and results as JSON on the standard input, a list of
 * sentences on the standard output, null where there is none.
 */

import { readFileSync } from "node:fs";
import { estimateText, type GameResult } from "../src/strength.js";

interface Played {
  readonly game: string;
  readonly results: readonly GameResult[];
}

const played: Played[] = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(played.map((each) => estimateText(each.game, each.results))));
