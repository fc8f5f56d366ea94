// Questions in dialogs, which are answered by yes or no.

const unanswered = new WeakMap();

/** Asks what stands in a dialog; resolves to whether the answer was yes. */
export function isSure(dialog) {
  // A dialog reports only later that it was closed, which must not answer the next question.
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
