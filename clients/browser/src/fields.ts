/** The values that messages are made of (SPEC.md, section 6). */

import * as v from "valibot";

const text = (pattern: RegExp) => v.pipe(v.string(), v.regex(pattern));
const integer = (least: number, most: number) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(least), v.maxValue(most));

export const Name = text(/^[a-z0-9][a-z0-9-]{0,31}$/);
export const NodeId = text(/^[a-z2-7]{20}$/);
export const Digest = text(/^[0-9a-f]{64}$/);
export const PublicKey = text(/^[0-9a-f]{64}$/);
export const SignatureHex = text(/^[0-9a-f]{128}$/);
export const Nonce = text(/^[0-9a-f]{32}$/);
export const Version = text(/^[0-9]{1,4}\.[0-9]{1,4}$/);
export const RulesetId = text(/^[a-z0-9-]{1,32}\/[a-z0-9-]{1,32}$/);
export const Code = text(/^[a-z-]{1,24}\/[a-z-]{1,32}$/);
export const Termination = text(/^[a-z-]{1,32}$/);
export const Line = text(/^[ -~]{0,512}$/);
export const ShortLine = text(/^[ -~]{1,64}$/);
export const FieldName = text(/^[a-z_]{1,16}$/);
export const Check = text(/^[0-9a-f]{16}$/);

// No characters that move the cursor, hide, or turn the direction of writing (MP-CODEC-5); and no
// lone surrogates, which are not characters and have no UTF-8.
export const Speech = text(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  /^[^\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{d800}-\u{dfff}\u{e0000}-\u{e0fff}]{1,500}$/u,
);

export const Milliseconds = integer(0, Number.MAX_SAFE_INTEGER);
export const Positive = integer(1, Number.MAX_SAFE_INTEGER);
export const Count = integer(0, 99_999);
export const Ply = integer(1, 99_999);
export const Part = integer(0, 999);
export const EntryIndex = integer(0, 199_999);
export const EvaluationScore = integer(-1_000_000, 1_000_000);
export const MateIn = integer(-99_999, 99_999);
export const Rounds = integer(1, 99);
export const RoundNumber = integer(1, 100);

export const SideName = v.picklist(["first", "second"]);
export const RoleName = v.picklist(["host", "guest"]);
export const ScoreText = v.picklist(["1-0", "0-1", "1/2-1/2", "*"]);
