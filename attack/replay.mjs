/** Performs inputs on a target: one, those of a replay file, or many replay files in turn. */
/** Starts the target for this fuzzer; alarms of its processes go to its watch. */
export async function begin(target, fuzzer, budgets) {
  let running = null;
  const early = [];
  const alarm = (what) =>
    running ? running.watch.violate({ kind: 'alarm', what, process: target.name }) : early.push(what);
  running = await target.start({ budgets: { ...target.budgets, ...budgets }, alarm, fuzzer });
  for (const what of early) alarm(what);
  return running;
}

/** Performs an input and resolves with the number of packets. A wrong answer is reported as a violation. */
export async function performOne(running, fuzzer, operations) {
  try {
    return (await fuzzer.perform(running, operations)) ?? 0;
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
    running.watch.violate({ kind: 'answer', what: error.message, process: error.process ?? '' });
    return 0;
  }
}

/** Thrown by a fuzzer's `perform` for an answer that no client may get, such as a status of 500. */
export class WrongAnswer extends Error {
  constructor(message, process) {
    super(message);
    this.process = process;
  }
}

/** Performs the inputs of a replay file: one after the other, or (`together`) at the same time. */
async function performAll(running, fuzzer, { inputs, together = false }) {
  if (together) return void (await Promise.all(inputs.map((input) => performOne(running, fuzzer, input))));
  for (const input of inputs) {
    if (running.watch.violation) return;
    await performOne(running, fuzzer, input);
  }
}

/**
 * Performs a replay file on a target that was just started. Resolves with `{violation, seen}`; violation null for none.
 */
export async function replay(target, fuzzer, saved, { seconds = 30 } = {}) {
  const running = await begin(target, fuzzer, saved.budgets ?? {});
  const { watch } = running;
  try {
    await Promise.race([performAll(running, fuzzer, saved), watch.violated, quiet(seconds * 1000)]);
    if (!watch.violation) await Promise.race([running.settle?.() ?? quiet(400), watch.violated]);
    if (!watch.violation) await Promise.race([watch.answered(), watch.violated]);
    return { violation: watch.violation, seen: await watch.seen() };
  } finally {
    await running.stop();
  }
}

/**
 * Performs replay files on one target, one after the other; after a violation it starts again. `files`: `{name, fuzzer,
 * saved}`. Calls `done` for each with `{name, violation}`.
 */
export async function replayMany(target, files, budgets, done) {
  let running = null;
  for (const [i, { name, fuzzer, saved }] of files.entries()) {
    running ??= await begin(target, fuzzer, { ...budgets, ...saved.budgets });
    const { watch } = running;
    await Promise.race([performAll(running, fuzzer, saved), watch.violated]);
    const next = files[i + 1];
    // A file with budgets of its own has a process of its own.
    const last = !next || saved.budgets !== undefined || next.saved.budgets !== undefined;
    if (!watch.violation && (last || fuzzer.changesNode)) await Promise.race([running.settle?.(), watch.violated]);
    if (!watch.violation) await Promise.race([watch.answered(), watch.violated]);
    done({ name, violation: watch.violation });
    if (!watch.violation && !last) continue;
    await running.stop();
    running = null;
  }
}

export const quiet = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
