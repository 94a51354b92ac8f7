import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { type FaultKind, library, parseScenario, type Verb } from '../../scenario/index.js';
import type { Json, TraceRecord } from '../../trace/index.js';
import {
  type Command,
  type CommandResult,
  type InterventionCommand,
  type RunSpec,
  SimulationSession,
} from '../index.js';
import { runOfText, scenarioOfRun } from './run-as-scenario.js';
import { simulationSource } from './scenario-source.js';
import { wholeRun } from './whole-run.js';

const pod = (name: string, command = 'sleep 1000') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  terminationGracePeriodSeconds: 2
  containers:
    - name: app
      image: localhost/busybox:dev
      imagePullPolicy: Never
      command: [sh, -c, "${command}"] # a comment: "quoted"
`;

const base = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: base
  title:
    en: A base
    zh: 基础
spec:
  node:
    fileCheckFrequency: 1s
    staticPodURL: http://manifests.example/pods
    apiServer: true
    shutdownGracePeriod: 2s
    featureGates: { ContainerRestartRules: true }
  devicePlugins: [{ resource: example.com/gpu, devices: [gpu-0] }]
  steps:
    - apply: { file: web.yaml, manifest: ${JSON.stringify(pod('web'))} }
    - apply: { to: api, manifest: ${JSON.stringify(pod('member'))} }
    # What a person does may keep this from coming true; then the message names its line.
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 6s }
`;

/** Every step that takes no time, as it may be done from outside. */
const actions: { readonly [V in Exclude<Verb, 'wait' | 'waitFor' | 'fault'>]: Json } = {
  apply: { apply: { to: 'api', manifest: pod('second') } },
  delete: { delete: 'web' },
  edit: { edit: { pod: 'web', patch: { metadata: { labels: { a: 'yes' } } } } },
  raw: { raw: { file: 'broken one.yaml', text: 'kind: [\n' } },
  rmraw: { rmraw: 'web.yaml' },
  assert: { assert: { pod: 'web', container: 'app', running: true } },
  kill: { kill: { pod: 'web', container: 'app', signal: 'TERM' } },
  killSandbox: { killSandbox: 'web' },
  oom: { oom: { pod: 'web', container: 'app' } },
  exec: { exec: { pod: 'web', container: 'app', command: 'echo hello' } },
  clearFaults: 'clearFaults',
  choose: { choose: { select: 'syncCh' } },
  network: { network: 'notReady' },
  addImage: { addImage: { ref: 'example.org/own:1', programs: 'busybox' } },
  removeImage: { removeImage: 'localhost/pause:dev' },
  imageDoes: { imageDoes: { ref: 'localhost/busybox:dev', does: { exits: 1, after: '1s' } } },
  registry: { registry: { ref: 'example.org/none:1', answer: 'not-found' } },
  restart: { restart: { kubelet: 'crash', down: '1s' } },
  devicePlugin: { devicePlugin: { resource: 'example.com/gpu', unhealthy: ['gpu-0'] } },
  systemOOM: { systemOOM: { process: 'sshd' } },
  configCh: { configCh: { op: 'SET' } },
  manifestURL: { manifestURL: { status: 503 } },
  shutdown: 'shutdown',
  cancelShutdown: 'cancelShutdown',
  stopKubelet: 'stopKubelet',
  startKubelet: 'startKubelet',
  restartKubelet: 'restartKubelet',
  stopRuntime: 'stopRuntime',
  startRuntime: 'startRuntime',
};

const faults: { readonly [K in FaultKind]: Json } = {
  cri: { method: 'ListPodSandbox', delay: '300ms', jitter: 0.5 },
  pull: { pull: 'timeout' },
  kill: { kill: { pod: 'web', container: 'app' }, every: '2s', times: 2, jitter: 0.3 },
  oom: { oom: { pod: 'web', container: 'app' } },
  killSandbox: { killSandbox: 'web', after: '500ms' },
  runtime: { runtime: 'stopped', for: '2s' },
  relist: { relist: '2s' },
  probe: { probe: 'liveness' },
  network: { network: 'notReady' },
  pressure: { pressure: 'memory' },
  kubelet: { kubelet: 'restart', for: '1s' },
  clock: { clock: '1h' },
  api: { api: 'unreachable' },
};

