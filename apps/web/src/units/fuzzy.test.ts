import { describe, expect, it } from 'vitest';
import { fuzzyFind, fuzzyScore } from './fuzzy.js';

const find = (typed: string, titles: readonly string[]) =>
  fuzzyFind(
    typed,
    titles,
    (x) => x,
    () => '',
  );

describe('finding by a few letters', () => {
  it('finds words in any order, beginnings of words first', () => {
    expect(find('st', ['Restart', 'Step one decision', 'Log'])).toEqual(['Step one decision', 'Restart']);
    expect(find('decision step', ['Step one decision', 'Step one iteration'])).toEqual(['Step one decision']);
  });
  it('finds letters that are left out, but not just any that occur', () => {
    expect(find('brkpt', ['Breakpoints', 'Branches'])).toEqual(['Breakpoints']);
    expect(fuzzyScore('xyz', 'Breakpoints')).toBeNull();
    expect(fuzzyScore('eon', 'Make something go wrong in the node')).toBeNull();
    expect(fuzzyScore('sn', 'Step one')).toBeNull();
  });
  it('finds in Chinese', () => {
    expect(find('断点', ['断点', '移除全部断点', '分支'])).toEqual(['断点', '移除全部断点']);
  });
  it('finds everything, in its order, before anything is typed', () => {
    expect(find(' ', ['b', 'a'])).toEqual(['b', 'a']);
  });
  it('weighs what stands beside less', () => {
    const items = [
      { title: 'Crash loop', also: 'a container that fails' },
      { title: 'Failing probe', also: '' },
    ];
    const found = fuzzyFind(
      'fail',
      items,
      (x) => x.title,
      (x) => x.also,
    );
    expect(found.map((x) => x.title)).toEqual(['Failing probe', 'Crash loop']);
  });
});
