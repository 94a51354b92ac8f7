import { RecordStore } from '@syncloop/core/debug';
import { formatPath, getPath, historyOf, parsePath } from '@syncloop/core/debug/inspect';
import { why } from '@syncloop/core/debug/why';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import type { Json } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { stateAfter } from '../../../fixtures/node-state.js';
import type { Selection } from '../../../page/ui-store.js';
import { valuesOf } from '../../../selection/selection.js';
import { fieldsOf, newestValues, pathOf, type Trail, whyOfPath } from './history.js';

const store = new RecordStore({ chunk: 300 });
startScenario(findScenario('crash-loop'), { sink: (r) => store.push(r) }).run();
const state = store.stateAt(2100);
const uid = Object.keys(state.pods)[0] as string;
const container = Object.values(state.containers).find((c) => c.attempt === 2);
const sandbox = Object.keys(state.sandboxes)[0] as string;

/** Every way inwards, to the last part. */
function* trails(value: Json, at: Trail = []): Generator<[Trail, Json]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  const list = Array.isArray(value);
  for (const [key, v] of Object.entries(value as { readonly [k: string]: Json | undefined }))
    if (v !== undefined) yield* trails(v, [...at, list ? Number(key) : key]);
}

describe('pathOf', () => {
  const selections: Selection[] = [
    { kind: 'pod', uid },
    { kind: 'container', id: container?.id ?? '' },
    { kind: 'container', id: `${uid}/app` },
    { kind: 'sandbox', id: sandbox },
    { kind: 'goroutine', id: 10 },
    { kind: 'channel', name: 'plegCh' },
    ...(['loop', 'pleg', 'cri', 'status', 'probes', 'podConfig', 'source-file', 'images'] as const).map(
      (part) => ({ kind: 'part', part }) as const,
    ),
  ];
  it.each(selections.map((s) => [JSON.stringify(s), s] as const))('finds what is shown of %s in the state', (_, s) => {
    const shown = valuesOf(state, s, undefined);
    let found = 0;
    for (const [trail, value] of trails(shown)) {
      const path = pathOf(state, s, shown, trail);
      if (!path || typeof value === 'object') continue;
      found++;
      expect(getPath(state, path), `${trail.join('/')} ${formatPath(path)}`).toEqual(value);
      expect(parsePath(formatPath(path))).toEqual(path);
    }
    const empty = s.kind === 'part' && (s.part === 'probes' || s.part === 'images');
    expect(found > 0).toBe(!empty);
  });
  it('finds the channel and the kills of the pod killer', () => {
    const older = stateAfter(
      { kind: 'chan-make', chan: 30, name: 'podKillingCh', cap: 50 },
      { kind: 'goroutine-start', id: 20, name: 'podKiller', parent: 1, process: 'kubelet' },
      { kind: 'goroutine-start', id: 21, name: 'podKiller default/web', parent: 20, process: 'kubelet' },
    );
    const selection = { kind: 'part', part: 'podKiller' } as const;
    const shown = valuesOf(older, selection, undefined);
    for (const [trail, value] of [
      [['channel', 'cap'], 50],
      [['kills', 0, 'name'], 'podKiller default/web'],
      [['goroutine', 'name'], 'podKiller'],
    ] as const) {
      const path = pathOf(older, selection, shown, trail);
      expect(path && getPath(older, path)).toBe(value);
    }
    expect(pathOf(older, selection, shown, ['kills'])).toBeNull();
  });
  it('has none for records, and for what is not there', () => {
    expect(pathOf(state, { kind: 'record', seq: 3 }, {}, ['kind'])).toBeNull();
    expect(pathOf(state, { kind: 'channel', name: 'no such' }, {}, ['items'])).toBeNull();
    expect(pathOf(state, { kind: 'pod', uid }, { steps: [] }, ['steps', 3, 'name'])).toBeNull();
  });
  it('offers fields that there are', () => {
    for (const s of [null, ...selections])
      for (const path of fieldsOf(state, s)) expect(() => parsePath(formatPath(path))).not.toThrow();
    expect(fieldsOf(state, { kind: 'pod', uid }).map(formatPath)).toContain(`pods["${uid}"].worker.state`);
  });
});

describe('whyOfPath', () => {
  it('asks of fields of a status, in words that the engine takes', () => {
    const texts = [
      'phase',
      'status.conditions[type == "Ready"].status',
      'status.containerStatuses[name == "app"].ready',
    ];
    for (const text of texts) {
      const question = whyOfPath(parsePath(`pods["${uid}"].${text}`));
      expect(question, text).not.toBeNull();
      if (question) expect(why(store, { ...question, at: 2100 }).links.length, text).toBeGreaterThan(0);
    }
  });
  it('asks nothing of others', () => {
    for (const text of ['loop.phase', `pods["${uid}"].worker.state`, `pods["${uid}"].status`])
      expect(whyOfPath(parsePath(text))).toBeNull();
  });
});

describe('newestValues', () => {
  const path = parsePath(`pods["${uid}"].worker.due`);
  const all = historyOf(store, path, { limit: 1e6 }).reverse();
  it('gives the end of the history, newest first, and says that there is more', () => {
    expect(all.length).toBeGreaterThan(8);
    for (const count of [1, 3, all.length - 1])
      expect(newestValues(store, path, count, historyOf)).toEqual({ values: all.slice(0, count), more: true });
    expect(newestValues(store, path, all.length, historyOf)).toEqual({ values: all, more: false });
    expect(newestValues(store, path, 1000, historyOf)).toEqual({ values: all, more: false });
  });
  it('gives the whole of fields that most records change', () => {
    const calls = parsePath('cri.calls');
    const every = historyOf(store, calls, { limit: 1e6 }).reverse();
    expect(newestValues(store, calls, 1e6, historyOf).values).toEqual(every);
  });
  it('is empty where nothing is held', () => {
    expect(newestValues(new RecordStore(), path, 5, historyOf)).toEqual({ values: [], more: false });
  });
});
