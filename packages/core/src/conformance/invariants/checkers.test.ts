import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import type { RecordBody, TraceRecord } from '../../trace/index.js';
import type { Checker } from './checker.js';
import { loopNeverBlocks } from './loop-checks.js';
import { initContainersComeFirst, neverStartsTwice, oneReadySandbox, oneRunningPerName } from './runtime-checks.js';
import { endIsTold, restartCountsGrow, startTimeStays, terminalPhaseStays } from './status-checks.js';
import {
  nothingStartsAfterKill,
  nothingStartsWhileTerminating,
  preStopRunsOnce,
  sidecarsStopLast,
} from './termination-checks.js';
import { checkers, watchInvariants } from './watch.js';
import { oneStaticPodPerName, oneWorkerPerPod, syncsOnFreshView, workersGoForward } from './worker-checks.js';

const ref = { pod: 'default/p', uid: 'u' };
const always: Pod['spec'] = { restartPolicy: 'Always', terminationGracePeriodSeconds: 4, containers: [{ name: 'a' }] };
const withInit: Pod['spec'] = { ...always, initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] };
const pod = (spec: Pod['spec']): Pod => ({ metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec, status: {} });

/** A record with what differs from its head: `[body, {g, time}]`. */
type Short = RecordBody | readonly [RecordBody, { g?: number; time?: number }];

/** Texts of the violations that one checker finds in records; `spec` null: the kubelet does not have the pod. */
function check(checker: Checker, spec: Pod['spec'] | null, records: readonly Short[]): string[] {
  const watch = watchInvariants(() => (spec ? pod(spec) : undefined), [checker]);
  const head: readonly Short[] = [
    { kind: 'process', process: 'kubelet', state: 'started' },
    { kind: 'goroutine-start', id: 1, name: 'worker', parent: 0, process: 'kubelet' },
    { kind: 'goroutine-start', id: 2, name: 'syncLoop', parent: 0, process: 'kubelet' },
  ];
  let time = 0;
  [...head, ...records].forEach((short, i) => {
    const [body, more] = Array.isArray(short)
      ? (short as [RecordBody, { g?: number; time?: number }])
      : [short as RecordBody, {}];
    time = more.time ?? time + 1000;
    watch.sink({ seq: i + 1, time, g: more.g ?? 1, span: 0, cause: 0, ...body } as TraceRecord);
  });
  expect(watch.violations.every((v) => v.invariant === checker.name && v.seq > 0)).toBe(true);
  return watch.violations.map((v) => v.text);
}

const sandbox = (id: string, state: 'ready' | 'notready', uid = 'u'): RecordBody => ({
  kind: 'actual-sandbox',
  id,
  uid,
  pod: 'default/p',
  attempt: 0,
  state,
});
const container = (
  id: string,
  name: string,
  state: 'created' | 'running' | 'exited',
  more: { attempt?: number; exitCode?: number; sandbox?: string; uid?: string } = {},
): RecordBody => ({
  kind: 'actual-container',
  id,
  sandbox: more.sandbox ?? 's1',
  uid: more.uid ?? 'u',
  name,
  attempt: more.attempt ?? 0,
  state,
  ...(more.exitCode !== undefined && { exitCode: more.exitCode }),
});
/** Created and started, while the kubelet waits for it. */
const start = (
  id: string,
  name: string,
  more: { attempt?: number; sandbox?: string; uid?: string } = {},
): RecordBody[] => [
  container(id, name, 'created', more),
  { kind: 'cri-call', method: 'StartContainer', request: {}, container: id },
  container(id, name, 'running', more),
];
const known: RecordBody = { kind: 'pod-update', updateType: 'sync', workType: 'sync', ...ref };
const worker = (
  state: 'sync' | 'terminating' | 'terminated' | 'finished',
  from?: 'sync' | 'terminating',
): RecordBody => ({ kind: 'worker', state, ...(from && { from }), reason: 'test', ...ref });
const status = (s: object): RecordBody => ({ kind: 'status', version: 1, status: s as never, ...ref });
const enter = (fn: string, args?: object): RecordBody => ({ kind: 'enter', fn, ...(args && { args: args as never }) });

