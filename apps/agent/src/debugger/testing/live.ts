/**
 * A debugger of a kernel with its two halves in one process: the one on the kubelet's thread, and the one that serves.
 */
import type { Command, CommandResult } from '@syncloop/core/debug/live';
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { initialState, type TraceRecord } from '@syncloop/core/trace';
import { onTestFinished } from 'vitest';
import { RecordFeed } from '../../recording/record-feed.js';
import { LiveBackend } from '../backend.js';
import { Brake } from '../brake.js';
import { liveInfo } from '../live-info.js';

export const testInfo = (control: boolean) => liveInfo({ id: 'live', title: 't', runtime: 'r', node: 'n', control }, 0);

/** Made for one test, and taken down after it. */
export function liveHalves({
  control = true,
  redact = (record: TraceRecord) => record,
  now,
}: {
  control?: boolean;
  redact?: (record: TraceRecord) => TraceRecord;
  now?: () => number;
} = {}) {
  const kernel = new Kernel({ clock: new RealClock() });
  const driver = new RealDriver(kernel);
  const feed = new RecordFeed({ redact });
  const told: string[] = [];
  const brake = new Brake(kernel, driver, {
    control,
    changed: () => {
      feed.flush();
      backend.runs(brake.runState());
      const written = brake.takeWritten();
      if (written.length > 0) backend.wrote(written);
    },
    emit: (record) => told.push(record.kind === 'log' ? record.msg : record.kind),
    ...(now && { now }),
  });
  const backend: LiveBackend = new LiveBackend(testInfo(control), 100_000, initialState(), (id, command) =>
    brake.execute(command, (result) => backend.answer(id, result)),
  );
  feed.onRecord((record) => brake.see(record));
  feed.onBatch((batch) => backend.take(JSON.parse(batch.json) as TraceRecord[]));
  kernel.addSink(feed.sink);
  onTestFinished(() => {
    backend.close();
    brake.close();
    feed.close();
    driver.stop();
  });
  const execute = (command: Command) => new Promise<CommandResult>((resolve) => backend.execute(command, resolve));
  return { kernel, driver, feed, brake, backend, execute, told };
}
