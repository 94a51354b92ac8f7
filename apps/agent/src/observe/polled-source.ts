import {
  type Evidence,
  MetricsEvidenceReader,
  metricsEvidence,
  PodsEvidenceReader,
  type Source,
} from '@syncloop/observe';
import { WakeableSleep } from '../base/wakeable-sleep.js';

import { BackOff } from './back-off.js';
import type { KubeletClient } from './kubelet-client.js';
import type { Emit, EvidenceSource, Say } from './source.js';

export interface PollOptions {
  readonly id: string;
  readonly client: KubeletClient;
  /** Milliseconds from one answer to the next question. */
  readonly everyMillis?: number;
  readonly backOff?: BackOff;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Makes evidence of an answer. `asked` is in microseconds since 1970. */
type Read = (answer: Buffer, asked: number) => Evidence[];

/**
 * Asks the kubelet the same question again and again. One question at a time; a failed one is asked again, after
 * growing waits.
 */
class PolledSource implements EvidenceSource {
  readonly source: Source;
  private readonly backOff: BackOff;
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly sleeper = new WakeableSleep();
  private said = '';

  constructor(
    private readonly options: PollOptions,
    kind: 'pods' | 'metrics',
    private readonly path: string,
    private readonly every: number,
    private readonly read: Read,
  ) {
    this.source = { id: options.id, kind, name: `${options.client.url}${path}` };
    this.backOff = options.backOff ?? new BackOff();
  }

  start(emit: Emit, say: Say): void {
    this.running = this.run(emit, say);
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.sleeper.wake();
    await this.running;
  }

  private async run(emit: Emit, say: Say): Promise<void> {
    const { client, now = Date.now } = this.options;
    const { signal } = this.ending;
    while (!signal.aborted) {
      const asked = Math.round(now() * 1000);
      let wait = this.options.everyMillis ?? this.every;
      try {
        const evidence = this.read(await client.ask(this.path, { signal }), asked);
        this.backOff.reset();
        if (this.said !== '') say(`${this.source.name} answers again.`, true);
        this.said = '';
        if (evidence.length > 0) await emit(evidence);
      } catch (err) {
        if (signal.aborted) return;
        const { message } = err as Error;
        const sentence = `${message}${/[.?]$/.test(message) ? '' : '.'} It is tried again.`;
        if (sentence !== this.said) say(sentence);
        this.said = sentence;
        wait = Math.max(wait, this.backOff.next());
      }
      await this.sleep(wait);
    }
  }

  private sleep(millis: number): Promise<void> {
    if (this.ending.signal.aborted) return Promise.resolve();
    return this.sleeper.sleep(millis);
  }
}

/** The kubelet's pods, each time they have changed. */
export function watchPods(options: PollOptions): EvidenceSource {
  let before = '';
  return new PolledSource(options, 'pods', '/pods', 1000, (answer, asked) => {
    const text = answer.toString('utf8');
    if (text === before) return [];
    const reader = new PodsEvidenceReader(options.id, { startedMillis: null });
    const evidence = [...reader.push(answer), ...reader.end()];
    const broken = evidence.find(({ kind }) => kind !== 'pods');
    if (broken || evidence.length === 0)
      throw new Error(
        `${options.client.url}/pods did not answer with a list of pods${broken?.kind === 'gap' ? `: ${broken.why.replace(/\.$/, '')}` : ''}`,
      );
    before = text;
    return evidence.map((one) => ({ ...one, at: asked, place: {} }));
  });
}

/** The kubelet's counters. */
export function scrapeMetrics(options: PollOptions): EvidenceSource {
  return new PolledSource(options, 'metrics', '/metrics', 15_000, (answer, asked) => {
    const reader = new MetricsEvidenceReader(options.id);
    const evidence = [...reader.push(answer), ...reader.end()];
    const metrics = evidence.flatMap((one) => (one.kind === 'metrics' ? [one] : []));
    if (metrics.length === 0) throw new Error(`${options.client.url}/metrics did not answer with a kubelet's counters`);
    return metrics.map(({ samples }) => metricsEvidence(options.id, {}, samples, asked));
  });
}
