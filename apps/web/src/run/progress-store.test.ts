import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SHOWN_AFTER, useProgress, withProgress } from './progress-store.js';

const shown = () => useProgress.getState().work;

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  it('shows what takes its time, how far it is, and nothing of what is quick', async () => {
    let end = (_: string) => {};
    let report = (_: number) => {};
    const cancel = vi.fn();
    const work = withProgress(
      'progress.load',
      (r) => {
        report = r;
        return new Promise<string>((resolve) => {
          end = resolve;
        });
      },
      { cancel },
    );
    await vi.advanceTimersByTimeAsync(SHOWN_AFTER - 1);
    expect(shown()).toEqual([]);
    report(0.25);
    expect(shown()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(shown()).toMatchObject([{ title: 'progress.load', done: 0.25 }]);
    report(7);
    expect(shown()[0]?.done).toBe(1);
    shown()[0]?.cancel?.();
    expect(cancel).toHaveBeenCalledOnce();
    end('over');
    expect(await work).toBe('over');
    expect(shown()).toEqual([]);
    expect(await withProgress('progress.load', () => Promise.resolve(3))).toBe(3);
    await vi.advanceTimersByTimeAsync(SHOWN_AFTER);
    expect(shown()).toEqual([]);
  });
  it('is gone when the work fails', async () => {
    const work = withProgress(
      'progress.go',
      () => new Promise<void>((_, reject) => setTimeout(() => reject(new Error('no')), SHOWN_AFTER + 1)),
    );
    const failed = expect(work).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(SHOWN_AFTER);
    expect(shown()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    expect(shown()).toEqual([]);
  });
});
