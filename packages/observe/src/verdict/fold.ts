import { Incidents, isQuoted } from '@syncloop/core/debug/incidents';
import { KubeletSeen } from '@syncloop/core/debug/live';
import type { TraceRecord } from '@syncloop/core/trace';
import type { VerdictInput } from './types.js';

/** The facts that an observation knows of a node, and the share of its lines that was read. */
interface Observed {
  readonly facts: VerdictInput['kubelet'];
  readonly share: Omit<Parameters<Incidents['know']>[0], 'lines' | 'unread'>;
}

/** Keeps of the records of one node what a verdict needs. Memory does not grow with their number. */
export class VerdictFold {
  private readonly incidents = new Incidents();
  private readonly kubelet = new KubeletSeen();

  /** `redact` takes secrets out of records that may be shown. */
  constructor(private readonly redact?: (record: TraceRecord) => TraceRecord) {}

  /** The part of the time that counts, in microseconds of the run; null for all of it. */
  get window(): Incidents['window'] {
    return this.incidents.window;
  }
  set window(window: Incidents['window']) {
    this.incidents.window = window;
  }

  /** Takes the next record, and returns it as it may be shown. */
  take(record: TraceRecord): TraceRecord {
    const { redact } = this;
    // Nothing of most records is ever shown.
    const quoted = isQuoted(record);
    const shown = redact && quoted ? redact(record) : record;
    this.incidents.take(shown, quoted);
    this.kubelet.take(shown);
    return shown;
  }

  /** Returns what the verdict is made of, at the end of `observation`. */
  input({ facts, share }: Observed, about: Pick<VerdictInput, 'epochMicros' | 'sources' | 'by'>): VerdictInput {
    // Lines are counted by program: without any program there was no line.
    this.incidents.know({ ...share, lines: 0, unread: 0 });
    const { version, node, runtime } = this.kubelet;
    const kubelet = {
      version: facts.version || version.version,
      node: facts.node || node,
      runtime: facts.runtime || runtime,
    };
    return { answer: this.incidents.list(), kubelet, programs: share.programs, ...about };
  }
}
