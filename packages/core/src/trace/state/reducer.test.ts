import { describe, expect, it } from 'vitest';
import type { RecordBody, TraceRecord } from '../records.js';
import { allSamples, samples, Tape } from '../testing/samples.js';
import { cloneState, foldAll, initialState, type NodeState, RING, reduce } from './index.js';

const web = { pod: 'default/web', uid: 'u1' };

/** Folds bodies after another, and gives the state. */
function fold(...bodies: RecordBody[]): NodeState {
  const tape = new Tape();
  for (const b of bodies) tape.add(b);
  return foldAll(tape.records);
}
const start = (id: number, name: string): RecordBody => ({
  kind: 'goroutine-start',
  id,
  name,
  parent: 0,
  process: 'kubelet',
});
const make = (chan: number, name: string, cap = 1): RecordBody => ({ kind: 'chan-make', chan, name, cap });

describe('reduce', () => {
  it('takes every kind of record, in a state that knows nothing of it', () => {
    for (const body of allSamples) expect(() => fold(body)).not.toThrow();
    const state = fold(...allSamples);
    expect(state.counts.records).toBe(allSamples.length);
    expect(state.seq).toBe(allSamples.length);
  });

  it('leaves a record of an unknown kind alone', () => {
    const state = initialState();
    reduce(state, { seq: 1, time: 5, g: 0, span: 0, cause: 0, kind: 'from-the-future' } as unknown as TraceRecord);
    expect([state.seq, state.time]).toEqual([1, 5]);
  });

  it('is a function of the records: folding on after a clone is folding at once', () => {
    const tape = new Tape();
    for (let i = 0; i < 30; i++) for (const b of allSamples) tape.add(b);
    const whole = foldAll(tape.records);
    const half = foldAll(tape.records.slice(0, 1000));
    const copy = cloneState(half);
    const before = JSON.stringify(half);
    foldAll(tape.records.slice(1000), copy);
    expect(copy).toEqual(whole);
    expect(JSON.stringify(half)).toBe(before);
    const overTheWire = cloneState(JSON.parse(before) as NodeState);
    expect(foldAll(tape.records.slice(1000), overTheWire)).toEqual(whole);
  });

  it('takes names from outside that mean something to JavaScript', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const ref = { pod: `default/${name}`, uid: name };
      const state = fold(
        { kind: 'pod-config', source: name, op: 'ADD', pods: [ref] },
        { kind: 'backoff', of: 'crash-loop', container: name, delay: 1, until: 2, active: true, ...ref },
        {
          kind: 'probe',
          container: name,
          probeType: 'liveness',
          outcome: 'success',
          output: '',
          run: 1,
          threshold: 1,
          ...ref,
        },
        { kind: 'actual-container', id: name, sandbox: name, uid: name, name, attempt: 0, state: 'running' },
        { kind: 'actual-image', image: name, state: 'present' },
        { kind: 'process', process: name, state: 'started' },
        { kind: 'status', version: 1, status: { phase: 'Running' }, ...ref },
      );
      expect(Object.keys(state.pods)).toEqual([name]);
      expect(state.pods[name]).toMatchObject({ desired: true, source: name, phase: 'Running' });
      expect(state.containers[name]?.state).toBe('running');
      expect(state.images[name]?.state).toBe('present');
      expect(state.processes[name]).toBe('started');
      expect(({} as Record<string, unknown>).desired).toBeUndefined();
      const copy = cloneState(JSON.parse(JSON.stringify(state)) as NodeState);
      expect(copy.pods[name]?.phase).toBe('Running');
      expect(fold().pods[name]).toBeUndefined();
    }
  });
});

