/** Acknowledged data are there when a store is opened, or it says what is lost. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database, type TextChange } from './database.js';
import { realDisk } from './disk.js';
import { FragileDisk } from './testing/fragile-disk.js';

const temporary = () => mkdtempSync(join(tmpdir(), 'syncloop-acknowledged-'));
const folder = () => {
  const path = temporary();
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const put = (n: number): TextChange => ['configmaps', `d/c${n}`, n, JSON.stringify({ text: 'text '.repeat(400) })];

/** 300 objects, acknowledged in 30 batches, of a process that was killed; and the same after 100 of them. */
let killed = '';
let earlier = '';
beforeAll(async () => {
  [killed, earlier] = [temporary(), temporary()];
  const live = temporary();
  const db = await Database.open(realDisk, live);
  for (let batch = 0; batch < 30; batch++) {
    db.apply(Array.from({ length: 10 }, (_, i) => put(batch * 10 + i + 1)));
    if (batch === 9) cpSync(live, earlier, { recursive: true });
  }
  cpSync(live, killed, { recursive: true });
  db.close();
  return () => [live, killed, earlier].forEach((path) => void rmSync(path, { recursive: true, force: true }));
});

async function refusal(at: string): Promise<string> {
  const db = await Database.open(realDisk, at).catch((err: Error) => err.message);
  if (typeof db === 'string') return db;
  const count = [...db.objects()].length;
  db.close();
  return `opened with ${count} objects`;
}
/** Turns one byte of a file around. */
const flip = (path: string, at: number) => {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 0xff;
  writeFileSync(path, bytes);
};
const log = 'objects.db-wal';
const middleOf = (path: string) => Math.floor(readFileSync(path).length / 2);
const were = '300 objects up to resourceVersion 300 were acknowledged; ';

