/** The power fails, or the disk refuses, at every single call that changes something; then it is opened again. */
import { readFileSync } from 'node:fs';
import { Random } from '@syncloop/core/kernel';
import { describe, expect, it } from 'vitest';
import { Database, type TextChange, WriteFailed } from './database.js';
import { FragileDisk, PowerCut } from './testing/fragile-disk.js';

type State = ReadonlyMap<string, string>;

/** Batches of a life: objects come, grow beyond a page, change and go. Each is one answer to somebody. */
function batches(seed: number, count: number): TextChange[][] {
  const random = new Random(seed);
  let version = 0;
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(4) }, (): TextChange => {
      const key = `d/p${random.below(7)}`;
      const text = `${version} `.repeat(random.below(4) === 0 ? 1500 : 20);
      return ['pods', key, ++version, random.below(4) === 0 ? null : JSON.stringify(text)];
    }),
  );
}
function after(state: State, batch: readonly TextChange[]): State {
  const next = new Map(state);
  for (const [, key, version, object] of batch) {
    if (object === null) next.delete(key);
    else next.set(key, object);
    next.set('version', String(version));
  }
  return next;
}
const stateOf = (db: Database): State =>
  new Map([
    ...[...db.objects()].map(([, key, object]) => [key, Buffer.from(object).toString()] as const),
    ...(db.version > 0 ? [['version', String(db.version)] as const] : []),
  ]);
const sorted = (state: State) => [...state].sort(([a], [b]) => (a < b ? -1 : 1));

/** A small log, so that it is taken over into the database every few batches. */
const open = (disk: FragileDisk) => Database.open(disk, '/data', undefined, { logPages: 8 });

const work = batches(7, 10);
/** `states[n]`: after n batches. */
const states: State[] = [new Map()];
for (const batch of work) states.push(after(states.at(-1) as State, batch));

/** Lives until the end or the power cut; returns the number of acknowledged batches. Closes nothing. */
async function live(disk: FragileDisk): Promise<number> {
  let acknowledged = 0;
  try {
    let db = await open(disk);
    for (const [i, batch] of work.entries()) {
      // One restart in order, too.
      if (i === 6) {
        db.close();
        db = await open(disk);
      }
      db.apply(batch);
      acknowledged++;
    }
    db.close();
  } catch {
    // Off.
  }
  return acknowledged;
}

const ways: readonly (readonly [name: string, keep: (random: Random) => boolean])[] = [
  ['everything that was written is there', () => true],
  ['nothing is there but what was synced', () => false],
  ['some sectors are there, others are not', (random) => random.below(2) === 0],
  ['most sectors are there', (random) => random.below(8) !== 0],
];

/** SYNCLOOP_RUNS: every call with every way; else every third call with one, which take turns. */
const every = Number(process.env.SYNCLOOP_RUNS ?? 0) > 0;
const stride = every ? 1 : 3;
const waysAt = (at: number) => ways.filter((_, n) => every || n === at % ways.length);

