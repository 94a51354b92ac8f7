import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SetupError } from '../base/errors.js';
import { Database, type TextChange } from './database.js';
import { realDisk } from './disk.js';
import { DATA_VERSION, migrations } from './format.js';
import { FragileDisk } from './testing/fragile-disk.js';

const made: string[] = [];
const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-data-'));
  made.push(path);
  return path;
};
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});
const put = (key: string, version: number, text = 'x'): TextChange => ['pods', key, version, JSON.stringify({ text })];
const contents = (db: Database) =>
  [...db.objects()].map(([, key, object]) => `${key} ${JSON.parse(Buffer.from(object).toString()).text}`);

describe('the database', () => {
  it('has after each batch what was put, changed and removed, and the version', async () => {
    const at = folder();
    let db = await Database.open(realDisk, at);
    expect([db.version, contents(db)]).toEqual([0, []]);
    db.apply([put('d/a', 2), put('d/b', 3)]);
    db.apply([put('d/a', 4, 'y'), ['pods', 'd/b', 5, null], put('d/c', 6), ['pods', 'd/none', 7, null]]);
    db.close();
    db = await Database.open(realDisk, at);
    expect([db.version, contents(db)]).toEqual([7, ['d/a y', 'd/c x']]);
    expect(statSync(db.file).mode & 0o777).toBe(0o600);
    db.close();
  });

  it('opens as it was left by a process that was killed, and as a copy elsewhere', async () => {
    const at = folder();
    const db = await Database.open(realDisk, at);
    db.apply([put('d/a', 2)]);
    const copy = folder();
    cpSync(at, copy, { recursive: true });
    const again = await Database.open(realDisk, copy);
    expect([again.version, contents(again)]).toEqual([2, ['d/a x']]);
    again.close();
    db.close();
  });

  it('opens what each version wrote', async () => {
    expect(migrations).toHaveLength(DATA_VERSION);
    for (let format = 1; format <= DATA_VERSION; format++) {
      const at = folder();
      const kept = (name: string) => new URL(`../../testdata/api-data/format-${format}.${name}`, import.meta.url);
      copyFileSync(kept('db'), join(at, 'objects.db'));
      if (format > 1) copyFileSync(kept('acknowledged'), join(at, 'acknowledged'));
      const db = await Database.open(realDisk, at);
      expect([db.version, contents(db)]).toEqual([4, ['d/a y', 'd/c x']]);
      db.close();
    }
  });

  it('is opened by the next version, which finds what this one wrote', async () => {
    const at = folder();
    const db = await Database.open(realDisk, at);
    db.apply([put('d/a', 2)]);
    db.close();
    const next = [...migrations, (c: Parameters<(typeof migrations)[0]>[0]) => void c.exec('CREATE TABLE more (a)')];
    const opened = await Database.open(realDisk, at, next);
    expect([opened.version, contents(opened)]).toEqual([2, ['d/a x']]);
    opened.close();
    await expect(Database.open(realDisk, at)).rejects.toThrow(
      `${join(at, 'objects.db')} is of a newer syncloop (format ${DATA_VERSION + 1}; this one has ${DATA_VERSION}): use that one, or a copy of the folder from before`,
    );
  });

  it('does not grow by changes, and gives back what is gone when it is opened again', async () => {
    const at = folder();
    const sizes = () => ['', '-wal'].map((end) => statSync(join(at, `objects.db${end}`)).size);
    const text = 'text '.repeat(4000);
    let db = await Database.open(realDisk, at, migrations, { logPages: 50 });
    let version = 0;
    for (let i = 0; i < 400; i++) db.apply([put(`d/${i % 20}`, ++version, text)]);
    const [full, log] = sizes() as [number, number];
    // Twenty objects of 20 KB, and a log of some 50 pages and a batch.
    expect(full).toBeLessThan(1_000_000);
    expect(log).toBeLessThan(500_000);
    db.apply(Array.from({ length: 20 }, (_, i): TextChange => ['pods', `d/${i}`, ++version, null]));
    db.close();
    db = await Database.open(realDisk, at);
    db.close();
    expect(statSync(join(at, 'objects.db')).size).toBeLessThan(full / 4);
  });

  it('opens on a disk that is full, to be read', async () => {
    let full = false;
    const disk = new FragileDisk((_, what) => {
      if (full && what === 'write') throw Object.assign(new Error('ENOSPC: no'), { code: 'ENOSPC' });
    });
    const before = await Database.open(disk, '/data');
    before.apply(Array.from({ length: 50 }, (_, i) => put(`d/${i}`, i + 1, 'text '.repeat(1000))));
    before.apply(Array.from({ length: 49 }, (_, i): TextChange => ['pods', `d/${i}`, i + 51, null]));
    full = true;
    const db = await Database.open(disk, '/data');
    expect(contents(db)).toHaveLength(1);
    expect(() => db.apply([put('d/new', 100)])).toThrow('ENOSPC: no');
    full = false;
    db.apply([put('d/new', 101)]);
    expect(contents(db)).toHaveLength(2);
  });

  describe('says which file is damaged and what to do', () => {
    const remedy = (at: string) =>
      `To go on, restore a backup into a new folder (syncloop restore-api BACKUP --serve-api-data DIR), or keep what can be read (syncloop restore-api --accept-loss --serve-api-data ${at}). Nothing was changed`;
    async function filled(): Promise<string> {
      const at = folder();
      const db = await Database.open(realDisk, at);
      db.apply(Array.from({ length: 200 }, (_, i) => put(`d/p${i}`, i + 1, 'some text of some length '.repeat(9))));
      db.close();
      return at;
    }
    /** Opens it and reads all, as the program does. */
    async function all(at: string): Promise<string> {
      let db: Database | null = null;
      try {
        db = await Database.open(realDisk, at);
        contents(db);
        return 'it is whole';
      } catch (err) {
        expect(err).toBeInstanceOf(SetupError);
        return (err as Error).message;
      } finally {
        db?.close();
      }
    }

    it.each<readonly [what: string, why: RegExp, (file: string) => void]>([
      ['is no database', /file is not a database/, (file) => writeFileSync(file, 'something else '.repeat(1000))],
      ['is cut', /malformed|not in database|invalid page/i, (file) => truncateSync(file, statSync(file).size - 8192)],
      [
        'is gone, with its log there',
        /objects.db is missing, but acknowledged and its log exist/,
        (file) => {
          writeFileSync(`${file}-wal`, readFileSync(file));
          rmSync(file);
        },
      ],
      [
        'has a wrong letter',
        /pods d\/p\d+ is not as it was written/,
        (file) => {
          const bytes = readFileSync(file, 'latin1');
          writeFileSync(file, bytes.replaceAll('some text of some', 'Some text of some'), 'latin1');
        },
      ],
    ])('a file that %s', async (_, why, harm) => {
      const at = await filled();
      harm(join(at, 'objects.db'));
      const message = await all(at);
      expect(message).toMatch(why);
      expect(message).toContain(join(at, 'objects.db'));
      expect(message).toContain(remedy(at));
    });

    it('files of two moments, as a copy may have them that was made meanwhile', async () => {
      const at = folder();
      const db = await Database.open(realDisk, at);
      db.apply([put('d/a', 1)]);
      db.close();
      const old = folder();
      cpSync(at, old, { recursive: true });
      const more = await Database.open(realDisk, at);
      for (let i = 2; i < 60; i++) more.apply([put(`d/${i}`, i, 'text '.repeat(500))]);
      more.close();
      // A log that begins later than the database ends is of another database.
      const next = await Database.open(realDisk, at);
      next.apply([put('d/z', 99)]);
      copyFileSync(join(at, 'objects.db-wal'), join(old, 'objects.db-wal'));
      next.close();
      expect(await all(old)).toContain(remedy(old));
    });
  });
});
