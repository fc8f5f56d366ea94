/** What follows a game: a rematch, once both players want one (SPEC.md, section 7.6). */

import type { OfferMessage } from "./messages.js";
import type { BrowserNode } from "./node.js";
import type { Player, PlayerEvent } from "./player.js";
import { ActError } from "./session.js";

/** The next game, from a wish of either player to its start. */
export class PostGame {
  readonly #node: BrowserNode;
  readonly #ended: Player;
  readonly #begun: (next: Player) => (event: PlayerEvent) => void;
  readonly #failed: (error: unknown) => void;
  // What the other player offers.
  #wanted: OfferMessage | null = null;
  #next: Player | null = null;
  #hear: ((event: PlayerEvent) => void) | null = null;
  #line: Promise<void> = Promise.resolve();

  /**
   * @param begun Is called with the next game when it begins; returns the listener for its events.
   * @param failed Is called with an error that nobody expects.
   */
  constructor(
    node: BrowserNode,
    ended: Player,
    begun: (next: Player) => (event: PlayerEvent) => void,
    failed: (error: unknown) => void,
  ) {
    this.#node = node;
    this.#ended = ended;
    this.#begun = begun;
    this.#failed = failed;
  }

  /** Whether our side wants a rematch. */
  get isWished(): boolean {
    return this.#next !== null;
  }

  /** Whether the other player offers a rematch that our side has not answered. */
  get isAsked(): boolean {
    return this.#wanted !== null && this.#next === null;
  }

  /** Resumes a rematch that our side had asked for before a restart. */
  async resume(): Promise<void> {
    const { game } = this.#ended.ledger;
    const stored = (await this.#node.unfinished()).find(({ offer }) => offer.rematch_of === game);
    if (stored === undefined) return;
    if (stored.role === "host") this.#ended.makeWay();
    this.#sit(await this.#node.resume(stored, (event) => this.#told(event)));
  }

  /** Listens to the ended game, for the other player's offer of a rematch. */
  hear(event: PlayerEvent): void {
    if (event.type !== "rematch-offered") return;
    this.#wanted = event.offer;
    void this.#serially(() => this.#concede()).catch(this.#failed);
  }

  /** Offers a rematch, or joins the one that is offered. */
  wish(): Promise<void> {
    return this.#serially(async () => {
      if (!this.#ended.isSettled) {
        throw new ActError(
          "rematch/early",
          "You can ask for a rematch once both of you have signed the result.",
        );
      }
      if (this.#next !== null) {
        throw new ActError(
          "rematch/asked",
          "You have asked for a rematch; your opponent must agree.",
        );
      }
      await (this.#wanted === null ? this.#offer() : this.#join(this.#wanted));
    });
  }

  /** Leaves; withdraws an offer that nobody has joined. */
  close(): Promise<void> {
    return this.#serially(async () => {
      const next = this.#next;
      if (next === null || this.#hear !== null) return;
      if (!(await next.withdraw())) await next.close();
    });
  }

  /** If both players offer a rematch, the offer of the ended game's host stands (MP-AGAIN-2). */
  async #concede(): Promise<void> {
    const next = this.#next;
    if (next === null || next.role !== "host" || this.#ended.role === "host") return;
    if (this.#wanted === null || !(await next.withdraw())) return;
    this.#next = null;
    await this.#join(this.#wanted);
  }

  async #offer(): Promise<void> {
    this.#ended.makeWay();
    this.#sit(await this.#node.rematch(this.#ended, (event) => this.#told(event)));
  }

  async #join(offer: OfferMessage): Promise<void> {
    const { broker } = this.#ended;
    this.#sit(await this.#node.join(broker, offer, (event) => this.#told(event)));
  }

  #sit(next: Player): void {
    this.#next = next;
    next.stays = true;
    if (next.ledger.hostSide !== null) this.#begin(next);
    void next.run().catch(this.#failed);
  }

  #begin(next: Player): void {
    this.#hear = this.#begun(next);
    void this.#ended.goOn().catch(this.#failed);
  }

  #told(event: PlayerEvent): void {
    if (event.type === "started" && this.#next !== null) this.#begin(this.#next);
    // The seat may be taken, for example; our side may ask again.
    if (event.type === "rejected") this.#next = null;
    this.#hear?.(event);
  }

  #serially(work: () => Promise<void>): Promise<void> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => {});
    return done;
  }
}
