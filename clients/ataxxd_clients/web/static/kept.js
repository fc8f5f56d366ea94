// A person's choices, kept in this browser; if it stores nothing, until the page is closed.

const here = new Map();

/** What is kept under a name; null where there is nothing. */
export function kept(name) {
  try {
    return here.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text under a name; says whether it outlives the page. */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    here.delete(name);
    return true;
  } catch {
    here.set(name, text);
    return false;
  }
}
