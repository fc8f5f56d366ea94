/** What is said about a claim when connections are lost; as in tests/unit/test_stopwatch.py. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Stopwatch } from "../src/stopwatch.js";

/** A game in which we were asked, have answered after a second and been away for ten minutes. */
function away(silentMs?: number, delivered?: number): number {
  let now = 0;
  const watch = new Stopwatch({ steadyMs: () => now, wallMs: () => now });
  watch.connected();
  now += 1_000_000;
  watch.turned(true);
  watch.turned(false);
  now += 1_000;
  watch.turned(true);
  now += 100_000;
  watch.disconnected(silentMs, delivered);
  now += 600_000;
  watch.connected();
  return watch.times(0, 0).hadMs;
}

test("a lost connection may have been dead for a while", () => {
  assert.equal(away(), 1_000 + 30_000 + 600_000);
});

test("it was there when the broker last spoke", () => {
  assert.equal(away(2_000), 1_000 + 2_000 + 600_000);
});

test("an answer that the broker has was not lost", () => {
  assert.equal(away(2_000, 2), 1_000);
  assert.equal(away(2_000, 1), 1_000 + 2_000 + 600_000);
});
