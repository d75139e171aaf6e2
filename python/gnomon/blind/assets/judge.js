// The judge's page: shows one spot after the other, and has every verdict saved before it goes on.

import { Player } from "./player.js";
import { clock, showReading, showText } from "./text.js";

const $ = (id) => document.getElementById(id);
const SAID = { x: "x is right", y: "y is right", neither: "neither", cannot_tell: "cannot tell" };
const KEYS = { x: "x", y: "y", n: "neither", c: "cannot_tell" };
// Where a keyboard writes other letters than Latin ones, the places of the keys count.
const PLACES = { KeyX: "x", KeyY: "y", KeyN: "n", KeyC: "c", KeyU: "u", KeyZ: "z", KeyP: "p", KeyB: "b" };
const ANSWER_MS = 15000;
const PRESENCE_MS = 20000;

const state = { spots: [], at: 0, undo: [], saves: 0, busy: false, asking: false, over: false, told: 0 };
const player = new Player($("audio"), (sentence) => say(sentence));

class Problem extends Error {
  constructor(sentence, verdicts = null) {
    super(sentence);
    this.verdicts = verdicts;
  }
}

async function ask(path, body) {
  const options = { signal: AbortSignal.timeout(ANSWER_MS) };
  if (body !== undefined) {
    Object.assign(options, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  state.told = Date.now(); // also where nobody answers, so as not to ask with every movement
  let answer;
  let found = {};
  try {
    answer = await fetch(path, options);
    found = await answer.json().catch(() => ({}));
  } catch {
    throw new Problem(
      "The program that serves this page does not answer. All verdicts before this one are saved. " +
        "Start the command again and open the address that it prints.",
    );
  }
  if (answer.ok) return found;
  throw new Problem(sentenceOf(answer.status, found), found.verdicts);
}

function sentenceOf(status, found) {
  if (found.kind === "changed") {
    return `The sheet was changed on the disk: ${found.problem}. Nothing more is saved. ` +
      "Please tell the person who gave you this sheet.";
  }
  if (found.kind === "not_saved") {
    return `This verdict could not be saved: ${found.problem}. The verdicts before it are safe.`;
  }
  if (found.kind === "judged_elsewhere") {
    return "This spot was judged in another window meanwhile. That verdict is shown now; " +
      "give yours again to replace it.";
  }
  if (status === 403) return "This page is no longer valid. Open the address that the command printed.";
  return `The program that serves this page refused (${status}). Nothing was changed.`;
}

// -- what is shown ---------------------------------------------------------------------------------

const nOpen = () => state.spots.filter((spot) => spot.verdict === null).length;

function showCounts() {
  const judged = state.spots.length - nOpen();
  $("counts").textContent = `${judged} of ${state.spots.length} judged`;
  $("progress").max = state.spots.length;
  $("progress").value = judged;
  $("done").hidden = nOpen() > 0;
  $("stop").hidden = nOpen() === 0;
}

function showVerdict() {
  const { verdict } = state.spots[state.at];
  for (const button of document.querySelectorAll("[data-verdict]")) {
    button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict));
  }
  $("undo").setAttribute("aria-disabled", String(state.undo.length === 0));
}

/** Show a spot; the focus goes along, so that a screen reader reads it. */
function show(at) {
  state.at = at;
  const spot = state.spots[at];
  const title = `Spot ${spot.number} of ${state.spots.length}`;
  document.title = `${title} · Blind check`;
  $("title").textContent = title;
  $("time-row").hidden = spot.time === null;
  $("time").textContent = spot.time === null ? "" : clock(spot.time);
  $("context-row").hidden = spot.left_context === "";
  showText($("context"), spot.left_context);
  showReading($("x"), spot.x);
  showReading($("y"), spot.y);
  $("previous").setAttribute("aria-disabled", String(at === 0));
  $("next").setAttribute("aria-disabled", String(at === state.spots.length - 1));
  if (!$("player").hidden) player.moveTo(spot.time);
  showCounts();
  showVerdict();
  focusOn($("spot"));
}

