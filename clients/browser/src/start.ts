/** The first page: host a game, join one, play the engine, go on with a game. */

import { isSure } from "../../ataxxd_clients/web/static/asking.js";
import { keep, kept } from "../../ataxxd_clients/web/static/kept.js";
import { download } from "./download.js";
import type { Ruleset } from "./engine.js";
import { levelResults, mergeResults, strengthText } from "./level_games.js";
import { canBeLinked, type Invitation, isMixed, linkOf, MIXED, readLink } from "./link.js";
import { addLocal, addStudy, dropLocal, localGames, mergeLocal } from "./local_games.js";
import { newGame, type Seat } from "./local_table.js";
import type { ClockTerms } from "./messages.js";
import { grouped } from "./nicknames.js";
import { keepPage } from "./offline.js";
import { type NodeError, NodeThread } from "./thread.js";
import { DEFAULT_LEVEL, LEVEL_NUMBERS, RULESETS, wordsOf } from "./words.js";
import type { FoundGame, ListedGame, Restored, VerifiedRecord } from "./worker.js";

interface About {
  readonly node: string;
  readonly nickname: string;
  readonly kept: readonly ListedGame[];
  readonly over: readonly ListedGame[];
}

function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const thread = new NodeThread();
const link = location.hash.slice(1);
const BROKER = "ataxxd.broker";
const CLOCK = "ataxxd.clock";
const WITNESSES = "ataxxd.witnesses";
const MAX_WITNESSES = 7;
// The network delay that is allowed before a flag is claimed.
const LAG_MS = 2000;
// A game of the most moves has a record of some megabytes.
const LARGEST_RECORD = 64_000_000;
const LARGEST_BACKUP = 256_000_000;
const LEVEL_NAMES: Record<string, string> = { 1: "1, for beginners", 10: "10, the strongest" };

function says(text: string, look = ""): void {
  byId("says").textContent = text;
  byId("says").dataset["look"] = look;
}

/** Does something once, and shows what goes wrong. */
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

async function showRulesets(): Promise<void> {
  const rulesets = (await thread.ask({ ask: "rulesets" })) as Ruleset[];
  byId("ruleset").replaceChildren(...rulesets.map(({ id, title }) => new Option(title, id)));
}

/** Shows the key of this browser, and its games. */
async function showNode(): Promise<void> {
  const about = (await thread.ask({ ask: "about" })) as About;
  byId("node").textContent = grouped(about.node);
  byId<HTMLInputElement>("nickname").value = about.nickname;
  byId("kept-games").replaceChildren();
  showLocalGames();
  for (const game of about.kept) {
    byId("kept-games").append(keptGame(game.id, textOf(game)));
  }
  const over = about.over.map((game) => {
    const day = new Date(game.createdMs).toLocaleDateString();
    return keptGame(game.id, `${textOf(game)}, ${day}`);
  });
  byId("over-games").replaceChildren(...over);
  byId("over").hidden = over.length === 0;
  showWhetherKept();
}

function textOf({ ruleset, name, opponent }: ListedGame): string {
  const against = opponent === null ? "" : `, against ${opponent}`;
  return `${wordsOf(ruleset).title}: ${name}${against}`;
}

function showWhetherKept(): void {
  byId("kept").hidden = byId("over").hidden && byId("kept-games").children.length === 0;
}

function keptGame(id: string, text: string): HTMLLIElement {
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = `table.html#${id}`;
  anchor.textContent = text;
  item.append(anchor);
  return item;
}

/** Shows the games against the engine, which need no node. */
function showLocalGames(): void {
  for (const [id, { ruleset, seats, level, moves }] of localGames()) {
    const against = seats.includes("auto") ? `the engine, level ${level}` : "by hand";
    const made = moves.length === 1 ? "1 move" : `${moves.length} moves`;
    const item = keptGame(id, `${wordsOf(ruleset).title}: ${against}, ${made}`);
    const drop = document.createElement("button");
    drop.type = "button";
    drop.textContent = "Forget";
    drop.setAttribute("aria-label", `Forget ${item.textContent}`);
    drop.className = "quiet";
    drop.addEventListener("click", () => void forget(id, item));
    item.append(" ", drop);
    byId("kept-games").append(item);
  }
  showWhetherKept();
}

