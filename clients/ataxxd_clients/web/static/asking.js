// Questions in dialogs, which are answered by yes or no.

const unanswered = new WeakMap();

/** Asks what stands in a dialog; resolves to whether the answer was yes. */
export function isSure(dialog) {
  // It tells only later that it was closed. That must not answer what is asked again by then.
  unanswered.get(dialog)?.();
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => {
      dialog.removeEventListener("close", closed);
      unanswered.delete(dialog);
      resolve(dialog.returnValue === "yes");
    };
    const closed = () => {
      if (!dialog.open) answer();
    };
    dialog.addEventListener("close", closed);
    unanswered.set(dialog, answer);
  });
}
