import { utf8Bytes } from '@syncloop/core/base';
import { expect, it } from 'vitest';
import type { LogEntry, OtherLine } from '../evidence/index.js';
import { LogReader } from './reader.js';

const NOT_AFTER = Date.UTC(2026, 10, 22, 12);
const read = (text: string | Uint8Array, piece = Number.POSITIVE_INFINITY, notAfter = NOT_AFTER) => {
  const bytes = typeof text === 'string' ? utf8Bytes(text) : text;
  const reader = new LogReader({ notAfter });
  const all: (LogEntry | OtherLine)[] = [];
  for (let i = 0; i < bytes.length; i += piece) all.push(...reader.push(bytes.subarray(i, i + piece)));
  all.push(...reader.end());
  return { reader, all, entries: all.filter((e) => e.kind === 'entry'), others: all.filter((e) => e.kind === 'other') };
};
const ADD = 'I1122 11:27:16.346719   18940 kubelet.go:2724] "SyncLoop ADD" source="file" pods=["demo/web"]';
const at = (iso: string) => Date.parse(iso) * 1000;

it('reads header, message and fields of a line, and says where it stands', () => {
  const { entries } = read(`first line of another program\n${ADD}\n`);
  expect(entries).toEqual([
    {
      kind: 'entry',
      line: 2,
      offset: 30,
      epochMicros: at('2026-11-22T11:27:16.346Z') + 719,
      severity: 'I',
      pid: 18940,
      file: 'kubelet.go',
      sourceLine: 2724,
      msg: 'SyncLoop ADD',
      fields: { source: 'file', pods: ['demo/web'] },
      structured: true,
    },
  ]);
});

it('gives the same for pieces of any size', () => {
  const text = [
    ADD,
    'I1122 11:27:17.000000   18940 status_manager.go:1] "Pod status is inconsistent" pod="demo/web" statusDiff=<',
    '\t- phase: Pending – 待定',
    '\t+ phase: Running',
    ' > extra=1',
    'E1122 11:27:18.000000   18940 x.go:1] a text of printf',
    '\twith a second line',
    'cut {',
    '{"ts":1795346838000.5,"caller":"kubelet/kubelet.go:9","msg":"m","v":2,"pod":{"name":"n"}}',
  ].join('\r\n');
  const whole = read(text).all;
  expect(whole.map((e) => e.kind)).toEqual(['entry', 'entry', 'entry', 'other', 'entry']);
  for (const piece of [1, 2, 3, 7, 64]) expect(read(text, piece).all).toEqual(whole);
  expect(whole[1]).toMatchObject({
    line: 2,
    fields: { pod: 'demo/web', statusDiff: '- phase: Pending – 待定\n+ phase: Running', extra: 1 },
  });
  expect(whole[2]).toMatchObject({ severity: 'E', structured: false, msg: 'a text of printf\n\twith a second line' });
  expect(whole[4]).toMatchObject({
    v: 2,
    severity: 'I',
    file: 'kubelet.go',
    sourceLine: 9,
    fields: { pod: { name: 'n' } },
  });
});

