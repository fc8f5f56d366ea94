/** An event, as its followers compute it: each round, and the table (SPEC.md, section 14). */

import { digestOf, isSignedBy } from "./codec.js";
import type { Engine } from "./engine.js";
import type { MessageOf } from "./messages.js";
import { type Entrant, type Pairings, roundRobin, swiss } from "./pairing.js";
import { Refusal } from "./refusal.js";

export type PlanMessage = MessageOf<"event">;
export type RoundMessage = MessageOf<"round">;

/** A player's line in the table, in halves of a point; the best first. */
export interface Standing {
  readonly player: string;
  readonly points: number;
  readonly buchholz: number;
  readonly sonneborn_berger: number;
  readonly direct: number;
}

interface Player extends Entrant {
  points: number;
  byes: number;
  readonly met: { opponent: number; first: boolean; points: number }[];
}

const WIN = 2;
const POINTS = { "1-0": [2, 0], "0-1": [0, 2], "1/2-1/2": [1, 1], "*": [0, 0] } as const;

/** An event under way. */
export class Tournament {
  readonly plan: PlanMessage;
  readonly rounds: RoundMessage[] = [];
  readonly #engine: Engine;
  readonly #digest: string;
  readonly #withdrawn = new Set<string>();
  #players: Player[];

  /**
   * The event of a plan.
   * @throws Refusal The plan does not hold (MP-EVENT-1).
   */
  constructor(engine: Engine, plan: PlanMessage) {
    const { host, key } = plan;
    if (engine.nodeId(key) !== host || !isSignedBy(engine, plan, key)) {
      throw new Refusal("event/forged", "the host has not signed it");
    }
    this.#engine = engine;
    this.plan = plan;
    this.#digest = digestOf(engine, plan);
    this.#players = plan.players.map((_, seat) => ({ seat, points: 0, byes: 0, met: [] }));
  }

  /** Whether all rounds are played. */
  get isOver(): boolean {
    return this.rounds.length > this.plan.rounds;
  }

  /**
   * Take the next round in.
   * @throws Refusal It is not the host's, or does not follow; nothing has changed.
   */
  accept(round: RoundMessage): void {
    const { plan } = this;
    const before = this.rounds.at(-1);
    const ours = round.event === this.#digest && round.from === plan.host;
    if (!ours || !isSignedBy(this.#engine, round, plan.key)) {
      throw new Refusal("round/forged", "the host has not signed it");
    }
    if (round.number !== this.rounds.length + 1 || this.isOver) {
      throw new Refusal("round/order", `round ${round.number} does not come next`);
    }
    const prev = before === undefined ? this.#digest : digestOf(this.#engine, before);
    if (round.prev !== prev || (before !== undefined && round.created_ms < before.created_ms)) {
      throw new Refusal("round/chain", "it does not rest on the round before it");
    }
    if (round.results.length !== (before?.pairings.length ?? 0)) {
      throw new Refusal("round/result", "the results are not those of the round before it");
    }
    const gone = new Set(round.withdrawn);
    const known = round.withdrawn.every((node) => plan.players.includes(node));
    if (gone.size !== round.withdrawn.length || !known || meets(gone, this.#withdrawn)) {
      throw new Refusal("round/withdrawn", "somebody withdraws who does not play");
    }
    const players = this.#after(round);
    const left = new Set([...this.#withdrawn, ...gone]);
    const paired = this.#paired(round.number, players, left);
    const name = (seat: number) => plan.players[seat] as string;
    const pairings = paired.boards.map(([first, second]) => ({
      first: name(first),
      second: name(second),
    }));
    if (!same(pairings, round.pairings) || !same(paired.byes.map(name), round.byes)) {
      throw new Refusal("round/pairing", "the rules of the event give other pairings");
    }
    this.#players = players;
    for (const node of gone) this.#withdrawn.add(node);
    this.rounds.push(round);
  }

  /** The table (MP-EVENT-10). */
  table(): Standing[] {
    const players = this.#players;
    const pointsOf = (seat: number) => players[seat]?.points ?? 0;
    const lines = players.map((player) => ({
      player,
      buchholz: player.met.reduce((sum, { opponent }) => sum + pointsOf(opponent), 0),
      berger: player.met.reduce((sum, met) => sum + met.points * pointsOf(met.opponent), 0),
    }));
    const alike = (one: (typeof lines)[number], other: (typeof lines)[number]) =>
      one.player.points === other.player.points &&
      one.buchholz === other.buchholz &&
      one.berger === other.berger;
    const table = lines.map((line) => {
      const others = lines.filter((each) => each !== line && alike(each, line));
      const group = [line, ...others].map(({ player }) => player);
      const complete = group.every((one) =>
        group.every(
          (each) => each === one || one.met.some(({ opponent }) => opponent === each.seat),
        ),
      );
      const seats = new Set(others.map(({ player }) => player.seat));
      const among = line.player.met.filter(({ opponent }) => seats.has(opponent));
      return { ...line, direct: complete ? among.reduce((sum, { points }) => sum + points, 0) : 0 };
    });
    table.sort(
      (one, other) =>
        other.player.points - one.player.points ||
        other.buchholz - one.buchholz ||
        other.berger - one.berger ||
        other.direct - one.direct ||
        one.player.seat - other.player.seat,
    );
    return table.map(({ player, buchholz, berger, direct }) => ({
      player: this.plan.players[player.seat] as string,
      points: player.points,
      buchholz,
      sonneborn_berger: berger,
      direct,
    }));
  }

  /** The players after the previous round, whose results this one has. */
  #after(round: RoundMessage): Player[] {
    const players = this.#players.map((player) => ({ ...player, met: [...player.met] }));
    const before = this.rounds.at(-1);
    const seat = (node: string) => this.plan.players.indexOf(node);
    before?.pairings.forEach((pairing, board) => {
      const [one, other] = POINTS[round.results[board]?.score ?? "*"];
      const [first, second] = [seat(pairing.first), seat(pairing.second)];
      meet(players[first] as Player, second, true, one);
      meet(players[second] as Player, first, false, other);
    });
    for (const node of before?.byes ?? []) {
      const player = players[seat(node)] as Player;
      player.byes += 1;
      if (!this.#hasNobody(player.seat, before?.number ?? 1)) player.points += WIN;
    }
    return players;
  }

  /** Whether a round robin's table gives a player no opponent in a round. */
  #hasNobody(seat: number, number: number): boolean {
    const { players, seed, system } = this.plan;
    return (
      system === "round-robin" &&
      roundRobin(players.length, number, seed, () => true).byes.includes(seat)
    );
  }

  #paired(number: number, players: readonly Player[], gone: ReadonlySet<string>): Pairings {
    const { plan } = this;
    if (number > plan.rounds) return { boards: [], byes: [] };
    const plays = (seat: number) => !gone.has(plan.players[seat] as string);
    return plan.system === "round-robin"
      ? roundRobin(players.length, number, plan.seed, plays)
      : swiss(
          players.filter(({ seat }) => plays(seat)),
          plan.seed,
        );
  }
}

function meet(player: Player, opponent: number, first: boolean, points: number): void {
  player.met.push({ opponent, first, points });
  player.points += points;
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((each) => others.has(each));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
