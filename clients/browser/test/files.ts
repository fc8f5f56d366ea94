/** The files of the tests, on this machine. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
// Tests run from build/test.
export const BROWSER = `${HERE}../../`;
const VECTORS = `${BROWSER}../../protocol/vectors/`;

/** The module as `make peer` has built it. */
export function engineBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(`${BROWSER}build/engine.wasm`));
}

// biome-ignore lint/suspicious/noExplicitAny: the vectors have as many shapes as there are files.
export function vectors(name: string): any {
  return JSON.parse(readFileSync(`${VECTORS}${name}.json`, "utf8"));
}
