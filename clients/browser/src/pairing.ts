/** The pairings of the next round of an event (SPEC.md, section 14.2). */

/** A player so far, by its seat in the plan. */
export interface Entrant {
  readonly seat: number;
  readonly points: number;
  readonly byes: number;
  /** Its pairings, the oldest first. */
  readonly met: readonly { readonly opponent: number; readonly first: boolean }[];
}

/** The pairings of a round by seats, in the order of the boards, and who has no opponent. */
export interface Pairings {
  readonly boards: readonly (readonly [number, number])[];
  readonly byes: readonly number[];
}

/** Round `number` of a round robin by Berger's tables (MP-EVENT-4); `plays` says who still plays. */
export function roundRobin(
  players: number,
  number: number,
  seed: number,
  plays: (seat: number) => boolean,
): Pairings {
  const even = players + (players % 2);
  const turns = even - 1;
  const turn = (number - 1) % turns;
  const meets = ((turn * even) / 2) % turns;
  const changed = (Math.floor((number - 1) / turns) + (seed % 2)) % 2 === 1;
  const boards: [number, number][] = [];
  const byes: number[] = [];
  for (let board = 1; board <= even / 2; board++) {
    let first = (meets + board - 1) % turns;
    let second = (meets - board + 1 + turns) % turns;
    if (board === 1) [first, second] = turn % 2 === 0 ? [meets, turns] : [turns, meets];
    if (changed) [first, second] = [second, first];
    const here = [first, second].filter((seat) => seat < players && plays(seat));
    if (here.length === 2) boards.push([first, second]);
    else byes.push(...here);
  }
  return { boards, byes: byes.sort((one, other) => one - other) };
}

type Side = "first" | "second";

/** The next round of a Swiss system among those who still play (MP-EVENT-5 to MP-EVENT-7). */
export function swiss(entrants: readonly Entrant[], seed: number): Pairings {
  const ranked = [...entrants].sort(
    (one, other) => other.points - one.points || one.seat - other.seat,
  );
  for (let attempt = 0; ; attempt++) {
    const times = Math.max(0, attempt - 1);
    const strict = attempt === 0;
    const may = (one: Entrant, other: Entrant) =>
      one.met.filter(({ opponent }) => opponent === other.seat).length <= times &&
      !(strict && due(one) !== null && due(one) === due(other));
    const found = paired(ranked, may);
    if (found === null) continue;
    const { pairs, bye } = found;
    const boards = pairs.map(([higher, lower], index): [number, number] =>
      movesFirst(higher, lower, index + 1, seed)
        ? [higher.seat, lower.seat]
        : [lower.seat, higher.seat],
    );
    return { boards, byes: bye === null ? [] : [bye.seat] };
  }
}

type May = (one: Entrant, other: Entrant) => boolean;

function paired(
  ranked: readonly Entrant[],
  may: May,
): { pairs: [Entrant, Entrant][]; bye: Entrant | null } | null {
  let left = ranked;
  let bye: Entrant | null = null;
  if (ranked.length % 2 === 1) {
    const fewest = Math.min(...ranked.map(({ byes }) => byes));
    const without = (out: Entrant) => ranked.filter((each) => each !== out);
    bye =
      [...ranked]
        .reverse()
        .filter(({ byes }) => byes === fewest)
        .find((each) => canAllBePaired(without(each), may)) ?? null;
    if (bye === null) return null;
    left = without(bye);
  } else if (!canAllBePaired(ranked, may)) {
    return null;
  }
  const pairs: [Entrant, Entrant][] = [];
  for (;;) {
    const [highest, ...others] = left;
    if (highest === undefined) return { pairs, bye };
    const partner = inOrder(highest, others).find(
      (each) =>
        may(highest, each) &&
        canAllBePaired(
          others.filter((other) => other !== each),
          may,
        ),
    );
    if (partner === undefined) return null;
    pairs.push([highest, partner]);
    left = others.filter((each) => each !== partner);
  }
}

/** The order in which a player is tried with the others as opponents (MP-EVENT-6). */
function inOrder(player: Entrant, others: readonly Entrant[]): Entrant[] {
  const ordered: Entrant[] = [];
  for (const points of new Set(others.map((each) => each.points))) {
    const group = others.filter((each) => each.points === points);
    let ranks = group;
    if (points === player.points) {
      const middle = Math.ceil(group.length / 2);
      ranks = [...group.slice(middle - 1), ...group.slice(0, middle - 1).reverse()];
    }
    const wish = wishOf(player);
    const same = (each: Entrant) => wish !== null && wishOf(each) === wish;
    ordered.push(...ranks.filter((each) => !same(each)), ...ranks.filter(same));
  }
  return ordered;
}

