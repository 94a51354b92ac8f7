import { describe, expect, it } from 'vitest';
import { RecordingError, type TraceRecord } from '../index.js';
import { allSamples, Tape } from '../testing/samples.js';
import { type ChromeTraceOptions, chromeTrace, importChromeTrace, type TraceEvent } from './index.js';
import { header, recordsOf } from './testing/runs.js';
import { traceEventProblems } from './testing/trace-event-rules.js';

type File = { traceEvents: TraceEvent[]; otherData: unknown };
const text = (records: Iterable<TraceRecord>, options?: ChromeTraceOptions): string =>
  [...chromeTrace(header, records, options)].join('');
const fileOf = (records: Iterable<TraceRecord>, options?: ChromeTraceOptions): File =>
  JSON.parse(text(records, options));

const scenarios = ['hello', 'crash-loop', 'graceful-delete', 'liveness'];
const axes = ['time', 'record'] as const;

describe.each(scenarios)('the Chrome trace of %s', (scenario) => {
  const records = recordsOf(scenario);

  it.each(axes)('holds to the rules of the trace event format, axis %s', (axis) => {
    expect(records.length).toBeGreaterThan(500);
    const file = fileOf(records, { axis });
    expect(traceEventProblems(file).slice(0, 5)).toEqual([]);
    // Also when it begins or ends anywhere.
    for (const [from, to] of [
      [100, 400],
      [333, 777],
    ] as const)
      expect(traceEventProblems(fileOf(records.slice(from, to), { axis })).slice(0, 5)).toEqual([]);
  });

  it('has every record once, and comes back from it', () => {
    const { info, records: got } = importChromeTrace(text(records));
    expect(got).toEqual(records);
    const { format: _f, version: _v, ...given } = header;
    expect(info).toEqual(given);
    expect(importChromeTrace(text(records, { axis: 'record' })).records).toEqual(records);
  });

  it('has a lane for each goroutine, with its calls in it', () => {
    const { traceEvents } = fileOf(records);
    const lanes = traceEvents.filter((e) => e.ph === 'M' && e.name === 'thread_name');
    const starts = records.filter((r) => r.kind === 'goroutine-start');
    expect(lanes).toHaveLength(starts.length + 1);
    const loop = lanes.find((e) => String(e.args?.name).startsWith('syncLoop ('));
    const calls = traceEvents.filter((e) => e.ph === 'B' && e.cat === 'function' && e.tid === loop?.tid);
    expect(calls.map((e) => e.name)).toContain('syncLoopIteration');
    const entered = records.filter((r) => r.kind === 'enter');
    expect(traceEvents.filter((e) => e.ph === 'B' && e.cat === 'function')).toHaveLength(entered.length);
    const processes = traceEvents.filter((e) => e.name === 'process_name').map((e) => e.args?.name);
    expect(processes).toEqual(['outside', 'kubelet']);
  });

  it('has an arrow from what one goroutine does to what another does for it', () => {
    const { traceEvents } = fileOf(records);
    const { args } =
      traceEvents.find((e) => e.ph === 'B' && e.name === 'receive plegCh') ??
      (traceEvents.find((e) => e.ph === 'B' && e.name === 'select: plegCh') as TraceEvent);
    const taken = (args as { record: TraceRecord }).record;
    const begins = traceEvents.findIndex((e) => e.ph === 's' && e.id === String(taken.seq));
    const slice = traceEvents.slice(0, begins).findLast((e) => e.ph === 'B') as TraceEvent;
    expect(slice.name).toBe('send plegCh');
    expect((slice.args as { record: TraceRecord }).record.seq).toBe(taken.cause);
    expect(slice.tid).toBe(traceEvents[begins]?.tid);
  });

  it('has a CRI call from its begin to its return', () => {
    const { traceEvents } = fileOf(records);
    const calls = records.filter((r) => r.kind === 'cri-call');
    const begins = traceEvents.filter((e) => e.ph === 'b');
    expect(begins.map((e) => e.id)).toEqual(calls.map((r) => String(r.seq)));
    const run = begins.find((e) => e.name === 'RunPodSandbox') as TraceEvent;
    const end = traceEvents.find((e) => e.ph === 'e' && e.id === run.id) as TraceEvent;
    const returned = records.find((r) => r.kind === 'cri-return' && String(r.call) === run.id) as TraceRecord & {
      took: number;
    };
    expect(end.ts - run.ts).toBe(returned.took);
  });
});

