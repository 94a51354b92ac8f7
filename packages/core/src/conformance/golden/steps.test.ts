import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkStep } from './steps.js';

const folder = new URL('../../../testdata/steps/', import.meta.url);

/** Steps without a recording, for `conformance --record`; to run them all here would take long. */
describe('steps', () => {
  it.each(readdirSync(folder))('%s', (file) => {
    const doc = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { [key: string]: unknown };
    expect(Object.keys(doc)).toEqual(['scenario', 'about', 'steps']);
    expect(`${doc.scenario}.json`).toBe(file);
    expect((doc.steps as unknown[]).map(checkStep).length).toBeGreaterThan(3);
  });
});
