import { parseScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { captureOf, observeCapture } from '../capture/index.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { cutDecisions, rerun, twinScenario } from './index.js';
import { manifestOf, patchOf } from './manifest.js';

const app = (name: string, more = '') =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: ${name} }, spec: { terminationGracePeriodSeconds: 2, containers: [{ name: app, image: "localhost/busybox:dev", command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 1; done"]${more} }] } }`;
const scenario = (steps: string, spec = '') =>
  parseScenario(`
apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: seen }
spec:
  ${spec}
  steps:
${steps}`);

/** Captures a run of a scenario, or some files of it, and makes its twin. */
function twinOf(steps: string, options: Parameters<typeof twinScenario>[1] = {}, only?: readonly string[], spec = '') {
  const { observation, records } = observeCapture(captureOf(scenario(steps, spec), { seed: 7 }), only);
  const { epochMicros } = observation;
  const twin = twinScenario(records, { epochMicros, ...options });
  return { records, epochMicros, twin, scenario: parseScenario(twin.text) };
}

const TWO = `
    - apply: ${app('one')}
    - apply: ${app('two')}
    - wait: 4s
    - kill: { pod: two, container: app }
    - wait: 6s
    - delete: one
    - wait: 6s`;

describe('a scenario out of what a run left behind', () => {
  it('has the pods when they came and went, and the lives of their containers', () => {
    const { scenario: made } = twinOf(TWO);
    const verbs = made.steps.map(({ action }) => action.verb).filter((verb) => verb !== 'wait');
    expect(verbs).toEqual(['startKubelet', 'apply', 'apply', 'delete']);
    const two = made.lives.filter(({ pod }) => pod.startsWith('two'));
    expect(two.map(({ signal }) => signal)).toEqual(['KILL', undefined]);
    expect(two[0]?.runs).toBeGreaterThan(3.5e6);
    expect(two[0]?.runs).toBeLessThan(4.2e6);
    expect(made.lives.find(({ pod }) => pod.startsWith('one'))?.stops).toMatchObject({ after: expect.any(Number) });
  });

  it('says what the log alone does not tell', () => {
    const { twin } = twinOf(TWO, {}, ['.log']);
    const codes = twin.assumptions.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['pod.spec', 'container.end', 'image.config']));
    expect(twinOf(TWO).twin.assumptions.map(({ code }) => code)).not.toContain('pod.spec');
    for (const { text } of twin.assumptions) expect(text.zh).toMatch(/[\u4e00-\u9fff]/);
  });

  it('comes out of one pod alone, with what it needs', () => {
    const { scenario: made } = twinOf(TWO, { pods: ['two'] });
    expect(made.lives.every(({ pod }) => pod.startsWith('two'))).toBe(true);
    expect(made.steps.filter(({ action }) => action.verb === 'apply')).toHaveLength(1);
    expect(made.images).toHaveLength(1);
  });

  it('begins in the middle of a run with what was there', () => {
    const cut = { from: 3e6 };
    const { records, epochMicros, twin } = twinOf(TWO, cut);
    expect(twin.assumptions.map(({ code }) => code)).toContain('cut.head');
    const { records: own, failures } = rerun(twin, 3);
    expect(failures).toEqual([]);
    const seen = cutDecisions(decisionsOf(records), cut);
    const verdict = compare(seen, cutDecisions(decisionsOf(own), cut, twin.seenFrom), {
      coverage: coverageOf(records),
      seenFrom: twin.seenFrom,
      epochMicros,
    });
    expect(verdict.compared).toBeGreaterThan(10);
    expect(verdict.text.en).toBe(`${verdict.compared} of ${verdict.compared} decisions the same.`);
  });

  it('has the outage of a runtime, the network and the kubelet', () => {
    const { scenario: made } = twinOf(`
    - apply: ${app('one')}
    - wait: 5s
    - network: notReady
    - wait: 12s
    - network: ready
    - wait: 8s
    - restart: { runtime: stop, down: 8s }
    - wait: 20s
    - restart: { kubelet: crash, down: 3s }
    - wait: 10s`);
    const verbs = made.steps.map(({ action }) => action.verb).filter((verb) => verb !== 'wait');
    expect(verbs).toEqual([
      'startKubelet',
      'apply',
      'network',
      'network',
      'stopRuntime',
      'startRuntime',
      'stopKubelet',
      'startKubelet',
    ]);
  });

  it('has what a call came to where no socket tells of it', () => {
    const steps = `
    - fault: { method: CreateContainer, times: 2, error: { code: Unknown, message: no space left on device } }
    - apply: ${app('one')}
    - wait: 40s`;
    for (const only of [undefined, ['.log', 'pods']])
      expect(twinOf(steps, {}, only).scenario.calls.filter(({ error }) => error)).toMatchObject([
        { method: 'CreateContainer', attempt: 0, error: { message: 'no space left on device' } },
        { method: 'CreateContainer', attempt: 1 },
      ]);
  });
});

it('makes a listed Pod a manifest again', () => {
  const listed = {
    metadata: {
      name: 'web-n1',
      namespace: 'shop',
      uid: '1',
      annotations: { 'kubernetes.io/config.source': 'file', mine: 'x' },
    },
    spec: {
      nodeName: 'n1',
      restartPolicy: 'Always',
      dnsPolicy: 'Default',
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      containers: [
        { name: 'a', image: 'b:1', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File', resources: {} },
      ],
    },
    status: { phase: 'Running' },
  };
  expect(manifestOf(listed, { nodeName: 'n1', isStatic: true })).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', uid: '1', annotations: { mine: 'x' } },
    spec: { dnsPolicy: 'Default', containers: [{ name: 'a', image: 'b:1' }] },
  });
});

it('finds what changed as a merge patch', () => {
  expect(patchOf({ a: 1, b: { c: 1, d: 2 } }, { b: { c: 1, d: 3 }, e: 4 })).toEqual({ a: null, b: { d: 3 }, e: 4 });
  expect(patchOf({ a: [1] }, { a: [1] })).toBeUndefined();
});
