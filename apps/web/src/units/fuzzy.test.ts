import { describe, expect, it } from 'vitest';
import { fuzzyScore, plainScore } from './fuzzy.js';

const find = (typed: string, titles: readonly string[]) =>
  titles
    .flatMap((title) => {
      const score = fuzzyScore(typed, title);
      return score === null ? [] : [{ title, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ title }) => title);

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
  it('finds only whole beginnings of words among many words', () => {
    expect(plainScore('start log', 'logs of what starts')).not.toBeNull();
    expect(plainScore('art', 'start')).toBeNull();
    expect(plainScore('art', 'start art')).not.toBeNull();
    expect(plainScore('lgs', 'logs')).toBeNull();
    expect(plainScore('崩溃', '为什么崩溃')).not.toBeNull();
  });
});