it('takes lines out of what keepers put around them', () => {
  const framed: readonly [string, string][] = [
    ['journal', `Nov 22 11:27:16 node1 kubelet[18940]: ${ADD}`],
    ['journal', `Nov 22 11:27:16.346800 node1 kubelet[18940]: ${ADD}`],
    ['journal-iso', `2026-11-22T11:27:16+0000 node1 kubelet[18940]: ${ADD}`],
    ['journal-iso', `2026-11-22T11:27:16.346800+00:00 node1 kubelet[18940]: ${ADD}`],
    [
      'journal-json',
      JSON.stringify({ __REALTIME_TIMESTAMP: '1795346836346800', _PID: '18940', _COMM: 'kubelet', MESSAGE: ADD }),
    ],
    [
      'journal-json',
      JSON.stringify({ __REALTIME_TIMESTAMP: '1795346836346800', MESSAGE: [...utf8Bytes(ADD)], _PID: '18940' }),
    ],
    ['container', `2026-11-22T11:27:16.346800123Z stderr F ${ADD}`],
    ['docker', JSON.stringify({ log: `${ADD}\n`, stream: 'stderr', time: '2026-11-22T11:27:16.3468Z' })],
    ['timestamps', `2026-11-22T11:27:16.346800123Z ${ADD}`],
    ['timestamps', `[pod/kubelet-x/kubelet] 2026-11-22T11:27:16.346800123Z ${ADD}`],
    ['none', `node-7 | ${ADD}`],
    ['none', `[pod/kubelet-x/kubelet] ${ADD}`],
  ];
  for (const [framing, line] of framed) {
    const { reader, entries, others } = read(`${line}\n`);
    expect(others, line).toEqual([]);
    expect(entries, line).toHaveLength(1);
    expect(entries[0], line).toMatchObject({
      msg: 'SyncLoop ADD',
      pid: 18940,
      fields: { pods: ['demo/web'] },
      epochMicros: at('2026-11-22T11:27:16.346Z') + 719,
    });
    expect(reader.framings, line).toEqual({ [framing]: 1 });
  }
});

it('joins the pieces of a line that a container runtime has split', () => {
  const [a, b] = [ADD.slice(0, 50), ADD.slice(50)];
  const { all } = read(
    `2026-11-22T11:27:16.34Z stderr P ${a}\n2026-11-22T11:27:16.34Z stderr P \n2026-11-22T11:27:16.34Z stderr F ${b}\n`,
  );
  expect(all).toHaveLength(1);
  expect(all[0]).toMatchObject({ line: 1, offset: 0, msg: 'SyncLoop ADD', fields: { source: 'file' } });
});

it("reads the journal's export format, with values that have newlines or are no text", () => {
  const length = (n: number) => new Uint8Array([n & 255, n >> 8, 0, 0, 0, 0, 0, 0]);
  const parts: Uint8Array[] = [];
  const put = (...some: (string | Uint8Array)[]) => {
    for (const one of some) parts.push(typeof one === 'string' ? utf8Bytes(one) : one);
  };
  put('__CURSOR=s=1\n__REALTIME_TIMESTAMP=1795346836346800\n_PID=18940\n', `MESSAGE=${ADD}\n\n`);
  const block = 'I1122 11:27:17.000000   18940 a.go:1] "Diff" d=<\n\t- a\n >';
  put('__CURSOR=s=2\n__REALTIME_TIMESTAMP=1795346837000000\n_PID=18940\nMESSAGE\n', length(block.length), block, '\n');
  put('BLOB\n', length(300), new Uint8Array(300).fill(10), '\n\n');
  put('__CURSOR=s=3\nMESSAGE=the last one, not ended\n');
  const bytes = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  const { all } = read(bytes);
  expect(all).toMatchObject([
    { kind: 'entry', line: 0, offset: 0, msg: 'SyncLoop ADD' },
    { kind: 'entry', msg: 'Diff', fields: { d: '- a' } },
    { kind: 'other', text: 'the last one, not ended' },
  ]);
  for (const piece of [1, 5, 100]) expect(read(bytes, piece).all).toEqual(all);
});

it('knows the year by what the log is not after, goes over New Year, and takes the zone from its keeper', () => {
  const line = (day: string, time: string) => `I${day} ${time}.000000       1 a.go:1] "m"`;
  const times = (text: string, notAfter?: number) =>
    read(text, undefined, notAfter).entries.map((e) => new Date((e.epochMicros as number) / 1000).toISOString());
  expect(times(line('1231', '23:59:59'), Date.UTC(2026, 0, 2))).toEqual(['2025-12-31T23:59:59.000Z']);
  expect(times(`${line('1231', '23:59:59')}\n${line('0101', '00:00:01')}`, Date.UTC(2026, 0, 2))).toEqual([
    '2025-12-31T23:59:59.000Z',
    '2026-01-01T00:00:01.000Z',
  ]);
  // The node is in India; the keeper's time is a moment later.
  const kept = `2025-12-31T19:00:01.200Z stderr F ${line('0101', '00:30:01')}`;
  expect(times(kept)).toEqual(['2025-12-31T19:00:01.000Z']);
  expect(times(`2024-02-29T12:00:00-05:00 node1 kubelet[1]: ${line('0229', '12:00:00')}`)).toEqual([
    '2024-02-29T17:00:00.000Z',
  ]);
});