/** Forgets a game against the engine when the person is sure. */
async function forget(id: string, item: HTMLLIElement): Promise<void> {
  const game = item.querySelector("a")?.textContent ?? "";
  byId("forget-text").textContent = `Forget this game? ${game}. It is kept in this browser only.`;
  if (!(await isSure(byId<HTMLDialogElement>("forget")))) return;
  dropLocal(id);
  // The element that had the focus is gone.
  const near = item.nextElementSibling ?? item.previousElementSibling;
  item.remove();
  showWhetherKept();
  (near?.querySelector("a") ?? byId("engine-ruleset")).focus();
  says(`Forgotten: ${game}.`);
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
  byId("invited-to").textContent = `"${invitation.name}"`;
  byId("invited-by").textContent = `The host is ${grouped(invitation.host)}.`;
  byId("joining").hidden = false;
  // If the broker cannot be asked, joining tells why.
  showOffer(invitation).catch(() => {});
}

/** Shows what an invitation is to: the game, the host, the guest's side and the clock. */
async function showOffer({ name, host, broker }: Invitation): Promise<void> {
  const offers = (await thread.ask({ ask: "find", broker, name, watch: false })) as FoundGame[];
  const offer = offers.find((each) => each.host === host);
  byId("invited-by").textContent =
    offer === undefined
      ? `${grouped(host)} does not offer this game now: it may be over. If the seat is yours, join to go on.`
      : offer.taken
        ? `${wordsOf(offer.ruleset).title}, hosted by ${offer.who}. Its seat is taken: watch the game or, if the seat is yours, join to go on.`
        : `${wordsOf(offer.ruleset).title}, against ${offer.who}. ${offer.terms}`;
}

byId("join").addEventListener("click", () => {
  void attempt(byId("join"), "Looking for the host …", async () => {
    goTo((await thread.ask({ ask: "join", link })) as string);
  });
});

byId("watch").addEventListener("click", () => goTo(link));

/** The broker in a field, which is kept for the next time; null, with a message, if it is unusable. */
function brokerIn(field: string): string | null {
  const broker = byId<HTMLInputElement>(field).value.trim();
  if (!canBeLinked(broker)) {
    says(
      "A link cannot name this broker: give the address of its websocket in lower case, with no password, such as wss://broker.example/mqtt.",
      "error",
    );
    return null;
  }
  if (isMixed(broker)) {
    says(MIXED, "error");
    return null;
  }
  keep(BROKER, broker);
  return broker;
}

/** The clock that is chosen as `minutes+seconds`, in an offer's terms; undefined for none. */
function chosenClock(): ClockTerms | undefined {
  const chosen = byId<HTMLSelectElement>("clock").value;
  keep(CLOCK, chosen);
  if (chosen === "") return undefined;
  const [minutes = 0, seconds = 0] = chosen.split("+").map(Number);
  return { base_ms: minutes * 60_000, increment_ms: seconds * 1000, lag_ms: LAG_MS };
}

/** The witnesses that are named; null, with a message, if they cannot be used. */
function namedWitnesses(): string[] | null {
  const written = byId<HTMLInputElement>("witnesses").value.trim().toLowerCase();
  const ids = written.split(/[\s,]+/).flatMap((each) => each.replaceAll("-", "") || []);
  const us = byId("node").textContent?.replaceAll("-", "") ?? "";
  const wrong = ids.find((each) => !/^[a-z2-7]{20}$/.test(each));
  const fault =
    wrong !== undefined
      ? `"${wrong}" is not a node's id. Ask its owner, who sees it with: ataxxd id`
      : ids.length > MAX_WITNESSES
        ? `A game has ${MAX_WITNESSES} witnesses at most.`
        : new Set(ids).size < ids.length
          ? "One witness is named twice."
          : ids.includes(us)
            ? "You play this game, so you cannot be a witness of it."
            : null;
  if (fault !== null) {
    byId<HTMLDetailsElement>("who-watches").open = true;
    says(`Witnesses: ${fault}`, "error");
    return null;
  }
  keep(WITNESSES, ids.map(grouped).join(" "));
  return ids;
}

