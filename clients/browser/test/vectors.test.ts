/** Every vector holds, here as in the other implementation. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fromHex, hex, utf8 } from "../src/bytes.js";
import { rankMembers } from "../src/calls.js";
import { canonical } from "../src/canonical.js";
import { ClubLog, ClubLogError, verifyProof } from "../src/club.js";
import {
  decode,
  decodeRecord,
  digestOf,
  encode,
  MalformedMessage,
  signedBytes,
} from "../src/codec.js";
import { type PlanMessage, type RoundMessage, Tournament } from "../src/event.js";
import { hostSide, makeCommitment } from "../src/handshake.js";
import { judge } from "../src/judge.js";
import { Ledger } from "../src/ledger.js";
import { linkOf, readLink } from "../src/link.js";
import { isExtended } from "../src/merkle.js";
import type { OfferMessage, SignedMessage } from "../src/messages.js";
import { countPointsOfAll } from "../src/points.js";
import { dumpRecord, RecordError, standingOf, verifyRecord } from "../src/record.js";
import { Refusal } from "../src/refusal.js";
import { Topics } from "../src/topics.js";
import { vectors } from "./files.js";
import { loadEngine, standsAt } from "./support.js";

const engine = await loadEngine();
/** How many vectors of each file were tried. */
export const counted = new Map<string, number>();
const count = (file: string) => counted.set(file, (counted.get(file) ?? 0) + 1);
after(() => console.log("vectors:", Object.fromEntries(counted)));

test("MP-CODEC-1: canonical forms", () => {
  for (const { name, json, canonical: expected } of vectors("canonical").valid) {
    assert.equal(canonical(JSON.parse(json)), expected, name);
    count("canonical");
  }
});

test("MP-CODEC-1, MP-CODEC-3: what is not canonical is malformed", () => {
  for (const { reason, hex: bytes } of vectors("canonical").invalid) {
    assert.throws(() => decode(fromHex(bytes)), MalformedMessage, reason);
    count("canonical");
  }
});

test("MP-CODEC-4: messages of every type", () => {
  for (const payload of vectors("messages").valid) {
    assert.equal(new TextDecoder().decode(encode(decode(utf8(payload)))), payload);
    count("messages");
  }
});

test("MP-CODEC-4, MP-CODEC-5: spoilt messages are malformed", () => {
  for (const { type, reason, payload } of vectors("messages").invalid) {
    assert.throws(() => decode(utf8(payload)), MalformedMessage, `${type}: ${reason}`);
    count("messages");
  }
});

test("MP-SIGN-1, MP-SIGN-2, MP-SIGN-4, MP-HAND-8: digests, commitments, tosses", () => {
  const { messages, positions, commitments, tosses } = vectors("digests");
  for (const { payload, signed_bytes, digest } of messages) {
    const message = decode(utf8(payload)) as SignedMessage;
    assert.equal(new TextDecoder().decode(signedBytes(message)), signed_bytes);
    assert.equal(digestOf(engine, message), digest);
    count("digests");
  }
  for (const { ruleset, text, digest } of positions) {
    assert.equal(engine.positionDigest(engine.position(ruleset, text)), digest);
    count("digests");
  }
  for (const { secret, commit } of commitments) {
    assert.equal(makeCommitment(engine, secret), commit);
    count("digests");
  }
  for (const { secret, nonce, host_side } of tosses) {
    assert.equal(hostSide(engine, "random", secret, nonce), host_side);
    count("digests");
  }
});

test("MP-ID-1, MP-ID-2, MP-SIGN-3, MP-SIGN-5: keys and signatures", () => {
  const { keys, small_order, signatures } = vectors("signatures");
  for (const { seed, public_key, node } of keys) {
    assert.equal(engine.publicKey(fromHex(seed)), public_key);
    assert.equal(engine.nodeId(public_key), node);
    count("signatures");
  }
  for (const { name, public_key, bytes, sig, holds } of signatures) {
    assert.equal(engine.verify(public_key, sig, utf8(bytes)), holds === 1, name);
    count("signatures");
  }
  const forged = `01${"00".repeat(63)}`;
  for (const key of small_order) {
    assert.equal(engine.verify(key, forged, utf8("")), false, key);
    count("signatures");
  }
});

