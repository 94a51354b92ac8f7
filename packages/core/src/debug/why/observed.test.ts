import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { observeLog } from '../../observe/testing/observe-log.js';
import { foldAll } from '../../trace/index.js';
import { isIteration } from '../run/stepping.js';
import { find, flaws, linkWith, rootOf, storeOf } from './testing/runs.js';
import { why } from './why.js';

const CAPTURES = new URL('../../../testdata/attach/', import.meta.url);
const observed = (name: string) => observeLog(gunzipSync(readFileSync(new URL(name, CAPTURES))));

it('says of an observed kubelet why a container was started again, back to its end and the code', () => {
  const { all } = observed('v1.33-v4/crash-loop/kubelet.v4.log.gz');
  const store = storeOf(all);
  const { uid } = find(store, 'pleg-event', (r) => r.type === 'ContainerDied');
  const a = why(store, { about: 'container', uid, container: 'app', what: 'restart' });
  expect(flaws(store, a)).toEqual([]);
  expect(a.links.filter((l) => l.main).map((l) => l.kind)).toEqual([
    'pleg-transition',
    'decision',
    'pod-actions',
    'enter',
  ]);
  expect(rootOf(a)).toMatchObject({ kind: 'pleg-transition', role: 'fact' });
  expect(rootOf(a).text.en).toContain('(code 1)');
  // The sync that did it was due when the back-off was over.
  expect(linkWith(a, (l) => l.kind === 'work-start')).toBeDefined();
  // One click from the line.
  const root = store.get(rootOf(a).seq);
  expect(root?.basis?.map((seq) => store.get(seq)?.kind)).toEqual(['log', 'log']);
});

it('goes back from the start of a killed container to the probe that failed', () => {
  const { all } = observed('v1.29-v4/liveness-failure/kubelet.v4.log.gz');
  const store = storeOf(all);
  const kill = find(store, 'enter', (r) => r.fn === 'killContainer');
  const a = why(store, { about: 'record', seq: kill.seq, detail: 'full' });
  expect(flaws(store, a)).toEqual([]);
  expect(a.links.filter((l) => l.main).map((l) => l.kind)).toEqual(
    expect.arrayContaining(['probe', 'probe-result', 'receive', 'pod-update', 'work-start', 'decision']),
  );
  expect(rootOf(a).kind).toBe('probe');
});

it('finds the iterations of an observed loop', () => {
  const { all, of } = observed('v1.36-v4/api-pod-life/kubelet.v4.log.gz');
  const state = foldAll(all);
  const found = all.filter((r) => isIteration(state, r));
  expect(found).toHaveLength(of('select').length);
  expect(state.counts.iterations).toBe(found.length);
});
