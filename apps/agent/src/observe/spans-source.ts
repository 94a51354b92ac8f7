import type { Source } from '@syncloop/observe';
import { spanEvidence } from '@syncloop/observe/spans';
import { hostPort } from '../net/listen.js';
import { BackOff } from './back-off.js';
import type { Emit, EvidenceSource, Say } from './source.js';
import { type Address, type ReceiverLimits, SpansReceiver } from './spans-receiver.js';

export interface SpansOptions {
  readonly id: string;
  readonly grpc?: Address;
  readonly http?: Address;
  readonly token?: string;
  /** Also gets each request as it came, for another collector. It must not throw, and nobody waits for it. */
  readonly forward?: (request: Uint8Array) => void;
  readonly limits?: Partial<ReceiverLimits>;
  readonly backOff?: BackOff;
}

/** Spans that the kubelet of this node sends here. */
export class SpansSource implements EvidenceSource {
  readonly source: Source;
  private readonly backOff: BackOff;
  private receiver: SpansReceiver | null = null;
  private again: NodeJS.Timeout | null = null;
  private starting: Promise<void> = Promise.resolve();
  private stopped = false;
  private said = false;

  /** Throws a UsageError where anybody could send spans. */
  constructor(private readonly options: SpansOptions) {
    const at = [options.grpc, options.http].flatMap((a) => (a ? [hostPort(a.host, a.port)] : []));
    this.source = { id: options.id, kind: 'spans', name: `spans at ${at.join(' and ')}` };
    this.backOff = options.backOff ?? new BackOff();
    this.make(async () => {});
  }

  /** The ports that it listens on; 0 where it does not, or not yet. */
  get ports(): { readonly grpc: number; readonly http: number } {
    return this.receiver?.ports ?? { grpc: 0, http: 0 };
  }

  start(emit: Emit, say: Say): void {
    const receiver = this.make(emit);
    this.starting = receiver
      .start()
      .then(() => {
        this.receiver = receiver;
        this.backOff.reset();
        if (this.said) say(`The ${this.source.name} are received again.`, true);
        this.said = false;
      })
      .catch((err: Error) => {
        if (this.stopped) return;
        if (!this.said) say(`The ${this.source.name} are not received: ${err.message}. It is tried again.`);
        this.said = true;
        this.again = setTimeout(() => this.start(emit, say), this.backOff.next());
      });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.again) clearTimeout(this.again);
    await this.starting;
    await this.receiver?.close();
    this.receiver = null;
  }

  private make(emit: Emit): SpansReceiver {
    const { id, forward, ...options } = this.options;
    return new SpansReceiver({
      ...options,
      take: async (spans, request) => {
        forward?.(request);
        await emit(spanEvidence(id, {}, spans));
      },
    });
  }
}
