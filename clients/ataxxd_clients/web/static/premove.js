// A move that is entered while it is the other side's turn; the program plays it when its time comes.
//
// Whether it will be legal nobody knows yet, so any of the person's pieces may be sent anywhere.

export class Premove {
  /** The piece chosen, whose way is not given yet. */
  from = null;

  /** `game` is the `Game`; `owner` has the functions send, says and mark. */
  constructor(game, owner) {
    this.game = game;
    this.owner = owner;
  }

  /** The squares to mark. */
  get squares() {
    return this.from !== null ? [this.from] : (this.game.state.premove?.squares ?? []);
  }

  choose(square) {
    const { game, owner } = this;
    const { players, turn, one_square: oneSquare, premove } = game.state;
    const content = game.at(square).toLowerCase();
    const mine = content === "xo"[1 - turn];
    const from = this.from;
    if (premove !== null && from === null) this.drop();
    if (oneSquare && content === "." && premove?.squares[0] !== square) {
      this.play(square);
    } else if (!oneSquare && from !== null && square !== from && !mine) {
      this.play(`${from}-${square}`);
    } else if (!oneSquare && mine && square !== from) {
      this.from = square;
      owner.says(`It is ${players[turn].name}'s turn. ${square} chosen: say where it goes when your turn comes.`);
    } else if (premove === null && from === null) {
      const what = oneSquare ? "an empty square" : "one of your pieces";
      owner.says(`It is ${players[turn].name}'s turn. Choose ${what} to move when your turn comes.`, "error");
    } else {
      this.from = null;
    }
    owner.mark();
  }

  /** Has a move played as soon as it is the person's turn. */
  async play(move) {
    this.from = null;
    const sent = await this.owner.send({ type: "premove", move, ply: this.game.moves.length });
    if (sent) this.owner.says(`${move} will be played as soon as it is your turn; Escape or a click on the board cancels it.`);
    return sent;
  }

  /** Takes back what is chosen or waits. */
  drop() {
    this.from = null;
    if (!this.game.state?.premove) return;
    this.owner.send({ type: "premove", move: "", ply: this.game.moves.length });
    this.owner.says("Taken back.");
  }

  /** Takes a piece up to drag it; true when it is the person's own. */
  lift(square) {
    const { state } = this.game;
    if (state.one_square || this.game.at(square).toLowerCase() !== "xo"[1 - state.turn]) return false;
    if (state.premove) this.drop();
    this.from = square;
    this.owner.mark();
    return true;
  }
}
