import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { utf8Bytes } from '@syncloop/core/base';
import type { Command, Density, Found, IncidentsAnswer, RunWindow } from '@syncloop/core/debug';
import { atOnce } from '@syncloop/core/debug';
import type { FindingsAnswer, Overview } from '@syncloop/core/debug/findings';
import type { Json } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { OpenSource } from '../index.js';
import { All } from './kept.js';
import { ObservedSession } from './observed-session.js';

const bytes = gunzipSync(
  readFileSync(new URL('../../../core/testdata/attach/v1.36-v2/crash-loop/kubelet.v2.log.gz', import.meta.url)),
);
const source: OpenSource = {
  id: 'log',
  kind: 'log',
  name: 'kubelet.log',
  format: 'log',
  context: { notAfter: Date.UTC(2026, 10, 23), startedMillis: null },
};
/** The same, read as it comes: the beginning of a file is looked at as a whole. */
const unheld: OpenSource = { ...source, context: { ...source.context, live: true } };
function ask(session: ObservedSession, command: Command): Json | undefined {
  let answer: Json | undefined;
  session.execute(command, (result) => {
    if (!result.ok) throw new Error(result.error);
    answer = result.value;
  });
  for (let i = 0; i < 1000 && session.runState().busy; i++) session.pump(16, () => false);
  return answer;
}
const findings = (session: ObservedSession) => ask(session, { do: 'findings' }) as unknown as FindingsAnswer;
const overview = (session: ObservedSession) => ask(session, { do: 'overview' }) as unknown as Overview;
function opened(options = {}) {
  const session = new ObservedSession([source], { total: bytes.length, ...options });
  session.read('log', bytes);
  session.end('log');
  return session;
}

