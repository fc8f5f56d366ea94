/** The witnesses' statements get into the record of every player or spectator that receives them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8 } from "../src/bytes.js";
import { canonical } from "../src/canonical.js";
import { decode } from "../src/codec.js";
import { countPointsOfAll } from "../src/points.js";
import { dumpRecord, verifyRecord } from "../src/record.js";
import { SpectatorSession } from "../src/spectator.js";
import { Topics } from "../src/topics.js";
import { vectors } from "./files.js";
import { loadEngine } from "./support.js";

const engine = await loadEngine();
const told = vectors("counts").find(({ name }: { name: string }) =>
  name.startsWith("most witnesses heard no such silence"),
);
const [whole = ""] = told.records as string[];
const { statements, ...bare } = JSON.parse(whole);

test("MP-WITNESS-4, MP-WITNESS-5: a spectator keeps each statement once, in the record's order", () => {
  const watching = new SpectatorSession(verifyRecord(engine, utf8(`${canonical(bare)}\n`)));
  assert.deepEqual(countPointsOfAll([watching.ledger]), { first: 1, second: 0 });
  for (const statement of [...statements, ...statements].reverse()) {
    assert.deepEqual(watching.receive(decode(utf8(canonical(statement)))), []);
  }
  assert.equal(new TextDecoder().decode(dumpRecord(watching.ledger)), whole);
  assert.deepEqual(countPointsOfAll([watching.ledger]), { first: 0, second: 1 });
});

test("MP-WITNESS-5: what is no statement of a witness of the game is ignored", () => {
  const watching = new SpectatorSession(verifyRecord(engine, utf8(`${canonical(bare)}\n`)));
  const [first, second] = statements;
  for (const wrong of [
    { ...first, game: "0".repeat(64) },
    { ...first, silence_ms: 1 },
    { ...first, sig: second.sig },
    { ...first, from: second.from },
  ]) {
    watching.receive(decode(utf8(canonical(wrong))));
  }
  assert.equal(watching.ledger.statements.length, 0);
});

test("MP-WITNESS-4: where the witnesses of a game speak", () => {
  const { offer } = verifyRecord(engine, utf8(whole));
  const topics = new Topics();
  const addresses = topics.statements(offer).map((topic) => topics.parse(topic));
  assert.deepEqual(
    addresses.map((address) => [address?.kind, address?.writer]),
    offer.witnesses?.map((witness) => ["statement", witness]),
  );
});
