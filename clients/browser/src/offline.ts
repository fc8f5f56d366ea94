/** Lets the browser keep the page, and reports newer versions. */

/**
 * Keeps this page in the browser.
 * @param newer Is called with a function that loads the newer version, when there is one.
 */
export async function keepPage(newer: (load: () => void) => void): Promise<void> {
  // Only pages that came by https, or from this machine, may be kept.
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const { serviceWorker } = navigator;
  // The first worker takes this page over as well, but there is no newer version to load then.
  const wasKept = serviceWorker.controller !== null;
  let asked = false;
  serviceWorker.addEventListener("controllerchange", () => {
    if (wasKept && asked) location.reload();
  });
  const registration = await serviceWorker.register("service_worker.js");
  const tell = (worker: ServiceWorker | null): void => {
    if (worker?.state !== "installed" || serviceWorker.controller === null) return;
    newer(() => {
      asked = true;
      worker.postMessage("take over");
    });
  };
  const follow = (worker: ServiceWorker | null): void => {
    worker?.addEventListener("statechange", () => tell(worker));
  };
  tell(registration.waiting);
  // A worker may have been found before this page listened.
  follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));
}
