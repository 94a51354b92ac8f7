import type { Source } from '@syncloop/observe';
import { pollRuntime, type RuntimePoll } from '../cri/runtime-poll.js';
import type { Emit, EvidenceSource } from './source.js';

/** Reports of the container runtime itself, which it queries independently of the kubelet with calls that only read. */
export class RuntimePollSource implements EvidenceSource {
  readonly source: Source;
  private poll: RuntimePoll | null = null;

  constructor(
    id: string,
    private readonly endpoint: string,
  ) {
    this.source = { id, kind: 'events', name: endpoint };
  }

  /** It tries again by itself; a refusal of the runtime is evidence. */
  start(emit: Emit): void {
    this.poll = pollRuntime({
      endpoint: this.endpoint,
      source: this.source.id,
      emit: (evidence) => void emit([...evidence]),
    });
  }

  async stop(): Promise<void> {
    this.poll?.close();
  }
}
