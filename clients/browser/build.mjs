// Builds the page: a folder for any web server, build/page or the one that is named. `make peer` calls it.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { gzipSync } from "fflate";

const OUT = process.argv[2] ?? "build/page";
const STATIC = "../ataxxd_clients/web/static";

await rm(OUT, { recursive: true, force: true });
await mkdir(`${OUT}/static`, { recursive: true });
const options = { bundle: true, minify: true, format: "esm", target: "es2022", logLevel: "warning", legalComments: "none" };
await build({ ...options, entryPoints: ["src/worker.ts", "src/search_worker.ts", "src/start.ts"], outdir: OUT });
// The board of the program, over the page's own node instead of a connection to the program.
for (const name of ["page.css", "board.css", "evaluation.css", "icon.svg"]) {
  await cp(`${STATIC}/${name}`, `${OUT}/static/${name}`);
}
// What is loaded later has a file of its own and shares no code: that would be one more file to wait for.
const later = { lessons: `${STATIC}/lessons.js`, "lean-qr": "lean-qr" };
await build({ ...options, entryPoints: later, outdir: `${OUT}/static` });
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
        built.onResolve({ filter: /./ }, ({ kind, path }) =>
          kind === "dynamic-import" ? { path: `./${path.match(/[\w-]+(?=\.js$|$)/)[0]}.js`, external: true } : null,
        );
      },
    },
  ],
});
// Also a file, for a server that can send the policy as a header, which workers obey as well.
const POLICY_FILE = "content-security-policy.txt";
const policy = (await readFile(`page/${POLICY_FILE}`, "utf8")).trim();
/** Puts the policy into a page: a page of a plain web server has to bring it along. */
const guarded = (page) =>
  page.replace("<title>", `<meta http-equiv="content-security-policy" content="${policy}">\n    <title>`);
const table = (await readFile(`${STATIC}/index.html`, "utf8"))
  .replaceAll('"/static/', '"static/')
  .replace(/^ *<link rel="modulepreload".*\n/gm, "")
  // Load it together with the scripts, not after them.
  .replace("</head>", '  <link rel="preload" href="engine.wasm.gzip" as="fetch" crossorigin>\n  </head>');
await writeFile(`${OUT}/table.html`, guarded(table));
await writeFile(`${OUT}/index.html`, guarded(await readFile("page/index.html", "utf8")));
for (const name of ["start.css", "manifest.webmanifest", POLICY_FILE]) await cp(`page/${name}`, `${OUT}/${name}`);
for (const name of await readdir("build")) {
  if (!name.endsWith(".wasm")) continue;
  await writeFile(`${OUT}/${name}.gzip`, gzipSync(await readFile(`build/${name}`), { level: 9, mtime: 0 }));
}

// The digest of the page: of the list of its files, each with its own digest, as sha256sum writes them
// in the order of their names. Left out are the two files that carry it.
const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");
const names = (await readdir(OUT, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => relative(OUT, join(entry.parentPath, entry.name)))
  .sort();
const files = {};
for (const name of names) files[name] = digestOf(await readFile(join(OUT, name)));
const digest = digestOf(names.map((name) => `${files[name]}  ${name}\n`).join(""));
await writeFile(`${OUT}/digest.txt`, `${digest}\n`);
files["digest.txt"] = digestOf(`${digest}\n`);
await build({
  ...options,
  entryPoints: ["src/service_worker.ts"],
  outdir: OUT,
  define: { FILES: JSON.stringify(files), DIGEST: JSON.stringify(digest), POLICY: JSON.stringify(policy) },
});
console.log(`${OUT}: sha256 ${digest}`);
