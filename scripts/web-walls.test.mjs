/** The walls of the page: each room has a rule, and a feature is its own folder and one line of features/index.ts. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { USES, WEB_RULES } from '../apps/web/arrows.mjs';
import { violations } from './arrows.mjs';
import { top } from './lib.mjs';

const SRC = 'apps/web/src';
const folders = (dir) =>
  fs
    .readdirSync(path.join(top, dir), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
const importsOf = (file) =>
  [...fs.readFileSync(path.join(top, SRC, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(
    ([, spec]) => spec,
  );
const features = folders(`${SRC}/features`);

describe('the walls of the page', () => {
  it('have a rule for each room and for each feature, and none for what is not there', () => {
    const rooms = [...folders(SRC), ...features.map((name) => `features/${name}`)].map((name) => `${SRC}/${name}`);
    const why = 'apps/web/arrows.mjs has a line for each room, and one in FEATURES for each feature';
    expect(WEB_RULES.map(({ from }) => from).sort(), why).toEqual([...rooms, SRC].sort());
  });

  it('let the list of features name each of them once, and nothing else', () => {
    const list = importsOf('features/index.ts').filter((spec) => spec !== '../shell/registry.js');
    expect(list.sort(), `${SRC}/features/index.ts has a line for each feature`).toEqual(
      features.map((name) => `./${name}/feature.js`).sort(),
    );
  });

  it('let main.tsx know no feature by name', () => {
    expect(importsOf('main.tsx').filter((spec) => spec.startsWith('./features/'))).toEqual(['./features/index.js']);
  });

  it('keep the shell and the ground floor from knowing a feature', () => {
    for (const room of folders(SRC).filter((name) => !['features', 'fixtures'].includes(name)))
      expect(
        violations(`${SRC}/${room}/a.ts`, `import { console } from '../features/console/feature.js';`),
      ).toHaveLength(1);
  });

  it('keep a feature from what another does not show, also what is loaded later', () => {
    const file = `${SRC}/features/logs/a.ts`;
    expect(violations(file, `import { useConsole } from '../console/console-store.js';`)).toHaveLength(1);
    expect(violations(file, `const later = () => import('../console/run.js');`)).toHaveLength(1);
  });

  it('let features use each other in no circle', () => {
    const above = (name, seen) => {
      expect(seen, `${[...seen, name].join(' -> ')}`).not.toContain(name);
      for (const used of USES[name] ?? []) above(used, [...seen, name]);
    };
    for (const name of features) above(name, []);
  });
});
