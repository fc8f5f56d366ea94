/** Every message of the protocol (SPEC.md, sections 6, 11 and 14), as it is read from bytes. */

import * as v from "valibot";
import {
  Check,
  Code,
  Count,
  Digest,
  EntryIndex,
  EvaluationScore,
  FieldName,
  Line,
  MateIn,
  Milliseconds,
  Name,
  NodeId,
  Nonce,
  Part,
  Ply,
  Positive,
  PublicKey,
  RoleName,
  RoundNumber,
  Rounds,
  RulesetId,
  ScoreText,
  ShortLine,
  SideName,
  SignatureHex,
  Speech,
  Termination,
  Version,
} from "./fields.js";

const sig = { sig: v.exactOptional(SignatureHex) };
const array = <const T extends v.GenericSchema>(item: T, least: number, most: number) =>
  v.pipe(v.array(item), v.minLength(least), v.maxLength(most));

/** A message inside another one must be signed. */
const isSigned = <T extends { readonly sig?: string }>() =>
  v.check<T, string>(
    (message) => message.sig !== undefined,
    "a message inside another needs its sig",
  );

const Clock = v.pipe(
  v.strictObject({
    base_ms: v.exactOptional(Positive),
    increment_ms: v.exactOptional(Milliseconds),
    move_ms: v.exactOptional(Positive),
    lag_ms: Milliseconds,
  }),
  v.check(
    (clock) => (clock.base_ms === undefined) !== (clock.move_ms === undefined),
    "a clock has either base_ms or move_ms",
  ),
  v.check(
    (clock) => (clock.base_ms === undefined) === (clock.increment_ms === undefined),
    "increment_ms belongs to base_ms",
  ),
);

const OfferFields = v.strictObject({
  type: v.literal("offer"),
  v: Version,
  name: Name,
  host: NodeId,
  key: PublicKey,
  ruleset: RulesetId,
  start: Line,
  opening: v.exactOptional(v.pipe(v.array(ShortLine), v.minLength(1))),
  start_hash: Digest,
  color: v.picklist(["first", "second", "random"]),
  commit: Digest,
  clock: v.exactOptional(Clock),
  grace_ms: v.exactOptional(Positive),
  takebacks: v.exactOptional(v.literal("never")),
  access: v.exactOptional(v.union([v.literal("invited"), NodeId])),
  witnesses: v.exactOptional(array(NodeId, 1, 7)),
  rematch_of: v.exactOptional(Digest),
  agent: ShortLine,
  created_ms: Milliseconds,
  expires_ms: Milliseconds,
  ...sig,
});

const Offer = v.pipe(
  OfferFields,
  v.check(
    ({ host, witnesses = [] }) => new Set([host, ...witnesses]).size === witnesses.length + 1,
    "witnesses are other nodes than the host, each named once",
  ),
);

const log = { game: Digest, from: NodeId, n: Count, prev: Digest, seen: Digest, ...sig };
const note = { game: Digest, from: NodeId, ...sig };

const Consent = v.pipe(
  v.strictObject({
    type: v.literal("consent"),
    ...note,
    what: v.picklist(["takeback", "abort"]),
    to: v.exactOptional(Ply),
    tip: Digest,
  }),
  v.check(
    (consent) => (consent.to !== undefined) === (consent.what === "takeback"),
    "a takeback names a ply, nothing else does",
  ),
);
const GivenConsent = v.pipe(Consent, isSigned());

const Join = v.strictObject({
  type: v.literal("join"),
  ...log,
  v: Version,
  key: PublicKey,
  ruleset: RulesetId,
  start_hash: Digest,
  nonce: Nonce,
  ticket: v.exactOptional(Digest),
  agent: ShortLine,
});
const Start = v.strictObject({
  type: v.literal("start"),
  ...log,
  guest: NodeId,
  host_side: SideName,
  secret: Nonce,
});
const Move = v.strictObject({
  type: v.literal("move"),
  ...log,
  ply: Ply,
  move: ShortLine,
  position: Digest,
  elapsed_ms: Milliseconds,
});
const Resign = v.strictObject({ type: v.literal("resign"), ...log, ply: Ply });
const Draw = v.strictObject({ type: v.literal("draw"), ...log, ply: Ply });
const DrawAnswer = v.strictObject({
  type: v.literal("draw-answer"),
  ...log,
  answer: v.picklist(["accept", "reject"]),
});
const Takeback = v.strictObject({
  type: v.literal("takeback"),
  ...log,
  ply: Ply,
  to: Ply,
  consent: GivenConsent,
});
const Abort = v.strictObject({
  type: v.literal("abort"),
  ...log,
  ply: Ply,
  consent: v.exactOptional(GivenConsent),
});

