import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CATALOGUE } from './index.js';

const observe = new URL('../', import.meta.url);

it('says what follows from a row in the row: no code outside asks for its id', () => {
  const asks = readdirSync(observe, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('catalogue'))
    .filter((file) => /\brow\.id\b|['/^]L-\d/.test(readFileSync(new URL(file, observe), 'utf8')));
  expect(asks).toEqual([]);
});

it('names the rows that only a kubelet prints which starts, and those that name a mirror pod', () => {
  const of = (fact: 'starts' | 'mirror') => [...new Set(CATALOGUE.filter((r) => r[fact]).map((r) => r.id))].sort();
  expect(of('starts')).toEqual(['L-00', 'L-01', 'L-02', 'L-03']);
  expect(of('mirror')).toEqual(['L-63']);
  // A manifest is read again and again.
  expect(CATALOGUE.find((r) => r.msg === 'Reading config file')?.starts).toBeUndefined();
});
