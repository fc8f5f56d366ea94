/** The engine in a thread of its own: questions in, answers out, one after another. */

import { type Question, Search } from "./search.js";
import { compileModule } from "./wasm.js";

const port = globalThis as unknown as {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
};

const searches = new Map<string, Promise<Search>>();

/** The module of a ruleset's game, loaded when it is first needed. */
function searchOf(ruleset: string): Promise<Search> {
  const [game = ""] = ruleset.split("/");
  let search = searches.get(game);
  if (search === undefined) {
    search = load(game);
    searches.set(game, search);
  }
  return search;
}

async function load(game: string): Promise<Search> {
  return Search.load(await compileModule(new URL(`./search-${game}.wasm.gzip`, import.meta.url)));
}

port.onmessage = async ({ data }: MessageEvent): Promise<void> => {
  const { number, question } = data as { number: number; question: Question };
  try {
    const search = await searchOf(question.ruleset);
    port.postMessage({ number, found: search.search(question) });
  } catch (error) {
    searches.clear();
    port.postMessage({ number, error: (error as Error).message });
  }
};