const Claim = v.strictObject({
  reason: v.picklist(["silence", "flag"]),
  waited_ms: Milliseconds,
});
const scoreFields = {
  type: v.literal("score"),
  ...log,
  score: ScoreText,
  termination: Termination,
  position: Digest,
  claim: v.exactOptional(Claim),
  had_ms: v.exactOptional(Milliseconds),
  since_ms: v.exactOptional(Milliseconds),
};
type Times = { readonly had_ms?: number; readonly since_ms?: number };
const answers = (score: Times) => score.had_ms !== undefined || score.since_ms !== undefined;
const PlainScore = v.pipe(
  v.strictObject(scoreFields),
  v.check(
    (score) => score.claim === undefined || !answers(score),
    "a score cannot claim and answer a claim",
  ),
);

// A join cannot be a proof, because a guest that lost its journal may join again; nor can a score
// with a proof of its own, or proofs would nest (MP-FAULT-4).
const Proof = v.pipe(
  v.union([Start, Move, Resign, Draw, DrawAnswer, Takeback, Abort, PlainScore]),
  isSigned(),
);
const Score = v.pipe(
  v.strictObject({ ...scoreFields, proof: v.exactOptional(Proof) }),
  v.check(
    (score) =>
      [score.proof !== undefined, score.claim !== undefined, answers(score)].filter(Boolean)
        .length <= 1,
    "a score proves, claims or answers a claim, one of them at most",
  ),
);

const LogMessage = v.union([Join, Start, Move, Resign, Draw, DrawAnswer, Takeback, Abort, Score]);

const Chat = v.strictObject({
  type: v.literal("chat"),
  ...note,
  at_ms: Milliseconds,
  text: Speech,
});
const Talk = v.strictObject({
  type: v.literal("talk"),
  ...note,
  key: PublicKey,
  at_ms: Milliseconds,
  text: Speech,
});
const Reject = v.strictObject({
  type: v.literal("reject"),
  ...note,
  to: NodeId,
  join: Digest,
  code: Code,
  reason: Line,
});
const Sync = v.pipe(
  v.strictObject({
    type: v.literal("sync"),
    ...note,
    need: Count,
    head: Count,
    nonce: v.exactOptional(Nonce),
    echo: v.exactOptional(Nonce),
  }),
  v.check(
    (sync) => sync.nonce === undefined || sync.echo === undefined,
    "a sync cannot ask for an echo and be one",
  ),
);
const Recall = v.strictObject({
  type: v.literal("recall"),
  ...note,
  message: v.pipe(LogMessage, isSigned()),
});
/** The most of a player's messages that wait for the other one; in one turn there are four. */
export const MAX_UNREAD = 8;
const Unread = v.strictObject({
  type: v.literal("unread"),
  ...note,
  messages: v.pipe(
    v.array(v.pipe(LogMessage, isSigned())),
    v.minLength(1),
    v.maxLength(MAX_UNREAD),
  ),
});
const Status = v.strictObject({
  type: v.literal("status"),
  ...note,
  epoch: Milliseconds,
  state: v.picklist(["online", "left", "lost"]),
});
const Statement = v.strictObject({
  type: v.literal("statement"),
  ...note,
  key: PublicKey,
  claim: Digest,
  silence_ms: Milliseconds,
});
const Who = v.strictObject({ type: v.literal("who") });

