import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobs } from './jobs.mjs';
import { BEGIN, replaced, targetOf } from './make.mjs';
import { rows } from './rows.mjs';

const file = (path) => new URL(`../../${path}`, import.meta.url);

describe('rows of the table', () => {
  it('have different names, a unit, a direction, a goal and a job that there is', () => {
    expect(new Set(rows.map(({ name, job }) => `${name} ${job}`)).size).toBe(rows.length);
    for (const row of rows) {
      expect(row).toMatchObject({ name: expect.any(String), unit: expect.any(String), value: expect.any(Function) });
      expect(['less', 'more']).toContain(row.direction);
      expect(Object.keys(jobs)).toContain(row.job);
      expect(targetOf(row, row.goal)).toBeGreaterThan(0);
    }
  });
  it('have moonshots beyond their goals', () => {
    for (const row of rows.filter(({ moonshot }) => moonshot !== undefined)) {
      const [goal, moonshot] = [targetOf(row, row.goal), targetOf(row, row.moonshot)];
      const beyond = row.direction === 'less' ? goal - moonshot : moonshot - goal;
      expect(`${row.name}: ${beyond > 0}`).toBe(`${row.name}: true`);
    }
  });
  it('need each of the jobs, which are benchmarks that there are', () => {
    for (const [name, { bench, limit }] of Object.entries(jobs)) {
      expect(`${name}: ${rows.some(({ job }) => job === name)}`).toBe(`${name}: true`);
      expect(`${bench}: ${existsSync(file(`bench/${bench}.mjs`))}`).toBe(`${bench}: true`);
      expect(limit).toBeGreaterThan(0);
    }
  });
  it('have a place in the document', () => {
    const text = readFileSync(file('docs/performance/README.md'), 'utf8');
    expect(replaced(text, 'a table', 'docs/performance/README.md')).toContain(`${BEGIN}\n\na table`);
  });
});
