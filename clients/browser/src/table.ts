/**
 * A game as the page has it: the messages of docs/reference/control.md, which the program speaks to
 * the same page over a websocket. Commands come in, states and sentences go out.
 */

import { type LegalMove, type Position, RulesError, type Side } from "./engine.js";
import { StorageError } from "./journal.js";
import { type Ledger, type Outcome, other, type Role } from "./ledger.js";
import { linkOf } from "./link.js";
import type { LogMessage } from "./messages.js";
import { commonPrefixLength, enterable, type PlayedMove, playedMove } from "./moves.js";
import { Player, type PlayerEvent } from "./player.js";
import type { PostGame } from "./post_game.js";
import { dumpRecord } from "./record.js";
import { ActError } from "./session.js";
import { durationText } from "./terms.js";
import type { WatchEvent, Watcher } from "./watcher.js";
import { endingText, nameOf, numberOf, WISHES, wordsOf } from "./words.js";

/** A command of the page; which fields it has depends on its type. */
export interface Command {
  readonly type: string;
  readonly id: number;
  readonly ply?: number;
  readonly move?: string;
  readonly text?: string;
  readonly what?: "takeback" | "abort";
  readonly accept?: boolean;
  readonly squares?: readonly string[];
  readonly speaker?: string;
  readonly muted?: boolean;
  readonly side?: 0 | 1;
  readonly seat?: "human" | "auto";
  readonly level?: number;
  readonly on?: boolean;
}

/** A signed record, and the name of its file. */
export interface SavedRecord {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

type Send = (message: Record<string, unknown>) => void;

const ASKED = "Asked. The request stands until the next move.";
const REFUSALS = {
  takeback: "I would rather not take the move back.",
  abort: "I would rather not abort the game.",
};
const SETTLED = "You both have the whole game, signed.";
const OPPONENT_LEFT = "Your opponent has left, so there is no rematch.";
const REMATCH_ASKED = "Your opponent would like a rematch: press Rematch to play it, or leave.";
const IN_DOUBT =
  "This game was loaded from a file. It goes on when your opponent is back and has sent what was played since.";
const SEAT_TAKEN =
  "Somebody else has the seat, and you cannot play in this game. To watch it, press Cancel, open the link again and press Watch.";
const REPLACED =
  "This game is no longer open: its host has made another offer of that name. To join it, press Cancel and open the link again.";
const ONE_DEVICE = "Use your key on one device at a time.";
const CONTRADICTED = `Another device with your key has made another move in this game, and your opponent has that one: what this device played does not count, and whoever signs two moves in place of one loses. See on the other device how the game stands. ${ONE_DEVICE}`;
// How often to check whether the game can be claimed.
const LOOK_MS = 1_000;
// Before our own silence may be claimed, so long at most, or a quarter of the grace, we are warned.
const WARNED_MS = 120_000;

const HEARD_LATER = "Your opponent gets this when they are back, if you are still here.";

/** When to tell a page that the opponent's connection is lost: a reloaded page is back sooner. */
const GONE_MS = 3_000;
/** After our own return, the opponent has so long to return, too, if the broker was away. */
const RETURN_MS = 10_000;

type Presence = Extract<PlayerEvent, { type: "presence" }>["state"];

/** One game that we play or watch, shown on one page. */
export class Table {
  readonly #game: Player | Watcher;
  readonly #send: Send;
  readonly #left: () => void;
  readonly #postGame: PostGame | null;
  #sent: readonly string[] = [];
  // Whether the page has the link for spectators.
  #letsWatch = false;
  #asked: "takeback" | "abort" | null = null;
  #refused = false;
  // The opponent's presence, as last heard and as last sent to the page.
  #heard: Presence = "online";
  #presence: Presence = "online";
  #absence: ReturnType<typeof setTimeout> | undefined;
  // Until when, in milliseconds, the opponent may return before its absence is told.
  #patientUntil = 0;
  #mayClaim = false;
  // Whether it was told, this turn, that we must move soon.
  #warned = false;
  #lost: boolean;
  // Why there is no connection, as last sent to the page.
  #trouble: string | null = null;
  #talked = 0;
  #muted: string[] = [];
  #premove: { readonly move: string; readonly squares: readonly string[] } | null = null;
  #looking: ReturnType<typeof setInterval>;
  // Cached: every state until the next move needs the legal moves of the same position.
  #outlook: { readonly of: Position; readonly legal: readonly LegalMove[] } | null = null;

