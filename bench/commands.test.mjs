/** The commands of the page that benchmarks run by name: nobody notices one that is gone until a benchmark hangs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesBelow } from '../scripts/imports.mjs';
import { top } from '../scripts/lib.mjs';

const textsBelow = (folder, pattern) =>
  filesBelow([folder], pattern).map((file) => readFileSync(join(top, file), 'utf8'));

it('are commands that the page has', () => {
  const asked = new Set(
    textsBelow('bench', /(?<!\.test)\.mjs$/).flatMap((text) =>
      [...text.matchAll(/(?:\bcommand\((?:page, )?|\bid: )'(\w+\.[\w.]+)'/g)].map(([, id]) => id),
    ),
  );
  const sources = textsBelow('apps/web/src', /\.tsx?$/).join('\n');
  expect(asked.size).toBeGreaterThan(8);
  expect([...asked].filter((id) => !sources.includes(`'${id}': `))).toEqual([]);
});