function focusOn(element) {
  element.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

function say(sentence) {
  $("status").textContent = sentence;
}

function complain(sentence) {
  $("problem").textContent = sentence;
  $("problem").hidden = sentence === "";
  if (sentence !== "") window.scrollTo({ top: 0 });
}

/** Take over what other windows have judged. */
function merge(verdicts) {
  verdicts.forEach((verdict, at) => {
    state.spots[at].verdict = verdict;
  });
  showCounts();
  showVerdict();
}

// -- what the judge does ---------------------------------------------------------------------------

/** Do one thing at a time. A key that comes in between was meant for a spot that nobody has seen. */
async function alone(work) {
  if (state.busy || state.over) return;
  state.busy = true;
  try {
    await work();
  } catch (problem) {
    report(problem);
  } finally {
    state.busy = false;
  }
}

function report(problem) {
  if (!(problem instanceof Problem)) throw problem;
  if (problem.verdicts) merge(problem.verdicts);
  complain(problem.message);
}

async function save(spot, verdict) {
  state.saves += 1;
  const { verdicts } = await ask("verdict", { number: spot.number, verdict, was: spot.verdict });
  complain("");
  merge(verdicts);
}

const judge = (verdict) => alone(async () => {
  const spot = state.spots[state.at];
  const before = spot.verdict;
  await save(spot, verdict);
  state.undo.push({ at: state.at, before });
  say(`Spot ${spot.number}: ${SAID[verdict]}. Saved.`);
  const next = nextOpen();
  if (next !== null) {
    show(next);
    return;
  }
  showVerdict();
  focusOn($("done"));
});

/** Return the place of the first open spot after this one, from the start again at the end. */
function nextOpen() {
  for (let step = 1; step <= state.spots.length; step += 1) {
    const at = (state.at + step) % state.spots.length;
    if (state.spots[at].verdict === null) return at;
  }
  return null;
}

const undo = () => alone(async () => {
  const last = state.undo.at(-1);
  if (last === undefined) {
    say("Nothing was judged in this window yet. Go to a spot with the arrow keys to change it.");
    return;
  }
  const spot = state.spots[last.at];
  await save(spot, last.before);
  state.undo.pop();
  show(last.at);
  const now = last.before === null ? "open again" : `${SAID[last.before]} again`;
  say(`Undone. Spot ${spot.number} is ${now}. Saved.`);
});

function go(step) {
  const at = state.at + step;
  if (state.over || at < 0 || at >= state.spots.length) {
    say(step < 0 ? "This is the first spot." : "This is the last spot.");
    return;
  }
  say("");
  show(at);
}

const finish = () => alone(async () => {
  await ask("finish", {});
  state.over = true;
  player.moveTo(null);
  const open = nOpen();
  for (const id of ["done", "spot", "controls"]) $(id).hidden = true;
  document.querySelector("footer").hidden = true;
  complain(
    open === 0
      ? "Finished. Every spot is judged and saved. You can close this window."
      : `Stopped. What is judged is saved; ${open} of ${state.spots.length} spots are open. You can ` +
        "close this window. The same command goes on where you stopped.",
  );
  $("problem").classList.add("good");
  $("problem").tabIndex = -1;
  focusOn($("problem"));
});

/** Tell the server now and then that somebody is here, and hear what other windows have judged. */
async function present() {
  if (state.asking || state.busy || state.over || Date.now() - state.told < PRESENCE_MS) return;
  state.asking = true;
  const { saves } = state;
  try {
    const { verdicts } = await ask("verdicts");
    if (saves === state.saves) merge(verdicts); // else a newer answer has come or will come
  } catch (problem) {
    report(problem);
  } finally {
    state.asking = false;
  }
}

// -- keys and buttons ------------------------------------------------------------------------------

function letterOf(event) {
  const key = event.key.toLowerCase();
  return /^[a-z]$/.test(key) ? key : (/^[\x20-\x7e]$/.test(key) ? "" : PLACES[event.code]);
}

function onKey(event) {
  if (event.defaultPrevented || state.spots.length === 0 || event.isComposing) return;
  const letter = letterOf(event);
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && letter === "z") {
    event.preventDefault();
    if (!event.repeat) undo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (event.target === $("audio")) return;
    event.preventDefault();
    go(event.key === "ArrowLeft" ? -1 : 1);
    return;
  }
  // A key that is held down must not fill the sheet.
  if (event.repeat || !$("letters").checked) return;
  const action = actionOf(letter);
  if (action === null) return;
  event.preventDefault();
  action();
}

function actionOf(letter) {
  if (Object.hasOwn(KEYS, letter)) return () => judge(KEYS[letter]);
  if (letter === "u") return undo;
  if ($("player").hidden) return null;
  if (letter === "p") return () => player.toggle();
  return letter === "b" ? () => player.back() : null;
}

function listen() {
  document.addEventListener("keydown", onKey);
  for (const button of document.querySelectorAll("[data-verdict]")) {
    button.addEventListener("click", () => judge(button.dataset.verdict));
  }
  const clicks = {
    previous: () => go(-1), next: () => go(1), undo, finish, stop: finish,
    play: () => player.toggle(), back: () => player.back(),
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "focus"]) {
    window.addEventListener(kind, present, { passive: true });
  }
  $("audio").addEventListener("timeupdate", present);
}

async function start() {
  const { spots, audio } = await ask("sheet");
  state.spots = spots;
  $("spot").hidden = $("controls").hidden = false;
  $("player").hidden = $("player-keys").hidden = !audio;
  if (audio) player.load("audio");
  listen();
  const open = spots.findIndex((spot) => spot.verdict === null);
  show(Math.max(open, 0));
  if (open > 0) say(`Going on at spot ${spots[open].number}, the first that is open.`);
  if (open < 0) focusOn($("done"));
}

alone(start);
