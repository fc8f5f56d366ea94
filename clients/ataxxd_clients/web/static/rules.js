// The rules of a game, which come as lines for a terminal and are rewrapped here.

import { html } from "./shapes.js";

/** Shows rules: lines that begin with a word are paragraphs; indented ones, what to type and why. */
export function showRules(host, lines) {
  const signature = lines.join("\n");
  if (host.dataset.signature === signature) return;
  host.dataset.signature = signature;
  const blocks = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const entry = /^ {2}(\S+(?: \S+)*) {2,}(\S.*)$/.exec(line);
    if (entry !== null) {
      const list = last?.tagName === "DL" ? last : html("dl");
      if (list !== last) blocks.push(list);
      list.append(html("dt", {}, entry[1]), html("dd", {}, entry[2]));
    } else if (line.startsWith(" ") && last !== undefined) {
      (last.lastElementChild ?? last).append(` ${line.trim()}`);
    } else if (last?.tagName === "P") {
      last.append(` ${line}`);
    } else {
      blocks.push(html("p", {}, line));
    }
  }
  host.replaceChildren(...blocks);
}
