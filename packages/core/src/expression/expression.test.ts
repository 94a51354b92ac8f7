import { describe, expect, it } from 'vitest';
import { foldAll, initialState, type Json, type NodeState, type TraceRecord } from '../trace/index.js';
import { allSamples, samples, Tape } from '../trace/testing/samples.js';
import { type Context, compile, compileTemplate, complete, ExpressionError, functions } from './index.js';
import { recordShapes } from './shapes.js';

const web = { pod: 'default/web', uid: 'uid-web' };

/** A node with two pods; its last record is of the first one's worker. */
function node(): { records: TraceRecord[]; state: NodeState } {
  const t = new Tape();
  t.add({ kind: 'goroutine-start', id: 1, name: 'worker web', parent: 0, process: 'kubelet' });
  t.add({ kind: 'chan-make', chan: 3, name: 'plegCh', cap: 10 });
  t.add({ kind: 'pod-config', source: 'api', op: 'ADD', pods: [web] });
  t.add({ kind: 'pod-config', source: 'file', op: 'ADD', pods: [{ pod: 'default/db-node1', uid: 'uid-db' }] });
  t.add({ kind: 'worker', state: 'sync', reason: 'first', ...web });
  t.add({
    kind: 'status',
    version: 1,
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    ...web,
  });
  t.add({ kind: 'status', version: 1, status: { phase: 'Pending' }, pod: 'default/db-node1', uid: 'uid-db' });
  t.add({ kind: 'step', fn: 'SyncPod', n: 4, name: 'create the sandbox', ...web });
  t.add({ kind: 'step', fn: 'SyncPod', n: 7, name: 'start containers', ...web });
  t.add({
    kind: 'actual-container',
    id: 'c1',
    sandbox: 's1',
    uid: 'uid-web',
    name: 'app',
    attempt: 2,
    state: 'running',
  });
  t.add({ kind: 'send', chan: 3, item: { type: 'ContainerDied', data: ['a', 'b'] }, len: 1 });
  t.add({ kind: 'work-start', workType: 'sync', updateType: 'sync', ...web }, { time: 12_500_000 });
  return { records: t.records, state: foldAll(t.records) };
}

const { records, state } = node();
const context: Context = { record: records[records.length - 1] as TraceRecord, state };
const value = (source: string, at: Context = context): Json => compile(source).value(at);
const ofKind = (kind: string): Context => ({ record: records.findLast((r) => r.kind === kind) as TraceRecord, state });
/** `[reason, position, end]` of the error. */
function wrong(source: string): [string, number, number] {
  try {
    compile(source);
  } catch (error) {
    if (error instanceof ExpressionError) return [error.reason, error.position, error.end];
    throw error;
  }
  throw new Error(`${source} compiles`);
}

describe('values', () => {
  it.each<[string, Json]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['-2 * -3', 6],
    ['7 % 4 / 2', 1.5],
    ['1.5e3 + .5', 1500.5],
    ['10s', 10_000_000],
    ['1m30s', 90_000_000],
    ['1.5h == 90m', true],
    ['500ms + 20us', 500_020],
    ['"a" + 1 + true', 'a1true'],
    ["'it\\'s' + \"\\u0041\\n\"", "it'sA\n"],
    ['[1, "a", null]', [1, 'a', null]],
    ['true ? 1 : false ? 2 : 3', 1],
    ['null ?? 0 ?? 5', 0],
    ['1 < 2 && 2 < 3 || false', true],
    ['!0 && !"" && !null && !false', true],
    ['!!"0"', true],
    ['1 / 0', null],
    ['5 % 0', null],
    ['1 + null', null],
    ['-"a"', null],
    ['[3, 1, 2][0] + [3, 1, 2][-1]', 5],
    ['[1][7]', null],
    ['"abc"[0]', null],
  ])('%s is %j', (source, result) => expect(value(source)).toEqual(result));

  it.each<[string, boolean]>([
    ['1 == 1', true],
    ['1 == "1"', false],
    ['1 != "1"', true],
    ['0 == false', false],
    ['null == false', false],
    ['"" == null', false],
    ['record.nothing == null', true],
    ['record.nothing.deeper[4].still == null', true],
    ['2 < 10', true],
    ['"2" < "10"', false],
    ['1 < "2"', false],
    ['1 >= "2"', false],
    ['null <= null', false],
    ['[1, [2]] == [1, [2]]', true],
    ['[1, 2] == [1]', false],
    ['"b" in ["a", "b"]', true],
    ['"ell" in "hello"', true],
    ['1 in "123"', false],
    ['"uid-web" in record', false],
    ['"uid" in record', true],
    ['"hasOwnProperty" in record', false],
    ['"hello" =~ "ell"', true],
    ['"hello" =~ "h*o"', true],
    ['"hello" =~ "h?llo"', true],
    ['"hello" =~ "h?o"', false],
    ['"hello" =~ "*"', true],
    ['"hello" !~ "x"', true],
    ['5 =~ "5"', false],
    ['"a.b" =~ "a?b"', true],
    ['"axb" =~ "a.b"', false],
  ])('%s is %j', (source, result) => expect(value(source)).toBe(result));
});

