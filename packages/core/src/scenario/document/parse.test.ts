import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { duration, read, ShapeError } from '../../shape/index.js';
import { ScenarioError } from './errors.js';
import { parseScenario } from './parse.js';
import type { Step } from './scenario.js';

const head = 'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata:\n  name: test\n';
const withSteps = (steps: string) => parseScenario(`${head}spec:\n  steps:\n${steps}`, 'test.yaml');
const manifestOf = (step: Step | undefined): string => (step?.action.verb === 'apply' ? step.action.text : '');
const problem = (fn: () => unknown): string => {
  try {
    fn();
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
  throw new Error('no error');
};

describe('parseScenario', () => {
  it('reads metadata, node and images', () => {
    const s = parseScenario(
      `${head}  title: {en: A, zh: 甲}\n  summary: both\nspec:\n  seed: 7\n  node: {fileCheckFrequency: 1s, maxPods: 3, cgroupsPerQOS: false, clusterDNS: [10.0.0.10]}\n  images:\n  - {ref: "a:1", size: 5, programs: busybox}\n  registry:\n  - {ref: "b:1", answer: refused}\n  steps: []\n`,
    );
    expect(s).toMatchObject({
      name: 'test',
      title: { en: 'A', zh: '甲' },
      summary: { en: 'both', zh: 'both' },
      seed: 7,
      node: { fileCheckFrequency: Second, maxPods: 3, cgroupsPerQOS: false, clusterDNS: ['10.0.0.10'] },
      images: [{ ref: 'a:1', size: 5, programs: 'busybox' }],
      registry: [{ ref: 'b:1', behaviour: { kind: 'refused' } }],
      steps: [],
    });
  });

  it('reads every verb', () => {
    const s = withSteps(`  - apply: {metadata: {name: a}}
  - apply: "metadata:\\n  name: b\\n"
  - apply: {file: x.yaml, manifest: {metadata: {name: c}}}
  - delete: a
  - raw: {file: junk.yaml, text: "[" }
  - rmraw: junk.yaml
  - wait: 1m30s
  - waitFor: {pod: a, phase: Running, timeout: 5s}
  - waitFor: {pod: a, gone: true}
  - waitFor: {pod: a, container: x, waiting: CrashLoopBackOff, restarts: 2}
  - kill: {pod: a, container: x}
  - killSandbox: a
  - oom: {pod: a, container: x}
  - exec: {pod: a, container: x, command: [ls, /]}
  - exec: {pod: a, container: x, command: rm /tmp/x}
  - fault: {method: StartContainer, pod: a, nth: 2, times: 1, error: {code: Internal, message: broken}}
  - fault: {method: "*", delay: 5s}
  - fault: {method: StopContainer, hang: after}
  - clearFaults
  - network: notReady
  - addImage: {ref: "a:1"}
  - removeImage: a:1
  - registry: {ref: "a:1", answer: serve, size: 3}
  - stopKubelet
  - startKubelet: {}
  - restartKubelet:
  - stopRuntime
  - startRuntime
`);
    expect(s.steps.map((x) => x.text)).toEqual([
      'apply a.yaml',
      'apply b.yaml',
      'apply x.yaml',
      'delete a',
      'raw junk.yaml',
      'rmraw junk.yaml',
      'wait 90s',
      'waitFor a Running',
      'waitFor a gone',
      'waitFor a/x waiting=CrashLoopBackOff restarts=2',
      'kill a/x',
      'killSandbox a',
      'oom a/x',
      'exec a/x ls /',
      'exec a/x sh -c rm /tmp/x',
      'fault StartContainer',
      'fault *',
      'fault StopContainer',
      'clearFaults',
      'network notReady',
      'addImage a:1',
      'removeImage a:1',
      'registry a:1',
      'stopKubelet',
      'startKubelet',
      'restartKubelet',
      'stopRuntime',
      'startRuntime',
    ]);
    expect(s.steps[15]?.action).toEqual({
      verb: 'fault',
      fault: {
        kind: 'cri',
        rule: {
          method: 'StartContainer',
          pod: 'a',
          nth: 2,
          times: 1,
          effect: { kind: 'error', code: 'Internal', message: 'broken' },
        },
      },
    });
    expect(s.steps[17]?.action).toMatchObject({ fault: { rule: { effect: { kind: 'hang', when: 'after' } } } });
    expect(s.steps[7]?.line).toBe(14);
  });

  it('takes a text that begins like JSON for JSON alone, as the kubelet does', () => {
    expect(() => parseScenario('{apiVersion: v1}', 'a.yaml')).toThrow(/^a\.yaml:1:1: .*JSON/);
  });

  it('keeps a manifest as it was written, with its comments', () => {
    const s = withSteps(
      '  - apply:\n      apiVersion: v1\n      metadata:\n        name: web # the name\n      # and more\n      spec: {a: [yes]}\n  - clearFaults\n',
    );
    expect(s.steps[0]?.action).toMatchObject({
      text: 'apiVersion: v1\nmetadata:\n  name: web # the name\n# and more\nspec: {a: [yes]}\n',
    });
  });

  it('writes a manifest out where it cannot stand alone', () => {
    const s = withSteps(
      '  - apply: &a {metadata: {name: web}, on: yes}\n  - apply:\n      metadata: {name: two}\n      spec: *a\n',
    );
    expect(JSON.parse(manifestOf(s.steps[0]))).toEqual({
      metadata: { name: 'web' },
      true: true,
    });
    expect(JSON.parse(manifestOf(s.steps[1]))).toMatchObject({
      spec: { metadata: { name: 'web' } },
    });
  });

  it.each([
    ['  - aply: {}\n', 'test.yaml:7:5: spec.steps[0].aply: there is no verb "aply"; did you mean "apply"?'],
    ['  - clearFault\n', 'test.yaml:7:5: spec.steps[0]: there is no verb "clearFault"; did you mean "clearFaults"?'],
    ['  - wait: 5\n', 'test.yaml:7:11: spec.steps[0].wait: it is 5; it must be a duration such as 500ms, 5s or 1m30s'],
    ['  - wait: 9000h\n', 'test.yaml:7:11: spec.steps[0].wait: it is too long; it may be 168h'],
    [
      '  - waitFor: {pod: a, phase: Runing}\n',
      'test.yaml:7:30: spec.steps[0].waitFor.phase: it is "Runing"; did you mean "Running"?',
    ],
    [
      '  - waitFor: {pod: a, fase: Running}\n',
      'test.yaml:7:23: spec.steps[0].waitFor.fase: there is no such field; did you mean "phase"?',
    ],
    [
      '  - waitFor: {pod: a}\n',
      'test.yaml:7:14: spec.steps[0].waitFor: nothing to wait for; add phase, ready, gone, waiting, terminated or restarts',
    ],
    [
      '  - waitFor: {pod: a, waiting: X}\n',
      'test.yaml:7:32: spec.steps[0].waitFor.waiting: it is a container that has this; name it with container',
    ],
    ['  - kill: {pod: a}\n', 'test.yaml:7:11: spec.steps[0].kill.container: it is missing; it must be a text'],
    [
      '  - kill: {pod: a, container: 1}\n',
      'test.yaml:7:31: spec.steps[0].kill.container: it is 1; it must be a text: put it in quotes',
    ],
    [
      '  - wait: 1s\n    delete: a\n',
      'test.yaml:7:5: spec.steps[0]: it has 2 verbs; it must have one; begin each step with its own "-"',
    ],
    ['  - wait\n', 'test.yaml:7:5: spec.steps[0]: wait needs an argument; write "wait: ..."'],
    [
      '  - fault: {method: StartContainers, hang: true}\n',
      'test.yaml:7:21: spec.steps[0].fault.method: it is "StartContainers"; did you mean "StartContainer"?',
    ],
    [
      '  - fault: {method: StartContainer}\n',
      'test.yaml:7:12: spec.steps[0].fault: it has 0 of error, delay and hang; it must have one of them',
    ],
    ['  - apply: {kind: Pod}\n', 'test.yaml:7:12: spec.steps[0].apply: the pod has no name; give it metadata.name'],
    [
      '  - rmraw: ../x\n',
      'test.yaml:7:12: spec.steps[0].rmraw: it is "../x"; it must be a plain file name such as \'web.yaml\', without a folder',
    ],
    ['  - kill: {pod: a, pod: b}\n', 'test.yaml:7:20: the key "pod" is defined twice; remove one of the two'],
  ])('%s', (steps, message) => {
    expect(problem(() => withSteps(steps))).toBe(message);
  });

  it('gives a node the DNS of its cluster, unless the scenario or its older version says otherwise', () => {
    const second = head.replace('v1alpha1', 'v1alpha2');
    const node = (text: string) => {
      const { clusterDNS, clusterDomain } = parseScenario(text).node;
      return [clusterDNS, clusterDomain];
    };
    expect(node(`${second}spec: {steps: []}\n`)).toEqual([['10.96.0.10'], 'cluster.local']);
    expect(node(`${second}spec: {node: {clusterDNS: []}, steps: []}\n`)).toEqual([[], 'cluster.local']);
    expect(node(`${second}spec: {node: {clusterDomain: ""}, steps: []}\n`)).toEqual([['10.96.0.10'], '']);
    expect(node(`${head}spec: {steps: []}\n`)).toEqual([undefined, undefined]);
    expect(node(`${head}spec: {node: {clusterDNS: ["10.0.0.10"]}, steps: []}\n`)).toEqual([['10.0.0.10'], undefined]);
  });

  it('says what is wrong around the steps', () => {
    expect(problem(() => parseScenario('a: [', 'x.yaml'))).toMatch(/^x\.yaml:1:5: .*; correct the YAML there$/);
    expect(problem(() => parseScenario('', 'x.yaml'))).toBe(
      'x.yaml:1:1: it is missing; it must be an object with apiVersion, kind, metadata, spec, expect, run',
    );
    expect(problem(() => parseScenario(head.replace('v1alpha1', 'v1'), 'x.yaml'))).toBe(
      'x.yaml:1:13: apiVersion: it is "syncloop.dev/v1"; it must be one of syncloop.dev/v1alpha2, syncloop.dev/v1alpha1\nx.yaml:1:1: spec: it is missing; it must be an object with era, seed, startAt, startKubelet, continueOnError, node, machine, images, registry, devicePlugins, parts, lives, calls, openAt, steps',
    );
    expect(problem(() => parseScenario(`${head}spec: {node: {maxPod: 3}, steps: []}\n`, 'x.yaml'))).toBe(
      'x.yaml:5:15: spec.node.maxPod: there is no such field; did you mean "maxPods"?',
    );
  });

  it('survives texts that parsers do not', () => {
    expect(problem(() => parseScenario('['.repeat(100_000)))).toMatch(/exceeded max depth/);
    expect(problem(() => parseScenario('- '.repeat(100_000)))).toMatch(/exceeded max depth/);
    expect(problem(() => parseScenario('a'.repeat(2_000_000)))).toMatch(/too long/);
  });

  it('throws nothing but ScenarioError', () => {
    const text = `${head}spec:\n  node: {maxPods: 3}\n  steps:\n  - apply: {metadata: {name: a}}\n  - waitFor: {pod: a, phase: Running}\n`;
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(12), fc.string({ maxLength: 6 }), (at, drop, add) => {
        try {
          parseScenario(text.slice(0, at) + add + text.slice(at + drop));
        } catch (error) {
          if (!(error instanceof ScenarioError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('helpers', () => {
  it('a duration takes what Go takes, without a sign', () => {
    expect(['5s', '1.5s', '1m30s', '250ms', '10us', '2h', '0', '.5s'].map((text) => read(duration, text))).toEqual([
      5e6, 1.5e6, 90e6, 250_000, 10, 7200e6, 0, 500_000,
    ]);
    for (const bad of ['', '5', 's', '5 s', '-5s', '5sx', '1d', '..5s'])
      expect(() => read(duration, bad)).toThrow(ShapeError);
  });

  it('reads device plug-ins, and says what is wrong with them', () => {
    const of = (more: string) => () =>
      parseScenario(
        `apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  ${more}\n`,
        'x.yaml',
      );
    const given = 'devicePlugins: [{resource: example.com/gpu, devices: [a, {id: b, health: Unhealthy, numa: [1]}]}]';
    expect(of(`${given}\n  steps: []`)().devicePlugins).toEqual([
      {
        resource: 'example.com/gpu',
        devices: [
          { id: 'a', health: 'Healthy' },
          { id: 'b', health: 'Unhealthy', topology: [1] },
        ],
      },
    ]);
    expect(of('steps: []')().devicePlugins).toBeUndefined();
    // A step that brings one is enough.
    expect(of('steps: [{devicePlugin: {resource: example.com/a, devices: [x]}}]')().devicePlugins).toEqual([]);
    expect(of('devicePlugins: [{resource: gpu, devices: []}]\n  steps: []')).toThrow('an extended resource such as');
    expect(of('devicePlugins: [{resource: a.b/c, devices: [x, x]}]\n  steps: []')).toThrow('there are two devices "x"');
    expect(of('steps: [{devicePlugin: {resource: a.b/c}}]')).toThrow('it changes nothing; add run, devices');
    expect(of('steps: [{devicePlugin: {resource: a.b/c, run: stop, down: 1s}}]')).toThrow('nothing restarts');
  });
});
