import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, read, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bytesSource, openRecording, type RecordingInfo } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startRecorderThread } from './recorder-thread.js';
import { header, record } from './testing/records.js';

describe('a recording', () => {
  it('on a disk that does not come back holds up no end of the process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recorder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // A write to a full pipe that nobody reads hangs like one to a broken disk.
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const fd = openSync(pipe, constants.O_RDWR);
    const size = 256 * 1024;
    const hangs = `
      const { parentPort, workerData } = require('node:worker_threads');
      parentPort.once('message', () => require('node:fs').writeSync(workerData, Buffer.alloc(${size})));`;
    let worker: Worker | undefined;
    const told: string[] = [];
    const recorder = startRecorderThread(join(folder, 'r.syncloop'), {} as RecordingInfo, (text) => told.push(text), {
      startMillis: 1,
      closeMillis: 300,
      endMillis: 50,
      start: () => (worker = new Worker(hangs, { eval: true, workerData: fd })),
    });
    recorder.take({ json: '[]', count: 0 });
    // Its first byte shows that the write has begun.
    await new Promise((resolve) => read(fd, Buffer.alloc(1), 0, 1, null, resolve));
    const before = process.listenerCount('exit');
    await recorder.close();
    expect(told).toEqual([expect.stringMatching(/ends here: the disk does not answer$/)]);
    expect(process.listenerCount('exit')).toBe(before + 1);
    // It comes back after all: the process may end as any other.
    const gone = new Promise((resolve) => worker?.once('exit', resolve));
    for (let left = size - 1; left > 0; ) left -= readSync(fd, Buffer.alloc(Math.min(left, 65_536)));
    await gone;
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('is written whole, though the thread has only begun when the program ends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recorder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'r.syncloop');
    const told: string[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const recorder = startRecorderThread(file, header, (text) => told.push(text));
    recorder.take({ json: JSON.stringify([record(1)]), count: 1 });
    const closing = recorder.close();
    // Longer than the disk may take. The thread cannot have told us anything in the meantime.
    vi.advanceTimersByTime(5_000);
    await closing;
    expect(told).toEqual([]);
    expect([...openRecording(bytesSource(readFileSync(file)))]).toEqual([record(1)]);
  });
});