describe('names', () => {
  it('are the fields of the record, directly and by record.', () => {
    expect(value('kind')).toBe('work-start');
    expect(value('record.kind == kind && workType == "sync" && time == 12.5s && seq == record.seq')).toBe(true);
    expect(value('method')).toBeNull();
    expect(value('record["updateType"]')).toBe('sync');
  });

  it('cover every field of every kind of record', () => {
    for (const body of allSamples) for (const key of Object.keys(body)) expect(recordShapes.has(key), key).toBe(true);
  });

  it('reach into the state', () => {
    expect(value('state.pods["uid-web"].phase')).toBe('Running');
    expect(value('state.pods[uid].phase')).toBe('Running');
    expect(value('state.pods["web"].phase')).toBe('Running');
    expect(value('state.pods["default/web"].uid')).toBe('uid-web');
    expect(value('state.pods["db"].uid')).toBe('uid-db');
    expect(value('state.pods["nobody"].phase')).toBeNull();
    expect(value('state.pods[uid].status.conditions[0].status')).toBe('True');
    expect(value('state.loop.phase')).toBe('off');
    expect(value('pod.status.conditions[type == "Ready"].status')).toBe('True');
    expect(value('pod.status.conditions[type == "Gone"].status')).toBeNull();
    expect(value('state.events[seq == 3].reason')).toBeNull();
    expect(value('[5, 6][1 == 1]')).toBeNull();
    expect(wrong('state.events[seq == 3].reson')[0]).toContain('did you mean "reason"?');
    expect(value('state.counts.records')).toBe(12);
  });

  it('state alone is the field of the record', () => {
    expect(value('state', ofKind('worker'))).toBe('sync');
    expect(value('state == "running" && state.containers[id].attempt == 2', ofKind('actual-container'))).toBe(true);
  });

  it('pod alone is its name, before a field its view', () => {
    expect(value('pod')).toBe('default/web');
    expect(value('pod =~ "default/*" && pod.phase == "Running" && pod["worker"].state == "sync"')).toBe(true);
    expect(value('worker.working')).toBe(true);
    expect(value('len(pod.steps)', ofKind('step'))).toBe(0);
    expect(value('goroutine.name')).toBe('worker web');
    expect(value('channel.name', ofKind('send'))).toBe('plegCh');
    expect(value('item.data[1]', ofKind('send'))).toBe('b');
  });

  it('uid is found by container, goroutine and log fields too', () => {
    const head = { seq: 99, time: 1, g: 0, span: 0, cause: 0 };
    const at = (body: object): Context => ({ record: { ...head, ...body } as TraceRecord, state });
    expect(value('uid', at({ kind: 'cri-call', method: 'StopContainer', request: {}, container: 'c1' }))).toBe(
      'uid-web',
    );
    expect(value('uid', at({ kind: 'cri-call', method: 'Version', request: {} }))).toBeNull();
    expect(value('uid', at({ kind: 'enter', fn: 'SyncPod', g: 1 }))).toBe('uid-web');
    const log = { kind: 'log', severity: 'I', v: 2, msg: 'x', file: 'x.go' };
    expect(value('uid', at({ ...log, kv: { podUID: 'uid-db' } }))).toBe('uid-db');
    expect(value('pod.phase', at({ ...log, kv: { pod: 'default/web' } }))).toBe('Running');
    expect(value('pod.phase', at({ ...log, kv: { pod: { namespace: 'default', name: 'web' } } }))).toBe('Running');
    expect(value('uid', at(samples['kube-event'][0] as object))).toBe('uid-web');
    expect(value('uid', { ...at({ kind: 'relist' }), uid: 'uid-db' })).toBe('uid-db');
    expect(value('pod', { ...at({ kind: 'relist' }), uid: 'uid-db' })).toBe('default/db-node1');
  });

  it('say whether they need the state', () => {
    for (const s of ['kind == "log"', 'record.x', 'state == "sync"', 'any(pods, it.uid == "x")'])
      expect(compile(s).usesState, s).toBe(false);
    for (const s of ['state.time', 'pod.phase', 'uid', 'worker', 'channel.name', 'count(pods, p => state.seq > 1)'])
      expect(compile(s).usesState, s).toBe(true);
  });

  it('never reach the prototype', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']) {
      expect(value(`record.${name}`)).toBeNull();
      expect(value(`record["${name}"]["${name}"]`)).toBeNull();
      expect(value(`state.pods.${name}`)).toBeNull();
      expect(value(`[1]["${name}"]`)).toBeNull();
      expect(value(`"${name}" in record`)).toBe(false);
      expect(wrong(name)[0]).toContain('there is no name');
      expect(wrong(`${name}()`)[0]).toContain('there is no function');
    }
    expect(value('record.kv.length', { ...context, record: { ...context.record, kv: ['x'] } as never })).toBeNull();
  });
});

