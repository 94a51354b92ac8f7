import { loadEras } from '@syncloop/core/kubelet';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { openObservation } from '../../index.js';
import { captured, startedMillis } from '../../testing/capture.js';
import { objectOf } from '../base/json.js';
import { comparable, LiveTwin, runFromMidLife } from './index.js';
import type { LiveTwinOptions } from './types.js';

const CAPTURE = 'v1.36-v4/kubelet-restart';
const START = startedMillis(CAPTURE);

/** Returns the records of a log, and of the lists of pods next to it. `edit`: makes the log of another kubelet. */
function observed(edit: (log: string) => string = (log) => log): { records: TraceRecord[]; epochMicros: number } {
  const observation = openObservation(
    (['log', 'pods'] as const).map((kind) => ({
      id: kind,
      kind,
      name: kind,
      format: kind === 'log' ? ('log' as const) : ('pods-ndjson' as const),
      context: { notAfter: START + 3600_000, startedMillis: START },
    })),
  );
  const text = new TextDecoder().decode(captured('kubelet.v4.log', CAPTURE));
  const bytes: { [id: string]: Uint8Array } = {
    log: new TextEncoder().encode(edit(text)),
    pods: captured('pods.ndjson', CAPTURE),
  };
  const records: TraceRecord[] = [];
  for (let id = observation.behind; id !== undefined; id = observation.behind) {
    records.push(...observation.push(id, bytes[id] as Uint8Array));
    records.push(...observation.end(id));
  }
  return { records, epochMicros: observation.epochMicros ?? 0 };
}

/** Has a twin follow, with a beat every this many seconds, up to some seconds after the end. */
function follow(
  { records, epochMicros }: ReturnType<typeof observed>,
  every = 5,
  from = 0,
  chosen: Pick<LiveTwinOptions, 'era' | 'emulatedVersion'> = {},
) {
  const twin = new LiveTwin({ epochMicros, version: 'v1.36.2', ...chosen });
  const said: ReturnType<LiveTwin['beat']>[] = [];
  const end = (records.at(-1)?.time ?? 0) + 30e6;
  let i = 0;
  for (let now = from; now < end; now += every * 1e6) {
    for (; i < records.length && (records[i] as TraceRecord).time <= now; i++) twin.take(records[i] as TraceRecord);
    said.push(twin.beat(() => now));
  }
  return { twin, said, last: said.at(-1) as (typeof said)[number] };
}

describe('a twin that follows', () => {
  it('stays some seconds behind, and agrees from the start of the kubelet on', () => {
    const { said, last, twin } = follow(observed());
    expect(last).toMatchObject({ state: 'following', differences: 0, behind: 3_000_000 });
    expect(last.compared).toBeGreaterThan(20);
    expect(last.same).toBe(last.compared);
    expect(last.agreesSince).not.toBe(null);
    expect(last.text.en).toMatch(/^The twin is 3\.0 s behind; agrees since \d\d:\d\d:\d\d UTC, (\d+) of \1 decisions/);
    // Whoever looks at any moment has a twin of that moment.
    expect(said.map(({ compared }) => compared)).toEqual(said.map(({ compared }) => compared).sort((a, b) => a - b));
    expect(twin.frozen?.scenario.text).toContain('kind: Scenario');
  });

  it('may be any version from v1.21 to v1.36', async () => {
    await loadEras();
    const { records, epochMicros } = observed();
    const list = records.slice(0, records.findIndex((r) => r.kind === 'pod-config' && r.pods.length > 0) + 200);
    for (const [era, minor] of [
      ['v1.25', 23],
      ['v1.32', 34],
      ['v1.36', 35],
    ] as const) {
      const emulatedVersion = `1.${minor}`;
      const { last, twin } = follow({ records: list, epochMicros }, 20, 0, { era, emulatedVersion });
      expect(last).toMatchObject({ state: 'following', era });
      expect(objectOf(objectOf(twin.frozen?.scenario.document).spec).node).toMatchObject({ emulatedVersion });
      expect(last.compared).toBeGreaterThan(5);
    }
  });

  it('keeps a difference, begins anew at what is really there, and goes on', () => {
    const hasty = observed((log) => log.replace(/("Killing container with a grace period" .*gracePeriod=)5/g, '$12'));
    const { last } = follow(hasty);
    expect(last).toMatchObject({ state: 'following', differences: 1, agreesSince: null });
    expect(last.beginnings).toBeGreaterThan(1);
    expect(last.kept[0]?.difference).toMatchObject({ how: 'value', values: { seen: 2, twin: 5 } });
    expect(new Date((last.kept[0]?.epochMicros ?? 0) / 1000).toISOString()).toBe('2026-11-22T11:28:38.042Z');
    expect(last.text.zh).toContain('保留 1 处差异');
  });

  it('begins in the middle of a life with what the pods are listed as', () => {
    const { records, epochMicros } = observed();
    const list = records.findIndex((r) => r.kind === 'pod-list' && r.scope === 'all' && r.pods.length > 0);
    // Some seconds after the start of the second kubelet.
    const removed = records.find((r) => r.kind === 'log' && r.msg === 'SyncLoop REMOVE')?.time ?? 0;
    const at = records.findIndex((r) => r.time >= removed - 5e6);
    const tail = [
      ...records.filter((r, i) => i < list && r.kind === 'evidence-source'),
      ...records.filter((r, i) => i <= at && r.kind === 'pod-list').slice(-1),
      ...records.slice(at),
    ];
    const begun = runFromMidLife(tail, epochMicros);
    expect(begun.beginning?.followed.size).toBe(1);
    const { last } = follow({ records: tail, epochMicros }, 4, records[at]?.time);
    expect(last).toMatchObject({ state: 'following', differences: 0, followed: 1 });
    expect(last.compared).toBeGreaterThan(5);
    expect(last.same).toBe(last.compared);
  });

  it('does not compare what nobody told the state of', () => {
    const { records, epochMicros } = observed();
    const start = records.findIndex((r) => r.kind === 'log' && r.msg === 'SyncLoop REMOVE') - 40;
    const tail = records.slice(start).filter((r) => r.kind !== 'pod-list' && r.kind !== 'status');
    const { beginning } = runFromMidLife(tail, epochMicros);
    expect(beginning?.left.map(({ pod }) => pod)).toEqual(['default/keep-node1']);
    if (!beginning) throw new Error('it begins in the middle');
    const decision = { kind: 'kill', seq: 1, time: 60e6, incarnation: 0, what: 'killContainer' } as const;
    expect(comparable(beginning)({ ...decision, pod: 'default/keep-node1' })).toBe(false);
    expect(comparable(beginning)({ ...decision, pod: 'default/new' })).toBe(true);
    // Without a list it waits for one, and reports that.
    const { last } = follow({ records: tail, epochMicros }, 10, tail[0]?.time);
    expect(last).toMatchObject({ state: 'waiting', compared: 0 });
    expect(last.text.en).toContain('--kubelet');
  });

  it('gives up with a reason when no twin can be made', () => {
    const { epochMicros, records } = observed();
    const twin = new LiveTwin({ epochMicros });
    for (const record of records) twin.take(record);
    Object.defineProperty(twin, 'judge', {
      value: () => {
        throw new Error('the pods are too many');
      },
    });
    expect(twin.beat(() => 60e6)).toMatchObject({ state: 'gone' });
    expect(twin.beat(() => 61e6).text.en).toContain(
      'has given up: no twin can be made of what was observed: the pods are',
    );
  });
});