byId("host").addEventListener("submit", (event) => {
  event.preventDefault();
  const broker = brokerIn("broker");
  const witnesses = broker === null ? null : namedWitnesses();
  if (broker === null || witnesses === null) return;
  const clock = chosenClock();
  const button = byId("host").querySelector("button") as HTMLButtonElement;
  void attempt(button, "Asking the broker …", async () => {
    const suffix = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    const terms = {
      name: `game-${suffix.toString(36)}`,
      ruleset: byId<HTMLSelectElement>("ruleset").value,
      color: byId<HTMLSelectElement>("color").value as "first" | "second" | "random",
      graceMs: 15 * 60_000,
      witnesses,
      ...(clock && { clock }),
    };
    goTo((await thread.ask({ ask: "host", broker, terms })) as string);
  });
});

byId("engine").addEventListener("submit", (event) => {
  event.preventDefault();
  const ruleset = byId<HTMLSelectElement>("engine-ruleset").value;
  const level = Number(byId<HTMLSelectElement>("engine-level").value);
  const color = byId<HTMLSelectElement>("engine-color").value;
  const first =
    color === "random"
      ? (newGame(ruleset, level, ["human", "auto"]).seed & 1) === 0
      : color === "first";
  const seats: readonly [Seat, Seat] =
    color === "both" ? ["human", "human"] : first ? ["human", "auto"] : ["auto", "human"];
  try {
    goTo(addLocal(newGame(ruleset, level, seats)));
  } catch (error) {
    says((error as Error).message, "error");
  }
});

byId("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const watch = (event.submitter as HTMLButtonElement).value === "watch";
  const name = byId<HTMLInputElement>("find-name").value.trim();
  const broker = brokerIn("find-broker");
  if (broker === null) return;
  byId("found").replaceChildren();
  void attempt(event.submitter as HTMLButtonElement, "Looking for the game …", async () => {
    const found = (await thread.ask({ ask: "find", broker, name, watch })) as FoundGame[];
    const none = watch ? `There is no game "${name}" there.` : `Nobody hosts "${name}" there now.`;
    says(found.length === 0 ? none : "");
    byId("found").replaceChildren(...found.map((game) => foundGame(game, name, broker, watch)));
    byId("found").querySelector("a")?.focus();
  });
});

/** A list item for a game that was found, with what is known of its host. */
function foundGame(game: FoundGame, name: string, broker: string, watch: boolean): HTMLLIElement {
  const { host, ruleset, who, whole, joined, before, witnesses } = game;
  const link = linkOf({ name, host, secret: "", broker });
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = watch ? `table.html#${link}` : `#${link}`;
  anchor.textContent = `${wordsOf(ruleset).title}, hosted by ${who}`;
  item.append(anchor);
  if (witnesses.length > 0) item.append(`; witnesses of claims: ${witnesses.join(", ")}`);
  if (joined) item.append(": you have joined this host before");
  if (before === null) return item;
  item.append(": not the host you have joined before");
  if (watch) return item;
  anchor.addEventListener("click", (event) => {
    event.preventDefault();
    byId("other-host-text").textContent =
      `"${name}" was hosted by ${before} before; now by ${whole}. Anybody can take a name: ask your friend for the id. Join anyway?`;
    void isSure(byId<HTMLDialogElement>("other-host")).then((sure) => {
      if (sure) location.hash = link;
    });
  });
  return item;
}

byId("call").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId<HTMLInputElement>("nickname");
  void attempt(byId("call").querySelector("button") as HTMLButtonElement, "", async () => {
    await thread.ask({ ask: "call", nickname: field.value });
    await showNode();
    says(`You are now ${field.value} (${byId("node").textContent?.slice(0, 9)}).`);
  });
});

byId("verify").addEventListener("submit", (event) => {
  event.preventDefault();
  const [file] = byId<HTMLInputElement>("record").files ?? [];
  if (file === undefined) return;
  byId("verified").textContent = "";
  byId("study").hidden = true;
  const button = byId("verify").querySelector("button") as HTMLButtonElement;
  void attempt(button, "", async () => {
    if (file.size > LARGEST_RECORD) throw new Error(`${file.name} is too large for a record.`);
    const record = new Uint8Array(await file.arrayBuffer());
    const found = (await thread.ask({ ask: "verify", record }).catch((error: Error) => {
      throw new Error(`This record does not hold: ${error.message}.`);
    })) as VerifiedRecord;
    byId("verified").textContent = found.text;
    byId("study").hidden = !found.usual;
    byId("study").onclick = () => {
      goTo(addStudy(found.ruleset, found.moves, found.outcome));
    };
  });
});

byId("save").addEventListener("click", () => {
  void attempt(byId("save"), "", saveAll);
});

