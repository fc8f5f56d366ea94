/** The page's WebAssembly modules. The build has compressed them, which few web servers do by themselves. */

/** A module of the page, compiled while it is loaded. */
export async function compileModule(address: URL): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok || answer.body === null) {
    throw new Error(`${answer.status} ${answer.statusText}`);
  }
  const plain = answer.body.pipeThrough(new DecompressionStream("gzip"));
  const headers = { "content-type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(plain, { headers }));
}