function open() {
  const session = new SimulationSession(simulationSource(), { scenario: 'base', text: base, speed: { mode: 'max' } });
  const run = <T = unknown>(command: Command): T => {
    let result: CommandResult | null = null;
    session.execute(command, (r) => {
      result = r;
    });
    for (let i = 0; !result && i < 1_000_000; i++) session.pump(1, () => false);
    const done = result as CommandResult | null;
    if (!done?.ok) throw new Error(done ? done.error : 'no answer');
    return done.value as T;
  };
  const records = () =>
    Array.from({ length: session.runState().seq }, (_, i) => JSON.stringify(session.store.get(i + 1)));
  return { session, run, records };
}

const about = { name: 'made', title: { en: 'What I did: "a"', zh: '我做的事' } };

/** The place of the first record that is not the same; -1 if all are. */
function firstOther(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, i) => text !== other[i]);
  return at === -1 && other.length > one.length ? one.length : at;
}

/** Makes a scenario of the run, opens it, goes as far, and compares all records. */
function sameAgain({ run, records, session }: ReturnType<typeof open>): string {
  const { to, ...spec } = run<RunSpec & { to: { step: number; seq: number } }>({ do: 'spec' });
  const text = scenarioOfRun(spec, about, library);
  const again = open();
  again.run({ do: 'load', scenario: 'made', text });
  again.run({ do: 'go', to: { step: to.step } });
  const own = records();
  expect(own.length).toBeGreaterThan(100);
  expect(firstOther(own, again.records())).toBe(-1);
  expect(again.session.info.titles).toEqual(about.title);
  // Made a scenario once more it is the same text.
  const { to: _, ...twice } = again.run<RunSpec & { to: unknown }>({ do: 'spec' });
  expect(scenarioOfRun(twice, about, library)).toBe(text);
  // And so it is without a page.
  const whole: string[] = [];
  const { proceed } = wholeRun(parseScenario(text), {
    sink: (r) => whole.length < own.length && void whole.push(JSON.stringify(r)),
  });
  proceed(session.runState().time);
  expect(firstOther(own, whole)).toBe(-1);
  return text;
}

const later = (run: (command: Command) => unknown) => run({ do: 'go', to: { time: 7 * Second } });

