import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changesText, namesTable } from './markdown.js';

const DOC = new URL('../../../../docs/users/eras.md', import.meta.url);

/** The text with what stands between two comments replaced. */
function put(text: string, name: string, by: string): string {
  const [begin, end] = [`<!-- ${name} -->\n\n`, `\n\n<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  expect(from, `${begin.trim()} is gone from docs/users/eras.md`).toBeGreaterThan(-1);
  expect(to, `${end.trim()} is gone from docs/users/eras.md`).toBeGreaterThan(from);
  return text.slice(0, from + begin.length) + by + text.slice(to);
}

describe('docs/users/eras.md', () => {
  it('tells the changes and the names as they are here (vitest -u writes them there)', async () => {
    const doc = readFileSync(DOC, 'utf8');
    const written = put(put(doc, 'names', namesTable()), 'changes', changesText());
    await expect(written).toMatchFileSnapshot(DOC.pathname);
  });
});
