import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, compileTemplate, functions } from './index.js';
import { roots } from './roots.js';

const document = readFileSync(new URL('../../../../docs/users/expressions.md', import.meta.url), 'utf8');

describe('docs/users/expressions.md', () => {
  it('has examples that compile', () => {
    const examples = (document.split('```')[1] as string).trim().split('\n');
    expect(examples.length).toBeGreaterThan(4);
    for (const example of examples) compile(example);
    compileTemplate('{pod} restarts {record.container}, {seconds(until - time)} s from now');
    expect(document).toContain('{pod} restarts {record.container}, {seconds(until - time)} s from now');
  });
  it('names every function and every name that is no field', () => {
    for (const name of functions.keys()) expect(document, name).toContain(`\`${name}(`);
    for (const name of roots.keys()) expect(document, name).toMatch(new RegExp(`\`${name}[.\`]`));
  });
});
