import { describe, expect, it, vi } from 'vitest';
import { bugLine, fatalCode, fatalErrorHandler, fatalLine } from './fatal-error.js';

/** Ends a process, and records the outcome. */
function dying(closers: readonly (() => void | Promise<void>)[]) {
  const written: string[] = [];
  const codes: number[] = [];
  const say = fatalErrorHandler({
    closers,
    write: (text) => written.push(text),
    format: (err) => `why: ${(err as Error).message}`,
    code: fatalCode,
    exit: (code) => codes.push(code),
  });
  return { say, written, codes };
}

describe('fatalErrorHandler', () => {
  it('says why once, closes all, the last one first, and exits', async () => {
    const closed: string[] = [];
    const t = dying([
      () => void closed.push('recording'),
      () => {
        closed.push('broken');
        throw new Error('closing fails');
      },
      async () => {
        closed.push('late');
        await Promise.reject(new Error('closing fails later'));
      },
    ]);
    t.say(new Error('boom'));
    // Nothing waits for anything: closers that take no time are done before anybody else has a turn.
    expect(closed).toEqual(['late', 'broken', 'recording']);
    t.say(new Error('a consequence'));
    await expect.poll(() => t.codes.length).toBeGreaterThan(0);
    expect([t.written, t.codes, closed.length]).toEqual([['why: boom'], [255], 3]);
  });

  it('leaves what does not close within two seconds', async () => {
    vi.useFakeTimers();
    try {
      const t = dying([() => new Promise(() => {})]);
      t.say(new Error('boom'));
      await vi.advanceTimersByTimeAsync(1999);
      expect(t.codes).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(t.codes).toEqual([255]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('exits though nobody reads what it says', async () => {
    const codes: number[] = [];
    const write = () => {
      throw new Error('EPIPE');
    };
    fatalErrorHandler({ closers: [], write, format: String, code: 1, exit: (code) => codes.push(code) })(
      new Error('x'),
    );
    await expect.poll(() => codes.length).toBeGreaterThan(0);
    expect(codes).toEqual([1]);
  });
});

describe('what it says', () => {
  it("is klog's fatal line, with the stack, and without secrets", () => {
    const err = new Error('Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789');
    const line = fatalLine(err, Date.UTC(2026, 10, 21, 4, 0, 0));
    expect(line).toMatch(
      /^F1121 04:00:00\.000000 +\d+ fatal-error\.ts:1\] "The kubelet ends because of an unexpected error; .*" err=/,
    );
    expect(line).toContain('\n\t    at ');
    expect(line).not.toContain('abcdefghij');
    expect(fatalLine('a text', 0)).toContain('err="a text"');
    expect(fatalLine(undefined, 0)).toContain('err="undefined"');
  });

  it('is the stack of a bug elsewhere, and nothing where nobody reads any more', () => {
    expect(bugLine(new Error('boom'))).toMatch(/^syncloop: Error: boom\n +at /);
    expect(bugLine(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe('');
  });
});
