import { Kernel, VirtualClock } from '@syncloop/core/kernel';
import { useParts } from '@syncloop/core/kubelet/parts';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import type { TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInterpreter, type Interpreter } from '../interpreter/index.js';
import { makePartsWith } from './index.js';

let interpreter: Interpreter;
beforeAll(async () => {
  interpreter = await createInterpreter();
  useParts(makePartsWith(interpreter));
});
afterAll(() => useParts(() => ({})));

it('loads a file that stands for several parts once for each run', () => {
  const loaded: string[] = [];
  const counting = makePartsWith({
    load: (code, options) => {
      loaded.push(code.file);
      return interpreter.load(code, options);
    },
  });
  const source = 'export function computeEvents() { return []; }';
  const other = { file: 'other.ts', source };
  const mine = { file: 'mine.ts', source };
  const made = counting(new Kernel({ clock: new VirtualClock() }), {
    plegEvents: mine,
    podActions: mine,
    backOff: mine,
    podStatus: other,
    probeResult: { ...mine, lines: true },
  });
  expect(Object.keys(made).sort()).toEqual(['backOff', 'plegEvents', 'podActions', 'podStatus', 'probeResult']);
  expect(loaded.sort()).toEqual(['mine.ts', 'mine.ts', 'other.ts']);
});

const scenario = (parts: object) =>
  parseScenario(
    JSON.stringify({
      apiVersion: 'syncloop.dev/v1alpha2',
      kind: 'Scenario',
      metadata: { name: 'mine' },
      spec: {
        node: { fileCheckFrequency: '1s' },
        parts,
        steps: [
          {
            apply: {
              manifest: {
                apiVersion: 'v1',
                kind: 'Pod',
                metadata: { name: 'web' },
                spec: {
                  containers: [
                    {
                      name: 'app',
                      image: 'localhost/busybox:dev',
                      imagePullPolicy: 'IfNotPresent',
                      command: ['sleep', '60'],
                    },
                  ],
                },
              },
            },
          },
          { wait: '4s' },
        ],
      },
    }),
  );

function run(source: string, part = 'podActions') {
  const records: TraceRecord[] = [];
  const of = startScenario(scenario({ [part]: { file: 'mine.ts', source } }), { sink: (r) => void records.push(r) });
  let error = '';
  try {
    of.run();
  } catch (caught) {
    error = (caught as Error).message;
  }
  return { records, error };
}
const plan = (more: string) =>
  `export function computePodActions(pod, status) {\n  console.log('plan', pod.name);\n  return { killPod: status.sandboxChanged, createSandbox: status.sandboxChanged, initContainersToStart: [], containersToStart: ${more}, containersToKill: [] };\n}`;

it('leaves a record of each call, and what was printed in the log', () => {
  const { records, error } = run(plan("status.sandboxChanged ? ['app'] : []"));
  expect(error).toBe('');
  const [first] = records.filter((r) => r.kind === 'part');
  expect(first).toMatchObject({
    part: 'podActions',
    fn: 'computePodActions',
    file: 'mine.ts',
    pod: 'default/web-node1',
    args: [
      { name: 'default/web-node1', deleted: false },
      { sandboxChanged: true, attempt: 0, containers: [] },
    ],
    result: { createSandbox: true, containersToStart: ['app'] },
  });
  expect(records.find((r) => r.kind === 'log' && r.file === 'mine.ts')).toMatchObject({
    line: 2,
    msg: 'plan default/web-node1',
  });
  expect(records.some((r) => r.kind === 'cri-call' && r.method === 'StartContainer')).toBe(true);
});

it('refuses a plan that names a container that is not there', () => {
  const { records, error } = run(plan("['db']"));
  expect(error).toContain('result.containersToStart names "db"; there are: app');
  expect(records.at(-1)?.kind).not.toBe('cri-call');
  expect(records.filter((r) => r.kind === 'part-failed')).toMatchObject([{ problem: 'shape', file: 'mine.ts' }]);
});

it('ends the run at the line of an exception', () => {
  const { records, error } = run('export function computePodActions(pod) {\n  return pod.spec.containers;\n}');
  expect(error).toMatch(/^mine\.ts:2:\d+: /);
  expect(records.filter((r) => r.kind === 'part-failed')).toMatchObject([{ problem: 'exception', line: 2 }]);
});

it('does not begin a run whose code is no code', () => {
  expect(() => run('function (')).toThrow(/^mine\.ts:1:\d+: /);
});

it('is the same run each time, variables at the top or not', () => {
  const source = `let n = 0;\n${plan("n++ === 0 ? ['app'] : []")}`;
  expect(JSON.stringify(run(source))).toBe(JSON.stringify(run(source)));
});