describe('checkers', () => {
  it('are all tested here', () => {
    expect(checkers).toHaveLength(17);
    expect(new Set(checkers.map((c) => c.name)).size).toBe(checkers.length);
  });

  it('oneReadySandbox', () => {
    expect(
      check(oneReadySandbox, always, [sandbox('s1', 'ready'), sandbox('s1', 'notready'), sandbox('s2', 'ready')]),
    ).toEqual([]);
    expect(check(oneReadySandbox, always, [sandbox('s1', 'ready'), sandbox('s2', 'ready', 'other')])).toEqual([]);
    expect(check(oneReadySandbox, always, [sandbox('s1', 'ready'), sandbox('s2', 'ready')])).toEqual([
      expect.stringContaining('s2 (attempt 0) became ready while s1'),
    ]);
  });

  it('oneRunningPerName', () => {
    expect(
      check(oneRunningPerName, always, [
        ...start('1', 'a'),
        container('1', 'a', 'exited', { exitCode: 1 }),
        ...start('2', 'a', { attempt: 1 }),
      ]),
    ).toEqual([]);
    expect(check(oneRunningPerName, always, [...start('1', 'a'), ...start('2', 'a', { attempt: 1 })])).toHaveLength(1);
    // Nobody waited for the first one's start, and the maker of the second had not seen it.
    const late = [container('1', 'a', 'created'), container('1', 'a', 'running')];
    expect(check(oneRunningPerName, always, [...late, ...start('2', 'a', { attempt: 1 })])).toEqual([]);
  });

  it('neverStartsTwice', () => {
    const twice = [
      known,
      ...start('1', 'a'),
      container('1', 'a', 'exited', { exitCode: 1 }),
      ...start('2', 'a', { attempt: 1 }),
    ];
    expect(check(neverStartsTwice, always, twice)).toEqual([]);
    expect(check(neverStartsTwice, { ...always, restartPolicy: 'Never' }, twice)).toEqual([
      expect.stringContaining('exit code 1'),
    ]);
    const ruled = (more: object): Pod['spec'] => ({
      ...always,
      restartPolicy: 'Never',
      containers: [{ name: 'a' }, { name: 'b', ...more }],
    });
    expect(check(neverStartsTwice, ruled({ restartPolicy: 'Always' }), twice)).toHaveLength(1);
    expect(
      check(neverStartsTwice, { ...always, containers: [{ name: 'a', restartPolicy: 'OnFailure' }] }, twice),
    ).toEqual([]);
    const all = { restartPolicy: 'Never', restartPolicyRules: [{ action: 'RestartAllContainers' }] };
    expect(check(neverStartsTwice, ruled(all), twice)).toEqual([]);
    const neverStarted = [known, container('1', 'a', 'created'), ...start('2', 'a', { attempt: 1 })];
    expect(check(neverStartsTwice, { ...always, restartPolicy: 'Never' }, neverStarted)).toEqual([]);
  });

  it('initContainersComeFirst', () => {
    const good = [
      known,
      ...start('1', 'i'),
      container('1', 'i', 'exited', { exitCode: 0 }),
      ...start('2', 's'),
      ...start('3', 'a'),
    ];
    expect(check(initContainersComeFirst, withInit, good)).toEqual([]);
    expect(
      check(initContainersComeFirst, withInit, [
        known,
        ...start('1', 'i'),
        container('1', 'i', 'exited', { exitCode: 1 }),
        ...start('2', 's'),
      ]),
    ).toEqual(['container s started before init container i had succeeded in its sandbox']);
    expect(
      check(initContainersComeFirst, withInit, [...good, ...start('4', 'a', { sandbox: 's2', attempt: 1 })]),
    ).toEqual([]);
    const again = [
      ...good,
      container('3', 'a', 'exited', { exitCode: 0 }),
      ...start('4', 'a', { sandbox: 's2', attempt: 1 }),
    ];
    expect(check(initContainersComeFirst, withInit, again)).toHaveLength(2);
  });

  it('sidecarsStopLast', () => {
    const stop = (time: number, name: string): Short[] => [
      known,
      ...start('1', 'a'),
      ...start('2', 's'),
      [enter('killPodWithSyncResult', { uid: 'u', containers: ['a', 's'] }), { time: 10_000_000 }],
      enter('killContainer', { container: name, gracePeriodOverride: null }),
      [{ kind: 'cri-call', method: 'StopContainer', request: {}, container: '2' }, { time }],
    ];
    expect(check(sidecarsStopLast, withInit, stop(11_000_000, 's'))).toEqual([
      'sidecar s was stopped while a ran, 1.000s into a grace period of 4.000s',
    ]);
    expect(check(sidecarsStopLast, withInit, stop(14_000_000, 's'))).toEqual([]);
    expect(check(sidecarsStopLast, withInit, stop(11_000_000, 'a'))).toEqual([]);
  });

  it('nothingStartsWhileTerminating', () => {
    const call: RecordBody = { kind: 'cri-call', method: 'RunPodSandbox', request: {}, uid: 'u' };
    expect(check(nothingStartsWhileTerminating, always, [known, worker('sync'), enter('SyncPod', ref), call])).toEqual(
      [],
    );
    expect(
      check(nothingStartsWhileTerminating, always, [
        known,
        worker('sync'),
        worker('terminating'),
        enter('SyncTerminatingPod', ref),
        call,
      ]),
    ).toHaveLength(1);
    expect(
      check(nothingStartsWhileTerminating, always, [known, worker('sync'), worker('terminated'), call]),
    ).toHaveLength(1);
    expect(check(nothingStartsWhileTerminating, always, [call])).toHaveLength(1);
  });

  it('terminalPhaseStays', () => {
    const back = [status({ phase: 'Failed' }), status({ phase: 'Running' })];
    expect(check(terminalPhaseStays, always, back)).toEqual(['phase went from Failed to Running']);
    expect(
      check(terminalPhaseStays, always, [
        status({ phase: 'Running' }),
        status({ phase: 'Failed' }),
        status({ phase: 'Succeeded' }),
      ]),
    ).toEqual([]);
    expect(
      check(terminalPhaseStays, always, [
        status({ phase: 'Failed' }),
        { kind: 'status-removed', ...ref },
        status({ phase: 'Running' }),
      ]),
    ).toEqual([]);
    const removed: RecordBody = { kind: 'worker', state: 'removed', from: 'finished', reason: 'test', ...ref };
    expect(
      check(terminalPhaseStays, always, [status({ phase: 'Failed' }), removed, status({ phase: 'Pending' })]),
    ).toEqual([]);
    // Another kubelet reads the end off the containers again; not where the newest of a name has never begun.
    const again: RecordBody[] = [
      status({ phase: 'Failed' }),
      { kind: 'process', process: 'kubelet', state: 'stopped' },
      { kind: 'process', process: 'kubelet', state: 'started' },
      status({ phase: 'Pending' }),
    ];
    expect(check(terminalPhaseStays, always, [known, ...start('1', 'a'), ...again])).toHaveLength(1);
    const created = container('2', 'a', 'created', { attempt: 1 });
    expect(check(terminalPhaseStays, always, [known, ...start('1', 'a'), created, ...again])).toEqual([]);
    // Nor where it only ended because it was told to.
    const told = worker('terminating', 'sync');
    expect(check(terminalPhaseStays, always, [known, ...start('1', 'a'), told, ...again])).toEqual([]);
    expect(check(terminalPhaseStays, always, [known, told, ...back])).toHaveLength(1);
  });

  it('restartCountsGrow', () => {
    const counted = (restartCount: number, list = 'containerStatuses') =>
      status({ [list]: [{ name: 'a', restartCount }] });
    expect(check(restartCountsGrow, always, [counted(0), counted(1), counted(1)])).toEqual([]);
    expect(check(restartCountsGrow, always, [counted(2), counted(1)])).toEqual(['restart count of a went from 2 to 1']);
    const restart: RecordBody[] = [
      { kind: 'process', process: 'kubelet', state: 'killed' },
      { kind: 'process', process: 'kubelet', state: 'started' },
    ];
    expect(check(restartCountsGrow, always, [counted(2), ...restart, counted(1)])).toHaveLength(1);
    expect(
      check(restartCountsGrow, always, [
        counted(2, 'initContainerStatuses'),
        ...restart,
        counted(0, 'initContainerStatuses'),
      ]),
    ).toEqual([]);
  });

  it('startTimeStays', () => {
    const started = (startTime: string) => status({ startTime });
    expect(check(startTimeStays, always, [started('1'), started('1')])).toEqual([]);
    expect(check(startTimeStays, always, [started('1'), started('2')])).toEqual(['startTime went from 1 to 2']);
  });

  it('oneStaticPodPerName', () => {
    const before: RecordBody[] = [
      worker('sync'),
      { kind: 'work-start', workType: 'sync', updateType: 'create', ...ref },
      sandbox('s1', 'ready'),
      ...start('1', 'a'),
    ];
    const other = [sandbox('s2', 'ready', 'v'), ...start('2', 'a', { uid: 'v', sandbox: 's2' })];
    expect(check(oneStaticPodPerName, always, [...before, ...other])).toEqual([
      'container a of uid v started while a of uid u ran',
    ]);
    // A worker that is forgotten has not stopped anything.
    const forgotten: RecordBody = { kind: 'worker', state: 'removed', from: 'sync', reason: 'forgotten', ...ref };
    expect(check(oneStaticPodPerName, always, [...before, forgotten, ...other])).toHaveLength(1);
    expect(
      check(oneStaticPodPerName, always, [...before, container('1', 'a', 'exited', { exitCode: 0 }), ...other]),
    ).toEqual([]);
    // Of the pods of the kubelet before, a new one knows nothing.
    const restarted: RecordBody = { kind: 'process', process: 'kubelet', state: 'stopped' };
    expect(check(oneStaticPodPerName, always, [...before, restarted, ...other])).toEqual([]);
  });

  it('syncsOnFreshView', () => {
    const wait = (newerThan: number): RecordBody => ({ kind: 'cache-wait', newerThan, ...ref });
    const exit = (of: number, fn: string): RecordBody => ({ kind: 'exit', of, fn });
    const cache = (
      modified: number,
      containers: readonly { id: string; name: string; state: 'created' | 'running' }[] = [],
    ): RecordBody => ({ kind: 'cache', op: 'set', modified, sandboxes: [], containers, ...ref });
    const sync = (view: RecordBody): Short[] => [
      known,
      ...start('1', 'a'),
      enter('SyncPod', ref), // 8
      { kind: 'cri-return', call: 0, method: 'CreateContainer', container: '1', took: 0 },
      [exit(8, 'SyncPod'), { time: 1_000_000 }],
      wait(1_000_000),
      enter('GetNewerThan', { uid: 'u', newerThan: 1_000_000 }), // 12
      [view, { g: 2, time: 3_000_000 }],
      exit(12, 'GetNewerThan'),
    ];
    expect(check(syncsOnFreshView, always, sync(cache(2_000_000, [{ id: '1', name: 'a', state: 'running' }])))).toEqual(
      [],
    );
    expect(check(syncsOnFreshView, always, sync(cache(900_000, [{ id: '1', name: 'a', state: 'running' }])))).toEqual([
      expect.stringContaining('was given a view of 0.900s'),
    ]);
    expect(check(syncsOnFreshView, always, sync(cache(2_000_000)))).toEqual([
      expect.stringContaining('lacks container a'),
    ]);
    expect(check(syncsOnFreshView, always, sync(cache(2_000_000, [{ id: '1', name: 'a', state: 'created' }])))).toEqual(
      [expect.stringContaining('shows container a (1) as created')],
    );
    expect(check(syncsOnFreshView, always, [wait(5)])).toEqual([
      expect.stringContaining('its last sync ended at 0.000s'),
    ]);
  });

  it('workersGoForward', () => {
    expect(
      check(workersGoForward, always, [
        worker('sync'),
        worker('terminating', 'sync'),
        worker('terminated', 'terminating'),
        worker('finished'),
      ]),
    ).toEqual([]);
    expect(check(workersGoForward, always, [worker('terminated'), worker('terminating')])).toEqual([
      expect.stringContaining('from terminated to terminating'),
    ]);
    const work: RecordBody = { kind: 'work-start', workType: 'sync', updateType: 'sync', ...ref };
    const done: RecordBody = { kind: 'work-done', workType: 'sync', ...ref };
    expect(check(workersGoForward, always, [worker('sync'), work, done, work])).toEqual([]);
    expect(check(workersGoForward, always, [worker('sync'), work, [work, { g: 2 }]])).toEqual([
      'sync begins while sync goes on in goroutine 1',
    ]);
    expect(check(workersGoForward, always, [worker('sync'), worker('terminating', 'sync'), work])).toEqual([
      'sync begins while the worker is terminating',
    ]);
    expect(check(workersGoForward, always, [work])).toEqual(['sync begins while the worker is not there']);
  });

  it('preStopRunsOnce', () => {
    const stop: RecordBody = { kind: 'cri-call', method: 'StopContainer', request: {}, container: '1' };
    const stopped = (error?: { code: number; details: string }): RecordBody => ({
      kind: 'cri-return',
      call: 1,
      method: 'StopContainer',
      container: '1',
      ...(error && { error }),
    });
    const hook: RecordBody[] = [enter('killContainer', { containerID: 'containerd://1' }), enter('executePreStopHook')];
    const begun = [sandbox('s1', 'ready'), ...start('1', 'a'), ...hook, stop];
    expect(check(preStopRunsOnce, always, [...begun, stopped(), ...hook])).toEqual([
      'preStop runs again in container a (1), which was stopped at 0.011s',
    ]);
    expect(check(preStopRunsOnce, always, [...begun, stopped(), stop])).toEqual([]);
    expect(check(preStopRunsOnce, always, [...begun, stopped({ code: 4, details: 'late' }), ...hook])).toEqual([]);
  });

  it('oneWorkerPerPod', () => {
    const forgotten: RecordBody = { kind: 'worker', state: 'removed', from: 'sync', reason: 'forgotten', ...ref };
    const work: RecordBody = { kind: 'work-start', workType: 'sync', updateType: 'sync', ...ref };
    const done: RecordBody = { kind: 'work-done', workType: 'sync', ...ref };
    expect(check(oneWorkerPerPod, always, [worker('sync'), work, [forgotten, { g: 2 }]])).toEqual([]);
    expect(check(oneWorkerPerPod, always, [worker('sync'), work, [forgotten, { g: 2 }], [worker('sync'), { g: 2 }]]))
      // Nothing but the begin of the second is wrong.
      .toEqual(['a second worker begins while goroutine 1 has been working on the pod since 0.005s']);
    expect(check(oneWorkerPerPod, always, [worker('sync'), work, forgotten, done, worker('sync'), work])).toEqual([]);
    expect(check(oneWorkerPerPod, always, [worker('sync'), work, [work, { g: 2 }]])).toEqual([
      'sync begins while goroutine 1 has been working on the pod since 0.005s',
    ]);
    expect(check(oneWorkerPerPod, always, [worker('sync'), work, worker('terminating', 'sync'), done])).toEqual([]);
  });

  it('nothingStartsAfterKill', () => {
    const kill: RecordBody[] = [
      enter('killPod', { uid: 'u' }),
      { kind: 'cri-call', method: 'StopPodSandbox', request: {}, sandbox: 's1' },
    ];
    const before = [sandbox('s1', 'ready'), ...start('1', 'a'), ...kill];
    const again: RecordBody[] = [
      { kind: 'cri-call', method: 'RunPodSandbox', request: {}, uid: 'u' },
      sandbox('s2', 'ready'),
      ...start('2', 'a', { attempt: 1, sandbox: 's2' }),
    ];
    expect(check(nothingStartsAfterKill, null, [...before, ...again])).toEqual([
      'a sandbox (s2) started, although the pod was removed and its kill began at 0.009s',
      'container a (2) started, although the pod was removed and its kill began at 0.009s',
    ]);
    // Wanted, and so it may be started; or not waited for by any kubelet.
    expect(check(nothingStartsAfterKill, always, [...before, ...again])).toEqual([]);
    expect(check(nothingStartsAfterKill, null, [...before, container('2', 'a', 'running')])).toEqual([]);
    expect(check(nothingStartsAfterKill, null, [sandbox('s1', 'ready'), ...again, ...kill])).toEqual([]);
  });

  it('endIsTold', () => {
    const containers = (state: object) => status({ containerStatuses: [{ name: 'a', state }] });
    const ran: RecordBody[] = [
      worker('sync'),
      { kind: 'work-start', workType: 'sync', updateType: 'create', ...ref },
      sandbox('s1', 'ready'),
      ...start('1', 'a'),
      containers({ running: {} }),
      { kind: 'worker', state: 'removed', from: 'sync', reason: 'forgotten', ...ref },
    ];
    const exited = container('1', 'a', 'exited', { exitCode: 0 });
    const housekeeping: RecordBody = { kind: 'exit', fn: 'HandlePodCleanups', of: 1 };
    expect(check(endIsTold, null, [...ran, housekeeping, exited, housekeeping, housekeeping])).toEqual([
      'removed, and nothing of it runs, but the last reported status says that a runs',
    ]);
    expect(check(endIsTold, null, [...ran, exited, containers({ terminated: {} }), housekeeping])).toEqual([]);
    expect(check(endIsTold, always, [...ran, exited, housekeeping])).toEqual([]);
    expect(check(endIsTold, null, [...ran.slice(0, -1), exited, housekeeping])).toEqual([]);
  });

  it('loopNeverBlocks', () => {
    const iteration: Short[] = [
      [enter('syncLoopIteration'), { g: 2, time: 0 }],
      [{ kind: 'wait', on: { op: 'select', chans: [1] } }, { g: 2 }],
    ];
    const got: Short = [
      { kind: 'receive', chan: 1, item: null, ok: true, len: 0 },
      { g: 2, time: 1_000_000 },
    ];
    const done = (time: number): Short => [
      { kind: 'exit', of: 4, fn: 'syncLoopIteration' },
      { g: 2, time },
    ];
    expect(check(loopNeverBlocks, always, [...iteration, got, done(1_000_500)])).toEqual([]);
    expect(check(loopNeverBlocks, always, [...iteration, got, done(1_500_000)])).toEqual([
      'an iteration took 0.500s without housekeeping or an eviction',
    ]);
    expect(
      check(loopNeverBlocks, always, [...iteration, got, [enter('HandlePodCleanups'), { g: 2 }], done(1_500_000)]),
    ).toEqual([]);
    expect(
      check(loopNeverBlocks, always, [...iteration, got, [{ kind: 'wait', on: { op: 'send', chans: [3] } }, { g: 2 }]]),
    ).toEqual(['the loop waits: send  in syncLoopIteration']);
    const evicts: Short[] = [
      [enter('canAdmitPod'), { g: 2 }],
      [{ kind: 'wait', on: { op: 'select', chans: [7] } }, { g: 2 }],
    ];
    expect(check(loopNeverBlocks, always, [...iteration, got, ...evicts, done(1_500_000)])).toEqual([]);
    const sleeps: Short = [{ kind: 'wait', on: { op: 'sleep' } }, { g: 2 }];
    const cleanups: Short = [enter('HandlePodCleanups'), { g: 2 }];
    expect(check(loopNeverBlocks, always, [...iteration, got, cleanups, sleeps, done(1_500_000)])).toEqual([]);
    expect(check(loopNeverBlocks, always, [...iteration, got, sleeps])).toHaveLength(1);
  });
});
