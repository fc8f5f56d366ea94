// The moves of a study with their variations, as nested lists of buttons.

import { html } from "./shapes.js";

/**
 * Draws the tree below `root` into `host`, where it has changed.
 *
 * `nodes` maps numbers to nodes with `children`, `look(number)` is called by a click.
 */
export function showVariations(host, nodes, order, look) {
  const signature = order.join();
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    const root = nodes.get(order[0]);
    host.replaceChildren(root.children.length ? line(nodes, root, root.children[0], look) : html("p", {}, "No moves yet."));
  }
}

/** Marks the position that is looked at, and brings it into sight. */
export function markVariation(host, cursor) {
  for (const button of host.querySelectorAll("[data-node]")) {
    const here = Number(button.dataset.node) === cursor;
    button.classList.toggle("here", here);
    if (here) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    if (here) host.scrollTop = button.offsetTop - host.offsetTop - host.clientHeight / 2;
  }
}

/** A move and its main continuation; what else was tried there follows each move. */
function line(nodes, before, first, look) {
  const list = html("ol");
  let parent = before;
  let number = first;
  let numbered = false;
  while (number !== undefined) {
    const node = nodes.get(number);
    list.append(move(node, numbered, look));
    numbered = true;
    const others = number === parent.children[0] ? parent.children.slice(1) : [];
    for (const other of others) {
      list.append(html("li", { class: "variation" }, line(nodes, parent, other, look)));
      numbered = false;
    }
    parent = node;
    number = node.children[0];
  }
  return list;
}

function move(node, numbered, look) {
  const item = html("li");
  if (node.side === 0 || !numbered) {
    const dots = node.side === 0 ? "." : "…";
    item.append(html("span", { class: "number" }, `${Math.ceil(node.ply / 2)}${dots} `));
  }
  item.append(html("button", { type: "button", "data-node": node.node, onclick: () => look(node.node) }, node.name));
  return item;
}