describe('channels and goroutines', () => {
  it('shows items, who waits, and a discarded tick', () => {
    const tape = new Tape();
    tape.add(start(1, 'a'), { g: 0 });
    tape.add(start(2, 'b'), { g: 0 });
    tape.add(make(1, 'ch', 1), { g: 1 });
    tape.add({ kind: 'send', chan: 1, item: 'x', len: 1 }, { g: 1 });
    tape.add({ kind: 'wait', on: { op: 'send', chans: [1], item: 'y' } }, { g: 1 });
    let state = foldAll(tape.records);
    expect(state.channels[1]).toMatchObject({
      items: [{ item: 'x', seq: 4 }],
      senders: [{ g: 1, item: 'y' }],
      process: 'kubelet',
    });
    expect(state.goroutines[1]).toMatchObject({ state: 'waiting', wait: { op: 'send' }, since: 5 });
    // b takes x; a's y comes in its place.
    tape.add({ kind: 'send', chan: 1, item: 'y', len: 1 }, { g: 1 });
    tape.add({ kind: 'receive', chan: 1, item: 'x', ok: true, len: 1 }, { g: 2 });
    state = foldAll(tape.records);
    expect(state.channels[1]).toMatchObject({ items: [{ item: 'y' }], senders: [], sent: 2, received: 1 });
    expect(state.goroutines[1]?.state).toBe('runnable');
    tape.add({ kind: 'receive', chan: 1, item: 'y', ok: true, len: 0, discarded: true }, { g: 0 });
    tape.add({ kind: 'close', chan: 1 }, { g: 1 });
    state = foldAll(tape.records);
    expect(state.channels[1]).toMatchObject({ items: [], received: 1, closed: true });
  });

  it('tells senders from receivers in a select, and leaves all queues when one case is taken', () => {
    const tape = new Tape();
    tape.add(start(1, 'a'), { g: 0 });
    tape.add(make(1, 'in'));
    tape.add(make(2, 'out'));
    tape.add({ kind: 'wait', on: { op: 'select', chans: [1, 2, 0], sends: [1] } });
    let state = foldAll(tape.records);
    expect([state.channels[1]?.receivers, state.channels[2]?.senders]).toEqual([[1], [{ g: 1, item: null }]]);
    tape.add({ kind: 'select', cases: [1, 2, 0], ready: [0], chosen: 0 });
    state = foldAll(tape.records);
    expect([state.channels[1]?.receivers, state.channels[2]?.senders]).toEqual([[], []]);
  });

  it('keeps the stack of named calls, also when a panic skips exits', () => {
    const tape = new Tape();
    tape.add(start(1, 'a'), { g: 0 });
    const outer = tape.add({ kind: 'enter', fn: 'outer', args: { n: 1 } });
    tape.add({ kind: 'enter', fn: 'inner' });
    expect(foldAll(tape.records).goroutines[1]?.stack.map((f) => f.fn)).toEqual(['outer', 'inner']);
    tape.add({ kind: 'exit', of: outer.seq, fn: 'outer' });
    expect(foldAll(tape.records).goroutines[1]?.stack).toEqual([]);
    tape.add({ kind: 'goroutine-end', id: 1 });
    expect(foldAll(tape.records).goroutines[1]?.state).toBe('dead');
  });
});

