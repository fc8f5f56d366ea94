/** The first page: host a game, join the one that a link leads to, go on with one. */

import { canBeLinked, type Invitation, readLink } from "./link.js";
import { NodeThread } from "./thread.js";
import type { KeptGame } from "./worker.js";

interface About {
  readonly node: string;
  readonly rulesets: readonly { readonly id: string; readonly title: string }[];
  readonly kept: readonly KeptGame[];
}

function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const thread = new NodeThread();
const link = location.hash.slice(1);
const BROKER = "ataxxd.broker";

const MIXED =
  "This page was loaded by https, and browsers let it use a broker with TLS (wss) only. Open the page by http, or choose a broker with wss.";

/** Whether the browser would forbid this page to use a broker. */
function isMixed(broker: string): boolean {
  return location.protocol === "https:" && broker.startsWith("ws:");
}

function says(text: string, look = ""): void {
  byId("says").textContent = text;
  byId("says").dataset["look"] = look;
}

/** Does something once, telling what goes wrong. */
async function attempt(button: HTMLButtonElement, busy: string, work: () => Promise<void>) {
  button.disabled = true;
  says(busy);
  try {
    await work();
  } catch (error) {
    says((error as Error).message, "error");
  } finally {
    button.disabled = false;
  }
}

function goTo(game: string): void {
  location.href = `table.html#${game}`;
}

async function show(): Promise<void> {
  const about = (await thread.ask({ ask: "about" })) as About;
  byId("node").textContent = (about.node.match(/.{4}/g) ?? []).join("-");
  const ruleset = byId<HTMLSelectElement>("ruleset");
  ruleset.replaceChildren(...about.rulesets.map(({ id, title }) => new Option(title, id)));
  byId("kept").hidden = about.kept.length === 0;
  byId("kept-games").replaceChildren(
    ...about.kept.map(({ id, name, ruleset: by }) => {
      const item = document.createElement("li");
      const anchor = document.createElement("a");
      anchor.href = `table.html#${id}`;
      anchor.textContent = name;
      item.append(anchor, ` (${by})`);
      return item;
    }),
  );
}

function showLink(): void {
  if (link === "") return;
  let invitation: Invitation;
  try {
    invitation = readLink(link);
  } catch (error) {
    says((error as Error).message, "error");
    return;
  }
  if (isMixed(invitation.broker)) {
    says(MIXED, "error");
    return;
  }
  byId("invited-to").textContent = invitation.name;
  byId("joining").hidden = false;
}

byId("join").addEventListener("click", () => {
  void attempt(byId("join"), "Looking for the host …", async () => {
    goTo((await thread.ask({ ask: "join", link })) as string);
  });
});

byId("host").addEventListener("submit", (event) => {
  event.preventDefault();
  const broker = byId<HTMLInputElement>("broker").value.trim();
  if (!canBeLinked(broker)) {
    says(
      "A link cannot name this broker: give the address of its websocket in lower case, with no password, such as wss://broker.example/mqtt.",
      "error",
    );
    return;
  }
  if (isMixed(broker)) {
    says(MIXED, "error");
    return;
  }
  localStorage.setItem(BROKER, broker);
  const button = byId("host").querySelector("button") as HTMLButtonElement;
  void attempt(button, "", async () => {
    const suffix = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    const terms = {
      name: `game-${suffix.toString(36)}`,
      ruleset: byId<HTMLSelectElement>("ruleset").value,
      color: byId<HTMLSelectElement>("color").value as "first" | "second" | "random",
      graceMs: 15 * 60_000,
    };
    goTo((await thread.ask({ ask: "host", broker, terms })) as string);
  });
});

byId<HTMLInputElement>("broker").value = localStorage.getItem(BROKER) ?? "";
showLink();
show().catch((error: Error) => says(`This page cannot start: ${error.message}`, "error"));
addEventListener("hashchange", () => location.reload());
