/** The rules, keys and digests: the WebAssembly module of engine/web, with types. */

import { base32, concatenate, fromHex, hex, utf8 } from "./bytes.js";

/** What the module exports; see engine/web/src/lib.rs. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  rulesets(): number;
  start(): number;
  position(): number;
  squares(): number;
  legal(): number;
  parse_move(): number;
  play(): number;
  reason(): number;
  sha256(): number;
  hmac_sha256(keyLength: number): number;
  public_key(): number;
  sign(): number;
  verify(): number;
}

/** Who moves first and who second. */
export type Side = "first" | "second";

/** How the rules have ended a game: `1-0`, `0-1` or `1/2-1/2`, and why. */
export interface RulesOutcome {
  readonly score: string;
  readonly termination: string;
}

/** A set of rules, by its id. */
export interface Ruleset {
  readonly id: string;
  readonly title: string;
  /** What the first and the second side are called. */
  readonly sides: readonly [string, string];
}

/** One position, with what the rules say of it. */
export interface Position {
  readonly ruleset: string;
  /** Canonical. */
  readonly text: string;
  readonly turn: Side;
  /** Null while the game goes on. */
  readonly outcome: RulesOutcome | null;
  /** Top row first, one character a square. */
  readonly rows: readonly string[];
  /** The legal moves in canonical text. */
  readonly moves: readonly string[];
  /** The pieces of the first and of the second side. */
  readonly counts: readonly [number, number];
}

/** A legal move and what it leads to. */
export interface LegalMove {
  /** Canonical text. */
  readonly move: string;
  /** The squares that its piece touches: only where it lands for a new piece, none for a pass. */
  readonly squares: readonly string[];
  /** The board after it. */
  readonly rows: readonly string[];
}

/** The rules forbid it, or cannot read it; the text says why and what is possible. */
export class RulesError extends Error {}

/** The module, loaded. It keeps no state between two calls. */
export class Engine {
  readonly #exports: Exports;
  readonly #keys = new Map<string, string>();

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** Starts the compiled module. */
  static async load(module: WebAssembly.Module): Promise<Engine> {
    const { exports } = await WebAssembly.instantiate(module, {});
    return new Engine(exports as unknown as Exports);
  }

  /** Every ruleset there is. */
  rulesets(): Ruleset[] {
    return this.#text("rulesets", "")
      .split("\n")
      .map((line) => {
        const [id = "", title = "", first = "", second = ""] = line.split("\t");
        return { id, title, sides: [first, second] as const };
      });
  }

  /**
   * The position in which a ruleset begins.
   * @throws RulesError There is no such ruleset.
   */
  start(ruleset: string): Position {
    return this.position(ruleset, this.#text("start", ruleset));
  }

  /**
   * The position of a text, canonical or not.
   * @throws RulesError The text is not a position, or there is no such ruleset.
   */
  position(ruleset: string, text: string): Position {
    const answer = this.#text("position", `${ruleset}\n${text}`).split("\n");
    const [canonical = "", turn, outcome = "", rows = "", moves = "", counts = ""] = answer;
    const [score = "", termination = ""] = outcome.split(" ");
    return {
      ruleset,
      text: canonical,
      turn: turn === "first" ? "first" : "second",
      outcome: outcome === "" ? null : { score, termination },
      rows: rows.split("\t"),
      moves: moves === "" ? [] : moves.split(" "),
      counts: counts.split(" ").map(Number) as [number, number],
    };
  }

  /** The names of the squares as `rows` has them; null where no piece can stand. */
  squares(position: Position): (string | null)[][] {
    return this.#text("squares", `${position.ruleset}\n${position.text}`)
      .split("\n")
      .map((row) => row.split(" ").map((name) => (name === "." ? null : name)));
  }

  /** The legal moves, each with its squares and the board after it. */
  legal(position: Position): LegalMove[] {
    const answer = this.#text("legal", `${position.ruleset}\n${position.text}`);
    if (answer === "") return [];
    return answer.split("\n").map((line) => {
      const [move = "", squares = "", ...rows] = line.split("\t");
      return { move, squares: squares === "" ? [] : squares.split(" "), rows };
    });
  }

  /**
   * The canonical text of a legal move as people type it.
   * @throws RulesError It is not a legal move.
   */
  parseMove(position: Position, typed: string): string {
    return this.#text("parse_move", `${position.ruleset}\n${position.text}\n${typed}`);
  }

  /**
   * The position after a legal move in canonical text.
   * @throws RulesError It is not legal, or is written otherwise.
   */
  play(position: Position, move: string): Position {
    const after = this.#text("play", `${position.ruleset}\n${position.text}\n${move}`);
    return this.position(position.ruleset, after);
  }

  /**
   * What a legal move does for its player, in a few words; null where that is little.
   * @param mateIn In how many moves the side on turn wins by force; negative if it loses.
   */
  reason(position: Position, move: string, mateIn: number | null): string | null {
    const given = [position.ruleset, position.text, move, mateIn ?? ""].join("\n");
    return this.#text("reason", given) || null;
  }

  /** SHA-256, as 64 hexadecimal digits. */
  sha256(data: Uint8Array): string {
    return hex(this.#call("sha256", data));
  }

  /** HMAC-SHA256, as 64 hexadecimal digits. */
  hmac(key: Uint8Array, data: Uint8Array): string {
    return hex(this.#call("hmac_sha256", concatenate(key, data), key.length));
  }

  /** The public key of a seed of 32 bytes, as 64 hexadecimal digits. */
  publicKey(seed: Uint8Array): string {
    return hex(this.#call("public_key", seed));
  }

  /** The signature by a seed, as 128 hexadecimal digits. */
  sign(seed: Uint8Array, data: Uint8Array): string {
    return hex(this.#call("sign", concatenate(seed, data)));
  }

  /** Whether a signature by a public key, both in hexadecimal, holds (MP-SIGN-3, MP-SIGN-5). */
  verify(publicKey: string, signature: string, data: Uint8Array): boolean {
    return this.#call("verify", concatenate(fromHex(publicKey), fromHex(signature), data))[0] === 1;
  }

  /** The node id of a public key (MP-ID-2). */
  nodeId(publicKey: string): string {
    let node = this.#keys.get(publicKey);
    if (node === undefined) {
      node = base32(fromHex(this.sha256(fromHex(publicKey))), 20);
      // Anybody's key may come here, so the cache is bounded.
      if (this.#keys.size >= 256) this.#keys.clear();
      this.#keys.set(publicKey, node);
    }
    return node;
  }

  /** The digest that names a position on the wire (MP-SIGN-4). */
  positionDigest(position: Position): string {
    return this.sha256(utf8(`${position.ruleset}\n${position.text}`));
  }

  #text(
    name:
      | "rulesets"
      | "start"
      | "position"
      | "squares"
      | "legal"
      | "parse_move"
      | "play"
      | "reason",
    given: string,
  ): string {
    return new TextDecoder().decode(this.#call(name, utf8(given)));
  }

  #call(
    name: Exclude<keyof Exports, "memory" | "input" | "output">,
    data: Uint8Array,
    argument = 0,
  ) {
    // The memory may move whenever the module is called, so it is looked up after each call.
    const room = this.#exports.input(data.length);
    new Uint8Array(this.#exports.memory.buffer, room, data.length).set(data);
    const length = this.#exports[name](argument);
    const answer = new Uint8Array(
      this.#exports.memory.buffer,
      this.#exports.output(),
      Math.abs(length),
    ).slice();
    if (length < 0) throw new RulesError(new TextDecoder().decode(answer));
    return answer;
  }
}