describe('the loop', () => {
  function loopTape(): Tape {
    const tape = new Tape();
    tape.add(start(1, 'main'), { g: 0 });
    tape.add(make(1, 'configCh', 50));
    tape.add(make(2, 'plegCh', 1000));
    tape.add({ kind: 'enter', fn: 'syncLoop' });
    tape.add({ kind: 'enter', fn: 'syncLoopIteration' });
    return tape;
  }

  it('waits, takes a channel, handles, and waits again', () => {
    const tape = loopTape();
    tape.add({ kind: 'wait', on: { op: 'select', chans: [1, 2] } });
    expect(foldAll(tape.records).loop).toMatchObject({ g: 1, phase: 'waiting', iteration: 0 });
    const chosen = tape.add({ kind: 'select', cases: [1, 2], ready: [0, 1], chosen: 1 });
    const handler = tape.add({ kind: 'enter', fn: 'HandlePodSyncs', args: ['default/web'] });
    expect(foldAll(tape.records).loop).toEqual({
      g: 1,
      phase: 'handling',
      iteration: 1,
      cases: ['configCh', 'plegCh'],
      ready: [0, 1],
      chosen: 1,
      chosenSeq: chosen.seq,
      handler: 'HandlePodSyncs',
      handlerArgs: ['default/web'],
    });
    tape.add({ kind: 'exit', of: handler.seq, fn: 'HandlePodSyncs' });
    expect(foldAll(tape.records).loop).toMatchObject({ phase: 'handling', handler: '' });
    tape.add({ kind: 'exit', of: 5, fn: 'syncLoopIteration' });
    const state = foldAll(tape.records);
    expect(state.loop).toMatchObject({ phase: 'waiting', iteration: 1 });
    expect(state.counts).toMatchObject({ iterations: 1, selects: 1 });
  });

  it('counts no select but its own', () => {
    const tape = loopTape();
    tape.add({ kind: 'select', cases: [2], ready: [0], chosen: 0 });
    tape.add(start(9, 'other'), { g: 0 });
    tape.add({ kind: 'select', cases: [1, 2], ready: [0], chosen: 0 }, { g: 9 });
    expect(foldAll(tape.records).counts).toMatchObject({ iterations: 0, selects: 2 });
  });

  it('backs off while the runtime has errors', () => {
    const tape = loopTape();
    tape.add({ kind: 'exit', of: 5, fn: 'syncLoopIteration' });
    tape.add({ kind: 'runtime-state', errors: ['container runtime is down'], backoff: 100_000 });
    tape.add({ kind: 'wait', on: { op: 'sleep', until: 100_000 } });
    expect(foldAll(tape.records)).toMatchObject({
      loop: { phase: 'backoff' },
      runtime: { errors: ['container runtime is down'], backoff: 100_000 },
    });
  });

  it('is off when the kubelet is killed, and what it knew is gone; containers stay', () => {
    const tape = loopTape();
    tape.add({ kind: 'pod-config', source: 'file', op: 'ADD', pods: [web] });
    tape.add({ kind: 'worker', state: 'sync', reason: 'new', ...web });
    tape.add({
      kind: 'actual-container',
      id: 'c1',
      sandbox: 's1',
      uid: 'u1',
      name: 'app',
      attempt: 0,
      state: 'running',
    });
    tape.add({ kind: 'goroutine-end', id: 1, killed: true });
    tape.add({ kind: 'process', process: 'kubelet', state: 'killed' }, { g: 0 });
    const state = foldAll(tape.records);
    expect(state.loop).toMatchObject({ g: 0, phase: 'off' });
    expect(state.channels).toEqual({});
    expect(state.sources).toEqual({});
    expect(state.pods.u1).toMatchObject({ desired: false, worker: null });
    expect(state.containers.c1?.state).toBe('running');
  });
});

