/**
 * Answers questions: a list of them as JSON on the standard input, the answers on the standard
 * output, each with the milliseconds that it took.
 */

import { readFileSync } from "node:fs";
import { type Question, Search } from "../src/search.js";
import { BROWSER } from "./files.js";

const questions: Question[] = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const question of questions) {
  const [game] = question.ruleset.split("/");
  const wasm = readFileSync(`${BROWSER}build/search-${game}.wasm`);
  const search = await Search.load(await WebAssembly.compile(wasm));
  // What is loaded and compiled by the first search is no part of its time.
  search.search({ ...question, limits: { nodes: 20_000 } });
  const began = performance.now();
  const found = search.search(question);
  answers.push({ ...found, tookMs: performance.now() - began });
}
process.stdout.write(JSON.stringify(answers));
