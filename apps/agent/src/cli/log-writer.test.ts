import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { logWriter } from './log-writer.js';

/** A stream whose reader takes nothing until `reads` is called. */
function unread() {
  const taken: string[] = [];
  let waiting: (() => void) | null = null;
  let open = false;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      taken.push(String(chunk));
      if (open) done();
      else waiting = done;
    },
  });
  const reads = () => {
    open = true;
    waiting?.();
    return new Promise((resolve) => setImmediate(resolve));
  };
  return { stream, taken, reads };
}

describe('the log', () => {
  it('that nobody reads is held up to a bound; what was left out is told when it is read again', async () => {
    const { stream, taken, reads } = unread();
    const write = logWriter(stream);
    const line = `${'x'.repeat(1023)}\n`;
    for (let i = 0; i < 20_000; i++) write(line);
    expect(stream.writableLength).toBeLessThan(5 * 1024 * 1024);
    await reads();
    write('the next one\n');
    const kept = taken.filter((text) => text === line).length;
    expect(taken.slice(-2)).toEqual([
      `syncloop: warning: ${20_000 - kept} lines are left out here, because nobody read the log\n`,
      'the next one\n',
    ]);
    expect(kept).toBeGreaterThan(4000);
  });
});
