// What the page knows of the game: the moves with their boards, and a move being entered.

const TITLES = { loa: "Lines of Action" };

/** A game's name as people write it, such as "Reversi" for "reversi". */
export const gameTitle = (game) => TITLES[game] ?? game[0].toUpperCase() + game.slice(1);

/** The game as the last state tells it. */
export class Game {
  state = null;
  moves = [];
  /** The number of moves of the position looked at; null is the newest. */
  viewed = null;

  /** Takes a new state; returns the move that was made, when it is one more than before. */
  take(state) {
    const before = this.moves.length;
    this.moves = [...this.moves.slice(0, state.moves_from), ...state.moves];
    const first = this.state === null;
    this.state = state;
    if (this.viewed !== null && this.viewed >= this.moves.length) this.viewed = null;
    const onlyOne = !first && state.moves_from === before && this.moves.length === before + 1;
    return onlyOne ? this.moves.at(-1) : null;
  }

  /** Whether a new state has the same position and the same moves to enter as the last one. */
  stands(state) {
    const moved = state.moves.length > 0 || state.moves_from !== this.moves.length;
    return this.state !== null && !moved && JSON.stringify(state.legal) === JSON.stringify(this.state.legal);
  }

  get live() {
    return this.viewed === null;
  }

  get ply() {
    return this.viewed ?? this.moves.length;
  }

  /** The board after `ply` moves. */
  board(ply = this.ply) {
    return ply === 0 ? this.state.start : this.moves[ply - 1].board;
  }

  /** What stands on a square now. */
  at(square) {
    const y = this.state.squares.findIndex((row) => row.includes(square));
    return this.board(this.moves.length)[y][this.state.squares[y].indexOf(square)];
  }

  look(ply) {
    this.viewed = ply >= this.moves.length ? null : Math.max(ply, 0);
  }

  can(ability) {
    return this.state !== null && this.state.can.includes(ability);
  }
}

/** A move that is being entered, square by square. */
export class Entry {
  path = [];

  constructor(legal) {
    this.legal = legal;
  }

  /** The squares to go on with, each with the kind of its move. */
  get next() {
    const found = new Map();
    for (const { path, move } of this.#fitting()) {
      const square = path[this.path.length];
      if (square !== undefined && !found.has(square)) found.set(square, move.kind);
    }
    return found;
  }

  /** True when captures are all there is to choose from. */
  get forced() {
    return this.legal.length > 0 && this.legal.every((move) => move.kind === "capture");
  }

  get pass() {
    return this.legal.find((move) => move.kind === "pass") ?? null;
  }

  /** The move that a choice of `square` would make, or lead towards; null where there is none. */
  leadsTo(square) {
    const path = [...this.path, square];
    return this.#fitting(path)[0]?.move ?? this.#ending(square)?.move ?? null;
  }

  /**
   * Chooses a square. Returns {play}, {chosen: true}, {dropped: true}, or {refused: squares}
   * when the rules allow nothing of the kind.
   */
  choose(square) {
    const path = [...this.path, square];
    const fitting = this.#fitting(path);
    const whole = fitting.find((each) => each.path.length === path.length);
    if (whole && fitting.every((each) => each.path.length === path.length)) {
      return this.#play(whole.move);
    }
    if (fitting.length) {
      this.path = path;
      return { chosen: true };
    }
    const ending = this.path.length ? this.#ending(square) : null;
    if (ending) return this.#play(ending.move);
    if (square === this.path.at(-1)) {
      this.path = [];
      return { dropped: true };
    }
    const from = this.path;
    this.path = [];
    if (from.length && this.#fitting([square]).length) {
      this.path = [square];
      return { chosen: true };
    }
    return { refused: [...from, square] };
  }

  /** Takes up the piece on `square` to drag it; whether it can move. */
  lift(square) {
    if (this.path.at(-1) === square) return true;
    const fresh = new Entry(this.legal).next;
    if (!fresh.has(square) || fresh.get(square) === "place") return false;
    this.path = [square];
    return true;
  }

  #play(move) {
    this.path = [];
    return { play: move };
  }

  /** The only move from here that ends on `square`, whatever lies between. */
  #ending(square) {
    const found = this.#fitting().filter((each) => each.path.at(-1) === square);
    return found.length === 1 ? found[0] : null;
  }

  #fitting(path = this.path) {
    return this.legal.flatMap((move) =>
      move.paths
        .filter((each) => path.every((square, index) => each[index] === square))
        .map((each) => ({ path: each, move })),
    );
  }
}