test("MP-TOPIC-1: topics", () => {
  const { root, valid, invalid } = vectors("topics");
  const topics = new Topics(root);
  for (const { topic, part, ...expected } of valid) {
    const { part: found, ...address } = topics.parse(topic) ?? { part: undefined };
    assert.deepEqual(address, expected, topic);
    assert.equal(found ?? 0, Number(part ?? 0), topic);
    count("topics");
  }
  for (const topic of invalid) {
    assert.equal(topics.parse(topic), null, topic);
    count("topics");
  }
});

test("MP-LINK-1, MP-LINK-2, MP-LINK-3, MP-LINK-4: links", () => {
  const { valid, broken, version } = vectors("links");
  for (const { fragment, ...expected } of valid) {
    const read = readLink(fragment);
    assert.deepEqual(read, { secret: "", ...expected }, fragment);
    assert.deepEqual(readLink(linkOf(read)), read);
    count("links");
  }
  for (const [reason, fragments] of Object.entries({ broken, version })) {
    for (const fragment of fragments) {
      assert.throws(() => readLink(fragment), { reason }, fragment);
      count("links");
    }
  }
});

test("MP-CALL-1: ranks", () => {
  for (const { call, members, ranks } of vectors("calls")) {
    assert.deepEqual(rankMembers(engine, call, members), ranks);
    count("calls");
  }
});

test("MP-RULE-1, MP-RULE-2: rules", () => {
  for (const { ruleset, positions, score, termination } of vectors("rules")) {
    let position = engine.position(ruleset, positions[0].text);
    for (const { text, legal, move } of positions) {
      assert.equal(position.text, text);
      const moves = [...position.moves].sort().join(" ");
      assert.equal(moves, legal.split(" ").sort().join(" "), text);
      if (move !== undefined) position = engine.play(position, move);
      count("rules");
    }
    assert.deepEqual(position.outcome, score === undefined ? null : { score, termination });
  }
});

test("sections 7 and 8: games, message by message", () => {
  for (const { name, offer, start, messages, standing, record } of vectors("games")) {
    const ledger = new Ledger(engine, decode(utf8(offer)) as OfferMessage);
    assert.deepEqual(standsAt(ledger), start, name);
    for (const { payload, became, code, ...stands } of messages) {
      const verdict = judge(ledger, utf8(payload));
      assert.equal(verdict.became, became, `${name}: ${payload}`);
      if (verdict.became === "fault") assert.equal(verdict.fault.code, code, name);
      assert.deepEqual(standsAt(ledger), stands, `${name}: ${payload}`);
      count("games");
    }
    assert.equal(standingOf(ledger), standing, name);
    if (record !== undefined) {
      assert.equal(new TextDecoder().decode(dumpRecord(ledger)), record, name);
    }
  }
});

test("MP-REC-1 to MP-REC-8: records", () => {
  const { valid, broken, same } = vectors("records");
  for (const { record, moves, standing, score, termination } of valid) {
    const ledger = verifyRecord(engine, utf8(record));
    assert.deepEqual(ledger.moves, moves);
    assert.equal(standingOf(ledger), standing);
    assert.equal(ledger.outcome?.score, score);
    assert.equal(ledger.outcome?.termination, termination);
    assert.equal(new TextDecoder().decode(dumpRecord(ledger)), record);
    count("records");
  }
  for (const { reason, record, entry } of broken) {
    assert.throws(
      () => verifyRecord(engine, utf8(record)),
      (error) => error instanceof RecordError && error.entry === (entry ?? null),
      reason,
    );
    count("records");
  }
  for (const records of same) {
    const digests = records.map((record: string) => {
      const ledger = verifyRecord(engine, utf8(record));
      return ledger.line.map(({ message }) => digestOf(engine, message)).join();
    });
    assert.equal(new Set(digests).size, 1);
    count("records");
  }
});

