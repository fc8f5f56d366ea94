// What draws a person's attention to the page: a word in the title, and tones.

import { keep, kept } from "./kept.js";

// Pitches in hertz, one after another.
const TONES = { call: [523, 784], move: [330], capture: [330, 220], end: [523, 659, 784], low: [880, 880, 880] };

let notice = "";
let shown = "";

/** The title of the page. */
export function title(text) {
  shown = text;
  document.title = notice + shown;
}

/** Calls the person: with the tones, and a word in the title, if there is one, until they look; `text` says more. */
export function call(word = "", text = word) {
  if (word && !document.hasFocus()) {
    notice = `${word} – `;
    title(shown);
  }
  sound("call");
  notify(text || "It is your turn");
}

/** Whether the person wants to be told by the system, and the browser lets the page. */
export const notifies = () => kept("notify") === "on" && globalThis.Notification?.permission === "granted";

/** Has the system tell when it is the person's turn, or no longer; whether it does. */
export async function setNotifying(on) {
  keep("notify", on ? "on" : "off");
  if (on) await globalThis.Notification?.requestPermission();
  return notifies();
}

/** Notifies a person who looks elsewhere. */
async function notify(text) {
  if (document.hasFocus() || !notifies()) return;
  const options = { body: shown, tag: location.href };
  // On phones only a service worker may.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) {
    worker.showNotification(text, options);
    return;
  }
  const notification = new Notification(text, options);
  notification.onclick = () => {
    focus();
    notification.close();
  };
}

export const audible = () => kept("sound") !== "off";

export function setAudible(on) {
  keep("sound", on ? "on" : "off");
  if (on) sound("call");
}

/** Sounds what has happened: `call`, `move`, `capture`, `end` or `low` time. */
export function sound(what) {
  // Browsers keep a page silent until it is touched, and complain about attempts before that.
  if (!audible() || !navigator.userActivation?.hasBeenActive) return;
  const context = new AudioContext();
  const pitches = TONES[what];
  pitches.forEach((pitch, index) => {
    const from = context.currentTime + 0.13 * index;
    const tone = new OscillatorNode(context, { frequency: pitch });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0.12, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.25);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + 0.26);
    if (index === pitches.length - 1) tone.onended = () => context.close();
  });
}

for (const event of ["focus", "pointerdown", "keydown"]) {
  addEventListener(event, () => {
    if (notice === "") return;
    notice = "";
    title(shown);
  });
}
