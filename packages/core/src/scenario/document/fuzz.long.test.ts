import { describe, expect, it } from 'vitest';
import { Random, Second } from '../../kernel/index.js';
import { scenarioFromPod } from '../from-pod/index.js';
import { startScenario } from '../run/start.js';
import * as kubectl from '../testing/kubectl.js';
import { ScenarioError } from './errors.js';
import { parseScenario } from './parse.js';
import { parseAction } from './parse-action.js';
import type { Scenario } from './scenario.js';

const base = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: fuzz}
spec:
  seed: 3
  node: {maxPods: 3, featureGates: {EventedPLEG: false}}
  registry:
  - {ref: "a/b:1", answer: serve, size: 100}
  steps:
  - apply: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: "a/b:1"}]}}
  - waitFor: {pod: a, phase: Running, timeout: 3s}
  - fault: {kill: {pod: a, container: app}, every: 2s, times: 2, jitter: 0.1}
  - edit: {pod: a, patch: {x: null}}
  - choose: {select: plegCh}
expect:
  - event: {pod: a, reason: Started, atLeast: 1}
  - never: {kind: log, where: "severity == 'E' && v > 3"}
`;

const hostile = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__proto__: {polluted: 1}', 'valueOf: {}'],
  ...[
    'null',
    '~',
    '[]',
    '{}',
    '""',
    '0',
    '-1',
    '1e999',
    '.nan',
    '0x7fffffffffffffff',
    '1'.repeat(400),
    '!!binary aGk=',
    '!!js/function x',
  ],
  ...[
    '&a [*a]',
    '*a',
    '<<: *a',
    '<<: {polluted: 1}',
    '? {a: b} : c',
    '\u0000',
    '\ufeff',
    '\u2028',
    '\t',
    '- - - -',
    '{'.repeat(50),
    '['.repeat(3000),
  ],
  ...[
    '|\n  x',
    '>-',
    '---\n',
    '...\n',
    '#',
    '%YAML 1.1',
    "'",
    '"',
    'on',
    '1_000',
    '168h',
    '9999999h',
    '-5s',
    'a'.repeat(5000),
    'x: y',
    '\n',
    ' ',
  ],
];

/** A text like `text`, but for some words and lines. */
function mutate(text: string, r: Random): string {
  const pick = <T>(list: readonly T[]): T => list[r.below(list.length)] as T;
  let out = text;
  for (let n = 1 + r.below(3); n > 0; n--) {
    const words = out.split(/(?<=[\s{}[\],:])/);
    const at = r.below(words.length);
    const kind = r.below(6);
    if (kind === 0) words[at] = pick(hostile);
    else if (kind === 1) words.splice(at, 1 + r.below(8));
    else if (kind === 2) words.splice(at, 0, pick(hostile), pick([' ', ': ', ', ', '\n']));
    else if (kind === 3) words.splice(at, 0, ...words.slice(r.below(words.length)).slice(0, 1 + r.below(10)));
    else if (kind === 4) words[at] = pick(words);
    else words[at] = String.fromCharCode(r.below(0x3000)) + (words[at] ?? '');
    out = words.join('');
  }
  return out;
}

/** Random YAML that need not mean anything. */
const noise = (r: Random): string =>
  Array.from({ length: r.below(30) }, () => {
    const piece = hostile[r.below(hostile.length)] ?? '';
    return `${' '.repeat(r.below(6))}${['- ', '', 'spec: ', 'steps:\n', 'kind: Scenario\n'][r.below(5)]}${piece}\n`;
  }).join('');

/** Nothing but ScenarioErrors come out, and nothing stays behind. */
function survives<T>(fn: () => T): T | null {
  let value: T | null = null;
  try {
    value = fn();
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    // Place and remedy, and no novel.
    expect(error.message.length).toBeLessThan(4010);
  }
  if (Object.keys(Object.prototype).length > 0 || 'polluted' in {}) throw new Error('a prototype was polluted');
  return value;
}

/** SYNCLOOP_RUNS: number of inputs of each kind instead of its own. */
const wanted = Number(process.env.SYNCLOOP_RUNS ?? 0);
const inputs = (usual: number): number => (wanted > 0 ? wanted : usual);

describe('thousands of inputs never hang, crash or pollute', () => {
  it('scenarios; those that can be read run', () => {
    const r = new Random(1);
    const runnable: Scenario[] = [];
    const count = inputs(1200);
    for (let i = 0; i < count; i++) {
      const text = i % 4 === 3 ? noise(r) : mutate(base, r);
      const scenario = survives(() => parseScenario(text, 'fuzz.yaml'));
      if (scenario && text !== base) runnable.push(scenario);
    }
    expect(runnable.length).toBeGreaterThan(count / 125);
    for (const scenario of runnable.slice(0, Math.max(40, count / 250)))
      survives(() => startScenario(scenario).run({ until: 30 * Second, maxSteps: 2000 }));
  });

  it('actions from a wire', () => {
    const r = new Random(2);
    const actions: unknown[] = [
      ...[
        'clearFaults',
        'restartKubelet',
        { kill: { pod: 'a', container: 'b' } },
        { fault: { pull: 'hang', image: 'x' } },
      ],
      ...[
        { fault: { method: '*', error: { message: 'x' } } },
        { choose: { select: 'x' } },
        { restart: { kubelet: 'crash' } },
      ],
      ...[
        { edit: { pod: 'a', patch: { x: null } } },
        { apply: { kind: 'Pod', metadata: { name: 'a' } } },
        { wait: '5s' },
      ],
      ...[{ assert: [{ event: { reason: 'X' } }] }, { exec: { pod: 'a', container: 'b', command: ['x'] } }],
    ];
    let read = 0;
    const count = inputs(5000);
    for (let i = 0; i < count; i++) {
      let text = JSON.stringify(actions[r.below(actions.length)]);
      for (let n = r.below(3); n > 0; n--) {
        const parts = text.split(/(?<=[{}[\],:"])/);
        const piece = ['__proto__', 'constructor', '{}', '[]', 'null', '1e99', 'true', '""', '"x"', 'toString', ','][
          r.below(11)
        ];
        parts.splice(r.below(parts.length), r.below(3), piece ?? '');
        text = parts.join('');
      }
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = text;
      }
      if (survives(() => parseAction(json))) read++;
    }
    expect(read).toBeGreaterThan(count * 0.1);
    expect(read).toBeLessThan(count * 0.9);
  });

  it('pods that become scenarios', () => {
    const r = new Random(3);
    const pod = kubectl.kubectlList(kubectl.configErrorPod, kubectl.kubectlEvent('mail', 'Failed', 'x'));
    let made = 0;
    const count = inputs(1000);
    for (let i = 0; i < count; i++) {
      const text = i % 4 === 3 ? noise(r) : mutate(i % 100 === 0 ? pod : small, r);
      const yaml = survives(() => scenarioFromPod(text));
      if (yaml !== null) made++;
    }
    expect(made).toBeGreaterThan(count * 0.05);
  });
});

const small = `kind: Pod
metadata: {name: a, annotations: {made: here}, labels: {app: a}}
spec: {containers: [{name: app, image: "a:1", livenessProbe: {exec: {command: [x]}}, env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: k}}}]}], volumes: [{name: v, secret: {secretName: s}}]}
status: {phase: Running, containerStatuses: [{name: app, ready: true, restartCount: 2, state: {running: {}}, lastState: {terminated: {exitCode: 1, startedAt: "2025-01-01T00:00:00Z", finishedAt: "2025-01-01T00:00:09Z"}}}]}
`;
