import { describe, expect, it } from 'vitest';
import { checkers, watchInvariants } from '../../conformance/invariants/index.js';
import { parseScenario } from '../../scenario/document/parse.js';
import type { ScenarioRun } from '../../scenario/run/run.js';
import { startScenario } from '../../scenario/run/start.js';
import { type Command, type CommandResult, SimulationSession, simulationSource } from '../index.js';
import { find, flaws, linkWith, rootOf, runText, storeOf } from './testing/runs.js';
import { why } from './why.js';

const text = `
apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: twin }
spec:
  startAt: 2026-11-21T04:00:00.317042Z
  startKubelet: false
  node: { fileCheckFrequency: 1s }
  images: [{ ref: "registry.example/real:1.0", entrypoint: [/real] }]
  lives:
    - { pod: web, container: app, attempt: 0, runs: 4s, exits: 3 }
    - pod: web
      container: app
      probes: { liveness: [{ result: success, times: 2 }, failure, success] }
  calls:
    - { method: StartContainer, pod: web, attempt: 0, took: 80ms }
    - { method: StartContainer, pod: web, attempt: 1, took: 90ms, error: { code: Unknown, message: no shim } }
    - { method: StartContainer, pod: web, took: 70ms }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web }
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: "registry.example/real:1.0"
              imagePullPolicy: Never
              livenessProbe: { exec: { command: [check] }, periodSeconds: 2, failureThreshold: 1 }
    - wait: { until: 200ms }
    - startKubelet
    - wait: { until: 60s }
`;
const store = runText(text, 60e6);

describe('why, in a run that re-enacts another', () => {
  it('goes back from a restart to the end that the scenario has come', () => {
    const { uid } = find(store, 'pod-actions');
    const upTo = storeOf([...store.from(1)].filter((r) => r.time < 9e6));
    const a = why(upTo, { about: 'container', uid, container: 'app', what: 'restart' });
    expect(flaws(upTo, a)).toEqual([]);
    expect(linkWith(a, (l) => l.kind === 'input' && l.text.en.includes('ends by itself'))).toBeDefined();
    const end = find(store, 'actual-container', (r) => r.state === 'exited');
    const b = why(store, { about: 'record', seq: end.seq });
    expect(flaws(store, b)).toEqual([]);
    expect(rootOf(b)).toMatchObject({ kind: 'input', role: 'input' });
    expect(rootOf(b).text.en).toContain('As the scenario says, container app of web ends by itself with code 3');
    expect(rootOf(b).text.zh).toContain('按场景的设定');
  });

  it('shows the scenario behind a call that failed', () => {
    const failed = find(store, 'cri-return', (r) => r.method === 'StartContainer' && r.error !== undefined);
    const a = why(store, { about: 'record', seq: failed.seq, detail: 'full' });
    expect(flaws(store, a)).toEqual([]);
    expect(linkWith(a, (l) => l.kind === 'fault')?.text.en).toContain('no shim');
  });

  it('shows the scenario behind a probe that failed', () => {
    const probe = find(store, 'probe', (r) => r.outcome === 'failure');
    const a = why(store, { about: 'record', seq: probe.seq, detail: 'full' });
    expect(flaws(store, a)).toEqual([]);
    expect(linkWith(a, (l) => l.kind === 'fault')?.text.en).toContain('liveness probe of web app');
  });

  it('breaks no invariant', () => {
    let started: ScenarioRun | null = null;
    const watch = watchInvariants((uid) => started?.kubelet?.podManager.getPodByUID(uid), checkers);
    const run = startScenario(parseScenario(text), { sink: watch.sink });
    started = run;
    run.run({ until: 60e6 });
    expect(watch.violations).toEqual([]);
  });
});

describe('a session of such a run', () => {
  it('begins before there is a kubelet, goes on, back, and on in the same way', () => {
    const session = new SimulationSession(simulationSource(), { scenario: 'twin', text });
    const run = (command: Command): CommandResult | null => {
      let result: CommandResult | null = null;
      session.execute(command, (r) => {
        result = r;
      });
      for (let n = 0; result === null && n < 10_000; n++) session.pump(16, () => false);
      return result;
    };
    expect(session.info.epochMillis).toBe(1795233600317.042);
    const exited = { do: 'until', where: "kind == 'actual-container' && state == 'exited'", pace: 'fast' } as const;
    expect(run(exited)).toMatchObject({ ok: true });
    const last = session.store.last;
    const all = JSON.stringify([...session.store.from(1)]);
    expect(run({ do: 'go', to: { step: 1 } })).toMatchObject({ ok: true });
    expect(run(exited)).toMatchObject({ ok: true });
    expect(session.store.last).toBe(last);
    expect(JSON.stringify([...session.store.from(1)])).toBe(all);
  });
});
