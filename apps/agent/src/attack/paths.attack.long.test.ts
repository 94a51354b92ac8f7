/**
 * Files that are not regular, given to every command in every place where it takes a path: reading a named pipe would
 * wait, a device may never end. Driven by the table of commands, so that a new command has to declare its paths.
 */
import { execFile, execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { built } from '../base/built.js';
import { lockFile } from '../base/lock-file.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { commands } from '../commands/index.js';
import { writeOut } from '../commands/write-out.js';
import { openRecordingFile } from '../recording/recording-file.js';
import { tempFolder } from '../testing/harness.js';

/** The positions of paths among the arguments of each command, by name; `FILE` stands for it. Empty: it takes none. */
const positions: Readonly<Record<string, readonly (readonly string[])[]>> = {
  serve: [],
  kubelet: [],
  'backup-api': [['FILE']],
  'restore-api': [['FILE', '--serve-api-data', 'data']],
  tap: [],
  open: [['FILE', '--port', '0']],
  explain: [['FILE']],
  twin: [['FILE']],
  attach: [],
  cluster: [['explain', 'FILE']],
  fetch: [['loki', 'http://127.0.0.1:9', '--query', '{}', '-o', 'out', '--token-file', 'FILE']],
  nodes: [],
  url: [],
  simulate: [['FILE']],
  explore: [['FILE']],
  merge: [['FILE']],
  workshop: [
    ['judge', 'FILE', '--stage', 'pleg'],
    ['start', 'pleg', '--out', 'FILE'],
  ],
  'compare-eras': [['FILE']],
  why: [['FILE', '--record', '1']],
  info: [['FILE']],
  export: [['FILE', '--format', 'ndjson']],
  import: [['FILE', '-o', 'out.syncloop']],
  'serve-mock': [['unix://FILE']],
  conformance: [['FILE']],
  version: [],
};
const names = Object.keys(commands);

/** Makes paths of things that are not files, by their kind. */
async function traps(): Promise<{ readonly folder: string; readonly traps: readonly (readonly [string, RegExp])[] }> {
  const folder = await tempFolder();
  const at = (name: string) => join(folder, name);
  execFileSync('mkfifo', [at('pipe.yaml')]);
  symlinkSync(at('pipe.yaml'), at('to-pipe.yaml'));
  symlinkSync('/dev/zero', at('zero.yaml'));
  const server = createServer().listen(at('socket.yaml'));
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return {
    folder,
    traps: [
      [at('pipe.yaml'), /named pipe|not a socket/],
      [at('to-pipe.yaml'), /named pipe|not a socket/],
      [at('zero.yaml'), /device|not a socket/],
      [at('socket.yaml'), /socket|already listens/],
    ],
  };
}

/** A command as users run it, ended for certain after 60 s; `code` is null then. */
function syncloop(cwd: string, argv: readonly string[]): Promise<{ code: number | null; text: string }> {
  const program = fileURLToPath(new URL('../../bin/syncloop.mjs', import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...argv],
      { cwd, timeout: 60_000, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 },
      (err, out, text) =>
        resolve({ code: err ? (typeof err.code === 'number' ? err.code : null) : 0, text: `${out}${text}` }),
    );
  });
}

/** The flags of all commands, by name. Loading the commands themselves into a test takes long. */
function flagsOf(): Readonly<Record<string, FlagSpecs>> {
  const table = built('commands/index.js').href;
  const program = `const { commands } = await import(${JSON.stringify(table)}); const out = {};
    for (const [name, { load }] of Object.entries(commands)) out[name] = (await load()).command.flags;
    console.log(JSON.stringify(out)); process.exit();`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

describe('what is no regular file', () => {
  it('is refused at once by every command that takes a path', async () => {
    expect(Object.keys(positions), 'each command says which paths it takes').toEqual(names);
    const { folder, traps: all } = await traps();
    const runs = names.flatMap((name) =>
      (positions[name] ?? []).flatMap((argv) =>
        // One of them is tried with every command; the others where whole files are read in another way.
        all
          .filter(([path], i) => i === 0 || (path.endsWith('zero.yaml') && ['info', 'import'].includes(name)))
          .map(([path, why]) => ({ argv: [name, ...argv.map((word) => word.replace('FILE', path))], why })),
      ),
    );
    while (runs.length > 0)
      await Promise.all(
        runs.splice(0, 4).map(async ({ argv, why }) => {
          const { code, text } = await syncloop(folder, argv);
          expect(code, `${argv.join(' ')} ends by itself: ${text}`).not.toBe(null);
          expect(code, `${argv.join(' ')} fails: ${text}`).not.toBe(0);
          expect(text, argv.join(' ')).toMatch(why);
        }),
      );
  });

  it('is refused for each flag that names a file, whatever the command does with it', async () => {
    const { traps: all } = await traps();
    let flags = 0;
    const specs = flagsOf();
    expect(Object.keys(specs)).toEqual(names);
    for (const name of names) {
      const command = { flags: specs[name] as FlagSpecs };
      for (const [flag, spec] of Object.entries(command.flags)) {
        if (spec.value !== 'FILE') continue;
        flags++;
        expect(spec.type, `${name} --${flag} names a file: its type says so`).toBe('file');
        for (const [path, why] of all)
          expect(() => parseArgs(name, [`--${flag}`, path], command.flags), `${name} --${flag}`).toThrow(why);
        expect(() => parseArgs(name, [`--${flag}`, '/nowhere/at/all'], command.flags)).not.toThrow();
      }
    }
    expect(flags).toBeGreaterThan(30);
  });

  it('is not opened either where it takes the place of what was looked at', async () => {
    const { traps: all, folder } = await traps();
    const io = { out() {}, err() {}, untilSignal: () => new Promise<string>(() => {}) };
    for (const [path, why] of all) {
      expect(() => openRecordingFile(path)).toThrow(why);
      expect(() => writeOut(path, io, () => {}), 'it would be replaced').toThrow(why);
      // The file that takes the name when it is whole.
      rmSync(join(folder, 'out.part'), { force: true });
      symlinkSync(path, join(folder, 'out.part'));
      expect(() => writeOut(join(folder, 'out'), io, () => {})).toThrow(/named pipe|device|socket|ENXIO/);
    }
  });

  it('as the lock of a folder is refused, and holds no thread of the process', async () => {
    const { traps: all, folder } = await traps();
    for (const [path, why] of all) await expect(lockFile(path)).rejects.toThrow(why);
    await mkdir(join(folder, 'lock'));
    await expect(lockFile(join(folder, 'lock'))).rejects.toThrow(/it is a directory, not a file/);
    // A lock that a process left behind is taken as before.
    writeFileSync(join(folder, 'left'), '4194305 1\n');
    await (await lockFile(join(folder, 'left')))();
  });
});
