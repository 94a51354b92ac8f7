import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => !/\.test\.tsx?$|^fixtures/.test(file),
);
const read = (name: RegExp) =>
  files.filter((file) => name.test(file)).map((file) => ({ file, text: readFileSync(`${SRC}${file}`, 'utf8') }));
const sheets = read(/\.css$/);
const code = read(/\.tsx?$/);
const classesOf = (css: string) =>
  [...css.replace(/\/\*.*?\*\//gs, '').matchAll(/\.([a-z][\w-]*)/g)].map((m) => m[1] ?? '');
const words = new Set(code.flatMap(({ text }) => text.match(/[a-z][\w-]*/g) ?? []));
/** Names that code puts together: `sl-picture-${name}`. */
const beginnings = [...words].filter((word) => /^sl-.*-$/.test(word));
const utilities = new Set(
  sheets.filter(({ file }) => basename(file) === 'utilities.css').flatMap(({ text }) => classesOf(text)),
);

describe('classes of the style sheets', () => {
  it('are all used', () => {
    const unused = sheets
      .filter(({ file }) => !file.endsWith('.module.css'))
      .flatMap(({ file, text }) => classesOf(text).map((name) => ({ file, name })))
      .filter(({ name }) => /^(sl|u)-/.test(name) && !words.has(name))
      // `sl-${as}` of a value that changed.
      .filter(({ name }) => name !== 'sl-old' && name !== 'sl-new')
      .filter(({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)));
    expect(unused).toEqual([]);
  });

  it('are declared by one feature each, so that the order in which panels load changes nothing', () => {
    const owners = new Map<string, Set<string>>();
    for (const { file, text } of sheets) {
      const feature = /^features\/([^/]+)\//.exec(file)?.[1];
      if (!feature) continue;
      const plain = text.replace(/\/\*.*?\*\//gs, '').matchAll(/(?:^|[,}])\s*\.(sl-[\w-]+)\s*(?=[,{])/g);
      for (const [, name = ''] of plain) owners.set(name, (owners.get(name) ?? new Set()).add(feature));
    }
    expect(owners.size).toBeGreaterThan(100);
    expect([...owners].filter(([, features]) => features.size > 1).map(([name, of]) => [name, ...of])).toEqual([]);
  });

  it('that are utilities exist', () => {
    expect(utilities.size).toBeGreaterThan(40);
    const unknown = code.flatMap(({ file, text }) =>
      (text.match(/(?<![\w-])u-[a-z][\w-]*/g) ?? [])
        .filter((name) => !utilities.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
