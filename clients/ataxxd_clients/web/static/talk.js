// What is said beside the table, and who is muted.

import { html } from "./shapes.js";

const MAX_LINES = 200;
const byId = (id) => document.getElementById(id);

export class Talk {
  #newest = 0;
  #muted = [];

  /** `send` sends a command. */
  constructor(send) {
    this.send = send;
    byId("say").addEventListener("submit", async (event) => {
      event.preventDefault();
      const field = byId("say-text");
      const typed = field.value;
      const text = typed.trim();
      // Keep what was typed while the answer was on its way.
      if (text && (await send({ type: "say", text })) && field.value === typed) field.value = "";
    });
  }

  /** Adds a line; true when it is news that the person wants to hear. */
  hear({ number, speaker, text, mine, earlier }) {
    if (number <= this.#newest) return false;
    this.#newest = number;
    const list = byId("said");
    const line = html("li", { "data-speaker": speaker, class: mine ? "mine" : "" }, html("strong", {}, `${speaker}:`), ` ${text}`);
    if (!mine) {
      const mute = () => this.send({ type: "mute", speaker, muted: true });
      line.append(" ", html("button", { type: "button", class: "mute", "aria-label": `Mute ${speaker}`, onclick: mute }, "mute"));
    }
    line.hidden = this.#muted.includes(speaker);
    list.append(line);
    while (list.children.length > MAX_LINES) list.firstChild.remove();
    list.scrollTop = list.scrollHeight;
    byId("talk").hidden = false;
    return !earlier && !line.hidden;
  }

  /** Shows the talk as the state has it. */
  show(game) {
    const { muted, kind } = game.state;
    const list = byId("said");
    this.#muted = muted;
    for (const line of list.children) line.hidden = muted.includes(line.dataset.speaker);
    byId("talk").hidden = !game.can("say") && list.children.length === 0;
    byId("say").hidden = !game.can("say");
    const whom = kind === "watch" ? "the other spectators" : "the other player";
    byId("say-text").setAttribute("aria-label", `Say something to ${whom}`);
    byId("say-text").placeholder = `To ${whom}`;
    const host = byId("muted");
    host.hidden = muted.length === 0;
    const hear = (speaker) => () => this.send({ type: "mute", speaker, muted: false });
    host.replaceChildren(
      ...muted.map((speaker) => html("button", { type: "button", class: "mute", onclick: hear(speaker) }, `Hear ${speaker} again`)),
    );
  }
}
