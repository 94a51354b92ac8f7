import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const top = fileURLToPath(new URL('../../../../..', import.meta.url));

it('a new kind is one declaration; the compiler names what is missing: its words, its fold, its samples', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'kind-'));
  try {
    const trace = path.join(copy, 'trace');
    for (const room of ['trace', 'base', 'shape', 'words'])
      cpSync(path.join(top, 'packages/core/src', room), path.join(copy, room), {
        recursive: true,
        filter: (file) => !/\.test\.ts$/.test(file),
      });
    writeFileSync(
      path.join(copy, 'tsconfig.json'),
      JSON.stringify({
        extends: path.join(top, 'tsconfig.base.json'),
        compilerOptions: {
          noEmit: true,
          composite: false,
          declaration: false,
          declarationMap: false,
          sourceMap: false,
        },
        include: ['trace', path.join(top, 'packages/core/src/*.d.ts')],
        exclude: ['trace/export/testing', 'trace/recording/testing'],
      }),
    );
    writeFileSync(path.join(copy, 'package.json'), JSON.stringify({ type: 'module' }));
    const compiled = () => {
      const tsc = path.join(top, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', copy, '--pretty', 'false'], {
        encoding: 'utf8',
      });
      const files = [...stdout.matchAll(/trace\/([\w/-]+\.ts)\(\d+,\d+\): error/g)].map((m) => m[1]);
      return { status, files: [...new Set(files)].sort(), stdout };
    };
    const before = compiled();
    expect(before.status, before.stdout).toBe(0);
    const entry = path.join(trace, 'kinds/node.ts');
    writeFileSync(
      entry,
      readFileSync(entry, 'utf8').replace(
        'export const node = {',
        `export const node = {
  'node-drain': kind(
    { pods: number },
    { touches: ['node'], importance: 2, place: 'node', mark: ['actual', 'flag'] },
  ),`,
      ),
    );
    expect(compiled().files).toEqual(['narrator/en.ts', 'narrator/zh.ts', 'state/node.ts', 'testing/samples.ts']);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