const introduced = { from: NodeId, key: PublicKey, ...sig };
const Card = v.strictObject({
  type: v.literal("card"),
  ...introduced,
  v: Version,
  name: Name,
  kind: v.picklist(["bot", "person"]),
  groups: v.exactOptional(array(Name, 1, 8)),
  rulesets: v.exactOptional(array(RulesetId, 1, 32)),
  clocks: v.exactOptional(array(v.picklist(["none", "game", "move"]), 1, 3)),
  free: Count,
  playing: Count,
  nodes: v.exactOptional(Positive),
  agent: ShortLine,
  text: v.exactOptional(Speech),
  at_ms: Milliseconds,
  expires_ms: Milliseconds,
});
const Nickname = v.strictObject({
  type: v.literal("nickname"),
  ...introduced,
  name: Name,
  at_ms: Milliseconds,
});
const Challenge = v.pipe(
  v.strictObject({
    type: v.literal("challenge"),
    ...introduced,
    to: v.exactOptional(NodeId),
    group: v.exactOptional(Name),
    offer: v.pipe(Offer, isSigned()),
    text: v.exactOptional(Speech),
  }),
  v.check(
    (challenge) => (challenge.to === undefined) !== (challenge.group === undefined),
    "a challenge is either to a node or to a group",
  ),
);
const Decline = v.strictObject({
  type: v.literal("decline"),
  ...introduced,
  to: NodeId,
  answers: Digest,
  code: Code,
  reason: Line,
  text: v.exactOptional(Speech),
});
const CallClaim = v.strictObject({
  type: v.literal("claim"),
  ...introduced,
  group: Name,
  call: Digest,
});
const Analyse = v.strictObject({
  type: v.literal("analyse"),
  ...introduced,
  group: Name,
  ruleset: RulesetId,
  position: Line,
  nodes: Positive,
  at_ms: Milliseconds,
  expires_ms: Milliseconds,
});
const Analysis = v.strictObject({
  type: v.literal("analysis"),
  ...introduced,
  to: NodeId,
  answers: Digest,
  score: EvaluationScore,
  mate_in: v.exactOptional(MateIn),
  line: array(ShortLine, 1, 64),
  depth: Count,
  nodes: Milliseconds,
});

const Entry = v.strictObject({
  by: RoleName,
  set: v.record(FieldName, v.union([Line, Milliseconds, Claim, GivenConsent, Proof])),
  check: Check,
});
const Signatures = v.strictObject({
  host: v.exactOptional(SignatureHex),
  guest: v.exactOptional(SignatureHex),
});
const State = v.strictObject({
  type: v.literal("state"),
  game: Digest,
  from: NodeId,
  part: Part,
  first: EntryIndex,
  entries: v.array(Entry),
  sigs: Signatures,
  ...sig,
});
const Record_ = v.strictObject({
  type: v.literal("record"),
  v: Version,
  offer: Offer,
  entries: v.array(Entry),
  sigs: Signatures,
  statements: v.exactOptional(v.pipe(v.array(v.pipe(Statement, isSigned())), v.minLength(1))),
});

const EventName = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,23}$/));
const Event_ = v.pipe(
  v.strictObject({
    type: v.literal("event"),
    v: Version,
    name: EventName,
    host: NodeId,
    key: PublicKey,
    system: v.picklist(["round-robin", "swiss"]),
    rounds: Rounds,
    ruleset: RulesetId,
    clock: v.exactOptional(Clock),
    grace_ms: v.exactOptional(Positive),
    takebacks: v.exactOptional(v.literal("never")),
    round_ms: Positive,
    players: array(NodeId, 2, 64),
    seed: Milliseconds,
    agent: ShortLine,
    created_ms: Milliseconds,
    ...sig,
  }),
  v.check((plan) => new Set(plan.players).size === plan.players.length, "a player is named twice"),
);
const Result = v.pipe(
  v.strictObject({
    score: ScoreText,
    game: v.exactOptional(Digest),
    record: v.exactOptional(Digest),
  }),
  v.check(
    (result) => (result.game === undefined) === (result.record === undefined),
    "game and record belong together",
  ),
);
const Round = v.strictObject({
  type: v.literal("round"),
  event: Digest,
  from: NodeId,
  number: RoundNumber,
  prev: Digest,
  results: array(Result, 0, 32),
  withdrawn: array(NodeId, 0, 64),
  pairings: array(v.strictObject({ first: NodeId, second: NodeId }), 0, 32),
  byes: array(NodeId, 0, 64),
  created_ms: Milliseconds,
  ...sig,
});