describe('300 objects that were acknowledged', () => {
  it('are there after a kill', async () => {
    const at = folder();
    cpSync(killed, at, { recursive: true });
    expect(await refusal(at)).toBe('opened with 300 objects');
  });

  it.each<readonly [what: string, harm: (at: string) => void, says: (at: string) => readonly (string | RegExp)[]]>([
    [
      'a byte changed in the middle of the log',
      (at) => flip(join(at, log), middleOf(join(at, log))),
      (at) => [
        `${at}/objects.db, with its log, ends before what ${at}/acknowledged says was acknowledged`,
        /what can be read is 1[3-6]0 objects up to resourceVersion (1[3-6]0): the changes 1[3-6]1 to 300 are lost/,
      ],
    ],
    [
      'half a log',
      (at) => truncateSync(join(at, log), middleOf(join(at, log))),
      () => [/the changes 1[3-6]1 to 300 are lost/],
    ],
    ['a log whose header is changed', (at) => flip(join(at, log), 16), () => ['none of them can be read']],
    ['no log', (at) => rmSync(join(at, log)), () => ['none of them can be read']],
    [
      'an empty database',
      (at) => truncateSync(join(at, 'objects.db'), 0),
      (at) => [`${at}/objects.db is empty, but acknowledged and its log exist`, 'none of them can be read'],
    ],
    [
      'an empty database and no log',
      (at) => {
        truncateSync(join(at, 'objects.db'), 0);
        rmSync(join(at, log));
      },
      (at) => [`${at}/objects.db is empty, but acknowledged exists`],
    ],
    ['no database', (at) => rmSync(join(at, 'objects.db')), (at) => [`${at}/objects.db is missing`]],
    [
      'the log of an earlier copy',
      (at) => cpSync(join(earlier, log), join(at, log)),
      () => ['what can be read is 100 objects up to resourceVersion 100: the changes 101 to 300 are lost'],
    ],
  ])('are refused with %s, and stay as they are', async (_, harm, says) => {
    const at = folder();
    cpSync(killed, at, { recursive: true });
    harm(at);
    for (const tries of [1, 2]) {
      // The second time has the same result: nothing was taken over, replayed or removed.
      const message = await refusal(at);
      expect(message, `${tries}`).toContain(were);
      for (const text of says(at)) expect(message).toMatch(text);
      expect(message).toContain(`syncloop restore-api --accept-loss --serve-api-data ${at}`);
    }
  });

  it.each<readonly [what: string, harm: (at: string) => void, says: string]>([
    ['missing', (at) => rmSync(join(at, 'acknowledged')), 'acknowledged is missing'],
    ['empty', (at) => truncateSync(join(at, 'acknowledged'), 0), 'acknowledged is not as it was written'],
    ['older', (at) => cpSync(join(earlier, 'acknowledged'), join(at, 'acknowledged')), 'acknowledged is older than'],
  ])('are refused where the file that says so is %s, and all of them can be read', async (_, harm, says) => {
    const at = folder();
    cpSync(killed, at, { recursive: true });
    harm(at);
    const message = await refusal(at);
    expect(message).toContain(says);
    expect(message).toMatch(/300 (objects up to resourceVersion 300 can be read|of them can be read)|300 objects/);
  });

  it.each<readonly [what: string, harm: (at: string) => void, says: string]>([
    [
      'the log and the file that says so are swapped',
      (at) => {
        const bytes = readFileSync(join(at, 'acknowledged'));
        cpSync(join(at, log), join(at, 'acknowledged'));
        writeFileSync(join(at, log), bytes);
      },
      'acknowledged is not as it was written',
    ],
    [
      'the file that says so is missing and the header of the log is changed',
      (at) => {
        rmSync(join(at, 'acknowledged'));
        flip(join(at, log), 16);
      },
      'objects.db-wal is not as it was written, and acknowledged does not say what was acknowledged',
    ],
    [
      'the log is missing and the file that says so cannot be read',
      (at) => {
        rmSync(join(at, log));
        flip(join(at, 'acknowledged'), 20);
        flip(join(at, 'acknowledged'), 4096 + 20);
      },
      'acknowledged is not as it was written',
    ],
  ])('are refused where the database has none of them yet and %s', async (_, harm, says) => {
    const at = folder();
    cpSync(killed, at, { recursive: true });
    harm(at);
    expect(await refusal(at)).toContain(says);
  });

  it.each(['objects.db', 'objects.db-wal', 'acknowledged'])(
    'are refused at once where %s is a named pipe',
    async (name) => {
      const at = folder();
      cpSync(killed, at, { recursive: true });
      rmSync(join(at, name));
      execFileSync('mkfifo', [join(at, name)]);
      expect(await refusal(at)).toBe(`cannot open ${at}/objects.db: ${join(at, name)}: it is a named pipe, not a file`);
    },
  );

  it('cost two syncs a batch, however many objects it has', async () => {
    const calls: string[] = [];
    const disk = new FragileDisk((_, what) => void calls.push(what));
    const db = await Database.open(disk, '/data');
    // The first batch begins the log.
    db.apply([put(1)]);
    for (const size of [1, 8, 32]) {
      calls.length = 0;
      db.apply(Array.from({ length: size }, (_, i) => put(size * 100 + i)));
      expect(calls.filter((what) => what === 'sync')).toHaveLength(2);
      expect(calls.at(-1)).toBe('sync');
    }
  });

  it('are not taken for those of another store, or of a copy that went another way', async () => {
    const [at, other] = [folder(), folder()];
    cpSync(killed, at, { recursive: true });
    const foreign = await Database.open(realDisk, other);
    foreign.apply([put(1)]);
    foreign.close();
    cpSync(join(other, 'acknowledged'), join(at, 'acknowledged'));
    expect(await refusal(at)).toContain('belong to two stores');

    const [one, two] = [folder(), folder()];
    for (const [path, n] of [
      [one, 301],
      [two, 302],
    ] as const) {
      cpSync(killed, path, { recursive: true });
      const db = await Database.open(realDisk, path);
      db.apply([put(n)]);
      db.close();
    }
    cpSync(join(one, 'acknowledged'), join(two, 'acknowledged'));
    expect(await refusal(two)).toContain('are copies of one store that went different ways');
  });

  it('are acknowledged once more by the next batch where the last one could not be', async () => {
    const at = folder();
    cpSync(killed, at, { recursive: true });
    // The same state as after a crash between the commit and its acknowledgement: the newer of the two blocks was never
    // written.
    const file = join(at, 'acknowledged');
    const sequences = [0, 4096].map((from) =>
      Number(/"sequence":(\d+)/.exec(readFileSync(file, 'latin1').slice(from))?.[1]),
    );
    flip(file, sequences[0] === Math.max(...sequences) ? 20 : 4096 + 20);
    for (const n of [301, 302]) {
      const db = await Database.open(realDisk, at);
      expect([...db.objects()]).toHaveLength(n - 1);
      db.apply([put(n)]);
    }
    expect(await refusal(at)).toBe('opened with 302 objects');
  });
});
