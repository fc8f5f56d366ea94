/** What the tests share: the module, the vectors. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Engine } from "../src/engine.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
// Tests run from build/test.
const BROWSER = `${HERE}../../`;
const VECTORS = `${BROWSER}../../protocol/vectors/`;

/** The module as `make peer` has built it. */
export async function loadEngine(): Promise<Engine> {
  return Engine.load(readFileSync(`${BROWSER}build/engine.wasm`));
}

// biome-ignore lint/suspicious/noExplicitAny: the vectors have as many shapes as there are files.
export function vectors(name: string): any {
  return JSON.parse(readFileSync(`${VECTORS}${name}.json`, "utf8"));
}
