// Light or dark, as the person last chose it; else as the system has it.

document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
});
const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
