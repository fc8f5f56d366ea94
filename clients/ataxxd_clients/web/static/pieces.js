// Which set of pieces a game is played with; a game that is not named here gets discs.

import * as ataxx from "./pieces/ataxx.js";
import * as checkers from "./pieces/checkers.js";
import * as discs from "./pieces/discs.js";

const SETS = {
  ataxx,
  checkers,
};

export const pieceSet = (game) => SETS[game] ?? discs;
