import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileTail } from './file-tail.js';

/** A log of numbered lines and a tail of it, which looks when the test asks. */
function tailed(lines: number | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-tail-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'kubelet.log');
  const said: string[] = [];
  const gaps: string[] = [];
  let text = '';
  const tail = new FileTail({
    path,
    lines,
    take: async (bytes) => {
      text += Buffer.from(bytes).toString();
    },
    gap: (why) => gaps.push(why),
    say: (sentence) => said.push(sentence.replace(folder, '')),
  });
  onTestFinished(() => tail.close());
  let last = 0;
  return {
    path,
    tail,
    said,
    gaps,
    /** Returns this many more lines, each with its number. */
    more: (n: number) => Array.from({ length: n }, () => `line ${++last} ${'x'.repeat(last % 50)}\n`).join(''),
    /** The numbers of the lines read so far; throws for a broken line. */
    numbers: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => Number(/^line (\d+) x*$/.exec(line)?.[1] ?? Number.NaN)),
    upTo: () => Array.from({ length: last }, (_, i) => i + 1),
  };
}

describe('a log that is followed', () => {
  it('is read as it grows, also in the middle of a line', async () => {
    const { path, tail, more, numbers, upTo } = tailed();
    const text = more(100);
    writeFileSync(path, text.slice(0, 505));
    await tail.look();
    appendFileSync(path, text.slice(505));
    await tail.look();
    await tail.look();
    expect(numbers()).toEqual(upTo());
  });

  it('begins with its last lines', async () => {
    const { path, tail, more, numbers } = tailed(3);
    writeFileSync(path, more(100_000));
    await tail.look();
    expect(numbers()).toEqual([99_998, 99_999, 100_000]);
    const whole = tailed(1000);
    writeFileSync(whole.path, whole.more(10));
    await whole.tail.look();
    expect(whole.numbers()).toEqual(whole.upTo());
    const open = tailed(2);
    writeFileSync(open.path, open.more(5).trimEnd());
    await open.tail.look();
    appendFileSync(open.path, '\n');
    await open.tail.look();
    expect(open.numbers()).toEqual([4, 5]);
  });

  it('loses and doubles nothing where it is renamed and made anew, once or often between two looks', async () => {
    const { path, tail, more, numbers, upTo, said, gaps } = tailed();
    const rotate = () => {
      rmSync(`${path}.3`, { force: true });
      for (const n of [2, 1]) {
        try {
          renameSync(`${path}.${n}`, `${path}.${n + 1}`);
        } catch {}
      }
      renameSync(path, `${path}.1`);
    };
    writeFileSync(path, more(10));
    await tail.look();
    appendFileSync(path, more(10));
    rotate();
    // The kubelet writes on into the old file for a moment.
    appendFileSync(`${path}.1`, more(3));
    writeFileSync(path, '');
    await tail.look();
    appendFileSync(`${path}.1`, more(2));
    await tail.look();
    writeFileSync(path, more(10));
    await tail.look();
    appendFileSync(path, more(5));
    rotate();
    writeFileSync(path, more(7));
    rotate();
    writeFileSync(path, more(4));
    await tail.look();
    await tail.look();
    expect(numbers()).toEqual(upTo());
    expect([said, gaps]).toEqual([[], []]);
  });

  it('finds the rest of a renamed file that was compressed at once, and does not read it twice', async () => {
    const { path, tail, more, numbers, upTo, gaps } = tailed();
    const first = more(40);
    writeFileSync(path, first);
    await tail.look();
    const rest = more(20);
    appendFileSync(path, rest);
    rmSync(path);
    writeFileSync(`${path}-20261122.gz`, gzipSync(first + rest));
    writeFileSync(path, more(5));
    await tail.look();
    expect(numbers()).toEqual(upTo());
    expect(gaps).toEqual([]);
  });

  it('finds what was written before it was copied and emptied, in the copy, compressed or not', async () => {
    for (const compressed of [false, true]) {
      const { path, tail, more, numbers, upTo, gaps } = tailed();
      const first = more(30);
      writeFileSync(path, first);
      await tail.look();
      const rest = more(20);
      appendFileSync(path, rest);
      if (compressed) writeFileSync(`${path}.1.gz`, gzipSync(first + rest));
      else copyFileSync(path, `${path}.1`);
      truncateSync(path);
      // It may have grown beyond the place reached by the next look.
      appendFileSync(path, more(compressed ? 2 : 300));
      await tail.look();
      expect(numbers()).toEqual(upTo());
      expect(gaps).toEqual([]);
    }
  });

  it('says that lines may be missing where it was emptied and no copy was kept', async () => {
    const { path, tail, more, numbers, gaps } = tailed();
    writeFileSync(path, more(30));
    await tail.look();
    writeFileSync(path, more(2));
    await tail.look();
    expect(numbers()).toHaveLength(32);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toMatch(/was emptied, and its folder has no copy of it/);
  });

  it('is waited for where it does not exist, and says once that it is gone and that it is back', async () => {
    const { path, tail, more, numbers, upTo, said } = tailed(1);
    await tail.look();
    await tail.look();
    expect(said).toEqual(['/kubelet.log does not exist; it is followed as soon as it does.']);
    writeFileSync(path, more(5));
    await tail.look();
    expect(said.slice(1)).toEqual(['/kubelet.log is read again.']);
    appendFileSync(path, more(5));
    rmSync(path);
    await tail.look();
    await tail.look();
    writeFileSync(path, more(5));
    await tail.look();
    expect(numbers()).toEqual(upTo());
    expect(said.slice(2)).toEqual([
      '/kubelet.log is gone; it is followed again when it comes back.',
      '/kubelet.log is read again.',
    ]);
  });

  it('says what stands there instead of a file, and reads the file that comes for it', async () => {
    const { path, tail, more, numbers, upTo, said } = tailed();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path);
    await tail.look();
    expect(said).toEqual(['/kubelet.log cannot be read (it is not a regular file); it is tried again.']);
    rmSync(path, { recursive: true });
    writeFileSync(path, more(3));
    await tail.look();
    expect(numbers()).toEqual(upTo());
  });
});
