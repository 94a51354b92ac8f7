/**
 * Damage at any place of a store is harmless or refused, and never removes objects in silence. A sample each time;
 * SYNCLOOP_DAMAGE=all, or the name of one store, goes through every byte (336,000 cases, some minutes of CPU).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataFolder } from './folder.js';
import { damage, damages, folder, outcome, type Store, someDamages, stores } from './testing/damage.js';

const wanted = process.env.SYNCLOOP_DAMAGE;
const all = wanted !== undefined;
const [seed, sample] = [24, 90];

describe('a store with damage at one place', { timeout: all ? 7_200_000 : 120_000 }, () => {
  it('opens whole and goes on, or is refused with file and remedy and left as it is', async () => {
    const figures: string[] = [];
    for (const store of await stores(seed)) {
      if (all && wanted !== 'all' && wanted !== store.name) continue;
      const counts = { whole: 0, refused: 0, wrong: 0, unchanged: 0 };
      let n = 0;
      for (const one of all ? damages(store) : someDamages(store, seed, sample)) {
        const files = damage(store, one);
        if (!files) {
          counts.unchanged++;
          continue;
        }
        const found = await outcome(store, files, !all || n++ % 8 === 0);
        counts[found.is]++;
        if (found.is === 'wrong') expect.soft(found.why, `${store.name}: ${JSON.stringify(one)}`).toBe('');
      }
      figures.push(`${store.name}: ${JSON.stringify(counts)}`);
      // Both happen: the damage is real, and not everything is refused.
      expect(counts.whole).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
    }
    if (all) process.stdout.write(`${figures.join('\n')}\n`);
  });

  it('does not take a changed version, number of objects or sum for its own', async () => {
    const [store] = (await stores(seed)) as [Store];
    const file = `${folder}/objects.db`;
    // The row of the state is at the end of the last page.
    const end = store.files.get(file)?.length ?? 0;
    for (let at = end - 200; at < end; at++) {
      const files = damage(store, { file, kind: 'flip', at }) as Map<string, Uint8Array>;
      const found = await outcome(store, files, false);
      expect(found.is === 'wrong' ? found.why : '', `${at}`).toBe('');
    }
  });

  it('is opened when its lock is damaged, for that process is gone', async () => {
    const path = mkdtempSync(join(tmpdir(), 'syncloop-lock-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    const lock = join(path, 'lock');
    const release = (await DataFolder.open(path)).release;
    // Of a process that ended, and whose number another one has now.
    const text = Buffer.from(readFileSync(lock, 'utf8').replace(/ \d+ /, ' 1 '));
    await release();
    for (let at = 0; at < text.length; at++)
      for (const bytes of [text.subarray(0, at), Buffer.from(text.map((byte, i) => (i === at ? byte ^ 1 : byte)))]) {
        writeFileSync(lock, bytes);
        const opened = await DataFolder.open(path);
        await opened.release();
      }
  });
});
