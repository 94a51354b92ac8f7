import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { ObservedVersion } from '../../version/index.js';
import { KubeletSeen } from './kubelet-seen.js';
import type { Overview, SourceOverview } from './types.js';
import { LinesLeft } from './unread-lines.js';

/** Messages of lines that are listed. */
const MOST_LINES = 500;
/** Evidence records whose source is remembered, for those that rest on them. */
const RECENT = 8192;

interface MutableSource {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  state: string;
  details: string;
  pieces: number;
  records: number;
  first: Micros | null;
  last: Micros | null;
}

/** Lines that only a log of at least this verbosity has. */
const VERBOSITY: readonly (readonly [number, RegExp])[] = [
  [
    4,
    /^(SyncLoop \(housekeeping\)|SyncPod enter|Finished syncing pod|computePodActions got for pod|SyncLoop RECONCILE)$/,
  ],
  [3, /^(Status for pod updated successfully|Container of pod is not in the desired state and shall be started)$/],
  [2, /^(SyncLoop (ADD|UPDATE|REMOVE|DELETE)|SyncLoop \(PLEG\): event for pod)$/],
];

/** Takes the records of an observed run, one after the other: what it was seen from, and what there was to see. */
export class OverviewFold {
  private readonly sources = new Map<string, MutableSource>();
  private readonly offsets = new Map<string, Overview['offsets'][number]>();
  private readonly left = new LinesLeft();
  /** The source of each of the newest records. */
  private readonly whose: (string | undefined)[] = new Array(RECENT);
  private starts = 0;
  private first: Micros | null = null;
  private last: Micros = 0;
  private disagreements = 0;
  private gaps = 0;
  private seen = 0;
  private concluded = 0;
  private verbosity: number | null = null;
  private readonly seenKubelet = new KubeletSeen();
  /** True if there is something to tell: a source of evidence was there. */
  get observed(): boolean {
    return this.sources.size > 0;
  }

  /** The version as far as it is known. */
  get kubelet(): ObservedVersion {
    return this.seenKubelet.version;
  }

  take(record: TraceRecord): void {
    const { evidence, basis, time, seq } = record;
    this.left.take(record);
    this.whose[seq % RECENT] = evidence?.source;
    if (evidence) {
      const source = this.sources.get(evidence.source);
      if (source) {
        source.pieces++;
        source.first ??= time;
        source.last = time;
      }
      this.first ??= time;
      this.last = Math.max(this.last, time);
    } else if (basis) {
      if (record.concluded) this.concluded++;
      else this.seen++;
      for (const id of new Set(basis.map((b) => (b > seq - RECENT ? this.whose[b % RECENT] : undefined)))) {
        const source = id === undefined ? undefined : this.sources.get(id);
        if (source) source.records++;
      }
    }
    this.seenKubelet.take(record);
    this.look(record);
  }

  private look(record: TraceRecord): void {
    switch (record.kind) {
      case 'evidence-source': {
        const { id, source: kind, name, state, details = '' } = record;
        const known = this.sources.get(id);
        if (known) {
          known.state = state;
          known.details = details || known.details;
        } else this.sources.set(id, { id, kind, name, state, details, pieces: 0, records: 0, first: null, last: null });
        return;
      }
      case 'process':
        if (record.process === 'kubelet' && record.state === 'started') this.starts++;
        return;
      case 'clock-offset':
        this.offsets.set(`${record.source} ${record.against}`, {
          source: record.source,
          against: record.against,
          offset: record.offset,
          uncertainty: record.uncertainty,
          samples: record.samples,
        });
        return;
      case 'disagreement':
        this.disagreements++;
        return;
      case 'evidence-gap':
        this.gaps++;
        return;
      case 'log':
        this.line(record.msg);
        return;
    }
  }

  private line(msg: string): void {
    if (this.verbosity === 4) return;
    for (const [v, lines] of VERBOSITY) {
      if (v <= (this.verbosity ?? -1)) break;
      if (lines.test(msg)) this.verbosity = v;
    }
  }

  /** Returns the overview. `known`: facts that the records do not have. */
  overview(
    known: Partial<
      Pick<
        Overview,
        | 'version'
        | 'node'
        | 'runtime'
        | 'pids'
        | 'zoneMinutes'
        | 'reading'
        | 'verbosity'
        | 'programs'
        | 'nodes'
        | 'elsewhere'
        | 'duplicates'
      >
    > & {
      readonly oldest: Seq;
    },
  ): Overview {
    const { unread, lines } = this.left.list(MOST_LINES);
    return {
      version: known.version || this.kubelet.version,
      kubelet: this.kubelet,
      node: known.node || this.seenKubelet.node,
      runtime: known.runtime || this.seenKubelet.runtime,
      pids: known.pids ?? [],
      zoneMinutes: known.zoneMinutes ?? null,
      starts: this.starts,
      first: this.first ?? 0,
      last: this.last,
      sources: [...this.sources.values()].map((s): SourceOverview => ({ ...s })),
      offsets: [...this.offsets.values()],
      disagreements: this.disagreements,
      gaps: this.gaps,
      seen: this.seen,
      concluded: this.concluded,
      lines: this.left.lines,
      programs: known.programs ?? [],
      nodes: known.nodes ?? [],
      elsewhere: known.elsewhere ?? 0,
      duplicates: known.duplicates ?? 0,
      unread,
      unreadLines: lines,
      verbosity: known.verbosity ?? this.verbosity,
      ...(known.reading && { reading: known.reading }),
      oldest: known.oldest,
    };
  }
}
