/**
 * Keeps the page in the browser, so that it opens without a network: all of one build or nothing,
 * each file with the digest that the build gave it. The engine of a game is kept once it was played.
 */

import { hex } from "./bytes.js";

// The build puts the files, with the SHA-256 of each, the digest of the whole page and its policy here.
declare const FILES: Readonly<Record<string, string>>;
declare const DIGEST: string;
declare const POLICY: string;

interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface NoticeEvent extends LifeEvent {
  readonly notification: { readonly tag: string; close(): void };
}
interface Shown {
  readonly url: string;
  focus(): Promise<unknown>;
}
interface PageRequest extends LifeEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
const scope = globalThis as unknown as {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(): Promise<readonly Shown[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: LifeEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NoticeEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: PageRequest) => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
};

const PREFIX = "ataxxd-";
const CACHE = `${PREFIX}${DIGEST}`;
const LATER = /^search-.*\.wasm\.gzip$/;

/** The name of a file of this page; null for any other address. */
function nameOf(address: string): string | null {
  const { origin, pathname } = new URL(address);
  const base = new URL(scope.registration.scope);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  const name = pathname.slice(base.pathname.length) || "index.html";
  return Object.hasOwn(FILES, name) ? name : null;
}

/** A file of this build, from the network; anything else there is refused. */
async function fetched(name: string): Promise<Response> {
  const answer = await fetch(new URL(name, scope.registration.scope), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const digest = await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer());
  if (hex(new Uint8Array(digest)) !== FILES[name]) throw new Error(`${name} is of another build`);
  return answer;
}

/** Adds the policy as a header: a worker ignores the page's own, and few web servers send one. */
function guarded(answer: Response): Response {
  const headers = new Headers(answer.headers);
  headers.set("content-security-policy", POLICY);
  // The body is unpacked by now.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(answer.body, { headers });
}

async function kept(name: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(name);
  if (known !== undefined) return known;
  const answer = guarded(await fetched(name));
  await cache.put(name, answer.clone());
  return answer;
}

scope.addEventListener("install", (event) => {
  const names = Object.keys(FILES).filter((name) => !LATER.test(name));
  event.waitUntil(Promise.all(names.map(kept)));
});

scope.addEventListener("activate", (event) => {
  const drop = async (): Promise<void> => {
    const old = (await caches.keys()).filter((key) => key.startsWith(PREFIX) && key !== CACHE);
    await Promise.all(old.map((key) => caches.delete(key)));
    await scope.clients.claim();
  };
  event.waitUntil(drop());
});

scope.addEventListener("fetch", (event) => {
  const name = event.request.method === "GET" ? nameOf(event.request.url) : null;
  if (name !== null) event.respondWith(kept(name));
});

// The page says when the person wants the newer version.
scope.addEventListener("message", ({ data }) => {
  if (data === "take over") void scope.skipWaiting();
});

// A click on a notification opens the table whose address is in its tag.
scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const show = async (): Promise<void> => {
    const tables = await scope.clients.matchAll();
    const { tag } = event.notification;
    // A phone may have discarded the tab.
    await (tables.find(({ url }) => url === tag)?.focus() ?? scope.clients.openWindow(tag));
  };
  event.waitUntil(show());
});
