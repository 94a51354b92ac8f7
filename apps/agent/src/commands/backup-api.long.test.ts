/** Backups of a store that is written to meanwhile, and stores made of backups and of damaged ones. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUp } from '../api-data/backup.js';
import { examine } from '../api-data/check.js';
import { Database, type TextChange } from '../api-data/database.js';
import { type Disk, realDisk } from '../api-data/disk.js';
import { memoryDisk } from '../api-data/overlay-disk.js';
import { FragileDisk } from '../api-data/testing/fragile-disk.js';
import { command as backupApi } from './backup-api.js';
import { command as restoreApi } from './restore-api.js';

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-backup-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const put = (n: number, key = n): TextChange => [
  'pods',
  `d/p${key}`,
  n,
  JSON.stringify({ n, text: 'text '.repeat(300) }),
];
const contents = (db: Database) =>
  [...db.objects()].map(([, key, object]) => `${key} ${JSON.parse(Buffer.from(object).toString()).n}`).sort();

async function filled(at: string, count = 100): Promise<void> {
  const db = await Database.open(realDisk, at);
  for (let n = 1; n <= count; n += 10) db.apply(Array.from({ length: 10 }, (_, i) => put(n + i)));
  db.close();
}

/** Runs a command, and returns its output, or the error's text. */
async function ran(command: typeof backupApi, ...argv: string[]): Promise<string> {
  let out = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
  } as Parameters<typeof backupApi.run>[1];
  try {
    expect(await command.run(argv, io)).toBe(0);
    return out;
  } catch (err) {
    return `${(err as Error).name}: ${(err as Error).message}`;
  }
}

describe('a backup', () => {
  it('has all that was acknowledged before it, and is of one moment, whatever is written meanwhile', async () => {
    let [versions, moved] = [0, 0];
    for (let seed = 1; seed <= 4; seed++) {
      const random = new Random(seed);
      const live = new FragileDisk();
      // The log is small, so that it is taken over and starts over again and again.
      const db = await Database.open(live, '/data', undefined, { logPages: 8 });
      let version = 0;
      const states = new Map<number, string>();
      const write = () => {
        db.apply([
          put(++version, random.below(6)),
          ...(random.below(3) === 0 ? [['pods', 'd/p0', ++version, null] as const] : []),
        ]);
        states.set(version, contents(db).join());
      };
      for (let i = 0; i < 20; i++) write();
      const before = version;
      // The server writes between any two things that the backup reads.
      const busy: Disk = {
        exists: (path) => live.exists(path),
        remove: (path) => live.remove(path),
        open(path, create) {
          const file = live.open(path, create);
          return {
            ...file,
            read(into, at) {
              if (random.below(4) === 0) write();
              // In two parts, so that something changes in the middle of a file.
              const half = Math.floor(into.length / 2);
              const got = file.read(into.subarray(0, half), at);
              if (random.below(8) === 0) write();
              return got + file.read(into.subarray(half), at + half);
            },
          };
        },
      };
      const { bytes, state } = await backUp(busy, '/data');
      const disk = FragileDisk.of(new Map([['/b/objects.db', bytes]]));
      expect((await examine(disk, '/b/objects.db')).state).toEqual(state);
      expect(state.version).toBeGreaterThanOrEqual(before);
      const rows = await examineContents(bytes);
      expect(rows).toBe(states.get(state.version));
      versions += state.version - before;
      moved += version - before;
    }
    // The server did write, also before the moment that was copied.
    expect(moved).toBeGreaterThan(4);
    expect(versions).toBeGreaterThan(0);
  });

  it('does not take a server that never stands still for damage', async () => {
    const live = new FragileDisk();
    // Each batch is taken over into the database at once, and the log starts over with the next.
    const db = await Database.open(live, '/data', undefined, { logPages: 1 });
    db.apply(Array.from({ length: 20 }, (_, i) => put(i + 1)));
    let version = 20;
    const busy: Disk = {
      exists: (path) => live.exists(path),
      remove: (path) => live.remove(path),
      open(path, create) {
        const file = live.open(path, create);
        return {
          ...file,
          read(into, at) {
            const got = file.read(into, at);
            db.apply([put(++version, version % 20)]);
            return got;
          },
        };
      },
    };
    await expect(backUp(busy, '/data')).rejects.toThrow(
      'the data in /data is written so fast that no consistent copy could be made: try again',
    );
  });

  it('is not made of damaged data, nor of data that lack what was acknowledged', async () => {
    const at = folder();
    await filled(at);
    const old = folder();
    cpSync(at, old, { recursive: true });
    const db = await Database.open(realDisk, at);
    db.apply([put(101)]);
    db.close();
    cpSync(join(old, 'objects.db'), join(at, 'objects.db'));
    expect(await ran(backupApi, join(folder(), 'b'), '--serve-api-data', at)).toBe(
      `SetupError: ${at}/objects.db does not have all that was acknowledged: start the server to see what is lost; an earlier backup may have it`,
    );
    truncateSync(join(old, 'objects.db'), 8192);
    expect(await ran(backupApi, join(folder(), 'b'), '--serve-api-data', old)).toMatch(
      /^SetupError: the data in .* cannot be backed up, because it is damaged: /,
    );
    expect(await ran(backupApi, join(folder(), 'b'), '--serve-api-data', folder())).toMatch(
      /^SetupError: there is no data of an API server in /,
    );
  });
});

