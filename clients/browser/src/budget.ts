/** A token bucket for messages of strangers: a burst, then a steady rate. */

const AT_ONCE = 50;
const PER_SECOND = 10;

export class TokenBucket {
  #left = AT_ONCE;
  #countedMs = Date.now();

  /** Whether one more message may be looked at; counts it. */
  take(): boolean {
    const now = Date.now();
    this.#left = Math.min(AT_ONCE, this.#left + ((now - this.#countedMs) / 1000) * PER_SECOND);
    this.#countedMs = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
