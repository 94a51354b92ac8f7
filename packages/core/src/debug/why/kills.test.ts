import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import { find, flaws, linkWith, rootOf, runOf, storeOf } from './testing/runs.js';
import type { Answer } from './types.js';
import { why } from './why.js';

const asked = (store: RecordStore, seq: number): Answer => {
  const a = why(store, { about: 'record', seq, detail: 'full' });
  expect(flaws(store, a)).toEqual([]);
  return a;
};
/** Returns the answers about the first kill, its event and its call. */
function answers(store: RecordStore): Answer[] {
  const kill = find(store, 'kill');
  const event = find(store, 'kube-event', (e) => e.reason === 'Killing' && e.object.uid === kill.uid);
  const stop = find(store, 'cri-call', (c) => c.method === 'StopContainer' && c.container === kill.id);
  return [kill.seq, event.seq, stop.seq].map((seq) => asked(store, seq));
}

describe('a kill in a simulation', () => {
  it('goes back to the deletion of the pod', () => {
    const store = runOf('graceful-delete');
    expect(find(store, 'kill', (k) => k.pod === 'default/deaf-node1')).toMatchObject({
      container: 'app',
      gracePeriod: 8,
    });
    expect(find(store, 'kill').reason).toBeUndefined();
    // By way of the kill: the call says neither what ordered it nor whether it is one.
    expect(linkWith(answers(store)[2] as Answer, (l) => l.kind === 'kill')?.main).toBe(true);
    for (const a of answers(store)) expect(rootOf(a).text.en).toMatch(/^The manifest \w+\.yaml is deleted\.$/);
  });
  it('goes back to the probe that failed, and says which kind', () => {
    const store = runOf('liveness');
    expect(find(store, 'kill')).toMatchObject({ container: 'app', gracePeriod: 3, reason: 'LivenessProbe' });
    for (const a of answers(store)) {
      expect(linkWith(a, (l) => l.kind === 'probe-result')?.text.en).toContain('Failure');
    }
  });
  it('goes back to the deadline that has passed', () => {
    for (const a of answers(runOf('deadline')))
      expect(linkWith(a, (l) => l.kind === 'decision' && l.text.en.startsWith('pastActiveDeadline'))?.main).toBe(true);
  });
  it('goes back to the eviction, and to what the node lacked', () => {
    for (const a of answers(runOf('memory-pressure'))) {
      expect(linkWith(a, (l) => l.kind === 'eviction' && l.text.en.includes('is evicted'))?.main).toBe(true);
      expect(rootOf(a).text.en).toContain('too little is left of memory.available');
    }
  });
  it('is one record for each call that stops a container', () => {
    for (const name of ['graceful-delete', 'liveness', 'sidecar-order', 'post-start-fails']) {
      const all = [...runOf(name).from(1)];
      const stops = all.filter((r) => r.kind === 'cri-call' && r.method === 'StopContainer');
      const kills = all.filter((r) => r.kind === 'kill');
      expect(kills.map((k) => k.id)).toEqual(stops.map((s) => (s as { container?: string }).container));
    }
  });
  it('is explained in a recording that has no such records, too', () => {
    const store = storeOf(withoutKills([...runOf('liveness').from(1)]));
    const stop = find(store, 'cri-call', (c) => c.method === 'StopContainer');
    expect(linkWith(asked(store, stop.seq), (l) => l.kind === 'probe-result')?.main).toBe(true);
  });
});

/** The records as an earlier version wrote them. */
function withoutKills(records: readonly TraceRecord[]): TraceRecord[] {
  const gone = records.filter((r) => r.kind === 'kill').map((r) => r.seq);
  const now = (seq: number) => seq - gone.filter((g) => g < seq).length;
  const fields = ['seq', 'span', 'cause', 'call', 'of'] as const;
  return records
    .filter((r) => r.kind !== 'kill')
    .map((r) => {
      const old = { ...r } as { [key: string]: unknown };
      for (const f of fields) if (typeof old[f] === 'number') old[f] = now(old[f]);
      return old as unknown as TraceRecord;
    });
}