describe('pods and workers', () => {
  it('follows a worker from its first update to its end', () => {
    const tape = new Tape();
    tape.add(start(5, 'pod worker'), { g: 0 });
    tape.g = 5;
    const worker = () => foldAll(tape.records).pods.u1?.worker;
    tape.add({ kind: 'pod-config', source: 'file', op: 'ADD', pods: [web] });
    tape.add({ kind: 'worker', state: 'sync', reason: 'new', ...web });
    tape.add({ kind: 'pod-update', updateType: 'create', ...web });
    expect(worker()).toMatchObject({ state: 'sync', pending: 'create', working: false });
    tape.add({ kind: 'work-start', workType: 'sync', updateType: 'create', ...web });
    tape.add({ kind: 'cache-wait', newerThan: 77, ...web });
    expect(worker()).toMatchObject({ pending: null, working: true, waitsForNewerThan: 77 });
    tape.add({ kind: 'enter', fn: 'SyncPod' });
    expect(worker()).toMatchObject({ waitsForNewerThan: null });
    tape.add({ kind: 'step', fn: 'SyncPod', n: 1, name: 'one', ...web });
    tape.add({ kind: 'step', fn: 'startContainer', n: 1, name: 'pull', container: 'app', ...web });
    tape.add({ kind: 'pod-update', updateType: 'update', ...web });
    tape.add({ kind: 'pod-update', updateType: 'sync', overwrote: true, ...web });
    tape.add({ kind: 'pod-update', updateType: 'kill', dropped: 'why', ...web });
    expect(worker()).toMatchObject({ pending: 'sync', overwrites: 1 });
    expect(foldAll(tape.records).pods.u1?.steps.map((s) => `${s.fn} ${s.n} ${s.container}`)).toEqual([
      'SyncPod 1 ',
      'startContainer 1 app',
    ]);
    tape.add({ kind: 'work-done', workType: 'sync', error: 'boom', ...web });
    tape.add({ kind: 'queue', due: 500, why: 'back-off', ...web });
    expect(worker()).toMatchObject({ working: false, lastError: 'boom', syncs: 1, due: 500 });
    tape.add({ kind: 'pod-update', updateType: 'sync', ...web }, { time: 600 });
    expect(worker()).toMatchObject({ due: null });
    tape.add({ kind: 'worker', state: 'terminating', from: 'sync', reason: 'deleted', ...web });
    tape.add({ kind: 'work-start', workType: 'terminating', updateType: 'kill', ...web });
    expect(foldAll(tape.records).pods.u1).toMatchObject({
      worker: { state: 'terminating', workType: 'terminating' },
      steps: [],
    });
    tape.add({ kind: 'worker', state: 'finished', reason: 'done', ...web });
    expect(worker()).toMatchObject({ state: 'finished', pending: null, working: false, due: null });
    // The same static pod comes again.
    tape.add({ kind: 'worker', state: 'sync', reason: 'new', ...web });
    expect(worker()).toMatchObject({ state: 'sync', syncs: 0, overwrites: 0 });
  });

  it('holds status, cache, probes and back-offs of a pod', () => {
    const state = fold(
      { kind: 'status', version: 2, status: { phase: 'Failed', reason: 'Evicted' }, ...web },
      { kind: 'cache', op: 'set', modified: 42, sandboxes: [], containers: [], ...web },
      {
        kind: 'probe',
        container: 'app',
        probeType: 'liveness',
        outcome: 'failure',
        output: 'no',
        run: 2,
        threshold: 3,
        ...web,
      },
      { kind: 'probe-result', container: 'app', probeType: 'liveness', result: 'Failure', ...web },
      { kind: 'probe-result', container: 'app', probeType: 'readiness', result: 'Success', ...web },
      { kind: 'backoff', of: 'crash-loop', container: 'app', delay: 10, until: 20, active: true, ...web },
    );
    expect(state.pods.u1).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      statusVersion: 2,
      cache: { time: 42, error: '' },
      probes: {
        'app/liveness': { outcome: 'failure', run: 2, result: 'Failure' },
        'app/readiness': { outcome: '', result: 'Success' },
      },
      backoffs: { 'crash-loop/app': { delay: 10, active: true } },
    });
    expect(fold({ kind: 'status', version: 1, status: 'nonsense', ...web }).pods.u1?.phase).toBe('');
  });
});