const at = { at_ms: Milliseconds };
const Entry_ = v.variant("type", [
  v.strictObject({ type: v.literal("admission"), ...at, node: NodeId }),
  v.strictObject({ type: v.literal("removal"), ...at, node: NodeId }),
  v.strictObject({
    type: v.literal("announcement"),
    ...at,
    offer: v.pipe(Offer, isSigned()),
    join: v.pipe(Join, isSigned()),
    deadline_ms: Milliseconds,
  }),
  v.strictObject({
    type: v.literal("result"),
    ...at,
    game: Digest,
    guest: NodeId,
    record: Digest,
  }),
  v.strictObject({ type: v.literal("event-plan"), ...at, plan: v.pipe(Event_, isSigned()) }),
  v.strictObject({ type: v.literal("event-round"), ...at, round: v.pipe(Round, isSigned()) }),
]);
const Head = v.strictObject({
  type: v.literal("head"),
  club: NodeId,
  key: PublicKey,
  size: Positive,
  root: Digest,
  ...at,
  sig: SignatureHex,
});

/** The schemas of the lines of a club's log, and of the proof of an entry (section 11.2). */
export const CLUB_LINE_SCHEMA = v.variant("type", [...Entry_.options, Head]);
export const CLUB_PROOF_SCHEMA = v.strictObject({
  type: v.literal("proof"),
  index: Milliseconds,
  entry: Entry_,
  path: v.array(Digest),
  head: Head,
});
export type ClubEntry = v.InferOutput<typeof Entry_>;
export type ClubHead = v.InferOutput<typeof Head>;
export type ClubProof = v.InferOutput<typeof CLUB_PROOF_SCHEMA>;

/** The schema of every payload, by its `type`. */
export const SCHEMAS = {
  offer: Offer,
  join: Join,
  start: Start,
  move: Move,
  resign: Resign,
  draw: Draw,
  "draw-answer": DrawAnswer,
  takeback: Takeback,
  abort: Abort,
  score: Score,
  state: State,
  consent: Consent,
  chat: Chat,
  talk: Talk,
  reject: Reject,
  sync: Sync,
  recall: Recall,
  unread: Unread,
  status: Status,
  statement: Statement,
  who: Who,
  card: Card,
  nickname: Nickname,
  challenge: Challenge,
  decline: Decline,
  claim: CallClaim,
  analyse: Analyse,
  analysis: Analysis,
  event: Event_,
  round: Round,
} as const;

/** The schema of a record's file. */
export const RECORD_SCHEMA = Record_;
/** The types of the messages in a mailbox. */
const LOG_TYPES = [
  "join",
  "start",
  "move",
  "resign",
  "draw",
  "draw-answer",
  "takeback",
  "abort",
  "score",
] as const;

export type MessageType = keyof typeof SCHEMAS;
export type MessageOf<T extends MessageType> = v.InferOutput<(typeof SCHEMAS)[T]>;
export type AnyMessage = { [T in MessageType]: MessageOf<T> }[MessageType];

export type ClockTerms = v.InferOutput<typeof Clock>;
export type OfferMessage = MessageOf<"offer">;
export type LogMessage = MessageOf<(typeof LOG_TYPES)[number]>;
export type JoinMessage = MessageOf<"join">;
export type ScoreMessage = MessageOf<"score">;
export type ConsentMessage = MessageOf<"consent">;
export type ProofMessage = v.InferOutput<typeof Proof>;
export type ClaimTerms = v.InferOutput<typeof Claim>;
export type RecordEntry = v.InferOutput<typeof Entry>;
export type RecordFile = v.InferOutput<typeof Record_>;
export type RecordSignatures = v.InferOutput<typeof Signatures>;
export type StatementMessage = MessageOf<"statement">;
export type StateMessage = MessageOf<"state">;

/** Every message that its author signs. */
export type SignedMessage = Exclude<AnyMessage, MessageOf<"who">>;

/** Whether a message belongs in a mailbox. */
export function isLogMessage(message: AnyMessage): message is LogMessage {
  return (LOG_TYPES as readonly string[]).includes(message.type);
}
