/** Judges a payload in a game: its signature, its place in the mailbox, the ledger. */

import { decode, isSignedBy, MalformedMessage } from "./codec.js";
import type { Fault, Ledger, Role } from "./ledger.js";
import { isLogMessage, type LogMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

/**
 * What a payload is to a game, in the words of SPEC.md, section 15. `accepted` and `fault` have
 * changed the ledger, everything else has not.
 */
export type Verdict =
  | { readonly became: "accepted"; readonly role: Role; readonly message: LogMessage }
  | {
      readonly became: "fault";
      readonly role: Role;
      readonly message: LogMessage;
      readonly fault: Fault;
    }
  | { readonly became: "refused"; readonly code: string; readonly message: LogMessage }
  | {
      readonly became: "duplicate" | "gap" | "conflict" | "forged" | "stranger" | "malformed";
      readonly message?: LogMessage;
    };

/** Feeds one payload to a ledger. */
export function judge(ledger: Ledger, payload: Uint8Array): Verdict {
  try {
    const message = decode(payload);
    return isLogMessage(message) ? judgeMessage(ledger, message) : { became: "stranger" };
  } catch (error) {
    if (error instanceof MalformedMessage) return { became: "malformed" };
    throw error;
  }
}

/** Feeds one message, whose form is valid, to a ledger. */
export function judgeMessage(ledger: Ledger, message: LogMessage): Verdict {
  const joins = message.type === "join" && ledger.join === null;
  const role = joins ? "guest" : ledger.roleOf(message.from);
  const key = joins ? message.key : role === null ? null : ledger.keyOf(role);
  if (message.game !== ledger.game || role === null || key === null) {
    return { became: "stranger", message };
  }
  const reception = ledger.reception(role, message);
  if (reception === "duplicate") return { became: "duplicate", message };
  if (!isSignedBy(ledger.engine, message, key)) return { became: "forged", message };
  if (reception !== "next") return { became: reception, message };
  try {
    const fault = ledger.accept(role, message);
    return fault === null
      ? { became: "accepted", role, message }
      : { became: "fault", role, message, fault };
  } catch (error) {
    if (error instanceof Refusal) return { became: "refused", code: error.code, message };
    throw error;
  }
}
