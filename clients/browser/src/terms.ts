/** What an offer says of the game, in words. */

import type { ClockTerms, OfferMessage } from "./messages.js";
import { wordsOf } from "./words.js";

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A length of time in the largest units that fit, as the program writes it: `1h 30m`. */
export function durationText(milliseconds: number): string {
  const parts: string[] = [];
  let rest = milliseconds;
  for (const [unit, size] of Object.entries(UNITS_MS)) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join(" ") || "0s";
}

function clockText({ base_ms: base, increment_ms: increment, move_ms: move }: ClockTerms): string {
  if (base === undefined) return `${durationText(move ?? 0)} for each move`;
  const added = increment ? ` and ${durationText(increment)} a move` : "";
  return `${durationText(base)} each${added}`;
}

/** The guest's side and the clock, as a sentence. */
export function termsText({ ruleset, color, clock }: OfferMessage): string {
  const [first, second] = wordsOf(ruleset).sides;
  const side =
    color === "random"
      ? "Chance decides who begins"
      : color === "first"
        ? `You play ${second}, and your opponent begins`
        : `You play ${first}, and begin`;
  return `${side}; ${clock === undefined ? "no clock" : clockText(clock)}.`;
}