/** Offers the key and all games as a file. */
async function saveAll(): Promise<void> {
  const text = (await thread.ask({
    ask: "save",
    local: localGames(),
    levels: levelResults(),
  })) as string;
  const day = new Date().toISOString().slice(0, 10);
  download(`ataxxd-${byId("node").textContent?.slice(0, 9)}-${day}.json`, text);
  says("Saved. Whoever has this file can play and sign as you: keep it to yourself.");
}

byId("restore").addEventListener("submit", (event) => {
  event.preventDefault();
  const [chosen] = byId<HTMLInputElement>("restore-file").files ?? [];
  if (chosen === undefined) return;
  const button = byId("restore").querySelector("button") as HTMLButtonElement;
  void attempt(button, "Reading the file …", async () => {
    if (chosen.size > LARGEST_BACKUP)
      throw new Error(`${chosen.name} is too large for such a file.`);
    const file = new Uint8Array(await chosen.arrayBuffer());
    const would = (await thread.ask({ ask: "restore", file, replace: false })) as Restored;
    if (would.asks) {
      byId("replace-text").textContent =
        `The file belongs to ${grouped(would.node)}, but this browser has games under another key. Replace that key and its games? They are saved to a file first.`;
      if (!(await isSure(byId<HTMLDialogElement>("replace")))) {
        says("Nothing was changed.");
        return;
      }
      await saveAll();
      await thread.ask({ ask: "restore", file, replace: true });
    }
    mergeLocal(would.local);
    mergeResults(would.levels);
    showStrength();
    byId<HTMLFormElement>("restore").reset();
    await showNode();
    says(restoredText(would));
  });
});

function restoredText({ node, games, unfinished, local }: Restored): string {
  const alone = local.length === 0 ? "" : ` Games on this page only: ${local.length}.`;
  const go =
    unfinished === 0
      ? ""
      : `, of which ${unfinished} can go on under Your games as soon as your opponent is back`;
  return `You are now ${grouped(node)} here. Games in the file: ${games}${go}.${alone} Use this key on one device at a time.`;
}

/** Shows how strong the person is in the chosen game, if enough games tell. */
function showStrength(): void {
  const text = strengthText(byId<HTMLSelectElement>("engine-ruleset").value);
  byId("strength").textContent = text;
  byId("strength").hidden = text === null;
}

/** Shows the choices that need no node, which takes a moment to start. */
function showChoices(): void {
  for (const id of Object.keys(RULESETS)) {
    byId("engine-ruleset").append(new Option(wordsOf(id).title, id));
  }
  for (const level of LEVEL_NUMBERS) {
    const chosen = Number(level) === DEFAULT_LEVEL;
    byId("engine-level").append(new Option(LEVEL_NAMES[level] ?? level, level, chosen, chosen));
  }
}

byId<HTMLInputElement>("find-broker").value = kept(BROKER) ?? "";
byId<HTMLInputElement>("broker").value = kept(BROKER) ?? "";
byId<HTMLSelectElement>("clock").value = kept(CLOCK) ?? "";
byId<HTMLInputElement>("witnesses").value = kept(WITNESSES) ?? "";
byId<HTMLDetailsElement>("who-watches").open = (kept(WITNESSES) ?? "") !== "";
async function showBuild(): Promise<void> {
  const answer = await fetch("digest.txt");
  byId("digest").textContent = answer.ok ? (await answer.text()).trim() : "unknown";
  offerBroker(answer.headers.get("ataxxd-broker"));
}

/** Fills in the broker of the server of this page, by its path; null if it has none. */
function offerBroker(path: string | null): void {
  if (path === null) return;
  const broker = new URL(path, location.href);
  broker.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  for (const id of ["broker", "find-broker"]) byId<HTMLInputElement>(id).value ||= broker.href;
}

byId("engine-ruleset").addEventListener("change", showStrength);

showChoices();
showStrength();
showLocalGames();
showLink();
Promise.all([showRulesets(), showNode()]).catch((error: NodeError) =>
  says(error.reason === null ? `This page cannot start: ${error.message}` : error.message, "error"),
);
addEventListener("hashchange", () => location.reload());
void showBuild();
keepPage((load) => {
  byId("newer").hidden = false;
  byId("load-newer").addEventListener("click", load);
}).catch(() => {
  // A browser that keeps nothing, as in a private window, shows the page all the same.
});
