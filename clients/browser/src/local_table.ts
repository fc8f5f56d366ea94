/**
 * A game on this page alone, against the engine or between two people here: speaks the messages of
 * the control interface, as `table.ts` does for games with somebody else. It needs no network.
 */

import { type Engine, type Position, RulesError, type Side } from "./engine.js";
import type { Outcome } from "./ledger.js";
import { commonPrefixLength, enterable, playedMove, replayed } from "./moves.js";
import type { Found, Limits } from "./search.js";
import { SearchError, SearchThread } from "./search_thread.js";
import type { Command } from "./table.js";
import {
  barShare,
  explainBestMove,
  type Opinion,
  opinionOf,
  opinionOfEnd,
  verdictText,
} from "./verdicts.js";
import {
  CUTOFF_MS,
  EFFORTS,
  endingText,
  LADDER,
  levelOf,
  nameOf,
  numberOf,
  wordsOf,
} from "./words.js";

export type Seat = "human" | "auto";

/** A game as it is kept. */
export interface LocalGame {
  readonly ruleset: string;
  readonly level: number;
  /** Who plays the first and the second side. */
  readonly seats: readonly [Seat, Seat];
  readonly moves: readonly string[];
  /** The moves taken back, which can be made again, in their order. */
  readonly undone?: readonly string[];
  /** Decides the engine's choices, together with the number of moves before each. */
  readonly seed: number;
  /** An end that the rules do not know: a resignation, or a draw by agreement. */
  readonly declared: { readonly termination: string; readonly winner: Side | null } | null;
  /** Whether the engine evaluates it from the beginning, as in a study. */
  readonly evaluating?: boolean;
  /** Whether its result does not count towards a level: the person had help, or it has counted. */
  readonly uncounted?: boolean;
}

/** A new game. */
export function newGame(ruleset: string, level: number, seats: readonly [Seat, Seat]): LocalGame {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return { ruleset, level, seats, moves: [], seed, declared: null };
}

// How many positions the engine searches to judge an offer of a draw.
const DRAW_NODES = 100_000;

class LocalError extends Error {}

/**
 * Takes the result of a game against a level; returns what to say of it, or null.
 * @param halves Half points for the person: 0, 1 or 2.
 */
export type Count = (ruleset: string, level: number, halves: number) => string | null;

/** One game of this page. */
export class LocalTable {
  readonly #engine: Engine;
  readonly #send: (message: Record<string, unknown>) => void;
  readonly #keep: (game: LocalGame) => void;
  readonly #count: Count;
  readonly #player = new SearchThread();
  readonly #adviser = new SearchThread();
  readonly #opinions = new Map<string, Opinion>();
  #game: LocalGame;
  #positions: readonly Position[];
  #sent: readonly string[] = [];
  #drawBy: Side | null = null;
  #mustMove = false;
  #evaluating = false;
  // Counts the changes that make a search under way worthless.
  #edits = 0;

  /**
   * Shows a game.
   * @param send Sends a message to the page.
   * @param keep Keeps the game, as it is now.
   * @param count Takes the result of a game that counts.
   * @throws RulesError A stored move is not legal.
   */
  constructor(
    engine: Engine,
    game: LocalGame,
    send: (message: Record<string, unknown>) => void,
    keep: (game: LocalGame) => void,
    count: Count,
  ) {
    this.#engine = engine;
    this.#send = send;
    this.#keep = keep;
    this.#count = count;
    const made = game.moves.length;
    const all = [...game.moves, ...(game.undone ?? [])];
    const { moves, positions } = replayed(engine, game.ruleset, all);
    this.#game = { ...game, moves: moves.slice(0, made), undone: moves.slice(made) };
    this.#evaluating = game.evaluating === true;
    this.#positions = positions.slice(0, made + 1);
  }

  /** Sends a page its first messages. */
  greet(): void {
    this.#sent = [];
    this.#send({ type: "hello", version: 1, program: "ataxxd-browser/0.1.0" });
    this.#changed();
  }