describe('a run made into a scenario gives the same records', () => {
  const commands: { readonly [K in InterventionCommand['do']]: readonly Command[] } = {
    apply: [
      { do: 'apply', manifest: pod('own', 'exit 3'), file: 'my pod.yaml' },
      { do: 'apply', manifest: 'kind: [\n\n', file: 'broken.yaml', force: true },
      { do: 'apply', manifest: pod('own').replaceAll('\n', '\r\n') },
    ],
    delete: [{ do: 'delete', file: 'web.yaml' }],
    kill: [
      { do: 'kill', uid: 'web', container: 'app' },
      { do: 'kill', uid: 'web' },
    ],
    act: [
      ...Object.values(actions).map((action): Command => ({ do: 'act', action })),
      ...Object.values(faults).map((fault): Command => ({ do: 'act', action: { fault } })),
      { do: 'act', action: '- kill: {pod: web, container: app}' },
    ],
  };
  const all = Object.values(commands).flat();
  // Several are done in one run, those of one kind in different ones.
  const count = Math.ceil(all.length / 3);
  const groups = Array.from({ length: count }, (_, n) => all.filter((_, i) => i % count === n));
  it.each(
    groups.map((group) => [group.map((command) => JSON.stringify(command).slice(0, 60)).join(', '), group] as const),
  )('after %s', (_, group) => {
    const session = open();
    const { run } = session;
    for (const [i, command] of group.entries()) {
      run({ do: 'go', to: { time: (4 + i / 2) * Second } });
      // These undo something, which must be done first.
      if ('action' in command && command.action === 'startKubelet') run({ do: 'act', action: 'stopKubelet' });
      if ('action' in command && command.action === 'startRuntime') run({ do: 'act', action: 'stopRuntime' });
      run(command);
    }
    later(run);
    const text = sameAgain(session);
    expect(text).toContain('\nrun:\n');
  });

  it('with other choices, another seed, and several things done at one moment and in the middle of a decision', () => {
    const session = open();
    const { run } = session;
    run({ do: 'load', scenario: 'unfair-select', seed: 77 });
    run({ do: 'go', to: { time: 40 * Second } });
    const records = [...Array(session.session.runState().seq).keys()].map((n) => session.session.store.get(n + 1));
    const select = records.findLast((r) => r?.kind === 'select' && (r.ready ?? []).length > 1);
    if (select?.kind !== 'select') throw new Error('there is no select with several ready cases');
    run({ do: 'take', seq: select.seq, case: (select.ready ?? []).find((c) => c !== select.chosen) as number });
    run({ do: 'step', unit: 'record', count: 7 });
    run({ do: 'apply', manifest: pod('a') });
    run({ do: 'apply', manifest: pod('b') });
    run({ do: 'go', to: { time: 41 * Second } });
    run({ do: 'act', action: { fault: { probe: 'any' } } });
    run({ do: 'go', to: { time: 44 * Second } });
    expect(sameAgain(session)).toContain('  deviations:\n');
  });

  it('when nothing was done, of a scenario of the library', () => {
    const session = open();
    session.run({ do: 'load', scenario: 'crash-loop', seed: 5 });
    later(session.run);
    expect(sameAgain(session)).toMatch(/\nrun:\n {2}seed: 5\n$/);
  });
});

describe('a scenario that was made of a run', () => {
  const made = () => {
    const { run } = open();
    run({ do: 'go', to: { time: 4 * Second } });
    run({ do: 'kill', uid: 'web', container: 'app' });
    const { to: _, ...spec } = run<RunSpec & { to: unknown }>({ do: 'spec' });
    return scenarioOfRun(spec, about, library);
  };

  it('can be read and changed by hand: manifests and commands stand there as in steps', () => {
    const { run } = open();
    run({ do: 'apply', manifest: pod('own') });
    const { to: _, ...spec } = run<RunSpec & { to: unknown }>({ do: 'spec' });
    const text = scenarioOfRun(spec, about, library);
    expect(text).toContain('          manifest: |2\n            apiVersion: v1\n            kind: Pod\n');
    expect(text).toContain(
      '    # What a person does may keep this from coming true; then the message names its line.\n',
    );
  });

  it('says what is wrong with it, and where', () => {
    const text = made();
    const wrong = (from: string, to: string) => () => runOfText({ scenario: 'x', text: text.replace(from, to) });
    expect(wrong('do: {"kill"', 'do: {"kil"')).toThrow(
      /^x\.yaml:\d+:\d+: run\.interventions\[0\]\.do\.kil: .*did you mean "kill"/,
    );
    expect(wrong('decision: ', 'decisions: ')).toThrow(/run\.interventions\[0\].*decision/);
    expect(wrong('do: {"kill":{"pod":"web","container":"app"}}', 'do: {wait: 1s}')).toThrow(/wait takes time/);
  });

  it('does what was done at its time where it was changed so much that the decision has gone by', () => {
    const text = made().replace(/decision: \d+/, 'decision: 3');
    const again = open();
    again.run({ do: 'load', scenario: 'made', text });
    later(again.run);
    const kills = [...Array(again.session.runState().seq).keys()]
      .map((n) => again.session.store.get(n + 1) as TraceRecord)
      .filter((r) => r.kind === 'input' && r.verb === 'kill');
    expect(kills).toHaveLength(1);
    expect(Math.abs((kills[0]?.time ?? 0) - 4 * Second)).toBeLessThan(Second / 10);
  });
});
