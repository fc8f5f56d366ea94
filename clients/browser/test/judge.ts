/**
 * The judge as a program for the tests: a line of JSON in, a line out.
 *
 * `{"payloads": [hex, …]}` is answered by what the codec makes of each: its own bytes in
 * hexadecimal, or null. `{"offer": text, "payloads": [text, …]}` is answered by what became of
 * each, where the game stands then, and the record. `{"links": [text, …]}` is answered by what each
 * says, or by the reason why it is none.
 */

import { createInterface } from "node:readline";
import { fromHex, hex, utf8 } from "../src/bytes.js";
import { decode, encode, MalformedMessage } from "../src/codec.js";
import { judge } from "../src/judge.js";
import { Ledger } from "../src/ledger.js";
import { LinkError, readLink } from "../src/link.js";
import type { OfferMessage } from "../src/messages.js";
import { dumpRecord, standingOf } from "../src/record.js";
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

for await (const line of createInterface({ input: process.stdin })) {
  const { offer, payloads, links } = JSON.parse(line) as {
    offer?: string;
    payloads: string[];
    links?: string[];
  };
  const answer =
    links?.map(linked) ?? (offer === undefined ? payloads.map(read) : judged(offer, payloads));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