  /** Obeys a command of the page, and answers it. */
  obey(command: Command): void {
    let error: string | null = null;
    try {
      this.#obey(command);
    } catch (refused) {
      if (!(refused instanceof LocalError) && !(refused instanceof RulesError)) throw refused;
      error = refused.message;
    }
    this.#send({ type: "answer", id: command.id, error });
    if (error === null && command.type !== "hint") this.#changed();
  }

  get #position(): Position {
    return this.#positions.at(-1) as Position;
  }

  get #outcome(): Outcome | null {
    const { declared } = this.#game;
    const ended = this.#position.outcome;
    if (declared !== null) {
      const { winner } = declared;
      const score = winner === null ? "1/2-1/2" : winner === "first" ? "1-0" : "0-1";
      return { ...declared, score };
    }
    if (ended === null) return null;
    const winners: Record<string, Side> = { "1-0": "first", "0-1": "second" };
    return {
      score: ended.score as Outcome["score"],
      termination: ended.termination,
      winner: winners[ended.score] ?? null,
    };
  }

  /** The side that acts next: the one that is offered a draw, or is on turn. */
  get #acting(): Side {
    return this.#drawBy === null ? this.#position.turn : otherSide(this.#drawBy);
  }

  #seat(side: Side): Seat {
    return this.#game.seats[numberOf(side)];
  }

  get #personActs(): boolean {
    return this.#outcome === null && this.#seat(this.#acting) === "human";
  }

  #obey(command: Command): void {
    switch (command.type) {
      case "play":
        if (command.ply !== this.#game.moves.length) {
          throw new LocalError("The board has changed in the meantime; look again.");
        }
        if (this.#outcome !== null) throw new LocalError("The game is over.");
        if (!this.#personActs) throw new LocalError("It is the engine's turn.");
        if (this.#drawBy !== null) throw new LocalError("The draw must be answered first.");
        this.#play(this.#engine.parseMove(this.#position, command.move ?? ""));
        break;
      case "explain":
        this.#explain(command.squares ?? []);
        break;
      case "resign": {
        const people = (["first", "second"] as const).filter(
          (side) => this.#seat(side) === "human",
        );
        const loser = people.includes(this.#acting) ? this.#acting : people[0];
        if (loser === undefined || this.#outcome !== null) {
          throw new LocalError("There is no game to resign.");
        }
        this.#declare("resignation", otherSide(loser));
        break;
      }
      case "offer_draw":
        if (!this.#can().includes("offer_draw")) {
          throw new LocalError("No draw can be offered now.");
        }
        this.#drawBy = this.#position.turn;
        this.#told(
          "draw_asked",
          `${this.#nameOf(this.#position.turn)} offers a draw.`,
          this.#position.turn,
        );
        break;
      case "answer_draw":
        if (this.#drawBy === null) throw new LocalError("Nobody offers a draw.");
        this.#answerDraw(command.accept === true);
        break;
      case "undo":
        if (this.#game.moves.length === 0 && this.#game.declared === null) {
          throw new LocalError("There is nothing to undo: no move has been made.");
        }
        this.#stopCounting();
        this.#undo();
        // The engine would only make its move again.
        if (!this.#personActs && this.#game.seats.includes("human")) {
          if (this.#game.moves.length > 0) this.#undo();
        }
        break;
      case "redo":
        if (this.#undone.length === 0) throw new LocalError("There is nothing to redo.");
        this.#redo();
        if (!this.#personActs && this.#undone.length > 0) this.#redo();
        break;
      case "new":
        this.#forget();
        this.#positions = this.#positions.slice(0, 1);
        this.#game = newGame(this.#game.ruleset, this.#game.level, this.#game.seats);
        if (this.#evaluating) this.#stopCounting();
        break;
      case "fill": {
        const seats: [Seat, Seat] = [...this.#game.seats];
        seats[command.side === 1 ? 1 : 0] = command.seat === "auto" ? "auto" : "human";
        this.#forget();
        if (this.#game.moves.length > 0) this.#stopCounting();
        this.#game = { ...this.#game, seats };
        break;
      }
      case "level":
        if (levelOf(this.#game.ruleset, command.level ?? 0) === undefined)
          throw new LocalError("No such level.");
        this.#forget();
        if (this.#game.moves.length > 0) this.#stopCounting();
        this.#game = { ...this.#game, level: command.level ?? this.#game.level };
        break;
      case "hint":
        if (this.#outcome !== null) {
          throw new LocalError("The game is over: there is no move to show.");
        }
        this.#stopCounting();
        void this.#hint();
        break;
      case "evaluate":
        this.#evaluating = command.on === true;
        if (this.#evaluating) this.#stopCounting();
        this.#adviser.drop();
        if (!this.#evaluating) this.#showOpinions();
        break;
      case "leave":
        this.#player.drop();
        this.#adviser.drop();
        this.#send({ left: true });
        break;
      default:
        throw new LocalError("Nobody sits on the other side of this table.");
    }
  }

  #explain(squares: readonly string[]): void {
    const [from = ""] = squares;
    if (squares.length === 1 && !wordsOf(this.#game.ruleset).one_square) {
      const targets = this.#engine
        .legal(this.#position)
        .filter((each) => each.squares.length > 1 && each.squares[0] === from);
      if (targets.length > 0) {
        const reached = targets.map((each) => each.squares.at(-1)).join(" ");
        throw new LocalError(`From ${from} you can reach ${reached}.`);
      }
    }
    try {
      this.#engine.parseMove(
        this.#position,
        squares.length === 1 ? `${from}-${from}` : squares.join("-"),
      );
    } catch (error) {
      if (!(error instanceof RulesError) || squares.length > 1) throw error;
      // The message begins with the move from the square to itself, which nobody typed.
      const [, why] = error.message.split(" is not legal: ");
      const text = why ?? error.message;
      throw new LocalError(text.startsWith(from) ? text : capitalized(text));
    }
  }

  #play(move: string): void {
    const side = this.#position.turn;
    const passes =
      this.#engine.legal(this.#position).find((each) => each.move === move)?.squares.length === 0;
    this.#make(move, []);
    this.#told("moved", `${this.#nameOf(side)} ${passes ? "passes" : `plays ${move}`}.`, side);
    if (this.#outcome !== null) this.#tellEnd();
  }

  get #undone(): readonly string[] {
    return this.#game.undone ?? [];
  }

  /** Makes a move, after which `undone` can be made again. */
  #make(move: string, undone: readonly string[]): void {
    this.#forget();
    this.#positions = [...this.#positions, this.#engine.play(this.#position, move)];
    this.#game = { ...this.#game, moves: [...this.#game.moves, move], undone };
  }

  #undo(): void {
    const resigned = this.#game.declared !== null && this.#game.moves.length === 0;
    this.#forget();
    if (resigned) {
      this.#game = { ...this.#game, declared: null };
      return;
    }
    const { moves } = this.#game;
    const undone = [moves.at(-1) ?? "", ...this.#undone];
    this.#positions = this.#positions.slice(0, -1);
    this.#game = { ...this.#game, moves: moves.slice(0, -1), undone, declared: null };
  }

  #redo(): void {
    const [move = "", ...rest] = this.#undone;
    this.#make(move, rest);
  }

  /** Makes whatever is under way worthless. */
  #forget(): void {
    this.#edits += 1;
    this.#drawBy = null;
    this.#mustMove = false;
    this.#player.drop();
  }

  #declare(termination: string, winner: Side | null): void {
    this.#forget();
    this.#game = { ...this.#game, declared: { termination, winner } };
    this.#tellEnd();
  }

  #tellEnd(): void {
    const outcome = this.#outcome as Outcome;
    this.#told("over", endingText(outcome, this.#position, null));
    const text = this.#counted(outcome);
    if (text !== null) this.#told("notice", text);
  }

  /** The person has had help, or the game has counted: its result does not count towards a level. */
  #stopCounting(): void {
    this.#game = { ...this.#game, uncounted: true };
  }

  /** Counts the result, once, if the person played alone against a level; what to say of it. */
  #counted({ termination, winner }: Outcome): string | null {
    const { ruleset, level, seats, moves, uncounted } = this.#game;
    this.#stopCounting();
    const early = termination === "resignation" && moves.length < LADDER.early_moves;
    const people = seats.filter((seat) => seat === "human").length;
    if (uncounted || early || people !== 1) return null;
    const won = winner !== null && this.#seat(winner) === "human";
    return this.#count(ruleset, level, winner === null ? 1 : won ? 2 : 0);
  }

  #answerDraw(accept: boolean): void {
    const by = this.#drawBy as Side;
    if (accept) {
      this.#declare("draw-agreed", null);
      return;
    }
    this.#forget();
    this.#mustMove = true;
    const [asker, answerer] = [this.#nameOf(by), this.#nameOf(otherSide(by))];
    this.#told("draw_refused", `${answerer} rejects the draw; ${asker} must move.`, otherSide(by));
  }

  // The engine

  /** After any change: keeps the game, shows it, and lets the engine think if it is its turn. */
  #changed(): void {
    this.#keep(this.#game);
    this.#show();
    if (this.#outcome === null && !this.#personActs) void this.#act(this.#edits);
    if (this.#evaluating) void this.#evaluate(this.#edits);
  }

  #acts = -1;

  async #act(edits: number): Promise<void> {
    // Called again by a change that leaves the question as it is.
    if (this.#acts === edits) return;
    this.#acts = edits;
    const level = levelOf(this.#game.ruleset, this.#game.level);
    const limits: Limits =
      this.#drawBy === null
        ? {
            ...level,
            cutoffMs: CUTOFF_MS,
            seed: this.#game.seed + this.#game.moves.length,
          }
        : { nodes: DRAW_NODES, cutoffMs: CUTOFF_MS };
    const found = await this.#ask(this.#player, limits, edits);
    if (found === null) return;
    if (this.#drawBy !== null) this.#answerDraw(found.score >= 0);
    else this.#play(found.move);
    this.#changed();
  }

  /** What the engine finds; null if nobody wants to know any more, or it cannot be asked. */
  async #ask(
    thread: SearchThread,
    limits: Limits,
    edits: number,
    at = this.#position,
  ): Promise<Found | null> {
    try {
      const found = await thread.ask({ ruleset: at.ruleset, position: at.text, limits });
      return edits === this.#edits ? found : null;
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      if (edits === this.#edits) this.#told("notice", error.message);
      return null;
    }
  }

  async #hint(): Promise<void> {
    const position = this.#position;
    const { nodes, time_ms: timeMs } = EFFORTS.look;
    const found = await this.#ask(this.#adviser, { nodes, timeMs }, this.#edits);
    if (found === null) return;
    const move = this.#engine.legal(position).find((each) => each.move === found.move);
    const [ways] = enterable(this.#engine, position, move === undefined ? [] : [move]);
    const [squares = []] = (ways?.["paths"] ?? []) as string[][];
    const opinion = opinionOf(found, position);
    // If the side wins, `why` says so already.
    const worth =
      found.mateIn !== null && found.mateIn > 0
        ? ""
        : ` (${verdictText(opinion, wordsOf(position.ruleset).sides)})`;
    const why = explainBestMove(this.#engine, opinion, position);
    const name = move?.squares.length ? found.move : "pass";
    const text = `The engine would play ${name}${worth}${why === null ? "" : `, which ${why}`}.`;
    this.#send({ type: "hint", ply: this.#game.moves.length, squares, text });
  }

  /** Evaluates all positions at a glance, and then the newest one thoroughly. */
  async #evaluate(edits: number): Promise<void> {
    this.#showOpinions();
    for (const [effort, positions] of [
      ["glance", this.#positions],
      ["look", this.#positions.slice(-1)],
    ] as const) {
      const { nodes, time_ms: timeMs } = EFFORTS[effort];
      for (const position of positions) {
        if (!this.#evaluating || edits !== this.#edits) return;
        const known = this.#opinions.get(position.text);
        const enough =
          known !== undefined && known.nodes > (effort === "look" ? EFFORTS.glance.nodes : -1);
        if (position.outcome !== null || enough) continue;
        const found = await this.#ask(this.#adviser, { nodes, timeMs }, edits, position);
        if (found === null) return;
        this.#opinions.set(position.text, opinionOf(found, position));
        this.#showOpinions();
      }
    }
  }

  #showOpinions(): void {
    const { sides } = wordsOf(this.#game.ruleset);
    const verdicts = this.#positions.map((position) => {
      const opinion = opinionOfEnd(position) ?? this.#opinions.get(position.text);
      if (opinion === undefined) return null;
      return {
        share: barShare(opinion),
        words: verdictText(opinion, sides),
        line: opinion.line,
        why: explainBestMove(this.#engine, opinion, position),
      };
    });
    const on = this.#evaluating;
    this.#send({ type: "evaluation", on, verdicts: on ? verdicts : [] });
  }

  // What the page shows

  #told(kind: string, text: string, side?: Side): void {
    this.#send({ type: "told", kind, side: side === undefined ? null : numberOf(side), text });
  }

  #nameOf(side: Side): string {
    return nameOf(this.#game.ruleset, side);
  }

  #can(): string[] {
    const can: string[] = [];
    if (this.#personActs && this.#drawBy !== null) can.push("answer_draw");
    else if (this.#personActs) {
      can.push("move");
      const draws = wordsOf(this.#game.ruleset).draw_offers && !this.#mustMove;
      if (draws) can.push("offer_draw");
    }
    const playing = this.#outcome === null;
    if (playing && this.#game.seats.includes("human") && this.#drawBy === null) can.push("resign");
    can.push("new", "fill", "level");
    if (this.#game.moves.length > 0 || this.#game.declared !== null) can.push("undo");
    if (this.#undone.length > 0) can.push("redo");
    if (playing) can.push("hint");
    return [...can, "evaluate", "leave"];
  }

  #show(): void {
    const { ruleset, moves, level, seats } = this.#game;
    const words = wordsOf(ruleset);
    const outcome = this.#outcome;
    const names = moves.map((move, at) => `${move} ${this.#positions[at]?.text}`);
    const kept = commonPrefixLength(this.#sent, names);
    this.#sent = names;
    const can = this.#can();
    const [start] = this.#positions as readonly [Position];
    const position = this.#position;
    this.#send({
      type: "state",
      title: "",
      kind: "local",
      game: words.game,
      ruleset,
      ruleset_title: words.title,
      rules: words.rules,
      example: words.example,
      squares: this.#engine.squares(start),
      start: start.rows,
      moves_from: kept,
      moves: moves.slice(kept).map((move, at) => {
        const [before, after] = this.#positions.slice(kept + at) as [Position, Position];
        return playedMove(this.#engine, before, move, after);
      }),
      turn: numberOf(position.turn),
      turn_text: `Turn ${Math.floor(moves.length / 2) + 1}`,
      players: (["first", "second"] as const).map((side) => ({
        name: this.#nameOf(side),
        who: seats.every((seat) => seat === "human") ? "by hand" : this.#who(side),
        seat: this.#seat(side),
        pieces: position.counts[numberOf(side)],
        clock_ms: null,
        starts_in_ms: 0,
      })),
      legal: can.includes("move")
        ? enterable(this.#engine, position, this.#engine.legal(position))
        : [],
      one_square: words.one_square,
      premove: null,
      draw_offered_by: this.#drawBy === null ? null : numberOf(this.#drawBy),
      muted: [],
      asked: null,
      resigning: false,
      level,
      can,
      ending:
        outcome === null
          ? null
          : {
              winner: outcome.winner === null ? null : numberOf(outcome.winner),
              termination: outcome.termination,
              text: endingText(outcome, position, null),
            },
      broker_lost: false,
      files: [],
    });
  }

  #who(side: Side): string {
    return this.#seat(side) === "human" ? "you" : "the computer";
  }
}

function otherSide(side: Side): Side {
  return side === "first" ? "second" : "first";
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
