// Builds the page: a folder for any web server, build/page. `make page` calls it.

import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const OUT = "build/page";
const STATIC = "../ataxxd_clients/web/static";

await rm(OUT, { recursive: true, force: true });
await mkdir(`${OUT}/static`, { recursive: true });
const options = { bundle: true, minify: true, format: "esm", target: "es2022", logLevel: "warning", legalComments: "none" };
await build({ ...options, entryPoints: ["src/worker.ts", "src/search_worker.ts", "src/start.ts"], outdir: OUT });
// The board of the program, over the page's own node instead of a connection to the program.
for (const name of ["page.css", "board.css", "evaluation.css", "icon.svg"]) {
  await cp(`${STATIC}/${name}`, `${OUT}/static/${name}`);
}
await build({
  ...options,
  entryPoints: [`${STATIC}/main.js`],
  outfile: `${OUT}/static/main.js`,
  plugins: [
    {
      name: "the node in the page",
      setup(built) {
        built.onResolve({ filter: /^\.\/connection\.js$/ }, () => ({
          path: new URL("src/page_connection.ts", import.meta.url).pathname,
        }));
      },
    },
  ],
});
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'";
/** Puts the policy, which a page of a plain web server has to bring along, into a page. */
const guarded = (page) =>
  page.replace("<title>", `<meta http-equiv="content-security-policy" content="${policy}">\n    <title>`);
const table = (await readFile(`${STATIC}/index.html`, "utf8"))
  .replaceAll('"/static/', '"static/')
  .replace(/^ *<link rel="modulepreload".*\n/gm, "");
await writeFile(`${OUT}/table.html`, guarded(table));
await writeFile(`${OUT}/index.html`, guarded(await readFile("page/index.html", "utf8")));
await cp("page/start.css", `${OUT}/start.css`);
for (const name of await readdir("build")) {
  if (name.endsWith(".wasm")) await cp(`build/${name}`, `${OUT}/${name}`);
}