  /**
   * Shows a game.
   * @param send Sends a message to the page.
   * @param left Is called when the person has left the table.
   * @param postGame What follows a game that we play.
   */
  constructor(
    game: Player | Watcher,
    send: Send,
    left: () => void,
    postGame: PostGame | null = null,
  ) {
    this.#game = game;
    this.#send = send;
    this.#left = left;
    this.#postGame = postGame;
    this.#lost = game.isLost;
    this.#looking = setInterval(() => this.#lookForClaim(), LOOK_MS);
  }

  /** Stops showing the game. */
  close(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#absence);
  }

  /** Our end of the game. */
  get #player(): Player {
    if (this.#game instanceof Player) return this.#game;
    throw new ActError("watch", "You are watching: only the players can do that.");
  }

  /** The game as a file that anybody can verify, as far as it has come. */
  record(): SavedRecord {
    const { ledger } = this.#game;
    return { name: `${ledger.offer.name}.json`, content: dumpRecord(ledger) };
  }

  get #side(): Side | null {
    const { role, ledger } = this.#game;
    return role === null ? null : ledger.sideOf(role);
  }

  /** Sends a page its first messages. */
  greet(): void {
    this.#sent = [];
    this.#letsWatch = false;
    this.#send({ type: "hello", version: 1, program: "ataxxd-browser/0.1.0" });
    this.show();
    if (this.#game instanceof Player && this.#game.session.isInDoubt)
      this.#told("notice", IN_DOUBT);
  }

  /** Sends all that the page shows. */
  show(): void {
    const { ledger, role } = this.#game;
    if (ledger.hostSide === null) {
      const { offer } = ledger;
      const who = role === "guest" ? "the host" : "";
      if (role === "host") this.#share(this.#player.invitation);
      this.#send({ type: "waiting", title: offer.name, who, refused: this.#refused });
      const { witnesses = [] } = offer;
      if (witnesses.length > 0) {
        const shown = witnesses.map((each) => this.#game.names.shown(each, true));
        this.#told("notice", `Witnesses of claims: ${shown.join(", ")}.`);
      }
      return;
    }
    if (!this.#letsWatch) this.#share(null);
    this.#letsWatch = true;
    this.#send(this.#state());
  }

  /** Tells of the broker while the game has not begun, and so there is no board that could show it. */
  #tellWaiting(why: string | null): void {
    if (this.#game.ledger.hostSide !== null || this.#trouble === why) return;
    this.#trouble = why;
    this.#told("notice", why === null ? "Connected again." : `${why} Trying again.`);
  }

  /** Sends the link: with an invitation, which may be empty, to join; without one, to watch. */
  #share(invitation: string | null): void {
    const { ledger, broker } = this.#game;
    const { name, host } = ledger.offer;
    const link = linkOf({ name, host, secret: invitation ?? "", broker });
    this.#send({
      type: "share",
      name,
      link: null,
      join: invitation === null ? null : `#${link}`,
      watch: `#${link}`,
      terms: "",
      reaches: false,
      code: [],
    });
  }

