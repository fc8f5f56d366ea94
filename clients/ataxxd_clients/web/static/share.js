// How others come to the game: a command to copy, and a code to photograph.

import { html, svg } from "./shapes.js";

const QUIET = 4;

/** Shows the link, or else the command, in `host`; leaves it alone, with its focus, where nothing has changed. */
export function showShare(host, share, says) {
  const typed = share.join ?? share.watch;
  const command = share.link ?? typed;
  const signature = JSON.stringify([command, typed, share.reaches]);
  if (host.dataset.signature === signature) return;
  host.dataset.signature = signature;
  const text = html("code", { class: "command", tabindex: 0 }, command);
  const copy = html("button", { type: "button", class: "strong", onclick: () => copied(command, text, says) }, "Copy");
  const typing = share.join ? "Your guest types this in a terminal:" : "Others can watch with:";
  const link = command.startsWith("http");
  const lead = link && share.join ? "Send your guest this link, or let a phone scan it:" : link ? "Others can watch with this link:" : typing;
  host.replaceChildren(html("p", {}, lead), html("div", { class: "row command-row" }, text, copy));
  if (share.code.length > 0 && share.reaches) host.append(code(share.code, command));
  if (!share.reaches) host.append(html("p", { class: "note" }, "The broker serves this machine only. For somebody elsewhere, start with --lan, or name a broker that you can both reach with --broker."));
  if (typed !== command) host.append(html("p", {}, share.join ? "Or in a terminal: " : "In a terminal: ", html("code", { class: "command", tabindex: 0 }, typed)));
}

async function copied(command, text, says) {
  try {
    await navigator.clipboard.writeText(command);
    says("Copied.");
  } catch {
    getSelection().selectAllChildren(text);
    says("The browser does not let this page copy. The text is selected: press Ctrl-C.");
  }
}

function code(rows, command) {
  const size = rows.length + 2 * QUIET;
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")));
  return svg(
    "svg",
    { class: "code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `QR code of: ${command}` },
    svg("rect", { width: size, height: size, fill: "#ffffff" }),
    svg("path", { d: dark.join(""), fill: "#000000" }),
  );
}
