/** The one byte form of a JSON object (RFC 8785), for the values that the protocol allows. */

import { equal, utf8 } from "./bytes.js";

/** What a payload can hold (MP-CODEC-3). */
export type Json = string | number | readonly Json[] | { readonly [name: string]: Json };

/** The canonical form, as text. Fields that are undefined are left out. */
export function canonical(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`${String(value)} is no value of the protocol`);
  }
  const fields = value as Record<string, unknown>;
  const members = Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`);
  return `{${members.join(",")}}`;
}

/** The canonical form, as it is signed and sent. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8(canonical(value));
}

/** Whether `bytes` are the canonical form of `value`. */
export function isCanonical(bytes: Uint8Array, value: unknown): boolean {
  return equal(bytes, canonicalBytes(value));
}
