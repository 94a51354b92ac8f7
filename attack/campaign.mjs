/**
 * Runs one fuzzer against one target: sends inputs, notices violations, shrinks the inputs that cause them, and writes
 * them to files.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random } from './random.mjs';
import { begin, performOne, quiet } from './replay.mjs';
import { shrink } from './shrink.mjs';

const found = fileURLToPath(new URL('./found/', import.meta.url));
/** The number of inputs before a violation that are kept as its possible causes. */
const HISTORY = 400;

/** Returns the text that tells one finding from another, without digits and places in memory. */
export const signatureOf = ({ kind, process = '', what, output = '' }) =>
  `${kind} ${process} ${/\n\s+at .*/.exec(output)?.[0].trim() ?? ''} ${kind === 'late' || kind === 'memory' ? '' : what.split('\n')[0]}`
    .replace(/\d+/g, 'N')
    .slice(0, 200);

/**
 * Runs for `seconds`, or until `packets` are sent. After a finding it starts the target again and goes on, at most
 * `most` times; findings with a known signature are counted and not shrunk again.
 */
export async function campaign(
  target,
  fuzzer,
  { seed, seconds, packets: wanted = Infinity, inputs: wantedInputs = Infinity, budgets = {}, most = 5, say, patience },
) {
  const summary = { target: target.name, fuzzer: fuzzer.name, seed, packets: 0, inputs: 0, joined: 0, seconds: 0 };
  const seen = { rssPeakMB: {}, healthzP99Ms: 0, healthzMaxMs: 0, healthzChecks: 0 };
  const findings = new Map();
  /** The number of times that the debugger's process of a kubelet ended, by reason: it may, and comes back. */
  const ends = new Map();
  const begun = performance.now();
  /** The time that making findings small has taken, ms: it does not count for the attack. */
  let spent = 0;
  const over = () =>
    performance.now() - begun - spent > seconds * 1000 || summary.packets >= wanted || index >= wantedInputs;
  let index = 0;
  for (let round = 0; round <= most && !over(); round++) {
    const running = await begin(target, fuzzer, budgets);
    const history = [];
    const inFlight = new Set();
    const { watch } = running;
    let stop = false;
    void watch.violated.then(() => {
      stop = true;
    });
    const lane = async () => {
      while (!stop && !over()) {
        const input = fuzzer.make(new Random(seed, fuzzer.name, index), index, target);
        index++;
        history.push(input);
        if (history.length > HISTORY) history.shift();
        inFlight.add(input);
        const sent = await Promise.race([performOne(running, fuzzer, input), watch.violated.then(() => 0)]);
        summary.packets += sent;
        summary.inputs++;
        if (!stop) inFlight.delete(input);
      }
    };
    await Promise.all(Array.from({ length: fuzzer.lanes ?? target.lanes ?? 1 }, lane));
    // Inputs may take effect only now; and whether the target still works is asked last.
    if (!watch.violation) await Promise.race([running.settle?.() ?? quiet(300), watch.violated]);
    merge(seen, await watch.seen());
    summary.joined += running.joined ?? 0;
    for (const why of running.debuggerEnds ?? []) ends.set(why, (ends.get(why) ?? 0) + 1);
    await running.stop();
    if (!watch.violation) break;
    const paused = performance.now();
    const signature = signatureOf(watch.violation);
    const known = findings.get(signature);
    if (known) known.times++;
    else {
      say(`${target.name}/${fuzzer.name}: ${watch.violation.kind}: ${watch.violation.what.slice(0, 300)}`);
      const small = await shrink({
        target,
        fuzzer,
        budgets,
        history,
        inFlight: [...inFlight],
        violation: watch.violation,
        say,
        patience,
      });
      const file = write({ target, fuzzer, seed, index, budgets, ...small });
      findings.set(signature, { signature, file, times: 1, ...watch.violation, reproduced: small.reproduced });
      say(`${target.name}/${fuzzer.name}: ${small.reproduced ? 'made small' : 'not reproduced alone'}: ${file}`);
    }
    spent += performance.now() - paused;
  }
  summary.seconds = Math.round((performance.now() - begun - spent) / 100) / 10;
  const debuggerEnds = target.hasDebugger && { debuggerEnds: Object.fromEntries(ends) };
  return { ...summary, ...seen, ...debuggerEnds, found: [...findings.values()] };
}

function merge(into, { rssPeakMB, ...times }) {
  for (const [name, value] of Object.entries(rssPeakMB))
    into.rssPeakMB[name] = Math.max(into.rssPeakMB[name] ?? 0, value);
  into.healthzChecks += times.healthzChecks;
  for (const key of ['healthzP99Ms', 'healthzMaxMs']) into[key] = Math.max(into[key], times[key]);
}

/** Writes a replay file; gives its path from the repository's root. */
function write({ target, fuzzer, seed, index, budgets, inputs, violation, reproduced, tries }) {
  mkdirSync(found, { recursive: true });
  const name = `${target.name}-${fuzzer.name}-${violation.kind}-${seed}-${index}.json`;
  const replay = {
    replay: `npm run attack -- --replay attack/found/${name}`,
    target: target.name,
    fuzzer: fuzzer.name,
    seed,
    index,
    ...(Object.keys(budgets).length > 0 && { budgets }),
    violation,
    reproduced,
    tries,
    inputs,
  };
  writeFileSync(`${found}${name}`, `${JSON.stringify(replay, null, 1)}\n`);
  return `attack/found/${name}`;
}