test("MP-COUNT-1 to MP-COUNT-4: what games count as", () => {
  const half = new Map([
    [0, "0"],
    [0.5, "1/2"],
    [1, "1"],
  ]);
  for (const { name, records, counts } of vectors("counts")) {
    const found = countPointsOfAll(
      records.map((record: string) => verifyRecord(engine, utf8(record))),
    );
    const text = found === null ? undefined : `${half.get(found.first)}-${half.get(found.second)}`;
    assert.equal(text, counts, name);
    count("counts");
  }
});

test("games that two programs played", () => {
  for (const { name, seeds, carried, standing, record } of vectors("played")) {
    const players = [seeds.host, seeds.guest].map((seed: string) => ({
      seed: fromHex(seed),
      node: engine.nodeId(engine.publicKey(fromHex(seed))),
    }));
    let ledger: Ledger | null = null;
    let waiting: string[] = [];
    for (const { topic, payload } of carried) {
      if (payload === "") continue;
      const message = decode(utf8(payload));
      if (message.type === "who") continue;
      const author = "host" in message ? message.host : message.from;
      const player = players.find(({ node }) => node === author);
      if (player !== undefined) {
        assert.equal(engine.sign(player.seed, signedBytes(message)), message.sig, topic);
      }
      if (message.type === "offer") ledger ??= new Ledger(engine, message);
      waiting.push(payload);
      // A message that has overtaken the one that it answers waits for it.
      const game: Ledger | null = ledger;
      if (game !== null) {
        for (let before = -1; before !== game.line.length; ) {
          before = game.line.length;
          waiting = waiting.filter((each) => {
            const { became } = judge(game, utf8(each));
            return became === "gap" || became === "refused";
          });
        }
      }
      count("played");
    }
    assert.ok(ledger !== null, name);
    assert.equal(standingOf(ledger), standing, name);
    assert.equal(new TextDecoder().decode(dumpRecord(ledger)), record, name);
    decodeRecord(utf8(record));
  }
});

test("MP-EVENT-2 to MP-EVENT-7, MP-EVENT-10: events, round by round, and their tables", () => {
  const { valid, wrong } = vectors("events");
  const following = (plan: string, rounds: string[]) => {
    const event = new Tournament(engine, decode(utf8(plan)) as PlanMessage);
    for (const round of rounds) event.accept(decode(utf8(round)) as RoundMessage);
    return event;
  };
  for (const { name, plan, rounds, table } of valid) {
    assert.deepEqual(following(plan, rounds).table(), table, name);
    count("events");
  }
  for (const { reason, plan, rounds, round, code } of wrong) {
    const event = following(plan, rounds);
    assert.throws(() => event.accept(decode(utf8(round)) as RoundMessage), { code }, reason);
    assert.equal(event.rounds.length, rounds.length, reason);
    count("events");
  }
});

test("MP-CLUB-1 to MP-CLUB-4: logs of clubs, and what proves their entries", () => {
  const { valid, wrong, consistency } = vectors("club");
  const read = (lines: string[]) =>
    ClubLog.read(engine, utf8(lines.map((line) => `${line}\n`).join("")));
  for (const { name, lines, members, root, proofs } of valid) {
    const log = read(lines);
    assert.deepEqual([...log.members].sort(), members, name);
    assert.equal(log.head.root, root, name);
    for (const { index, proof } of proofs) {
      assert.equal(canonical(log.proof(index)), proof, name);
      assert.deepEqual(verifyProof(engine, utf8(proof)), log.entries[index], name);
      const other = { ...log.proof(index), index: (index + 1) % log.entries.length };
      assert.throws(() => verifyProof(engine, utf8(canonical(other))), Refusal, name);
      count("club");
    }
    count("club");
  }
  for (const { reason, line, lines } of wrong) {
    assert.throws(
      () => read(lines),
      (error) => error instanceof ClubLogError && error.line === line,
      reason,
    );
    count("club");
  }
  for (const { old_size, old_root, size, root, path } of consistency) {
    assert.ok(isExtended(engine, old_size, old_root, size, root, path));
    if (old_size !== size) {
      assert.ok(!isExtended(engine, old_size, root, size, root, path));
      assert.ok(!isExtended(engine, old_size, old_root, size, old_root, path));
    }
    count("club");
  }
});

test("bytes have one spelling", () => {
  assert.equal(hex(fromHex("00ff10")), "00ff10");
});
