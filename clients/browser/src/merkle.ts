/** The hash tree of a log, and its proofs: RFC 9162, sections 2.1.1 to 2.1.4. */

import { concatenate, fromHex } from "./bytes.js";
import type { Engine } from "./engine.js";

/** The hash of an entry. */
export function leafHash(engine: Engine, entry: Uint8Array): string {
  return engine.sha256(concatenate(Uint8Array.of(0), entry));
}

function above(engine: Engine, left: string, right: string): string {
  return engine.sha256(concatenate(Uint8Array.of(1), fromHex(left), fromHex(right)));
}

/** The greatest power of two below a number from 2. */
function split(size: number): number {
  let power = 1;
  while (2 * power < size) power *= 2;
  return power;
}

/** The hash of the tree over leaves; there is at least one. */
export function rootOf(engine: Engine, leaves: readonly string[]): string {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const at = split(leaves.length);
  return above(engine, rootOf(engine, leaves.slice(0, at)), rootOf(engine, leaves.slice(at)));
}

/** The proof that leaf `index` is in the tree (2.1.3.1). */
export function inclusionProof(engine: Engine, leaves: readonly string[], index: number): string[] {
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)];
  return index < at
    ? [...inclusionProof(engine, left, index), rootOf(engine, right)]
    : [...inclusionProof(engine, right, index - at), rootOf(engine, left)];
}

/** Whether a leaf is in the tree of `size` leaves with this root (2.1.3.2). */
export function isIncluded(
  engine: Engine,
  leaf: string,
  index: number,
  size: number,
  path: readonly string[],
  root: string,
): boolean {
  const up = (place: number, width: number, left: readonly string[]): string | null => {
    if (width === 1) return left.length === 0 ? leaf : null;
    const sibling = left.at(-1);
    if (sibling === undefined) return null;
    const at = split(width);
    const below =
      place < at ? up(place, at, left.slice(0, -1)) : up(place - at, width - at, left.slice(0, -1));
    if (below === null) return null;
    return place < at ? above(engine, below, sibling) : above(engine, sibling, below);
  };
  return index < size && up(index, size, path) === root;
}

/** Whether the tree of `size` leaves begins with the `oldSize` leaves of another (2.1.4.2). */
export function isExtended(
  engine: Engine,
  oldSize: number,
  oldRoot: string,
  size: number,
  root: string,
  path: readonly string[],
): boolean {
  if (oldSize < 1 || oldSize > size) return false;
  if (oldSize === size) return path.length === 0 && oldRoot === root;
  const left = [...path];
  /** The roots of the first `old` leaves of `width`, and of all; `whole` is known to be the old tree. */
  const up = (old: number, width: number, whole: boolean): [string, string] | null => {
    if (old === width) {
      const known = whole ? oldRoot : left.shift();
      return known === undefined ? null : [known, known];
    }
    const at = split(width);
    if (old <= at) {
      const below = up(old, at, whole);
      const right = left.shift();
      return below === null || right === undefined
        ? null
        : [below[0], above(engine, below[1], right)];
    }
    const below = up(old - at, width - at, false);
    const before = left.shift();
    return below === null || before === undefined
      ? null
      : [above(engine, before, below[0]), above(engine, before, below[1])];
  };
  const found = up(oldSize, size, true);
  return found !== null && left.length === 0 && found[0] === oldRoot && found[1] === root;
}
