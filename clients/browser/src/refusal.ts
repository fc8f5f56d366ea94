/** The error for a message, an offer or a record that is refused. */

/** Something sent by a peer does not belong here; nothing has changed. */
export class Refusal extends Error {
  /** Namespaced, such as `chain/not-next`; it is only a hint. */
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}