  /** Takes in an event of the game. */
  hear(event: PlayerEvent | WatchEvent): void {
    const { role } = this.#game;
    const name = (role: Role): string => this.#nameOf(role);
    switch (event.type) {
      case "connection":
        if (this.#lost && event.connected) this.#patientUntil = performance.now() + RETURN_MS;
        this.#lost = !event.connected;
        this.#tellWaiting(event.connected ? null : event.why);
        this.#followPresence();
        break;
      case "started":
        this.#told("begun", `The game begins${role === null ? "" : `; you play ${name(role)}`}.`);
        break;
      case "next":
        this.#told("begun", "A rematch begins.");
        break;
      case "moved": {
        this.#asked = null;
        this.#mayClaim = false;
        this.#warned = false;
        const passes = this.#squaresOf(event.ply - 1).length === 0;
        this.#told(
          "moved",
          `${name(event.by)} ${passes ? "passes" : `plays ${event.move}`}.`,
          event.by,
        );
        break;
      }
      case "draw-offered":
        this.#asked = null;
        this.#told(
          "draw_asked",
          event.by === role
            ? `Your offer of a draw waits for ${name(other(event.by))}'s answer.`
            : `${name(event.by)} offers a draw.`,
          event.by,
        );
        break;
      case "draw-rejected":
        this.#told(
          "draw_refused",
          `${name(event.by)} rejects the draw; ${name(other(event.by))} must move.`,
          event.by,
        );
        break;
      case "undone": {
        this.#asked = null;
        this.#premove = null;
        const count =
          event.moves.length === 1 ? "The last move is" : `${event.moves.length} moves are`;
        const why = event.agreed ? "as agreed" : "because the game was decided before";
        this.#told("taken_back", `${count} taken back, ${why}.`);
        break;
      }
      case "asked":
        this.#asked = event.what;
        this.#told("asked", `${name(event.by)} asks ${WISHES[event.what]}.`, event.by);
        break;
      case "said":
        this.#said(event.by === role ? "You" : name(event.by), event.text);
        break;
      case "ended":
        this.#asked = null;
        this.#mayClaim = false;
        this.#premove = null;
        this.#told("over", this.#endingText(event.outcome));
        break;
      case "closed":
        if (event.standing !== "agreed") this.#told("notice", `The result is ${event.standing}.`);
        break;
      case "rejected":
        this.#refused = true;
        this.#told(
          "notice",
          event.code === "seat/taken"
            ? SEAT_TAKEN
            : `The host did not give you the seat: ${event.reason}.`,
        );
        break;
      case "replaced":
        this.#refused = true;
        this.#told("notice", REPLACED);
        break;
      case "contradicted":
        this.#told("notice", CONTRADICTED);
        break;
      case "presence":
        this.#heard = event.state;
        this.#followPresence();
        break;
      case "rematch-offered":
        if (event.offer !== null && this.#postGame?.isWished === false) {
          this.#told("rematch_asked", REMATCH_ASKED);
        }
        break;
      case "caught-up":
        this.#told("notice", "Your opponent is back, and the game goes on.");
        break;
      case "overheard":
        this.#said(this.#game.names.shown(event.node), event.text);
        break;
      case "failed":
        this.#send({ type: "failed", reason: event.error.reason });
        return;
      case "settled":
        // The offer of a rematch may be here before the last receipt, and is the newer news.
        if (this.#postGame?.isAsked) this.#told("rematch_asked", `${SETTLED} ${REMATCH_ASKED}`);
        else this.#told("notice", SETTLED);
        break;
    }
    // It may be our turn now, after a move or the answer to an offer of a draw.
    void this.#playPremove();
    this.show();
  }

  /**
   * Tells the opponent's presence, now or soon. Nothing while we have no connection ourselves: if the
   * broker goes, it may say of everybody that they are lost, on its way out or when it is back.
   */
  #followPresence(): void {
    if (this.#lost) {
      clearTimeout(this.#absence);
      this.#absence = undefined;
    } else if (this.#heard !== "lost" || this.#presence === "lost") {
      this.#tellPresence(this.#heard);
    } else {
      this.#absence ??= setTimeout(
        () => {
          this.#tellPresence("lost");
          this.show();
        },
        Math.max(GONE_MS, this.#patientUntil - performance.now()),
      );
    }
  }

  #tellPresence(state: Presence): void {
    clearTimeout(this.#absence);
    this.#absence = undefined;
    if (state !== this.#presence) {
      const how = state === "left" ? "has left" : "has lost the connection";
      const waits = this.#game.ledger.outcome === null ? "; your moves wait for them" : "";
      this.#told(
        "notice",
        state === "online" ? "Your opponent is back." : `Your opponent ${how}${waits}.`,
      );
    }
    this.#presence = state;
  }

  /** How the game ended; if we lost it by using one key on two devices, also what they did. */
  #endingText(outcome: Outcome): string {
    const { ledger, role } = this.#game;
    const usual = endingText(outcome, ledger.position, this.#side);
    const { fault } = ledger;
    if (role === null || fault?.role !== role || fault.code !== "chain/double-dealing")
      return usual;
    const proof = ledger.log(other(role)).findLast((each) => each.type === "score")?.proof;
    const held = proof === undefined ? undefined : ledger.log(role)[proof.n];
    if (proof === undefined || held === undefined) return usual;
    const winner = nameOf(ledger.offer.ruleset, ledger.sideOf(other(role)) ?? "first");
    return `${winner} wins: your key has signed ${whatOf(held)} on this device and ${whatOf(proof)} on another, in place of one move. Whoever does that loses, even by mistake. ${ONE_DEVICE}`;
  }

  /** Obeys a command, and answers it. */
  async obey(command: Command): Promise<void> {
    let error: string | null = null;
    try {
      await this.#obey(command);
    } catch (caught) {
      const known = [ActError, RulesError, StorageError];
      if (!known.some((kind) => caught instanceof kind)) throw caught;
      error = (caught as Error).message;
    }
    this.#send({ type: "answer", id: command.id, error });
    if (error === null) this.show();
  }

  async #obey(command: Command): Promise<void> {
    switch (command.type) {
      case "mute": {
        const others = this.#muted.filter((speaker) => speaker !== command.speaker);
        this.#muted = command.muted ? [...others, command.speaker ?? ""] : others;
        return;
      }
      case "leave":
        this.close();
        await this.#postGame?.close();
        // An offer that nobody has joined is gone; a game is kept.
        if (this.#game instanceof Player) await this.#game.withdraw();
        await this.#game.close();
        this.#left();
        return;
    }
    if (command.type === "say" && !(this.#game instanceof Player)) {
      const text = command.text ?? "";
      await this.#game.say(text);
      this.#said("You", text);
      return;
    }
    const player = this.#player;
    switch (command.type) {
      case "play":
        this.#requireSeen(command);
        await this.#play(command.move ?? "");
        break;
      case "premove":
        await this.#hold(command);
        break;
      case "explain":
        // The refusal of the rules is the answer.
        player.ledger.engine.parseMove(player.ledger.position, (command.squares ?? []).join("-"));
        break;
      case "resign":
        await player.act((session) => session.resign());
        break;
      case "keep_playing":
        player.session.resigning = false;
        break;
      case "offer_draw":
        await player.act((session) => session.offerDraw());
        break;
      case "answer_draw":
        await player.act((session) => session.answerDraw(command.accept === true));
        break;
      case "ask":
        await player.act((session) => session.ask(command.what === "abort" ? "abort" : "takeback"));
        if (player.ledger.outcome === null) this.#told("notice", ASKED);
        break;
      case "agree":
        await player.act((session) => session.agree());
        this.#asked = null;
        break;
      case "refuse": {
        if (this.#asked === null) {
          // The request has just lapsed, but its button is still there.
          throw new ActError("consent/not-asked", "Your opponent is not asking for anything now.");
        }
        const refusal = REFUSALS[this.#asked];
        this.#asked = null;
        await player.act((session) => session.say(refusal, Date.now()));
        break;
      }
      case "rematch":
        if (this.#presence === "left") throw new ActError("rematch/opponent-left", OPPONENT_LEFT);
        await this.#postGame?.wish();
        this.#told(
          "notice",
          this.#presence === "lost"
            ? "You have asked for a rematch; your opponent has lost the connection and can agree when they are back."
            : "You have asked for a rematch; your opponent must agree.",
        );
        break;
      case "claim":
        await player.act((session) => {
          const waited = player.stopwatch.waitedMs;
          const flag = session.ledger.claimableAfterMs("flag");
          const fallen = flag !== null && waited >= flag;
          return session.claim(fallen ? "flag" : "silence", waited);
        });
        break;
      case "say": {
        const keep = player.isOpponentAway && player.ledger.outcome === null;
        await player.act((session) => session.say(command.text ?? "", Date.now(), keep));
        if (keep) this.#told("notice", HEARD_LATER);
        break;
      }
      default:
        throw new ActError("command", "This page cannot do that.");
    }
  }

  #requireSeen(command: Command): void {
    if (command.ply !== this.#player.ledger.moves.length) {
      throw new ActError("ply", "The board has changed in the meantime; look again.");
    }
  }

  #play(move: string): Promise<void> {
    const player = this.#player;
    return player.act((session) => session.play(move, player.stopwatch.elapsedMs));
  }

  async #hold({ move = "" }: Command): Promise<void> {
    const squares = move.match(/[a-h][1-8]|\d{1,2}/g) ?? [];
    this.#premove = move.trim() === "" ? null : { move, squares };
    await this.#playPremove();
  }

  async #playPremove(): Promise<void> {
    const premove = this.#premove;
    if (premove === null || !this.#mayMove) return;
    this.#premove = null;
    try {
      await this.#play(premove.move);
    } catch (error) {
      if (!(error instanceof RulesError)) throw error;
      this.#told("dropped", `Your premove was dropped. ${error.message}`);
    }
  }

  get #mayMove(): boolean {
    const { ledger, role } = this.#game;
    return ledger.phase === "playing" && ledger.onTurn === role;
  }

  #lookForClaim(): void {
    if (!(this.#game instanceof Player)) return;
    const { ledger, session, stopwatch } = this.#game;
    if (ledger.onTurn !== session.role) this.#warned = false;
    else if (!session.isInDoubt) this.#lookForSilence(ledger, stopwatch.elapsedMs);
    if (this.#lost || session.isInDoubt || ledger.onTurn !== other(session.role)) return;
    const waited = stopwatch.waitedMs;
    const may = (reason: "silence" | "flag"): boolean => {
      const least = ledger.claimableAfterMs(reason);
      return least !== null && waited >= least;
    };
    if (may("flag") && !session.resigning) {
      // The node itself claims a fallen flag; a person decides only about a silence. No page waits for
      // this answer.
      void this.obey({ type: "claim", id: 0 });
      return;
    }
    if (this.#mayClaim || !may("silence")) return;
    this.#mayClaim = true;
    const silent = durationText(Math.floor(waited / 1000) * 1000);
    this.#told("may_claim", `No answer for ${silent}: wait, or claim the game.`);
    this.show();
  }

  /** Warns, once a turn, before the opponent may claim our silence, unless our clock runs out first. */
  #lookForSilence(ledger: Ledger, elapsedMs: number): void {
    const grace = ledger.claimableAfterMs("silence");
    const flag = ledger.claimableAfterMs("flag");
    if (this.#warned || grace === null || (flag !== null && flag <= grace)) return;
    const left = grace - elapsedMs;
    if (left > Math.min(grace / 4, WARNED_MS)) return;
    this.#warned = true;
    const within = left > 0 ? `within ${durationText(Math.ceil(left / 1000) * 1000)}` : "now";
    this.#told("may_be_claimed", `Move ${within}, or your opponent may claim the game.`);
  }

  #told(kind: string, text: string, by?: Role): void {
    const side = by === undefined ? null : this.#game.ledger.sideOf(by);
    this.#send({ type: "told", kind, side: side === null ? null : numberOf(side), text });
  }

  #said(speaker: string, text: string): void {
    this.#talked += 1;
    const mine = speaker === "You";
    this.#send({ type: "said", number: this.#talked, speaker, text, mine, earlier: false });
  }

  #nameOf(role: Role): string {
    const { ledger } = this.#game;
    const side = ledger.sideOf(role);
    return side === null ? role : nameOf(ledger.offer.ruleset, side);
  }

  // What the page shows

  #state(): Record<string, unknown> {
    const { ledger, role } = this.#game;
    const { position, offer } = ledger;
    const words = wordsOf(offer.ruleset);
    const names = ledger.moves.map((move, at) => `${move} ${ledger.positions[at]?.text}`);
    const kept = commonPrefixLength(this.#sent, names);
    this.#sent = names;
    const can = this.#abilities();
    const first = ledger.positions[0] as Position;
    return {
      type: "state",
      title: offer.name,
      kind: role === null ? "watch" : "network",
      game: words.game,
      ruleset: offer.ruleset,
      ruleset_title: words.title,
      rules: words.rules,
      example: words.example,
      squares: ledger.engine.squares(first),
      start: first.rows,
      moves_from: kept,
      moves: ledger.moves
        .map((_, at) => at)
        .slice(kept)
        .map((at) => this.#played(at)),
      turn: numberOf(position.turn),
      turn_text: `Turn ${Math.floor(ledger.moves.length / 2) + 1}`,
      players: (["first", "second"] as const).map((side) => this.#playerOf(side)),
      legal: can.includes("move") ? this.#legal() : [],
      one_square: words.one_square,
      premove: this.#premove,
      draw_offered_by: ledger.phase === "asked" ? numberOf(position.turn) : null,
      muted: this.#muted,
      asked: this.#asked,
      resigning: this.#game instanceof Player && this.#game.session.resigning,
      can,
      ending:
        ledger.outcome === null
          ? null
          : {
              winner: ledger.outcome.winner === null ? null : numberOf(ledger.outcome.winner),
              termination: ledger.outcome.termination,
              text: this.#endingText(ledger.outcome),
            },
      broker_lost: this.#lost,
      files: [{ name: "record", title: "the signed record, which anybody can verify" }],
    };
  }

  #abilities(): string[] {
    if (!(this.#game instanceof Player)) return ["say", "leave"];
    const { ledger, session } = this.#game;
    if (session.isInDoubt) return ["say", "leave"];
    const can: string[] = [];
    const ours = ledger.onTurn === session.role;
    if (ours && ledger.phase === "asked") {
      can.push("answer_draw");
    } else if (ours) {
      can.push("move");
      if (!ledger.mustMove) can.push("resign");
      if (wordsOf(ledger.offer.ruleset).draw_offers && !ledger.mustMove) can.push("offer_draw");
    } else if (ledger.outcome === null) {
      can.push("premove", session.resigning ? "keep_playing" : "resign");
    }
    can.push("say");
    if (ledger.outcome === null) {
      if (ledger.moves.length > 0 && ledger.offer.takebacks !== "never") can.push("takeback");
      can.push("abort");
      if (this.#asked !== null) can.push("agree", "refuse");
      if (this.#mayClaim) can.push("claim");
    }
    const closed = this.#game.isSettled && ledger.phase === "closed";
    // A player that has left cannot agree to one.
    if (closed && this.#postGame?.isWished === false && this.#presence !== "left") {
      can.push("rematch");
    }
    return [...can, "leave"];
  }

  #playerOf(side: Side): Record<string, unknown> {
    const { ledger, elapsedMs } = this.#game;
    const role: Role = ledger.hostSide === side ? "host" : "guest";
    const node = ledger.nodeOf(role) ?? "";
    const mine = role === this.#game.role;
    const thought = role === ledger.onTurn ? elapsedMs : 0;
    const free = ledger.freeMs(role);
    return {
      name: nameOf(ledger.offer.ruleset, side),
      who: mine ? "you" : this.#game.names.shown(node),
      seat: mine ? "human" : "remote",
      pieces: ledger.position.counts[numberOf(side)],
      clock_ms: clockOf(ledger, role, thought),
      starts_in_ms: Math.max(0, free - thought),
    };
  }

  #played(at: number): PlayedMove {
    const { ledger } = this.#game;
    const [before, after] = ledger.positions.slice(at, at + 2) as [Position, Position];
    return playedMove(ledger.engine, before, ledger.moves[at] ?? "", after);
  }

  #squaresOf(at: number): readonly string[] {
    const { ledger } = this.#game;
    const before = ledger.positions[at];
    const move = ledger.moves[at];
    if (before === undefined) return [];
    return ledger.engine.legal(before).find((each) => each.move === move)?.squares ?? [];
  }

  #legal(): Record<string, unknown>[] {
    const { ledger } = this.#game;
    const { engine, position } = ledger;
    if (this.#outlook?.of !== position) {
      this.#outlook = { of: position, legal: engine.legal(position) };
    }
    return enterable(engine, position, this.#outlook.legal);
  }
}

/** What a player's clock shows; null without a clock. */
function clockOf(ledger: Ledger, role: Role, thoughtMs: number): number | null {
  const remaining = ledger.remainingMs(role);
  if (remaining === null) return null;
  const free = ledger.freeMs(role);
  if (ledger.outcome?.termination === "time" && ledger.outcome.winner !== ledger.sideOf(role))
    return 0;
  return Math.max(0, remaining - Math.max(free, thoughtMs));
}

/** A message of a player, in words. */
function whatOf(message: LogMessage): string {
  return message.type === "move" ? message.move : `"${message.type}"`;
}
