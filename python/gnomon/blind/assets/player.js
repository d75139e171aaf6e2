// The recording, placed at the time of the spot that is shown. It never starts by itself.

const BACK_S = 3;

export class Player {
  /** @param {(sentence: string) => void} tell says what went wrong with the recording */
  constructor(audio, tell) {
    this.audio = audio;
    this.time = null;
    this.tell = tell;
    audio.addEventListener("loadedmetadata", () => this.place());
    audio.addEventListener("error", () => tell("This browser cannot play the recording."));
  }

  /** Load the recording. */
  load(address) {
    this.audio.src = address;
  }

  /** Go to the time of a spot, in seconds; null leaves the recording where it is. */
  moveTo(time) {
    this.audio.pause();
    this.time = time;
    this.place();
  }

  /** Play from the time of the spot; stop when it plays. */
  toggle() {
    if (!this.audio.paused) {
      this.audio.pause();
      return;
    }
    this.place();
    this.audio.play().catch(() => this.tell("This browser cannot play the recording."));
  }

  /** Go back three seconds, and play on if it plays. */
  back() {
    this.audio.currentTime = Math.max(0, this.audio.currentTime - BACK_S);
  }

  place() {
    if (this.time === null || this.audio.readyState === HTMLMediaElement.HAVE_NOTHING) return;
    if (this.time > this.audio.duration) {
      this.tell("The recording ends before this spot: it may be another recording.");
    }
    this.audio.currentTime = this.time;
  }
}