describe('functions', () => {
  it.each<[string, Json]>([
    ['contains("hello", "ell")', true],
    ['contains([1, 2], 2)', true],
    ['contains(record, "uid")', true],
    ['contains(5, 5)', false],
    ['startsWith(pod, "default/") && endsWith(pod, "web")', true],
    ['startsWith(null, "")', false],
    ['matches("image", "im*")', true],
    ['matches("image", "im")', false],
    ['upper("ab") + lower("CD")', 'ABcd'],
    ['len("abc") + len([1, 2]) + len(state.pods) + len(null)', 7],
    ['len(5)', null],
    ['abs(-2) + round(1.6) + floor(1.6)', 5],
    ['min(3, 1, 2) + max([3, 1, 2])', 4],
    ['max([])', null],
    ['seconds(time)', 12.5],
    ['number("42") + 1', 43],
    ['number("1; x")', null],
    ['text([1, "a", null]) + text(true)', '[1,"a",null]true'],
    ['keys(state.pods)', ['uid-web', 'uid-db']],
    ['len(values(state.pods))', 2],
    ['any(state.pods, it.phase == "Pending")', true],
    ['all(state.pods, p => p.phase == "Running")', false],
    ['all([], false)', true],
    ['count(state.pods)', 2],
    ['count(state.pods, key == "uid-web")', 1],
    ['filter([1, 2, 3], it > 1)', [2, 3]],
    ['first([5, 6, 7], x => x > 5)', 6],
    ['last([5, 6, 7], key < 2)', 6],
    ['first([])', null],
    ['map([1, 2], x => x * 10)', [10, 20]],
    ['sum([1, 2, "x"], it)', 3],
    ['any([[1], [2, 3]], xs => any(xs, x => x == 3 && len(xs) == 2))', true],
    ['any([1, 2], any([10, 20], it == 20))', true],
    ['map([1, 2], x => count([1, 2, 3], it > x))', [2, 1]],
    ['any(null, true)', false],
    ['any([0, "", null])', false],
  ])('%s is %j', (source, result) => {
    expect(value(source)).toEqual(result);
  });

  it('are described', () => {
    for (const [name, info] of functions) {
      expect(info.signature.startsWith(`${name}(`)).toBe(true);
      expect(info.about).not.toBe('');
      expect(info.each !== undefined || info.run !== undefined).toBe(true);
    }
  });
});

