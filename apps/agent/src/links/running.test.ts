import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runningDirectory, runningPages, writeRunning } from './running.js';

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'syncloop-running-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, 'pages');
}
const page = { pid: process.pid, what: 'a page', host: '127.0.0.1', port: 7330, token: 'secret' };

describe('pages that run', () => {
  it('are known by port, with their tokens, until they end', () => {
    const directory = folder();
    expect(runningPages([directory])).toEqual([]);
    const other = { ...page, port: 80, observer: 'look', address: '127.8.9.10' };
    const forget = writeRunning(page, directory);
    writeRunning(other, directory);
    expect(runningPages([directory])).toEqual([other, page]);
    forget();
    expect(runningPages([directory])).toEqual([other]);
  });

  it('are told to their owner only', () => {
    const directory = folder();
    writeRunning(page, directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it('are not written into a folder that others may read, or that is a link', () => {
    const open = folder();
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o755);
    writeRunning(page, open);
    expect(readdirSync(open)).toEqual([]);
    const target = folder();
    mkdirSync(target, { recursive: true, mode: 0o700 });
    symlinkSync(target, `${target}-link`);
    writeRunning(page, `${target}-link`);
    expect(readdirSync(target)).toEqual([]);
    expect(runningPages([`${target}-link`])).toEqual([]);
  });

  it('are forgotten when their process was killed; what is no page is passed over', () => {
    const directory = folder();
    writeRunning(page, directory);
    writeFileSync(join(directory, '1-1.json'), '{"pid": "x"}');
    writeFileSync(join(directory, 'notes.txt'), '');
    expect(runningPages([directory], () => false)).toEqual([]);
    expect(existsSync(join(directory, `${process.pid}-7330.json`))).toBe(false);
  });

  it('have a folder of their user', () => {
    expect(runningDirectory({ XDG_RUNTIME_DIR: '/run/user/0' }, 0)).toBe('/run/syncloop/pages');
    expect(runningDirectory({ XDG_RUNTIME_DIR: '/run/user/7' }, 7)).toBe('/run/user/7/syncloop');
    // A unit of systemd.
    expect(runningDirectory({ RUNTIME_DIRECTORY: '/run/x' }, 7)).toBe('/run/x/pages');
    expect(runningDirectory({}, 7)).toBe(join(tmpdir(), 'syncloop-7'));
  });
});
