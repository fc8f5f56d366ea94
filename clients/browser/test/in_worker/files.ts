/** The files of the tests, from the web server that the worker came from. */

async function loaded(name: string): Promise<Response> {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer;
}

const packed = (await loaded("engine.wasm.gzip")).body as ReadableStream<Uint8Array<ArrayBuffer>>;
const plain = packed.pipeThrough(new DecompressionStream("gzip"));
const engine = new Uint8Array(await new Response(plain).arrayBuffer());
const all = await (await loaded("vectors.json")).json();

export function engineBytes(): Uint8Array<ArrayBuffer> {
  return engine;
}

// biome-ignore lint/suspicious/noExplicitAny: the vectors have as many shapes as there are files.
export function vectors(name: string): any {
  return all[name];
}