describe('the database loses nothing that was acknowledged, and has nothing half', () => {
  it('when the power fails at any call, whatever the disk still writes then', async () => {
    const whole = new FragileDisk();
    expect(await live(whole)).toBe(work.length);
    expect(whole.calls).toBeGreaterThan(100);
    for (let at = 0; at < whole.calls; at += stride) {
      const disk = new FragileDisk((call) => {
        if (call === at) throw new PowerCut('now');
      });
      const acknowledged = await live(disk);
      for (const [way, keep] of waysAt(at)) {
        const random = new Random(at + 1);
        const found = await open(disk.afterPowerCut(() => keep(random)));
        const what = sorted(stateOf(found));
        // The batch under way is there as a whole, or not at all.
        const allowed = [states[acknowledged], states[acknowledged + 1]].flatMap((s) => (s ? [sorted(s)] : []));
        expect(allowed, `cut at call ${at} after ${acknowledged} batches; ${way}`).toContainEqual(what);
        // And it goes on.
        found.apply([['pods', 'd/new', 1000, '"new"']]);
        expect(stateOf(found).get('d/new')).toBe('"new"');
      }
    }
  });

  it('when the power fails again at any call while it is opened after the first', async () => {
    const base = new FragileDisk((call) => {
      if (call === 90) throw new PowerCut('now');
    });
    const acknowledged = await live(base);
    const calls = async (keep: () => boolean) => {
      const disk = base.afterPowerCut(keep);
      await open(disk);
      return disk.calls;
    };
    for (const [n, [way, keep]] of ways.entries()) {
      const most = await calls(() => keep(new Random(1)));
      for (let at = every ? 0 : n % 3; at < most; at += stride) {
        const random = new Random(1);
        const second = base.afterPowerCut(
          () => keep(random),
          (call) => {
            if (call === at) throw new PowerCut('again');
          },
        );
        await open(second).catch(() => {});
        const third = new Random(at);
        const what = sorted(stateOf(await open(second.afterPowerCut(() => keep(third)))));
        const allowed = [states[acknowledged], states[acknowledged + 1]].map((s) => sorted(s as State));
        expect(allowed, `${way}; again at ${at}`).toContainEqual(what);
      }
    }
  });

  it('when the power fails at any call while data of the first format are brought up to date', async () => {
    const kept = readFileSync(new URL('../../testdata/api-data/format-1.db', import.meta.url));
    const files = new Map([['/data/objects.db', kept]]);
    const opened = async (disk: FragileDisk) => sorted(stateOf(await open(disk)));
    const whole = FragileDisk.of(files);
    const contents = await opened(whole);
    expect(contents.map(([key]) => key)).toEqual(['d/a', 'd/c', 'version']);
    for (let at = 0; at < whole.calls; at += stride)
      for (const [way, keep] of waysAt(at)) {
        const random = new Random(at);
        const disk = FragileDisk.of(files, (call) => {
          if (call === at) throw new PowerCut('now');
        });
        await open(disk).catch(() => {});
        expect(await opened(disk.afterPowerCut(() => keep(random))), `cut at ${at}; ${way}`).toEqual(contents);
      }
  });

  it.each(['ENOSPC', 'EIO'])('when the disk says %s at any call, once or for a while', async (code) => {
    const whole = new FragileDisk();
    await live(whole);
    // Both are handled in the same way, so a sixth of the places is enough, another one for each.
    const stride = every ? 1 : 6;
    for (const length of [1, 5])
      for (let at = code === 'EIO' || every ? 0 : 1; at < whole.calls; at += stride * length) {
        const disk = new FragileDisk((call) => {
          if (call >= at && call < at + length) throw Object.assign(new Error(`${code}: no`), { code });
        });
        let db: Database | null = null;
        // It reports when it cannot be opened, and can be opened when the disk is well again.
        for (let tries = 0; !db; tries++) {
          expect(tries).toBeLessThan(10);
          db = await open(disk).catch((err: Error) => {
            expect(err.message).toBe(`cannot open /data/objects.db: ${code}: no`);
            return null;
          });
        }
        let state: State = new Map();
        let refused: State[] = [];
        let failed = 0;
        for (const batch of work) {
          try {
            db.apply(batch);
            state = after(state, batch);
            refused = [];
          } catch (err) {
            expect(err).toBeInstanceOf(WriteFailed);
            expect((err as WriteFailed).message).toBe(`${code}: no`);
            expect((err as WriteFailed).full).toBe(code === 'ENOSPC');
            failed++;
            refused.push(after(state, batch));
            expect(sorted(stateOf(db)), `${code} at ${at}`).toEqual(sorted(state));
          }
        }
        expect(sorted(stateOf(db)), `${code} at ${at}`).toEqual(sorted(state));
        expect(failed).toBeLessThanOrEqual(length);
        // Refused batches are not there after a power cut either, for later batches are. If none followed, one may be
        // there, as a whole: the disk had it, and did not take that it is acknowledged.
        if (failed > 0 && failed < work.length) {
          const found = await open(disk.afterPowerCut(() => false));
          expect([state, ...refused].map(sorted)).toContainEqual(sorted(stateOf(found)));
        }
      }
  });

  it('when the disk refuses any call of a batch, and the power fails at any call of the next', async () => {
    const [first, second, third] = work as [TextChange[], TextChange[], TextChange[]];
    const kept = after(new Map(), first);
    const states = [kept, after(kept, second), after(kept, third)].map(sorted);
    /**
     * Writes one batch, one that is refused at that call, and one at whose call the power fails. Returns the number of
     * calls.
     */
    const lived = async (refused: number, cut: number): Promise<[FragileDisk, number]> => {
      let [at, calls] = [Number.POSITIVE_INFINITY, 0];
      const disk = new FragileDisk((call) => {
        if (call === at) throw calls === 0 ? Object.assign(new Error('EIO: no'), { code: 'EIO' }) : new PowerCut('now');
      });
      const db = await open(disk);
      db.apply(first);
      const start = disk.calls;
      at = start + refused;
      try {
        db.apply(second);
        return [disk, 0];
      } catch {
        calls = disk.calls;
      }
      at = calls + cut;
      try {
        db.apply(third);
        return [disk, disk.calls - calls];
      } catch {
        return [disk, Number.POSITIVE_INFINITY];
      }
    };
    let cases = 0;
    for (let refused = 0; ; refused++) {
      const [, most] = await lived(refused, Number.POSITIVE_INFINITY);
      if (most === 0) break;
      for (let cut = 0; cut < most; cut++) {
        const [disk] = await lived(refused, cut);
        for (const [way, keep] of every ? ways : waysAt(1 + ((refused + cut) % 2))) {
          const random = new Random(cut + 1);
          const found = await open(disk.afterPowerCut(() => keep(random)));
          expect(states, `refused at ${refused}, cut at ${cut}; ${way}`).toContainEqual(sorted(stateOf(found)));
          cases++;
        }
      }
    }
    expect(cases).toBeGreaterThan(80);
  });
});
