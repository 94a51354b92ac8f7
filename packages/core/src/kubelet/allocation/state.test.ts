import { describe, expect, it } from 'vitest';
import { type Go, Kernel, Millisecond, sleep } from '../../kernel/index.js';
import { MemOS } from '../testing/mem-os.js';
import { StateCheckpoint } from './state.js';

/** A disk that takes its time, and says how it was written. */
class SlowOS extends MemOS {
  readonly done: string[] = [];
  override *writeFile(path: string, data: string): Go<void> {
    this.done.push(`write ${path}`);
    yield* sleep(Millisecond);
    yield* super.writeFile(path, data);
  }
  override *rename(from: string, to: string): Go<void> {
    this.done.push(`rename ${from} ${to}`);
    yield* sleep(Millisecond);
    yield* super.rename(from, to);
  }
}

const cpu = (n: number) => ({ requests: { cpu: `${n}m` } });

describe('StateCheckpoint', () => {
  it('is whole on disk at any moment', () => {
    const k = new Kernel();
    const os = new SlowOS(k);
    const state = new StateCheckpoint(k, os, '/root', 'state');
    let before = '';
    for (const n of [1, 2, 3]) {
      k.go('worker', () => state.setContainerResources('u', 'app', cpu(n)));
      while (k.step() !== 'idle') {
        const text = os.files.get('/root/state') ?? '';
        if (text !== before && text !== '') expect(JSON.parse(text)).toHaveProperty('checksum');
        expect(text.length >= before.length).toBe(true);
        before = text;
        if (k.goroutines.size === 0) break;
      }
    }
    expect(os.done.slice(0, 2)).toEqual(['write /root/.state.tmp', 'rename /root/.state.tmp /root/state']);
    expect([...os.files.keys()]).toEqual(['/root/state']);
  });

  it('holds the last of what many said at once, and writes for several in one go', () => {
    const k = new Kernel();
    const os = new SlowOS(k);
    const state = new StateCheckpoint(k, os, '/root', 'state');
    const over: number[] = [];
    for (let n = 0; n < 20; n++)
      k.go(`worker${n}`, function* () {
        yield* state.setContainerResources(`u${n}`, 'app', cpu(n));
        // Whoever goes on is on disk.
        expect(os.files.get('/root/state')).toContain(`u${n}`);
        over.push(n);
      });
    k.run();
    expect(over).toHaveLength(20);
    expect(os.done.filter((what) => what.startsWith('rename')).length).toBeLessThanOrEqual(2);
    const again = new StateCheckpoint(k, os, '/root', 'state');
    k.go('restart', () => again.restore());
    k.run();
    expect(again.podUIDs()).toHaveLength(20);
    expect(again.getContainerResources('u19', 'app')).toEqual(cpu(19));
  });

  it('goes on after a write that failed, and writes again', () => {
    const k = new Kernel();
    const os = new SlowOS(k);
    const state = new StateCheckpoint(k, os, '/root', 'state');
    let full = true;
    const writeFile = os.writeFile.bind(os);
    os.writeFile = function* (path: string, data: string) {
      if (full) throw new Error('no space left on device');
      yield* writeFile(path, data);
    };
    const errors: unknown[] = [];
    const set = (n: number) =>
      k.go('worker', function* () {
        try {
          yield* state.setContainerResources('u', 'app', cpu(n));
        } catch (err) {
          errors.push(err);
        }
      });
    set(1);
    k.run();
    full = false;
    set(1);
    k.run();
    expect(errors).toMatchObject([{ message: 'no space left on device' }]);
    expect(os.files.get('/root/state')).toContain('1m');
  });
});