describe('Chrome traces', () => {
  it('of every kind of record, and of none, hold to the rules', () => {
    const tape = new Tape();
    for (const [i, body] of allSamples.entries())
      tape.add(body, { g: i % 4, cause: i % 3 === 0 ? Math.max(0, i - 2) : 0 });
    for (const axis of axes) {
      expect(traceEventProblems(fileOf(tape.records, { axis }))).toEqual([]);
      expect(traceEventProblems(fileOf([], { axis }))).toEqual([]);
    }
    expect(importChromeTrace(text(tape.records)).records).toEqual(tape.records);
  });

  it('end what was still open, and say so', () => {
    const tape = new Tape();
    tape.add({ kind: 'goroutine-start', id: 1, name: 'worker', parent: 0, process: 'kubelet' }, { g: 0 });
    tape.add({ kind: 'enter', fn: 'SyncPod' });
    tape.add({ kind: 'enter', fn: 'killPod' });
    tape.add({ kind: 'cri-call', method: 'StopContainer', request: {} });
    tape.add({ kind: 'wait', on: { op: 'call', name: 'StopContainer' } });
    const { traceEvents } = fileOf(tape.records);
    expect(traceEvents.slice(-4).map((e) => [e.ph, e.name, e.args])).toEqual([
      ['E', 'wait: call StopContainer', undefined],
      ['E', 'killPod', { unfinished: true }],
      ['E', 'SyncPod', { unfinished: true }],
      ['e', 'StopContainer', { unfinished: true }],
    ]);
  });

  it('may go without arguments', () => {
    const records = recordsOf('hello');
    expect(text(records, { args: false }).length).toBeLessThan(text(records).length * 0.6);
    expect(() => importChromeTrace(text(records, { args: false }))).toThrow(/exported without its arguments/);
  });

  it('that are none are refused with a remedy', () => {
    const message = (t: string) => {
      try {
        importChromeTrace(t);
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError);
        return (error as Error).message;
      }
      return '';
    };
    expect(message('{"traceEvents":[')).toMatch(/^this is not a trace: .*cut off\?$/);
    expect(message('{}')).toMatch(/no list of "traceEvents"/);
    expect(message('[{"ph":"X","name":"a"}]')).toMatch(/no records in it: it was made by another program/);
    expect(message('[{"args":{"record":{"seq":1}}}]')).toBe(
      'the record of traceEvents[0] is broken: its time is not a whole number',
    );
    const twice = '{"args":{"record":{"seq":1,"time":0,"g":0,"span":0,"cause":0,"kind":"x"}}}';
    expect(message(`[${twice},${twice}]`)).toMatch(/record 1 is in this trace twice/);
  });
});

describe('the rules that the traces are held to', () => {
  const good = () => fileOf(recordsOf('hello').slice(0, 300));
  const index = (file: File, ph: string) => file.traceEvents.findIndex((e) => e.ph === ph);
  it.each<[string, (file: File) => void, RegExp]>([
    ['a call without an end', (f) => f.traceEvents.splice(index(f, 'E'), 1), /does not end|is open/],
    ['an end without a call', (f) => f.traceEvents.splice(index(f, 'B'), 1), /did not begin|none is open|is open/],
    ['an arrow without an end', (f) => f.traceEvents.splice(index(f, 'f'), 1), /flow \d+ does not end/],
    ['an arrow without a begin', (f) => f.traceEvents.splice(index(f, 's'), 1), /ends what did not begin/],
    ['time that goes back', (f) => Object.assign(f.traceEvents.at(-1) as object, { ts: 0 }), /goes back in time/],
    [
      'a thread without a name',
      (f) =>
        f.traceEvents.splice(
          f.traceEvents.findIndex((e) => e.name === 'thread_name'),
          1,
        ),
      /no name/,
    ],
    ['an async event without an end', (f) => f.traceEvents.splice(index(f, 'e'), 1), /async .* does not end/],
    ['a phase that is none', (f) => Object.assign(f.traceEvents[9] as object, { ph: 'q' }), /unknown phase/],
  ])('find %s', (_name, spoil, expected) => {
    const file = good();
    expect(traceEventProblems(file)).toEqual([]);
    spoil(file);
    expect(traceEventProblems(file).join('\n')).toMatch(expected);
  });
});