describe('pleg and the runtime', () => {
  it('joins a transition with the event made of it', () => {
    const state = fold(
      { kind: 'relist', pods: 1, changed: 1, scope: 'global' },
      {
        kind: 'pleg-transition',
        id: 'c1',
        name: 'app',
        sandbox: false,
        old: 'running',
        new: 'exited',
        exitCode: 1,
        ...web,
      },
      { kind: 'pleg-transition', id: 'c2', name: 'side', sandbox: false, old: 'running', new: 'exited', ...web },
      { kind: 'pleg-event', type: 'ContainerDied', data: 'c1', name: 'app', ...web },
    );
    expect(state.pleg.transitions.map((t) => `${t.id} ${t.old}->${t.new} ${t.event}`)).toEqual([
      'c1 running->exited ContainerDied',
      'c2 running->exited ',
    ]);
    expect(state.pleg).toMatchObject({ relists: 1, lastSeq: 1 });
  });

  const created = (tape: Tape): void => {
    const request = { config: { metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 2 } } };
    const run = tape.add({ kind: 'cri-call', method: 'RunPodSandbox', request, uid: 'u1' });
    tape.add({ kind: 'cri-return', call: run.seq, method: 'RunPodSandbox', response: { podSandboxId: 's1' }, took: 5 });
    const create = tape.add({
      kind: 'cri-call',
      method: 'CreateContainer',
      request: { podSandboxId: 's1', config: { metadata: { name: 'app' } } },
    });
    tape.add({
      kind: 'cri-return',
      call: create.seq,
      method: 'CreateContainer',
      response: { containerId: 'c1' },
      took: 5,
    });
    const begin = tape.add({ kind: 'cri-call', method: 'StartContainer', request: { containerId: 'c1' } });
    tape.add({ kind: 'cri-return', call: begin.seq, method: 'StartContainer', took: 5 });
  };

  it('takes sandboxes and containers from the calls where the runtime tells nothing itself', () => {
    const tape = new Tape();
    created(tape);
    let state = foldAll(tape.records);
    expect(state.sandboxes.s1).toMatchObject({ uid: 'u1', pod: 'default/web', attempt: 2, state: 'ready' });
    expect(state.containers.c1).toMatchObject({ uid: 'u1', sandbox: 's1', name: 'app', attempt: 0, state: 'running' });
    expect(state.cri).toMatchObject({ calls: 3, errors: 0, inFlight: {} });
    expect(state.cri.recent.map((c) => [c.method, c.took, c.request])).toEqual([
      ['RunPodSandbox', 5, null],
      ['CreateContainer', 5, null],
      ['StartContainer', 5, null],
    ]);
    const cache = (state_: 'running' | 'exited') =>
      ({
        kind: 'cache',
        op: 'set',
        modified: 1,
        sandboxes: [{ id: 's1', name: '', state: 'running', ip: '10.0.0.1' }],
        containers: [{ id: 'c1', name: 'app', state: state_, exitCode: 3 }],
        ...{ pod: 'default/web', uid: 'u1' },
      }) as const;
    tape.add(cache('exited'));
    state = foldAll(tape.records);
    expect(state.containers.c1).toMatchObject({ state: 'exited', exitCode: 3, attempt: 0 });
    expect(state.sandboxes.s1).toMatchObject({ ip: '10.0.0.1', attempt: 2 });
    tape.add({
      kind: 'cache',
      op: 'delete',
      modified: 2,
      sandboxes: [],
      containers: [],
      pod: 'default/web',
      uid: 'u1',
    });
    expect(foldAll(tape.records).containers.c1?.state).toBe('removed');
  });

  it('counts a failed call, and believes nothing of it', () => {
    const tape = new Tape();
    const call = tape.add({ kind: 'cri-call', method: 'PullImage', request: { image: { image: 'busybox' } } });
    expect(foldAll(tape.records).images.busybox?.state).toBe('pulling');
    tape.add({
      kind: 'cri-return',
      call: call.seq,
      method: 'PullImage',
      took: 9,
      error: { code: 14, details: 'no route' },
    });
    const state = foldAll(tape.records);
    expect(state.cri).toMatchObject({ errors: 1 });
    expect(state.images.busybox).toEqual({ image: 'busybox', state: 'failed', error: 'no route' });
    expect(state.cri.recent[0]).toMatchObject({ error: 'no route', took: 9 });
  });

  it('believes the runtime’s own facts over what was observed, from the first one on', () => {
    const tape = new Tape();
    created(tape);
    tape.add({
      kind: 'actual-sandbox',
      id: 'x1',
      uid: 'u1',
      pod: 'default/web',
      attempt: 0,
      state: 'ready',
      ip: '10.1',
    });
    tape.add({
      kind: 'actual-container',
      id: 'y1',
      sandbox: 'x1',
      uid: 'u1',
      name: 'app',
      attempt: 0,
      state: 'running',
    });
    tape.add({
      kind: 'actual-container',
      id: 'y1',
      sandbox: 'x1',
      uid: 'u1',
      name: 'app',
      attempt: 0,
      state: 'exited',
      exitCode: 0,
    });
    tape.add({
      kind: 'cache',
      op: 'set',
      modified: 1,
      sandboxes: [],
      containers: [{ id: 'y1', name: 'app', state: 'running' }],
      pod: 'default/web',
      uid: 'u1',
    });
    const state = foldAll(tape.records);
    expect(Object.keys(state.sandboxes)).toEqual(['x1']);
    expect(state.containers).toEqual({ y1: expect.objectContaining({ state: 'exited', exitCode: 0 }) });
  });
});

