import { utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence/index.js';
import { captured } from '../testing/capture.js';
import { readSample } from './exposition.js';
import { MetricsEvidenceReader, scrapeMark } from './index.js';
import { Tally } from './tally.js';

const read = (input: string | Uint8Array, piece = 1e9): Evidence[] => {
  const reader = new MetricsEvidenceReader('metrics');
  const bytes = typeof input === 'string' ? utf8Bytes(input) : input;
  const evidence: Evidence[] = [];
  for (let at = 0; at < bytes.length; at += piece) evidence.push(...reader.push(bytes.slice(at, at + piece)));
  return [...evidence, ...reader.end()];
};

describe('metrics', () => {
  it('lines are read as Prometheus has them', () => {
    const say = (line: string) => {
      const sample = readSample(line);
      return sample && [sample.name, [...sample.labels], sample.value];
    };
    expect(say('a 1')).toEqual(['a', [], 1]);
    expect(say('a{} 1.5e+09 1700000000000')).toEqual(['a', [], 1.5e9]);
    expect(say('a{b="c",d="x\\"\\\\\\ny}",} +Inf')).toEqual([
      'a',
      [
        ['b', 'c'],
        ['d', 'x"\\\ny}'],
      ],
      Number.POSITIVE_INFINITY,
    ]);
    expect(say('a NaN')).toEqual(['a', [], Number.NaN]);
    for (const none of ['', '# HELP a b', 'a', 'a{b} 1', 'a{b="c} 1', 'a one', '{b="c"} 1', 'a{b="c"}1x'])
      expect([none, say(none)]).toEqual([none, null]);
  });

  it('of a capture are one answer, as late as the last relist that it tells of, in pieces of any size', () => {
    const bytes = captured('metrics.txt');
    const whole = read(bytes);
    expect(whole.map(({ kind, at }) => [kind, at])).toEqual([['metrics', 1_795_347_090_000_000]]);
    const [answer] = whole;
    expect(answer?.kind === 'metrics' && answer.samples.get('kubelet_pleg_relist_duration_seconds_count')).toBe(15);
    expect(read(bytes, 777)).toEqual(whole);
  });

  it('several answers have the times that stand before them; what is no sample is counted', () => {
    const answers = `${scrapeMark(5e6)}kubelet_a{z="1",b="2"} 1\nother 2\n${scrapeMark(6e6)}kubelet_a 2\n???\n`;
    const [first, gap, second] = read(answers);
    expect(first).toMatchObject({ kind: 'metrics', at: 5e6, timed: true, place: { line: 1 } });
    expect(first?.kind === 'metrics' && [...first.samples]).toEqual([['kubelet_a{b="2",z="1"}', 1]]);
    expect(gap).toMatchObject({ kind: 'gap', at: 6e6, why: "1 line is not in Prometheus' text format." });
    expect(second).toMatchObject({ kind: 'metrics', at: 6e6 });
  });

  it('a tally counts up to a time, and says when it has forgotten', () => {
    const tally = new Tally();
    for (const at of [5, 1, 3]) tally.add(at);
    expect([0, 1, 4, 9].map((at) => tally.until(at))).toEqual([0, 1, 2, 3]);
    for (let at = 10; at < 30_000; at++) tally.add(at);
    expect(tally.until(4)).toBeNull();
    expect(tally.until(30_000)).toBe(29_993);
  });
});