const otherSide = (side: Side): Side => (side === "first" ? "second" : "first");

/** How many more times a player moved first than second. */
function balance({ met }: Entrant): number {
  return met.reduce((sum, { first }) => sum + (first ? 1 : -1), 0);
}

function lastSide({ met }: Entrant, back = 1): Side | null {
  const pairing = met[met.length - back];
  if (pairing === undefined) return null;
  return pairing.first ? "first" : "second";
}

function due(player: Entrant): Side | null {
  const more = balance(player);
  if (more >= 2) return "second";
  if (more <= -2) return "first";
  const last = lastSide(player);
  return last !== null && last === lastSide(player, 2) ? otherSide(last) : null;
}

function wishOf(player: Entrant): Side | null {
  const isDue = due(player);
  if (isDue !== null) return isDue;
  const more = balance(player);
  if (more !== 0) return more > 0 ? "second" : "first";
  const last = lastSide(player);
  return last === null ? null : otherSide(last);
}

/** Whether the higher ranked of two moves first (MP-EVENT-7). */
function movesFirst(higher: Entrant, lower: Entrant, board: number, seed: number): boolean {
  const [wish, others] = [wishOf(higher), wishOf(lower)];
  if (wish === null && others === null) return (board + (seed % 2)) % 2 === 1;
  if (wish === null || wish !== others) {
    return wish === null ? others === "second" : wish === "first";
  }
  return (wish === "first") === goesBefore(higher, lower);
}

/** Whether the higher ranked of two players who want the same side gets it. */
function goesBefore(higher: Entrant, lower: Entrant): boolean {
  if ((due(higher) !== null) !== (due(lower) !== null)) return due(higher) !== null;
  const difference = Math.abs(balance(higher)) - Math.abs(balance(lower));
  if (difference !== 0) return difference > 0;
  for (let back = 1; back <= Math.min(higher.met.length, lower.met.length); back++) {
    const [one, other] = [lastSide(higher, back), lastSide(lower, back)];
    if (one !== other) return one !== wishOf(higher);
  }
  return true;
}

/** Whether all can be paired with each other: a matching by Edmonds' blossoms. */
function canAllBePaired(players: readonly Entrant[], may: May): boolean {
  if (players.length % 2 === 1) return false;
  const next = players.map((one, at) =>
    players.flatMap((other, to) => (at !== to && may(one, other) ? [to] : [])),
  );
  const mate: number[] = players.map(() => -1);
  return players.every((_, root) => mate[root] !== -1 || augment(next, mate, root));
}

/** Find a path that pairs one more, from `root`, and change the pairs along it. */
function augment(next: readonly (readonly number[])[], mate: number[], root: number): boolean {
  const base = mate.map((_, at) => at);
  const parent = mate.map(() => -1);
  const reached = mate.map((_, at) => at === root);
  const queue = [root];
  const at = (list: readonly number[], index: number) => list[index] as number;

  const commonBase = (one: number, other: number): number => {
    const seen = new Set<number>();
    for (let each = one; ; each = at(parent, at(mate, each))) {
      each = at(base, each);
      seen.add(each);
      if (at(mate, each) === -1) break;
    }
    let each = at(base, other);
    while (!seen.has(each)) each = at(base, at(parent, at(mate, each)));
    return each;
  };
  const mark = (from: number, common: number, child: number, blossom: boolean[]): void => {
    let [each, below] = [from, child];
    while (at(base, each) !== common) {
      const pair = at(mate, each);
      blossom[at(base, each)] = blossom[at(base, pair)] = true;
      parent[each] = below;
      below = pair;
      each = at(parent, pair);
    }
  };
  for (let head = 0; head < queue.length; head++) {
    const one = at(queue, head);
    for (const other of next[one] ?? []) {
      if (at(base, one) === at(base, other) || at(mate, one) === other) continue;
      const pair = at(mate, other);
      if (other === root || (pair !== -1 && at(parent, pair) !== -1)) {
        const common = commonBase(one, other);
        const blossom = mate.map(() => false);
        mark(one, common, other, blossom);
        mark(other, common, one, blossom);
        base.forEach((of, each) => {
          if (blossom[of] !== true) return;
          base[each] = common;
          if (reached[each] !== true) {
            reached[each] = true;
            queue.push(each);
          }
        });
      } else if (at(parent, other) === -1) {
        parent[other] = one;
        if (pair === -1) {
          for (let end = other; end !== -1; ) {
            const before = at(parent, end);
            const following = at(mate, before);
            mate[end] = before;
            mate[before] = end;
            end = following;
          }
          return true;
        }
        reached[pair] = true;
        queue.push(pair);
      }
    }
  }
  return false;
}