describe('it stays small', () => {
  it('rings are bounded', () => {
    const tape = new Tape();
    const event = samples['kube-event'][0];
    for (let i = 0; i < 1000; i++) {
      if (event) tape.add(event);
      tape.add({
        kind: 'pleg-transition',
        id: `c${i}`,
        name: 'app',
        sandbox: false,
        old: 'running',
        new: 'exited',
        ...web,
      });
      const call = tape.add({ kind: 'cri-call', method: 'Version', request: {} });
      tape.add({ kind: 'cri-return', call: call.seq, method: 'Version', took: 1 });
      tape.add({ kind: 'step', fn: 'SyncPod', n: 1, name: 'x', ...web });
    }
    const state = foldAll(tape.records);
    expect(state.events).toHaveLength(RING.events);
    expect(state.pleg.transitions).toHaveLength(RING.transitions);
    expect(state.pleg.transitions.at(-1)?.id).toBe('c999');
    expect(state.cri.recent).toHaveLength(RING.calls);
    expect(state.pods.u1?.steps).toHaveLength(RING.steps);
  });

  it('drops what is over: goroutines, channels, containers, pods; keeps what is waited on', () => {
    const tape = new Tape();
    tape.add(make(1, 'configCh'));
    tape.add(start(1, 'loop'), { g: 0 });
    tape.add({ kind: 'wait', on: { op: 'receive', chans: [1] } });
    for (let i = 2; i < 4000; i++) {
      const time = i * 100_000;
      tape.add(start(i, `g${i}`), { g: 0, time });
      tape.add(make(i, 'after'), { g: i, time });
      tape.add({ kind: 'goroutine-end', id: i }, { g: i, time });
      tape.add({ kind: 'worker', state: 'sync', reason: 'new', pod: `default/p${i}`, uid: `u${i}` }, { g: 0, time });
      tape.add(
        { kind: 'worker', state: 'removed', reason: 'gone', pod: `default/p${i}`, uid: `u${i}` },
        { g: 0, time },
      );
      tape.add(
        {
          kind: 'actual-container',
          id: `c${i}`,
          sandbox: 's',
          uid: `u${i}`,
          name: 'app',
          attempt: 0,
          state: 'removed',
        },
        { g: 0, time },
      );
    }
    const state = foldAll(tape.records);
    const count = (map: object) => Object.keys(map).length;
    expect(count(state.goroutines)).toBeLessThan(700);
    expect(count(state.channels)).toBeLessThan(800);
    expect(count(state.containers)).toBeLessThan(1000);
    expect(count(state.pods)).toBeLessThan(3500);
    expect(count(state.pods)).toBeGreaterThan(100);
    expect(state.channels[1]?.receivers).toEqual([1]);
    expect(state.goroutines[1]?.name).toBe('loop');
  });
});
