import { expect, it } from 'vitest';
import { en } from '../en.js';
import { zhCN } from '../zh-cn.js';
import { leftOutSummary } from './left-out.js';

const summary = (...pods: string[]) =>
  leftOutSummary(pods.map((pod) => ({ pod, why: { en: 'it has an odd value', zh: '含有异常值' } })));

it('says how many pods a twin does not have, and which', () => {
  expect(summary()).toBeNull();
  expect(summary('ci/a')).toEqual({ key: 'twin.leftOutOne', values: { n: 1, names: 'ci/a' } });
  // A pod may be left out for two reasons.
  expect(summary('ci/a', '', 'ci/b', 'ci/a')).toEqual({ key: 'twin.leftOut', values: { n: 2, names: 'ci/a, ci/b' } });
  expect(summary('a', 'b', 'c', 'd', 'e', 'f')?.values).toEqual({ n: 6, names: 'a, b, c, d, e, …' });
  expect(summary('')?.key).toBe('twin.leftOutPart');
});

it('has its words in both languages', () => {
  for (const words of [en, zhCN] as readonly Record<string, string>[]) {
    expect(words['twin.leftOut']).toContain('{names}');
    expect(words['twin.leftOut']).toContain('{n}');
  }
});
