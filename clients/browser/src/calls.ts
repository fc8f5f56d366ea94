/** Which member of a group takes a call (SPEC.md, section 13.3). */

import { utf8 } from "./bytes.js";
import type { Engine } from "./engine.js";

/** The members in the order of their ranks for a call, the first one first (MP-CALL-1). */
export function rankMembers(engine: Engine, call: string, members: readonly string[]): string[] {
  const place = new Map(
    members.map((member) => [member, engine.sha256(utf8(`${call}\n${member}`))] as const),
  );
  // Hexadecimal text sorts like the bytes.
  return [...members].sort((a, b) => ((place.get(a) ?? "") > (place.get(b) ?? "") ? -1 : 1));
}
