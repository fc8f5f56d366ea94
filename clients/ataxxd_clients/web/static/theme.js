// Light or dark, the board and the pieces, as the person last chose them.

const root = document.documentElement;
const theme = localStorage.getItem("theme");
if (theme) root.dataset.theme = theme;
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  localStorage.setItem("theme", next);
});

// Where a page has no choice of them, such as a lobby, the boards are as they were chosen elsewhere.
for (const what of ["board", "pieces"]) {
  const kept = localStorage.getItem(`look.${what}`);
  if (kept) root.dataset[what] = kept;
  const choice = document.getElementById(`look-${what}`);
  if (!choice) continue;
  choice.value = kept ?? "usual";
  choice.addEventListener("change", () => {
    root.dataset[what] = choice.value;
    localStorage.setItem(`look.${what}`, choice.value);
  });
}
