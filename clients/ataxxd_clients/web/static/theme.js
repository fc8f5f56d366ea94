// Light or dark, the board and the pieces, as the person last chose them.

import { keep, kept } from "./kept.js";

const root = document.documentElement;
const theme = kept("theme");
if (theme) root.dataset.theme = theme;
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  keep("theme", next);
});

// Where a page has no choice of them, such as a lobby, the boards are as they were chosen elsewhere.
for (const what of ["board", "pieces"]) {
  const chosen = kept(`look.${what}`);
  if (chosen) root.dataset[what] = chosen;
  const choice = document.getElementById(`look-${what}`);
  if (!choice) continue;
  choice.value = chosen ?? "usual";
  choice.addEventListener("change", () => {
    root.dataset[what] = choice.value;
    keep(`look.${what}`, choice.value);
  });
}
