import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@syncloop/core/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostFiles } from './host-files.js';

let top: string;
let folder: string;
let files: HostFiles;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'syncloop-host-files-'));
  folder = join(top, 'open');
  mkdirSync(join(folder, 'volume/..data'), { recursive: true });
  writeFileSync(join(folder, 'volume/..data/key'), 'value');
  symlinkSync('..data/key', join(folder, 'volume/key'));
  writeFileSync(join(top, 'secret'), 'mine');
  symlinkSync(join(top, 'secret'), join(folder, 'out'));
  files = new HostFiles(new Kernel(), folder);
});
afterEach(() => rmSync(top, { recursive: true }));

describe('files of this machine for the mock', () => {
  it('are read below the folder, links and all, and as they are now', () => {
    expect(files.readFileSync(join(folder, 'volume/key'))).toBe('value');
    expect(files.readDirSync(join(folder, 'volume'))).toEqual([
      { name: '..data', dir: true },
      { name: 'key', dir: false },
    ]);
    writeFileSync(join(folder, 'volume/..data/key'), 'later');
    expect(files.readFileSync(join(folder, 'volume/key'))).toBe('later');
  });

  it('are not there outside of it, by whichever way', () => {
    for (const path of [join(top, 'secret'), join(folder, 'out'), join(folder, '../secret'), '/etc/hostname', top])
      expect([path, files.lookup(path)]).toEqual([path, null]);
  });

  it('are never written: what a container writes lies over them', () => {
    const path = join(folder, 'volume/..data/key');
    files.append(files.openSync(path), ' more');
    files.append(files.openSync(join(folder, 'volume/new')), 'x');
    expect(files.readFileSync(path)).toBe('value more');
    expect(files.readDirSync(join(folder, 'volume')).map((e) => e.name)).toEqual(['..data', 'key', 'new']);
    expect(readFileSync(path, 'utf8')).toBe('value');
    expect(() => readFileSync(join(folder, 'volume/new'))).toThrow(/ENOENT/);
  });

  it('must be those of a folder that there is', () => {
    expect(() => new HostFiles(new Kernel(), join(top, 'none'))).toThrow(/--host-files .*none: ENOENT/);
    expect(() => new HostFiles(new Kernel(), join(top, 'secret'))).toThrow(/it is not a folder/);
  });
});
