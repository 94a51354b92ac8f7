import type { TraceRecord } from '@syncloop/core/trace';
import { LogEvidenceReader, type Source } from '@syncloop/observe';
import { expect, it, vi } from 'vitest';
import { LiveObservation } from './live-observation.js';
import type { Emit, EvidenceSource, Say } from './source.js';

const line = (n: number) => `I1122 10:00:${String(n).padStart(2, '0')}.000000       7 a.go:1] "Line" n=${n}\n`;

/** A log whose lines come when the test asks. */
class TestLog implements EvidenceSource {
  readonly source: Source = { id: 'log', kind: 'log', name: 'kubelet.log' };
  private readonly reader = new LogEvidenceReader('log', { notAfter: Date.UTC(2026, 10, 23), survey: false });
  emit: Emit = async () => {};
  say: Say = () => {};
  start(emit: Emit, say: Say): void {
    this.emit = emit;
    this.say = say;
  }
  write(n: number): Promise<void> {
    return this.emit(this.reader.push(Buffer.from(line(n))));
  }
  async stop(): Promise<void> {}
}

function observed(ready?: () => Promise<void>) {
  const log = new TestLog();
  const said: string[] = [];
  const observation = new LiveObservation({
    sources: [log],
    say: (sentence) => said.push(sentence),
    ...(ready && { ready }),
  });
  const records: TraceRecord[] = [];
  const numbers = () => records.flatMap((r) => (r.kind === 'log' && r.evidence ? [r.kv.n] : []));
  return { log, observation, said, records, numbers };
}

it('begins with the first line, whose time is that of the run, and loses none that came before somebody listened', async () => {
  const { log, observation, records, numbers } = observed();
  const begun = observation.begin();
  void log.write(1);
  expect(new Date(await begun).toISOString()).toBe('2026-11-22T10:00:01.000Z');
  observation.open((record) => records.push(record));
  await log.write(2);
  await observation.close();
  expect(numbers()).toEqual([1, 2]);
  expect(records.map((r) => r.seq)).toEqual(records.map((_, i) => i + 1));
});

it('lets a source go on when those who take the records are ready', async () => {
  let free = () => {};
  const ready = vi.fn(() => new Promise<void>((resolve) => (free = resolve)));
  const { log, observation, records, numbers } = observed(ready);
  const begun = observation.begin();
  const first = log.write(1);
  await begun;
  // Until somebody takes records nothing more is asked of the log.
  expect(ready).not.toHaveBeenCalled();
  observation.open((record) => records.push(record));
  await expect.poll(() => ready.mock.calls.length).toBe(1);
  let went = false;
  void first.then(() => {
    went = true;
  });
  await Promise.resolve();
  expect(went).toBe(false);
  free();
  await first;
  await observation.close();
  expect(numbers()).toEqual([1]);
});

it('writes down that a source is lost, and that it is back', async () => {
  const { log, observation, said, records } = observed();
  const begun = observation.begin();
  void log.write(1);
  await begun;
  observation.open((record) => records.push(record));
  log.say('The log is gone.');
  log.say('The log is read again.', true);
  await observation.close();
  expect(said).toEqual(['The log is gone.', 'The log is read again.']);
  expect(records.flatMap((r) => (r.kind === 'evidence-source' ? [[r.state, r.details]] : []))).toEqual([
    ['opened', undefined],
    ['lost', 'The log is gone.'],
    ['opened', 'The log is read again.'],
  ]);
});
