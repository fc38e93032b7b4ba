// Short sounds, made as they are needed; silent unless the person has asked for them.
import { savedSetting } from "./storage.js";

const NOTES = { card: [330], trick: [392, 494], turn: [523, 659] }; // hertz, one after the other
const LENGTH = 0.09; // seconds of a note
const LOUDNESS = 0.06; // of 1
let audio = null;

export function sound(kind) {
  if (savedSetting("sounds") !== "on") return;
  audio ??= new AudioContext();
  NOTES[kind].forEach((frequency, place) => {
    const start = audio.currentTime + place * LENGTH;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency });
    const volume = new GainNode(audio, { gain: LOUDNESS });
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}
