import type { FindingsAnswer, Overview, RunFinding } from '@syncloop/core/debug';
import { placeOf, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { wallTime } from '../../../run/wall-time.js';
import { visible } from '../../../units/text.js';
import { looksLikeLog } from '../paste.js';
import { aboutSelection } from './about-selection.js';
import { matching, momentsOf } from './findings-view.js';
import { linesRead } from './lines-read.js';
import { lowVerbosity, missingSources } from './would-add.js';

const finding = (over: Partial<RunFinding>): RunFinding => ({
  ...{ id: 'x', code: 'crash', pod: 'default/web', uid: 'u', container: 'app', what: '', count: 3, concluded: false },
  ...{ first: { seq: 5, time: 0 }, last: { seq: 9, time: 9 }, moments: [5, 7, 9] },
  text: { en: 'app in default/web ended', zh: 'app 退出' },
  ...over,
});
const record = (body: object) => ({ seq: 1, time: 0, g: 0, span: 0, cause: 0, ...body }) as TraceRecord;

describe('findings in the page', () => {
  it('are filtered by what is said of them, in the language of the page', () => {
    const answer: FindingsAnswer = { findings: [finding({}), finding({ id: 'y', pod: 'a/b' })], more: 0, to: 9 };
    expect(matching(answer, ' ', 'en')).toHaveLength(2);
    expect(matching(answer, 'A/B', 'en').map((f) => f.id)).toEqual(['y']);
    expect(matching(answer, '退出', 'en')).toHaveLength(0);
    expect(matching(answer, '退出', 'zh')).toHaveLength(2);
  });
  it('have their first moment even where only the latest are kept', () => {
    expect(momentsOf(finding({}))).toEqual([5, 7, 9]);
    expect(momentsOf(finding({ moments: [7, 9] }))).toEqual([5, 7, 9]);
  });
});

describe('what would add to a story', () => {
  const of = (kind: string, state = 'ended', pieces = 5) => ({
    ...{ id: kind, kind, name: kind, state, details: '', pieces, records: 0, first: null, last: null },
  });
  it('are the kinds of sources that are not here, and more verbosity', () => {
    const sources: Overview['sources'] = [of('log'), of('spans', 'lost', 0)];
    expect(missingSources({ sources })).toEqual(['cri', 'pods', 'spans', 'events', 'metrics', 'api']);
    expect(lowVerbosity({ sources, verbosity: 2 })).toBe(2);
    expect(lowVerbosity({ sources, verbosity: 4 })).toBeNull();
    expect(lowVerbosity({ sources: [of('cri')], verbosity: 2 })).toBeNull();
  });
});

describe('what is selected', () => {
  it('is what a record tells of', () => {
    const died = record({ kind: 'pleg-event', type: 'ContainerDied', data: 'c1', name: 'app', pod: 'a/b', uid: 'u' });
    const about = (selection: Parameters<typeof aboutSelection>[1]) =>
      aboutSelection(died, selection, { channels: {} }, placeOf);
    expect(about({ kind: 'pod', uid: 'u' })).toBe(true);
    expect(about({ kind: 'pod', uid: 'v' })).toBe(false);
    expect(about({ kind: 'container', id: 'c1' })).toBe(true);
    expect(about({ kind: 'part', part: 'pleg' })).toBe(true);
    expect(about({ kind: 'part', part: 'cri' })).toBe(false);
    expect(about({ kind: 'record', seq: 1 })).toBe(true);
  });
});

describe('texts from outside', () => {
  it('are shown as they are: nothing that a terminal or a browser would obey', () => {
    expect(visible('a\u001b[2Jb\nc\td\u007f\u202e')).toBe('a␛[2Jb⏎c␉d␡\ufffd');
  });
  it('that are pasted are taken for logs by a line of a log', () => {
    const line = 'I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD"';
    expect(looksLikeLog(`Flag --x\n${line}`)).toBe(true);
    expect(looksLikeLog(`Nov 22 10:00:01 n kubelet[1]: ${line}`)).toBe(true);
    expect(looksLikeLog('{"ts":1,"caller":"a.go:1","msg":"m"}')).toBe(true);
    expect(looksLikeLog('apiVersion: v1\nkind: Pod\n')).toBe(false);
  });
  it('have the times of the log that they stand in', () => {
    const info = { epochMillis: Date.UTC(2026, 10, 22, 23, 59, 59, 500), zoneMinutes: 330 };
    expect(wallTime(info, 600_000)).toBe('05:30:00.100');
    expect(wallTime(info, 0, true)).toBe('2026-11-23 05:29:59');
    expect(wallTime(info, 600_000, false, 'utc')).toBe('00:00:00.100');
    expect(wallTime({ epochMillis: Number.NaN }, 0)).toBe('');
  });
});

it('says how many lines were read, and all only if none is left', () => {
  const programs = [
    { program: 'kubelet', lines: 1999, read: 1999 },
    { program: 'etcd', lines: 1, read: 0 },
  ];
  expect(linesRead({ programs, elsewhere: 0 })).toEqual({ percent: '99', lines: '2,000' });
  expect(linesRead({ programs: programs.slice(0, 1), elsewhere: 0 })).toEqual({ percent: '100', lines: '1,999' });
  expect(linesRead({ programs: [], elsewhere: 0 })).toBeNull();
});
