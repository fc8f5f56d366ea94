// Builds the tests of the vectors for a worker of the page, into the folder of a page that is built:
// the same tests as in Node.js, whose parts that they use are replaced by `test/in_worker`.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

const [OUT] = process.argv.slice(2);
const VECTORS = "../../protocol/vectors";
const instead = {
  "node:assert/strict": "assert.ts",
  "node:test": "runner.ts",
  "./files.js": "files.ts",
};

await build({
  entryPoints: ["test/in_worker/vectors_worker.ts"],
  outfile: `${OUT}/vectors_worker.js`,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
  plugins: [
    {
      name: "what Node.js has",
      setup(built) {
        built.onResolve({ filter: /^(node:.*|\.\/files\.js)$/ }, ({ path }) => {
          if (!Object.hasOwn(instead, path)) throw new Error(`there is no ${path} in a browser`);
          return { path: new URL(`test/in_worker/${instead[path]}`, import.meta.url).pathname };
        });
      },
    },
  ],
});
const all = {};
for (const name of await readdir(VECTORS)) {
  if (name.endsWith(".json")) {
    all[basename(name, ".json")] = JSON.parse(await readFile(`${VECTORS}/${name}`, "utf8"));
  }
}
await writeFile(`${OUT}/vectors.json`, JSON.stringify(all));
