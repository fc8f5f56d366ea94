/** Which tab of this browser plays a game: one at a time. The journal enforces this; Web Locks report it. */

// How long to wait for another tab: a page that is reloaded takes a moment to end.
const WAIT_MS = 3_000;

/**
 * Holds a game for this tab, until it is closed.
 *
 * @param takeOver Take it from a tab that holds it.
 * @param lost Is called when another tab has taken it.
 * @returns Whether this tab has it. Without Web Locks, as on plain http, the newest tab has it.
 */
export function holdGame(game: string, takeOver: boolean, lost: () => void): Promise<boolean> {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) return Promise.resolve(true);
  const options = takeOver ? { steal: true } : { signal: AbortSignal.timeout(WAIT_MS) };
  return new Promise((resolve) => {
    let held = false;
    const hold = (): Promise<never> => {
      held = true;
      resolve(true);
      return new Promise(() => {});
    };
    locks.request(`ataxxd ${game}`, options, hold).catch(() => {
      if (held) lost();
      else resolve(false);
    });
  });
}
