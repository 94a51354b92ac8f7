import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Answer, isIteration, RecordStore, why } from '@syncloop/core/debug';
import { startScenario } from '@syncloop/core/scenario';
import { findScenario } from '@syncloop/core/scenario/library';
import { foldAll, formatKlog, type RecordOf, type TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { observeLog } from '../testing/observe-log.js';

const CAPTURES = new URL('../../../core/testdata/attach/', import.meta.url);
const observed = (name: string) => observeLog(gunzipSync(readFileSync(new URL(name, CAPTURES))));

function storeOf(records: readonly TraceRecord[]): RecordStore {
  const store = new RecordStore();
  for (const record of records) store.push(record);
  return store;
}
const rootOf = (a: Answer) => a.links.find((link) => link.seq === a.roots[0]);

/** Every link is a record, and follows from links that are shown before it. */
function expectWhole(store: RecordStore, { links, subject }: Answer): void {
  expect(links.at(-1)?.seq).toBe(subject);
  const shown = new Set<number>();
  for (const link of links) {
    expect(store.get(link.seq)).toMatchObject({ kind: link.kind, time: link.time });
    expect(link.causes.filter((cause) => !shown.has(cause))).toEqual([]);
    if (link.main && !link.root && link.missing === undefined) expect(link.causes).not.toEqual([]);
    shown.add(link.seq);
  }
}

it('says of an observed kubelet why a container was started again, back to its end and the code', () => {
  const { all, of } = observed('v1.33-v4/crash-loop/kubelet.v4.log.gz');
  const store = storeOf(all);
  const { uid } = of('pleg-event').find((r) => r.type === 'ContainerDied') ?? { uid: '' };
  const a = why(store, { about: 'container', uid, container: 'app', what: 'restart' });
  expectWhole(store, a);
  expect(a.links.filter((l) => l.main).map((l) => l.kind)).toEqual([
    'pleg-transition',
    'decision',
    'pod-actions',
    'enter',
  ]);
  expect(rootOf(a)).toMatchObject({ kind: 'pleg-transition', role: 'fact' });
  expect(rootOf(a)?.text.en).toContain('(code 1)');
  // The sync that did it was due when the back-off was over.
  expect(a.links.find((l) => l.kind === 'work-start')).toBeDefined();
  // One click from the line.
  const root = store.get(a.roots[0] ?? 0);
  expect(root?.basis?.map((seq) => store.get(seq)?.kind)).toEqual(['log', 'log']);
});

it('goes back from the start of a killed container to the probe that failed', () => {
  const { all, of } = observed('v1.29-v4/liveness-failure/kubelet.v4.log.gz');
  const store = storeOf(all);
  const kill = of('enter').find((r) => r.fn === 'killContainer');
  const a = why(store, { about: 'record', seq: kill?.seq ?? 0, detail: 'full' });
  expectWhole(store, a);
  expect(a.links.filter((l) => l.main).map((l) => l.kind)).toEqual(
    expect.arrayContaining(['probe', 'probe-result', 'receive', 'pod-update', 'work-start', 'decision']),
  );
  expect(rootOf(a)?.kind).toBe('probe');
});

it('finds the iterations of an observed loop', () => {
  const { all, of } = observed('v1.36-v4/api-pod-life/kubelet.v4.log.gz');
  const state = foldAll(all);
  const found = all.filter((r) => isIteration(state, r));
  expect(found).toHaveLength(of('select').length);
  expect(state.counts.iterations).toBe(found.length);
});

/** Returns the whole answer about a record. */
function asked(store: RecordStore, seq: number): Answer {
  const a = why(store, { about: 'record', seq, detail: 'full' });
  expectWhole(store, a);
  return a;
}
const killing = (all: readonly TraceRecord[]) => ({
  kill: all.find((r) => r.kind === 'kill') as RecordOf<'kill'>,
  event: all.find((r) => r.kind === 'kube-event' && r.reason === 'Killing') as RecordOf<'kube-event'>,
});

it('reads a kill from the log, its reason from an earlier line, and goes back from it to the probe', () => {
  const { all } = observed('v1.29-v4/liveness-failure/kubelet.v4.log.gz');
  const store = storeOf(all);
  const { kill, event } = killing(all);
  expect(kill).toMatchObject({ reason: 'LivenessProbe' });
  expect(kill.concluded).toBeUndefined();
  const line = store.get(kill.basis?.[0] ?? 0);
  expect(line?.kind === 'log' && line.kv).toMatchObject({
    containerName: kill.container,
    gracePeriod: kill.gracePeriod,
  });
  for (const { seq } of [kill, event]) expect(rootOf(asked(store, seq))?.kind).toBe('probe');
});

it('goes back from a kill, and from its event, to the worker that ends a deleted pod', () => {
  const { all } = observed('v1.36-v4/api-pod-life/kubelet.v4.log.gz');
  const { kill, event } = killing(all);
  expect(kill.reason).toBeUndefined();
  for (const { seq } of [kill, event])
    expect(asked(storeOf(all), seq).links.find((l) => l.kind === 'worker')?.main).toBe(true);
});

/** Returns what the log of our own kubelet shows of a scenario's run. */
function observedRun(name: string): readonly TraceRecord[] {
  const text: string[] = [];
  const sink = (r: TraceRecord) => {
    if (r.kind === 'log' && r.v <= 4) text.push(`${formatKlog(r, { epochMillis: EPOCH, pid: 100 })}\n`);
  };
  startScenario(findScenario(name), { sink }).run({ until: 60e6 });
  return observeLog(text.join('')).all;
}
const EPOCH = Date.UTC(2026, 10, 22, 10);

it('goes back from a kill, and from its event, to the deadline that has passed', () => {
  const all = observedRun('deadline');
  const { kill, event } = killing(all);
  for (const { seq } of [kill, event]) {
    const a = asked(storeOf(all), seq);
    const passed = a.links.find((l) => l.kind === 'decision' && l.text.en.startsWith('pastActiveDeadline'));
    expect(passed).toBeDefined();
    // The line of the event comes before that of the kill: its main chain is that of the worker.
    if (seq === kill.seq) expect(passed?.main).toBe(true);
  }
  expect(all.filter((r) => r.kind === 'decision' && r.rule === 'pastActiveDeadline')).toHaveLength(1);
});

it('goes back from a kill, and from its event, to the eviction', () => {
  const all = observedRun('memory-pressure');
  const { kill, event } = killing(all);
  for (const { seq } of [kill, event]) {
    const a = asked(storeOf(all), seq);
    expect(a.links.find((l) => l.kind === 'eviction')?.main).toBe(true);
    expect(rootOf(a)?.text.en).toContain('The node was low on resource: memory.');
  }
});