it('goes on over the end of summer time, of which only the hour that comes again tells', () => {
  const line = (day: string, time: string) => `I${day} ${time}.000000       1 a.go:1] "m"\n`;
  const after = (...all: readonly string[]) => {
    const { entries, reader } = read(all.join(''));
    const [first, ...rest] = entries.map((e) => (e.epochMicros as number) / 60e6);
    return [...rest.map((e) => e - (first as number)), reader.clock.steps.length];
  };
  expect(after(line('1025', '02:50:00'), line('1025', '02:02:00'), line('1025', '02:10:00'))).toEqual([12, 20, 0]);
  // On another day somebody has set the clock.
  expect(after(line('1026', '02:50:00'), line('1026', '02:02:00'))).toEqual([0, 1]);
});

it('keeps the time of lines that cross; a clock that was set back does not turn time back, and is told', () => {
  const line = (time: string) => `I1122 ${time}       1 a.go:1] "m"\n`;
  const { reader, entries } = read(
    line('10:00:10.000300') + line('10:00:10.000100') + line('09:00:00.000000') + line('09:00:01.000000'),
  );
  const first = entries[0]?.epochMicros as number;
  expect(entries.map((e) => (e.epochMicros as number) - first)).toEqual([0, -200, 0, 1e6]);
  expect(reader.clock.steps).toEqual([{ from: first, to: at('2026-11-22T09:00:00Z') }]);
});

it('says of an entry that it is cut: by the end of the file, by another line, by its length', () => {
  const open = 'I1122 11:27:17.000000   18940 s.go:1] "Diff" d=<\n\t- a\n';
  expect(read(open).entries).toMatchObject([{ cut: true, fields: { d: '- a' } }]);
  expect(read(open + ADD).entries).toMatchObject([{ cut: true }, { msg: 'SyncLoop ADD' }]);
  expect(read('I1122 11:27:17.000000   18940 s.go:1] "m" a="b" c="no en').entries).toMatchObject([
    { fields: { a: 'b' }, cut: true },
  ]);
  const long = read(`${ADD} x="${'y'.repeat(3 << 20)}"\n${ADD}\n`);
  expect(long.entries).toMatchObject([{ cut: true, line: 1 }, { line: 2 }]);
  expect(long.entries[1]?.offset).toBe(ADD.length + 5 + (3 << 20) + 1);
  expect(JSON.stringify(long.entries[0]).length).toBeLessThan((1 << 20) + 1000);
});

it('leaves to other programs what is theirs', () => {
  const { entries, others } = read(
    [
      'Nov 22 11:27:16 node1 systemd[1]: Started kubelet.',
      `Nov 22 11:27:16 node1 kubelet[18940]: ${ADD}`,
      'Nov 22 11:27:16 node1 containerd[77]: time="2026-11-22T11:27:16Z" level=info msg="x [1] y"',
      'Nov 22 11:27:16 node1 kubelet[18940]: I1399 11:27:16.346719   18940 kubelet.go:1] "no such month"',
      'Nov 22 11:27:16 node1 kubelet[18940]: panic: \u001b[31m<b>boom</b>',
    ].join('\n'),
  );
  expect(entries).toHaveLength(1);
  expect(others).toMatchObject([
    { program: 'systemd', text: 'Started kubelet.', line: 1, host: 'node1', epochMicros: at('2026-11-22T11:27:16Z') },
    { program: 'containerd', epochMicros: entries[0]?.epochMicros },
    { program: 'kubelet' },
    { text: 'panic: <b>boom</b>' },
  ]);
});
