/** Parses untrusted bytes into typed messages, and encodes messages (SPEC.md, sections 2 and 3). */

import * as v from "valibot";
import { canonicalBytes, isCanonical } from "./canonical.js";
import type { Engine } from "./engine.js";
import {
  type AnyMessage,
  CLUB_LINE_SCHEMA,
  CLUB_PROOF_SCHEMA,
  type ClubEntry,
  type ClubHead,
  type ClubProof,
  type MessageType,
  RECORD_SCHEMA,
  type RecordFile,
  SCHEMAS,
  type SignedMessage,
} from "./messages.js";

/** The most bytes of a payload (MP-CODEC-2). */
const MAX_PAYLOAD = 16_384;

/** The bytes are not a message of this protocol; the text says what is wrong with them. */
export class MalformedMessage extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The message in a payload; its signature is present but not yet checked.
 * @throws MalformedMessage The payload is not a message.
 */
export function decode(payload: Uint8Array): AnyMessage {
  if (payload.length > MAX_PAYLOAD) {
    throw new MalformedMessage(`${payload.length} bytes; the limit is ${MAX_PAYLOAD}`);
  }
  const value = parse(payload);
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(SCHEMAS, type)) {
    throw new MalformedMessage("type: there is no such message");
  }
  const message = checked(SCHEMAS[type as MessageType], value, payload);
  if (message.type !== "who" && message.sig === undefined) {
    throw new MalformedMessage("sig: it is missing");
  }
  return message;
}

/**
 * The record in a file's bytes; one line feed at the end is part of it (MP-REC-1).
 * @throws MalformedMessage The file is not a record.
 */
export function decodeRecord(data: Uint8Array): RecordFile {
  if (data.at(-1) !== 0x0a) {
    throw new MalformedMessage(
      "the file does not end with a newline: it is cut short or was edited",
    );
  }
  const line = data.subarray(0, -1);
  return checked(RECORD_SCHEMA, parse(line), line);
}

/**
 * A line of a club's log, without its line feed (MP-CLUB-2).
 * @throws MalformedMessage The line is neither an entry nor a head.
 */
export function decodeClubLine(line: Uint8Array): ClubEntry | ClubHead {
  return checked(CLUB_LINE_SCHEMA, parse(line), line);
}

/**
 * The proof of an entry of a club's log.
 * @throws MalformedMessage The bytes are not a proof.
 */
export function decodeClubProof(data: Uint8Array): ClubProof {
  return checked(CLUB_PROOF_SCHEMA, parse(data), data);
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw new MalformedMessage(`this is not JSON in UTF-8: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MalformedMessage("this is not a JSON object");
  }
  return value as Record<string, unknown>;
}

function checked<const T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  bytes: Uint8Array,
): v.InferOutput<T> {
  const result = v.safeParse(schema, value);
  if (!result.success) {
    const [issue] = result.issues;
    throw new MalformedMessage(`${v.getDotPath(issue) ?? "message"}: ${issue.message}`);
  }
  // This one comparison catches blanks, unsorted or repeated keys, and odd escapes and numbers.
  if (!isCanonical(bytes, result.output)) {
    throw new MalformedMessage("this is not in canonical form (RFC 8785)");
  }
  return result.output;
}

/**
 * A message made of fields that were not decoded, checked as `decode` does.
 * @throws MalformedMessage The fields do not make a message.
 */
export function messageOf<const T extends MessageType>(
  type: T,
  fields: unknown,
): v.InferOutput<(typeof SCHEMAS)[T]> {
  const result = v.safeParse(SCHEMAS[type], fields);
  if (result.success) return result.output as v.InferOutput<(typeof SCHEMAS)[T]>;
  const [issue] = result.issues;
  throw new MalformedMessage(`${v.getDotPath(issue) ?? type}: ${issue.message}`);
}

/** The bytes of a message as they are sent. */
export function encode(message: AnyMessage): Uint8Array {
  return canonicalBytes(message);
}

/** What a signature covers: the canonical form without `sig` (MP-SIGN-1). */
export function signedBytes(message: SignedMessage): Uint8Array {
  const { sig: _, ...content } = message;
  return canonicalBytes(content);
}

const digests = new WeakMap<SignedMessage, string>();

/** The digest that identifies a message's content (MP-SIGN-2). */
export function digestOf(engine: Engine, message: SignedMessage): string {
  let digest = digests.get(message);
  if (digest === undefined) {
    digest = engine.sha256(signedBytes(message));
    digests.set(message, digest);
  }
  return digest;
}

/** Whether a message carries a signature by a public key over its content. */
export function isSignedBy(engine: Engine, message: SignedMessage, publicKey: string): boolean {
  return message.sig !== undefined && engine.verify(publicKey, message.sig, signedBytes(message));
}
