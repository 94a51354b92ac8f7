/** The packages for npm. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { top } from './lib.mjs';
import { PACKED } from './release.mjs';

const json = (file) => JSON.parse(fs.readFileSync(path.join(top, file), 'utf8'));

describe('a package of npm', () => {
  const packed = new Map(
    Object.values(
      JSON.parse(
        execFileSync('npm', ['pack', '--dry-run', '--json', ...PACKED.flatMap((w) => ['-w', w])], {
          cwd: top,
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      ),
    ).map(({ name, files }) => [name, files.map((f) => f.path)]),
  );

  it.each(PACKED)('%s has what was built, and nothing else', (workspace) => {
    const { name } = json(`${workspace}/package.json`);
    const files = packed.get(name);
    expect(files.length).toBeGreaterThan(100);
    const needless = /(^|\/)(src|testdata|e2e|testing)\/|\.test\.|\.map$|tsbuildinfo|tsconfig/;
    expect(files.filter((f) => needless.test(f))).toEqual([]);
    expect(files.filter((f) => !/^((dist|bin)\/|(README\.md|package\.json)$)/.test(f))).toEqual([]);
  });

  it('has each entry that core exports', () => {
    const files = new Set(packed.get('@syncloop/core'));
    const { exports } = json('packages/core/package.json');
    for (const { default: file, types } of Object.values(exports).filter((e) => !e.default.includes('*')))
      for (const one of [file, types]) expect([...files], one).toContain(one.slice(2));
    for (const room of ['kernel', 'kubelet', 'debug', 'trace']) expect([...files]).toContain(`dist/${room}/index.js`);
  });

  it('has the program, its threads, and the page whole', () => {
    const files = packed.get('@syncloop/agent');
    const wanted = [
      ...Object.values(json('apps/agent/package.json').bin),
      ...['main', 'debugger/main', 'tap/aside-worker', 'simulation/simulation-thread', 'recording/recorder-worker'].map(
        (name) => `./dist/${name}.js`,
      ),
    ];
    for (const one of wanted) expect(files, one).toContain(one.slice(2));
    const page = fs
      .readdirSync(path.join(top, 'apps/web/dist'), { recursive: true, withFileTypes: true })
      .flatMap((e) =>
        e.isFile() ? [path.relative(path.join(top, 'apps/web'), path.join(e.parentPath ?? e.path, e.name))] : [],
      )
      .filter((f) => !f.endsWith('.map'))
      .map((f) => f.replace(/^dist/, 'dist/page'));
    expect(files.filter((f) => f.startsWith('dist/page/')).sort()).toEqual(page.sort());
  });
});
