/** How a node is shown: its nickname, always with the beginning of its id. */

// What our own sentences call the players: as a nickname it would only mislead.
const RESERVED = new Set(
  "unnamed anonymous nobody you me opponent computer machine engine auto human player host guest spectator ataxxd".split(
    " ",
  ),
);
// Characters, and pairs of them, that are taken for each other in one typeface or another.
const ALIKE: Readonly<Record<string, string>> = { 0: "o", 1: "l", i: "l", 5: "s", 2: "z", 8: "b" };
const PAIRS = [
  ["-", ""],
  ["rn", "m"],
  ["vv", "w"],
  ["cl", "d"],
] as const;

/** A node's id in groups of four. */
export function grouped(node: string): string {
  return (node.match(/.{1,4}/g) ?? []).join("-");
}

/**
 * A node as people read it: `ana (k7fq-3xa2)`.
 * @param newKey Another node has been known by this nickname, or one that looks like it.
 * @param whole Show all of the id.
 */
export function playerName(
  node: string,
  nickname: string | null,
  newKey = false,
  whole = false,
): string {
  const text = whole ? grouped(node) : grouped(node).slice(0, 9);
  const named = nickname === null || RESERVED.has(nickname) ? "unnamed" : nickname;
  return `${named} (${text}${newKey ? ", new key" : ""})`;
}

/** A nickname as a person wrote it, in small letters; null when it can be none. */
export function parseNickname(text: string): string | null {
  const name = text.trim().toLowerCase();
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(name) && !RESERVED.has(name) ? name : null;
}

/** What a nickname looks like: the same for all that are taken for each other. */
export function lookalikeKey(nickname: string): string {
  let seen = nickname.replace(/[01i528]/g, (letter) => ALIKE[letter] ?? letter);
  for (const [pair, one] of PAIRS) seen = seen.replaceAll(pair, one);
  return seen;
}
