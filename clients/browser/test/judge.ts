/**
 * The judge as a program for the tests: a line of JSON in, a line out.
 *
 * `{"payloads": [hex, …]}` is answered by what the codec makes of each: its own bytes in
 * hexadecimal, or null. `{"offer": text, "payloads": [text, …]}` is answered by what became of
 * each, where the game stands then, and the record. `{"links": [text, …]}` is answered by what each
 * says, or by the reason why it is none. `{"names": [text, …], "node": id}` is answered by what each is as a
 * nickname, or null, what it looks like, and how people read it. `{"plan": text, "rounds": [text, …]}` is answered by the
 * table of that event, or by why a round does not follow.
 */

import { createInterface } from "node:readline";
import { fromHex, hex, utf8 } from "../src/bytes.js";
import { decode, encode, MalformedMessage } from "../src/codec.js";
import { type PlanMessage, type RoundMessage, Tournament } from "../src/event.js";
import { judge } from "../src/judge.js";
import { Ledger } from "../src/ledger.js";
import { LinkError, readLink } from "../src/link.js";
import type { OfferMessage } from "../src/messages.js";
import { lookalikeKey, parseNickname, playerName } from "../src/nicknames.js";
import { dumpRecord, standingOf } from "../src/record.js";
import { Refusal } from "../src/refusal.js";
import { loadEngine, standsAt } from "./support.js";

const engine = await loadEngine();

function read(payload: string): string | null {
  try {
    return hex(encode(decode(fromHex(payload))));
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

function judged(offer: string, payloads: readonly string[]): object {
  const ledger = new Ledger(engine, decode(utf8(offer)) as OfferMessage);
  const states = payloads.map((payload) => {
    const verdict = judge(ledger, utf8(payload));
    const code = verdict.became === "fault" ? { code: verdict.fault.code } : {};
    return { became: verdict.became, ...code, ...standsAt(ledger) };
  });
  const record = new TextDecoder().decode(dumpRecord(ledger));
  return { states, standing: standingOf(ledger), record };
}

function linked(fragment: string): object | string {
  try {
    const { secret, ...link } = readLink(fragment);
    return secret === "" ? link : { ...link, secret };
  } catch (error) {
    if (error instanceof LinkError) return error.reason;
    throw error;
  }
}

function tabled(plan: string, rounds: readonly string[]): object | string {
  const event = new Tournament(engine, decode(utf8(plan)) as PlanMessage);
  try {
    for (const round of rounds) event.accept(decode(utf8(round)) as RoundMessage);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return event.table();
}

interface Question {
  readonly offer?: string;
  readonly payloads: readonly string[];
  readonly links?: readonly string[];
  readonly plan?: string;
  readonly rounds: readonly string[];
  readonly names?: readonly string[];
  readonly node: string;
}

function answer({ offer, payloads, links, plan, rounds, names, node }: Question): object | string {
  if (names !== undefined) {
    return names.map((name) => [
      parseNickname(name),
      lookalikeKey(name),
      playerName(node, name, true),
    ]);
  }
  if (links !== undefined) return links.map(linked);
  if (plan !== undefined) return tabled(plan, rounds);
  return offer === undefined ? payloads.map(read) : judged(offer, payloads);
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Question))}\n`);
}
