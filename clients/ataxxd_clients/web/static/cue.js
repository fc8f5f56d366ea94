// What draws a person's attention to the page: a word in the title, and two tones.

let notice = "";
let shown = "";

/** The title of the page. */
export function title(text) {
  shown = text;
  document.title = notice + shown;
}

/** Calls the person: with the tones, and a word in the title, if there is one, until they look. */
export function call(word = "") {
  if (word && !document.hasFocus()) {
    notice = `${word} – `;
    title(shown);
  }
  tones();
}

export const audible = () => localStorage.getItem("sound") !== "off";

export function setAudible(on) {
  localStorage.setItem("sound", on ? "on" : "off");
  if (on) tones();
}

function tones() {
  // Browsers keep pages silent that nobody has touched yet, and complain when one tries.
  if (!audible() || !navigator.userActivation?.hasBeenActive) return;
  const sound = new AudioContext();
  [523, 784].forEach((pitch, index) => {
    const from = sound.currentTime + 0.13 * index;
    const tone = new OscillatorNode(sound, { frequency: pitch });
    const volume = new GainNode(sound, { gain: 0 });
    volume.gain.setValueAtTime(0.12, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.25);
    tone.connect(volume).connect(sound.destination);
    tone.start(from);
    tone.stop(from + 0.26);
    if (index === 1) tone.onended = () => sound.close();
  });
}

for (const event of ["focus", "pointerdown", "keydown"]) {
  addEventListener(event, () => {
    if (notice === "") return;
    notice = "";
    title(shown);
  });
}
