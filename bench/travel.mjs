/**
 * Going back. `units`: in a simulation of 100,000 records, ms to step back in each unit, to go to any record, and to
 * branch there. `session`, `worker`, `agent`: the scenario `full-node` (110 pods) after some decisions, as the session
 * alone, in a page with its worker, and in a page of `syncloop serve` (see travel/session.mjs and travel/page.mjs).
 * Needs the build; the pages need chromium.
 */
import { SimulationSession, simulationSource, stepUnits } from '@syncloop/core/debug';
import { chromium } from '../scripts/system.mjs';
import { pageAt } from './travel/page.mjs';
import { positionAt, sessionAt } from './travel/session.mjs';
import { startStage } from './web/stage.mjs';

const RECORDS = 100_000;

const scenario = (pods) => `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: bench-travel
  title: { en: Bench, zh: Bench }
  summary: { en: Bench, zh: Bench }
spec:
  steps:
${Array.from(
  { length: pods },
  (_, i) => `    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: p${i} }
        spec:
          terminationGracePeriodSeconds: 1
          containers:
            - name: app
              image: localhost/busybox:dev
              command: ["sh", "-c", "sleep ${5 + i}; exit 1"]
              livenessProbe: { exec: { command: ["true"] }, periodSeconds: 5 }
`,
).join('')}`;

function session(pods, records) {
  const s = new SimulationSession(simulationSource(), {
    scenario: 'bench',
    text: scenario(pods),
    capacity: 4 * records,
  });
  const run = (command) => {
    let result;
    s.execute(command, (r) => {
      result = r;
    });
    while (!result) s.pump(1, () => false);
    if (!result.ok) throw new Error(`${JSON.stringify(command)}: ${result.error}`);
    return result.value;
  };
  run({ do: 'go', to: { seq: records } });
  return { s, run };
}

const quantile = (sorted, q) =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 100) / 100;
function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}
function timed(n, act) {
  const times = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    act(i);
    times.push(performance.now() - start);
  }
  return summary(times);
}

/** Pseudo-random numbers that are the same each time. */
function places(n, below) {
  let x = 12345;
  return Array.from({ length: n }, () => {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    return 1 + (x % below);
  });
}

function units() {
  const out = { records: RECORDS, millis: {} };
  for (const pods of [3, 30]) {
    const { s, run: command } = session(pods, RECORDS);
    const backBy = {};
    for (const unit of stepUnits) {
      const times = [];
      for (let i = 0; i < 20; i++) {
        command({ do: 'go', to: { seq: RECORDS - 997 * i } });
        const start = performance.now();
        // Outside of any call there is none to go out of: then it has looked at everything.
        s.execute({ do: 'step', unit, back: true }, () => {});
        times.push(performance.now() - start);
      }
      backBy[unit] = summary(times);
    }
    const at = places(60, RECORDS);
    const toAnyRecord = timed(60, (i) => command({ do: 'go', to: { seq: at[i] } }));
    const branchThere = [];
    for (const seq of [...at.slice(0, 5), RECORDS - 1]) {
      command({ do: 'switch', branch: 1, to: { step: 0, seq: 0 } });
      command({ do: 'go', to: { seq } });
      const start = performance.now();
      command({ do: 'branch' });
      branchThere.push(performance.now() - start);
    }
    command({ do: 'switch', branch: 1 });
    out.millis[`${pods} pods`] = {
      simulatedSeconds: Math.round(s.runState().time / 1e6),
      stepBack: backBy,
      toAnyRecord,
      branch: summary(branchThere),
    };
  }
  return out;
}

/** `decisions`: after how many; `parts`: which of them; `actions`: which ways of a page to go, all without it. */
export async function run({
  parts = ['units', 'session', 'worker', 'agent'],
  decisions = [34_000, 1_400_000],
  actions,
} = {}) {
  const out = {};
  if (parts.includes('units')) out.units = units();
  const executablePath = chromium();
  for (const n of decisions) {
    const session = parts.includes('session') ? sessionAt(n) : positionAt(n);
    const at = { step: n, seq: session.records, time: session.simulatedSeconds * 1e6 };
    out[n] = { ...(parts.includes('session') && { session }) };
    for (const where of ['worker', 'agent']) {
      if (!parts.includes(where)) continue;
      if (!executablePath) {
        out[n][where] = { skipped: 'there is no chromium' };
        continue;
      }
      const stage = await startStage(executablePath);
      try {
        out[n][where] = await pageAt(stage, where, { ...at, actions });
      } finally {
        await stage.close();
      }
    }
  }
  return out;
}