describe('an observed session', () => {
  it('shows what was read while the rest is still read, and says how far it is', () => {
    const session = new ObservedSession([unheld], { total: bytes.length });
    expect(session.begun).toBe(false);
    session.read('log', bytes.subarray(0, 35_000));
    expect(session.begun).toBe(true);
    const before = session.store.last;
    expect(before).toBeGreaterThan(20);
    expect(session.runState().reading).toEqual({ read: 35_000, total: bytes.length, ended: false, records: before });
    expect(session.info).toMatchObject({ epochMillis: Date.UTC(2026, 10, 22, 11, 32, 28, 312) + 0.436 });
    session.read('log', bytes.subarray(35_000));
    session.end('log');
    expect(session.runState().reading?.records).toBeGreaterThan(before);
    expect(session.runState().reading?.ended).toBe(true);
    expect(session.info.capabilities).toMatchObject({ observed: true, control: true, rewind: true, apply: false });
    expect(overview(session)).toMatchObject({
      version: 'v1.36.2',
      pids: [6330],
      starts: 1,
      verbosity: 2,
      sources: [{ id: 'log', kind: 'log', pieces: 387 }],
      reading: { read: bytes.length, ended: true },
    });
  });

  it('goes anywhere, is searched, and answers why; nothing in it can be changed', () => {
    const session = opened();
    const last = session.store.last;
    const found = ask(session, {
      do: 'search',
      breakpoint: { on: 'pleg-event', type: 'ContainerDied' },
    }) as unknown as { readonly seq: number }[];
    expect(found.length).toBeGreaterThan(3);
    const seq = found[0]?.seq as number;
    ask(session, { do: 'go', to: { seq } });
    expect(session.store.last).toBe(seq);
    const basis = session.store.get(seq)?.basis?.[0] as number;
    expect(session.store.get(basis)).toMatchObject({ kind: 'log', evidence: { source: 'log' } });
    expect(ask(session, { do: 'why', question: { about: 'record', seq } })).toMatchObject({ links: expect.anything() });
    ask(session, { do: 'go', to: { seq: last } });
    expect(session.store.last).toBe(last);
    expect(() => ask(session, { do: 'delete', file: 'x' } as never)).toThrow(/not possible/);
  });

  it('opens where something first went wrong, not at the end; its density and its words are of the whole file', () => {
    const session = opened();
    const { incidents } = ask(session, { do: 'incidents' }) as unknown as IncidentsAnswer;
    const [first] = incidents.filter(({ expected }) => !expected);
    expect(session.store.last).toBe(first?.begin.seq);
    expect(session.runState().end?.seq).toBeGreaterThan(session.store.last);
    const density = ask(session, { do: 'density', most: 64 }) as unknown as Density;
    const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0);
    expect(sum(density.lines)).toBe(387);
    const text = new TextDecoder().decode(bytes);
    expect(sum(density.errors)).toBe(text.split('\n').filter((line) => /^E\d{4} /.test(line)).length);
    const found = ask(session, { do: 'find', text: 'CrashLoopBackOff' }) as unknown as Found;
    expect(found.to).toBe(found.last);
    expect(found.hits.length).toBeGreaterThanOrEqual(text.split('\n').filter((l) => /CrashLoopBackOff/.test(l)).length);
    const part = ask(session, { do: 'window', from: 5, to: 9, state: true }) as unknown as RunWindow;
    expect([part.state?.seq, part.records.map(({ seq }) => seq), part.next]).toEqual([4, [5, 6, 7, 8, 9], null]);
  });

  it('stays where somebody went, while more is read', () => {
    const session = new ObservedSession([unheld]);
    session.read('log', bytes.subarray(0, 38_000));
    ask(session, { do: 'go', to: { seq: 30 } });
    session.read('log', bytes.subarray(38_000));
    session.end('log');
    expect(session.store.last).toBe(30);
    expect(session.runState().end?.seq).toBeGreaterThan(300);
  });

  it('shows the beginning of what is long, packs the rest, and drops the oldest beyond its budget', () => {
    const line = (n: number) =>
      `I1122 ${String(10 + Math.floor(n / 3600)).padStart(2, '0')}:${String(Math.floor(n / 60) % 60).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web-${n}"]\n`;
    const session = new ObservedSession([unheld], { follow: 500, chunk: 128, capacity: 512, past: 40_000 });
    for (let n = 0; n < 6000; n++) session.read('log', utf8Bytes(line(n)));
    session.end('log');
    expect(session.store.last).toBe(500);
    const { end } = session.runState();
    expect(end?.seq).toBeGreaterThan(12_000);
    expect(overview(session).oldest).toBeGreaterThan(1);
    ask(session, { do: 'go', to: { seq: (end?.seq ?? 0) - 5 } });
    expect(session.store.get((end?.seq ?? 0) - 5)).toBeDefined();
    // A record that is no longer in memory cannot be gone to: the session goes to the oldest there is.
    ask(session, { do: 'go', to: { seq: 1 } });
    expect(session.store.last).toBeGreaterThan(1);
  });

  it('gives all records at once only as long as they are not too large: a twin holds them several times', () => {
    const session = opened();
    expect(atOnce(session.records()).length).toBeGreaterThan(300);
    expect(() => atOnce(session.records(new All(), 10_000))).toThrow(
      /^it is too long: its first \d+ of \d+ records take 0 MiB, and all are needed at once; choose a part of it by time/,
    );
  });

  it('says what a source that breaks off leaves out', () => {
    const session = new ObservedSession([source]);
    session.read('log', bytes.subarray(0, 9000));
    session.lose('log', 'The file is damaged.');
    expect(session.runState().reading?.ended).toBe(true);
    expect(overview(session).sources).toMatchObject([{ state: 'lost', details: 'The file is damaged.' }]);
    expect(findings(session).findings).toContainEqual(
      expect.objectContaining({ code: 'gap', what: 'The file is damaged.' }),
    );
  });
});

describe('what went wrong in an observed log', () => {
  it('is listed with the most telling first, in both languages, each with its records', () => {
    const session = opened();
    const { findings: list, to } = findings(session);
    expect(to).toBe(session.runState().end?.seq);
    const died = list.find((f) => f.code === 'died' || f.code === 'crash' || f.code === 'restart');
    expect(died).toMatchObject({ pod: 'default/crash-node1' });
    expect(died?.count).toBeGreaterThan(2);
    for (const f of list) {
      expect(f.text.en.length).toBeGreaterThan(10);
      expect(f.text.zh).toMatch(/[一-龥]/);
      expect(f.moments.length).toBeGreaterThan(0);
      expect(session.observation).toBeDefined();
    }
  });

  it('counts the lines that no record was made of, by message', () => {
    const { lines, unread, unreadLines } = overview(opened());
    expect(lines).toBe(387);
    expect(unreadLines.reduce((n, l) => n + l.count, 0)).toBe(unread);
    expect(unreadLines[0]?.count).toBeGreaterThan(1);
    expect(unreadLines.some((l) => l.msg.startsWith('SyncLoop (PLEG): event for pod'))).toBe(false);
  });
});