async function examineContents(bytes: Uint8Array): Promise<string> {
  const at = folder();
  const file = join(at, 'b');
  writeFileSync(file, bytes);
  const restored = join(at, 'data');
  await ran(restoreApi, file, '--serve-api-data', restored);
  const db = await Database.open(realDisk, restored);
  const found = contents(db).join();
  db.close();
  return found;
}

describe('restore-api', () => {
  it('makes a folder of a backup that was made while the server ran, with later versions', async () => {
    const at = folder();
    const db = await Database.open(realDisk, at);
    for (let n = 1; n <= 100; n++) db.apply([put(n)]);
    const out = folder();
    const file = join(out, 'backup');
    expect(await ran(backupApi, file, '--serve-api-data', at)).toMatch(
      /backup: 100 objects up to resourceVersion 100, \d+ bytes\n$/,
    );
    expect(readdirSync(out)).toEqual(['backup']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await ran(backupApi, file, '--serve-api-data', at)).toMatch(/backup is there already: choose another name/);
    db.apply([put(101)]);
    db.close();
    const restored = join(out, 'data');
    expect(await ran(restoreApi, file, '--serve-api-data', restored)).toBe(
      `${restored}: 100 objects; resourceVersion continues at 1000000100. Start syncloop kubelet with --serve-api-data ${restored}\n`,
    );
    expect(statSync(restored).mode & 0o777).toBe(0o700);
    const again = await Database.open(realDisk, restored);
    expect([again.version, contents(again).length]).toEqual([1_000_000_100, 100]);
    again.apply([put(1_000_000_101, 200)]);
    again.close();
    // Into a folder that has something already, nothing is restored.
    expect(await ran(restoreApi, file, '--serve-api-data', restored)).toMatch(
      /is not empty .*: restore into a new folder$/,
    );
    // The same backup twice makes two stores, which are not mistaken for one another.
    const second = join(out, 'second');
    await ran(restoreApi, file, '--serve-api-data', second, '--bump-revision', '0');
    cpSync(join(restored, 'acknowledged'), join(second, 'acknowledged'));
    await expect(Database.open(realDisk, second)).rejects.toThrow('belong to two stores');
  });

  it('refuses a backup that is cut, changed anywhere that counts, or something else', async () => {
    const at = folder();
    await filled(at, 10);
    const file = join(at, 'backup');
    await ran(backupApi, file, '--serve-api-data', at);
    const bytes = readFileSync(file);
    const random = new Random(3);
    const whole = (await examine(memoryDisk('/b', bytes), '/b')).state;
    for (let i = 0; i < 12; i++) {
      const changed = Buffer.from(bytes);
      const place = random.below(bytes.length);
      changed[place] = (changed[place] as number) ^ 0xff;
      for (const one of [changed, bytes.subarray(0, place)]) {
        const target = join(folder(), 'data');
        writeFileSync(file, one);
        const said = await ran(restoreApi, file, '--serve-api-data', target);
        if (/^SetupError/.test(said)) {
          expect(said).toMatch(/backup (is not a whole backup|is of a newer syncloop)/);
          continue;
        }
        // A byte that nobody reads.
        const db = await Database.open(realDisk, target);
        expect(contents(db)).toHaveLength(whole.count);
        db.close();
      }
    }
    writeFileSync(file, 'something else '.repeat(1000));
    expect(await ran(restoreApi, file, '--serve-api-data', join(at, 'new'))).toBe(
      `SetupError: ${file} is not a whole backup of an API server's data: file is not a database; choose another one`,
    );
  });

  it('--accept-loss goes on with what can be read, with later versions, and keeps the damaged files', async () => {
    const at = join(folder(), 'data');
    mkdirSync(at);
    await filled(at);
    // A wrong letter in one object.
    const file = join(at, 'objects.db');
    const text = readFileSync(file, 'latin1');
    writeFileSync(file, text.replace('"n":50,"text":"text', '"n":50,"text":"Text'), 'latin1');
    await expect(Database.open(realDisk, at)).rejects.toThrow(
      /pods d\/p50 is not as it was written. 100 objects up to resourceVersion 100 were acknowledged; 99 of them can be read/,
    );
    const damaged = readFileSync(file);
    const said = await ran(restoreApi, '--accept-loss', '--serve-api-data', at);
    expect(said).toMatch(
      /data: 99 objects of 100 that were acknowledged; resourceVersion continues at 100. The damaged files are in .*data\.damaged-/,
    );
    const aside = /damaged files are in (.*)\n/.exec(said)?.[1] as string;
    expect(readdirSync(aside).sort()).toEqual(['acknowledged', 'objects.db']);
    expect(readFileSync(join(aside, 'objects.db')).equals(damaged)).toBe(true);
    expect(statSync(aside).mode & 0o777).toBe(0o700);
    const found = await Database.open(realDisk, at);
    expect([found.version, contents(found).length, contents(found).includes('d/p50 50')]).toEqual([100, 99, false]);
    found.close();
    // Only once: whole data are left alone.
    expect(await ran(restoreApi, '--accept-loss', '--serve-api-data', at)).toBe(
      `${at} is not damaged: nothing was changed\n`,
    );
  });

  it('--accept-loss never takes versions back: they go on from what was acknowledged, or far beyond', async () => {
    // The damaged files are put beside the folder.
    const top = folder();
    const [at, live, unknown] = ['at', 'live', 'unknown'].map((name) => join(top, name)) as [string, string, string];
    mkdirSync(live);
    const db = await Database.open(realDisk, live);
    for (let n = 1; n <= 40; n++) db.apply([put(n)]);
    cpSync(live, at, { recursive: true });
    db.close();
    cpSync(at, unknown, { recursive: true });
    truncateSync(join(at, 'objects.db-wal'), Math.floor(statSync(join(at, 'objects.db-wal')).size / 2));
    expect(await ran(restoreApi, '--accept-loss', '--serve-api-data', at)).toMatch(
      /: (1\d|2\d) objects of 40 that were acknowledged; resourceVersion continues at 40\. /,
    );
    rmSync(join(unknown, 'acknowledged'));
    expect(await ran(restoreApi, '--accept-loss', '--serve-api-data', unknown)).toMatch(
      /: 40 objects; resourceVersion continues at 1000000040\. /,
    );
    for (const path of [at, unknown]) {
      const opened = await Database.open(realDisk, path);
      expect(opened.version).toBeGreaterThanOrEqual(40);
      opened.close();
    }
  });

  it.each([
    [['--serve-api-data', '/x'], 'a backup is required'],
    [['b'], 'a folder is required: --serve-api-data DIR'],
    [['b', '--accept-loss', '--serve-api-data', '/x'], 'give FILE or --accept-loss, not both'],
  ])('says what is missing of %j', async (argv, says) => {
    expect(await ran(restoreApi, ...argv)).toContain(`UsageError: `);
    expect(await ran(restoreApi, ...argv)).toContain(says);
  });
});
