import { describe, expect, it } from 'vitest';
import { CATALOGUES } from '../fixtures/words.js';
import { type MessageKey, translate } from './index.js';

const keys = Object.keys(CATALOGUES.en) as MessageKey[];
const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort();

describe('message catalogues', () => {
  it('have the same keys in every language', () => {
    for (const catalogue of Object.values(CATALOGUES)) expect(Object.keys(catalogue).sort()).toEqual([...keys].sort());
  });
  it('have no empty message', () => {
    for (const catalogue of Object.values(CATALOGUES))
      for (const key of keys) expect(catalogue[key].trim(), key).not.toBe('');
  });
  it('name the same parameters in every language', () => {
    for (const catalogue of Object.values(CATALOGUES))
      for (const key of keys) expect(holes(catalogue[key]), key).toEqual(holes(CATALOGUES.en[key]));
  });
  it('fill in parameters, and leave a hole that was not given', () => {
    expect(translate('en', 'graph.podsN', { n: 3 })).toBe('3 pods');
    expect(translate('zh-CN', 'lane.due', {})).toContain('{t}');
  });
});
