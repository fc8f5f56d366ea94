/**
 * Answers questions: a list of them as JSON on the standard input, the answers on the standard
 * output, each with the milliseconds that it took.
 */

import { readFileSync } from "node:fs";
import { type Question, Search } from "../src/search.js";
import { BROWSER } from "./files.js";

const questions: Question[] = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
// As at a table, each game's engine is kept: the browser improves its code the more it runs.
const engines = new Map<string, Search>();
for (const question of questions) {
  const [game = ""] = question.ruleset.split("/");
  let search = engines.get(game);
  if (search === undefined) {
    const wasm = readFileSync(`${BROWSER}build/search-${game}.wasm`);
    search = await Search.load(await WebAssembly.compile(wasm));
    engines.set(game, search);
  }
  // The first search loads and compiles code, which must not count.
  search.search({ ...question, limits: { nodes: 20_000 } });
  const began = performance.now();
  const found = search.search(question);
  answers.push({ ...found, tookMs: performance.now() - began });
}
process.stdout.write(JSON.stringify(answers));