describe('errors', () => {
  it.each<[string, string, number, number]>([
    ['', 'expected an expression, but there is none', 0, 0],
    ['  ', 'expected an expression', 2, 2],
    ['1 +', 'expected a value, not the end', 3, 3],
    ['kind = "log"', 'write == to compare', 5, 6],
    ['seq & time', 'write && for and', 4, 5],
    ['seq and time', 'write && for and', 4, 7],
    ['kind == "log', 'the text has no end; expected a closing "', 8, 12],
    ['kind == “log”', 'write text in', 8, 9],
    ['10x', 'unknown unit "x"', 2, 3],
    ['1m30', 'expected a unit of time', 2, 4],
    ['1 < 2 < 3', 'comparisons do not chain', 6, 7],
    ['contians(kind, "x")', 'there is no function "contians"; did you mean "contains"?', 0, 8],
    ['contains(kind)', 'contains() takes 2 arguments, not 1: contains(in, x)', 0, 14],
    ['methd == "x"', 'there is no name "methd"; did you mean "method"?', 0, 5],
    ['state.pds', 'there is no field "pds" here; did you mean "pods"?', 6, 9],
    ['pod.phse == "x"', 'there is no field "phse" here; did you mean "phase"?', 4, 8],
    ['state.pods["x"].wrker', 'did you mean "worker"?', 16, 21],
    ['any(state.pods, it.phas == 1)', 'did you mean "phase"?', 19, 23],
    ['state.events.reason', 'a list has no field "reason"', 13, 19],
    ['kind.length', 'a text has no field "length"', 5, 11],
    ['it == 1', '"it" may be used only within any()', 0, 2],
    ['lower', 'there is no name "lower"; lower is a function: lower(text)', 0, 5],
    ['{}', 'expected a value, not "{"', 0, 1],
    ['(1', 'expected ")" to close the bracket, not the end', 2, 2],
    ['[1', 'expected "," or "]" in the list', 2, 2],
    ['len(1', 'expected "," or ")" in the arguments of len()', 5, 5],
    ['true ? 1', 'expected ":"', 8, 8],
    ['record.', 'expected the name of a field after "."', 7, 7],
    ['"\\x"', 'unknown escape "\\x"', 1, 3],
    ['"\\u12"', 'expected four hexadecimal digits', 1, 3],
    ['len(x => 1)', 'may be used only in the last argument', 9, 10],
    ['any([1], 2 => 1)', 'expected one name before "=>"', 9, 10],
    ['size(errors) > 1', 'there is no function "size"; write len(x)', 0, 4],
    ['has(record.method)', 'write x != null', 0, 3],
    ['duration("5s") > 1', 'write 500ms', 0, 8],
    ['method.startsWith("Run")', 'functions are written f(x), not x.f()', 17, 18],
    ['1 2', 'expected an operator or the end, not "2"', 2, 3],
    ['#', 'unexpected character "#"', 0, 1],
    ['1e999', 'this number is too large', 0, 5],
  ])('%s: %s', (source, reason, position, end) => {
    const [text, at, to] = wrong(source);
    expect(text).toContain(reason);
    expect([at, to]).toEqual([position, end]);
  });

  it('end with the position', () => {
    expect(() => compile('kind == ')).toThrow('expected a value, not the end at 8');
  });

  it('bound length and depth', () => {
    expect(wrong('1'.repeat(5000))[0]).toContain('it may have 4096');
    for (const deep of [
      '('.repeat(2000),
      '!'.repeat(2000),
      `1${'+1'.repeat(2000)}`,
      '['.repeat(500),
      'len('.repeat(900),
    ])
      expect(wrong(deep)[0]).toContain('too deep');
    expect(wrong(`record${'.a'.repeat(1000)}`)[0]).toContain('too deep');
    expect(value(`record${'.a'.repeat(90)}`)).toBeNull();
  });
});

describe('work', () => {
  it('is bounded: what takes too long gives null', () => {
    const many = initialState();
    for (let i = 0; i < 2000; i++) many.images[`i${i}`] = { image: 'x', state: 'present' };
    const source = compile('count(state.images, a => any(state.images, b => b.image == "y" && a.image == "z"))');
    expect(source.outcome({ record: context.record, state: many })).toMatchObject({ value: null, exhausted: true });
    expect(source.test({ record: context.record, state: many })).toBe(false);
    expect(value('count(state.images)', { record: context.record, state: many })).toBe(2000);
  });

  it('is bounded for all of a template together, and so is its text', () => {
    const many = initialState();
    for (let i = 0; i < 100; i++) many.images[`i${i}`] = { image: 'x', state: 'present' };
    const at = { record: context.record, state: many };
    // Each alone is within the bound.
    const part = '{count(state.images, a => any(state.images, b => b.image == "y"))}';
    const alone = compileTemplate(part).text(at);
    const texts = compileTemplate(`${part} `.repeat(50)).text(at).trim();
    expect(alone).toBe('0');
    expect(texts).toMatch(/^0 /);
    expect(texts).toMatch(/\(too much work\)$/);
    const long = { record: { ...context.record, msg: 'x'.repeat(5000) } as unknown as TraceRecord, state };
    expect(compileTemplate('{msg}'.repeat(800)).text(long)).toHaveLength(16_384 + 1);
  });

  it('is bounded for patterns and texts', () => {
    const long = { ...context.record, msg: 'a'.repeat(2_000_000), item: 'b' } as unknown as TraceRecord;
    const at = { record: long, state };
    expect(compile(`msg =~ "${'*a'.repeat(60)}b"`).test(at)).toBe(false);
    expect((value('lower(msg)', at) as string).length).toBe(65_536);
    expect((value('msg + msg', at) as string | null)?.length ?? 0).toBeLessThanOrEqual(65_536);
    const doubling = `sum([1,2,3,4,5,6,7,8], len(${'map([1,2,3,4,5,6,7,8], '.repeat(9)}msg${')'.repeat(9)}))`;
    expect(compile(doubling).outcome(at).exhausted).toBe(true);
  });

  it('is bounded for texts that are looked for in texts', () => {
    const record = {
      ...context.record,
      msg: 'a'.repeat(2_000_000),
      data: `b${'a'.repeat(500_000)}`,
    } as unknown as TraceRecord;
    for (const source of ['data in msg', 'msg =~ data', 'contains(msg, data)'])
      expect(compile(source).outcome({ record, state }), source).toMatchObject({ value: null, exhausted: true });
    expect(compile('msg =~ "aab"').outcome({ record, state })).toMatchObject({ value: false, exhausted: false });
  });

  it('looks into values so far as they are not absurdly deep', () => {
    let deep: Json = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const at = { record: { ...context.record, item: deep, args: [deep] } as unknown as TraceRecord, state };
    expect(value('item == args', at)).toBe(false);
    expect(value('len(text(item)) > 100', at)).toBe(true);
  });
});

