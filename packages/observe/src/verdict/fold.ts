import { Incidents, isQuoted } from '@syncloop/core/debug/incidents';
import { OverviewFold } from '@syncloop/core/debug/live';
import type { TraceRecord } from '@syncloop/core/trace';
import type { VerdictInput } from './types.js';

type Known = Omit<Parameters<OverviewFold['overview']>[0], 'oldest'>;
/** The facts that an observation knows of a node, and the share of its lines that was read. */
interface Observed {
  readonly facts: Known;
  readonly share: Known;
}

/** Keeps of the records of one node what a verdict needs. Memory does not grow with their number. */
export class VerdictFold {
  private readonly incidents = new Incidents();
  private readonly overview = new OverviewFold();

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
    // Nothing of most lines is ever shown.
    const shown = redact && (record.kind !== 'log' || isQuoted(record)) ? redact(record) : record;
    this.incidents.take(shown);
    this.overview.take(shown);
    return shown;
  }

  /** Returns what the verdict is made of, at the end of `observation`. */
  input({ facts, share }: Observed, about: Pick<VerdictInput, 'epochMicros' | 'sources' | 'by'>): VerdictInput {
    const seen = this.overview.overview({ ...facts, ...share, oldest: 1 });
    this.incidents.know(seen);
    const { version, node, runtime, programs } = seen;
    const kubelet = { version, node, runtime };
    return { answer: this.incidents.list(), kubelet, programs, ...about };
  }
}