describe('templates', () => {
  const text = (source: string) => compileTemplate(source).text(context);
  it('put values into text', () => {
    expect(text('')).toBe('');
    expect(text('plain')).toBe('plain');
    expect(text('{pod}: {pod.phase}, {seconds(time)} s')).toBe('default/web: Running, 12.5 s');
    expect(text('{{literal}} {"}" + kind} {[1]}')).toBe('{literal} }work-start [1]');
    expect(text('{method}')).toBe('null');
    expect(text('{state.pods["uid-db"].status}')).toBe('{"phase":"Pending"}');
  });
  it('say where they are wrong', () => {
    const place = (source: string) => {
      try {
        compileTemplate(source);
      } catch (error) {
        return error instanceof ExpressionError ? [error.reason, error.position] : error;
      }
      return null;
    };
    expect(place('a } b')).toEqual(['"}" without "{"; write }} for a brace as such', 2]);
    expect(place('ab {kind')).toEqual(['expected "}" after the expression', 8]);
    expect(place('ab {}')).toEqual(['expected an expression, but there is none', 4]);
    expect(place('ab {knd} cd')).toEqual(['there is no name "knd"; did you mean "kind"?', 4]);
  });
});

describe('complete', () => {
  const at = (marked: string, with_?: Context) => {
    const offset = marked.indexOf('|');
    const found = complete(marked.replace('|', ''), offset, with_);
    return { ...found, texts: found.items.map((i) => i.text) };
  };
  it('gives names, fields and functions', () => {
    expect(at('|').texts).toEqual(expect.arrayContaining(['pod', 'kind', 'contains', 'null']));
    expect(at('sta|').texts.slice(0, 3).sort()).toEqual(['startsWith', 'state', 'status']);
    expect(at('kind == "log" && meth|od')).toMatchObject({ from: 17, to: 23 });
    expect(at('kind == "log" && meth|').texts).toEqual(['method']);
    expect(at('pod.ph|').texts).toEqual(['phase']);
    expect(at('any(state.pods["a.b"].worker.s|').texts.slice(0, 2)).toEqual(['state', 'syncs']);
    expect(at('len(state.|').texts).toContain('pods');
    expect(at('first(state.pods).|').texts).toContain('phase');
  });
  it('gives keys and values that are there', () => {
    expect(at('record.upd|', context).items).toEqual([{ text: 'updateType', kind: 'key', detail: 'sync' }]);
    expect(at('state.pods[uid].ph|', context).items[0]).toEqual({ text: 'phase', kind: 'field', detail: 'Running' });
    expect(at('pod.status.|', context).texts).toEqual(['phase', 'conditions']);
  });
  it('gives nothing where nothing can stand', () => {
    for (const s of ['"te|xt', 'kind |', '1|', 'kind.|', 'x.|', '#|', 'nope.a.|', 'record.a) |'])
      expect(at(s).texts, s).toEqual([]);
  });
});
