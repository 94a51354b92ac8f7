/** Compares the kubelet's own counters with its observed operations. */
import { operationType } from '@syncloop/core/cri';
import type { RecordOf } from '@syncloop/core/trace';
import type { Evidence, MetricsEvidence, SpanEvidence } from './evidence/index.js';
import { callMethod, isKubelet } from './join/spans-and-calls.js';
import { Tally } from './metrics/tally.js';
import type { Extractor, RecordWriter } from './record-writer.js';

/**
 * Calls that only the counted clients of the kubelet make. The others are made past the counter as well: by the log
 * manager, the stats provider, the resource managers, and when the kubelet connects.
 * upstream: pkg/kubelet/kubelet.go (whom it hands runtimeService), pkg/kubelet/kuberuntime/instrumented_services.go
 */
const COUNTED: ReadonlySet<string> = new Set(
  [
    'RunPodSandbox',
    'StopPodSandbox',
    'RemovePodSandbox',
    'PodSandboxStatus',
    'CreateContainer',
    'StartContainer',
    'StopContainer',
    'RemoveContainer',
    'ExecSync',
    'ImageStatus',
    'PullImage',
    'RemoveImage',
  ].map(operationType),
);
/** Kubelets before 1.26 make no spans for these. */
const OF_IMAGES: ReadonlySet<string> = new Set(
  ['ImageStatus', 'PullImage', 'RemoveImage', 'ListImages', 'ImageFsInfo'].map(operationType),
);

/** Tolerance around the time of the answer, microseconds: clocks differ, and the answer took a while. */
const SLACK = 250_000;
/** The longest time between the last relist that an answer includes and the answer. */
const AFTER_RELIST = 2_500_000;
/** A kubelet that lives makes a call within this. */
const NEXT_CALL = 1_500_000;
/** The kubelet's first call comes so soon after its start. */
const STARTUP = 30_000_000;

type Row = RecordOf<'metrics-check'>['rows'][number];
/** The time from which counters are compared, and their values then. */
interface Base {
  readonly at: number;
  readonly slack: number;
  readonly values: ReadonlyMap<string, number>;
}

export class MetricsExtractor implements Extractor {
  /** The ends of operations, by operation and by `SyncPod create` and so on. */
  private readonly tallies = new Map<string, Tally>();
  private first: { readonly at: number; readonly method: string } | null = null;
  private latest = 0;
  private sawImages = false;
  private sawSync = false;
  /** Something was missing after this time. */
  private lostAt = 0;
  private readonly seenBy = new Set<string>();
  /** The last answer of a source, and the start of the process that gave it. */
  private readonly before = new Map<string, { readonly start: number; readonly base: Base }>();

  hear(evidence: Evidence, seq: number, writer: RecordWriter): void {
    const { at } = evidence;
    if (evidence.kind === 'return') {
      if (at !== null)
        this.called(evidence.method, evidence.took === null ? at : at - evidence.took, at, evidence.source);
    } else if (evidence.kind === 'span') {
      const method = at === null ? '' : callMethod(evidence);
      if (method !== '' && !writer.calls.hasCall(evidence))
        this.called(method, at as number, evidence.end, evidence.source);
      if (evidence.name === 'syncPod' && isKubelet(evidence)) this.synced(evidence);
    } else if (evidence.kind === 'gap') this.lostAt = Math.max(this.lostAt, at ?? this.latest);
    else if (evidence.kind === 'metrics' && at !== null) {
      const slack = evidence.timed ? SLACK : AFTER_RELIST;
      // By then, evidence from after the answer has arrived, and so has all from before it.
      writer.later(at + slack + NEXT_CALL, () => this.check(evidence, at, at + slack, seq, writer));
    }
  }

  private called(method: string, began: number, ended: number, source: string): void {
    this.first ??= { at: began, method };
    this.latest = Math.max(this.latest, ended);
    const operation = operationType(method);
    if (OF_IMAGES.has(operation)) this.sawImages = true;
    this.seenBy.add(source);
    this.tally(operation).add(ended);
  }

  private synced({ attributes, end }: SpanEvidence): void {
    const type = attributes['k8s.pod.update_type'];
    if (typeof type !== 'string') return;
    this.sawSync = true;
    this.tally(`SyncPod ${type}`).add(end);
  }

  private tally(name: string): Tally {
    let tally = this.tallies.get(name);
    if (!tally) {
      tally = new Tally();
      this.tallies.set(name, tally);
    }
    return tally;
  }

  private check(evidence: MetricsEvidence, at: number, until: number, seq: number, writer: RecordWriter): void {
    const { samples, source } = evidence;
    if (!this.first) return;
    const start = Math.round((samples.get('process_start_time_seconds') ?? 0) * 1e6);
    const base = this.base(source, start);
    const slack = evidence.timed ? SLACK : AFTER_RELIST;
    this.before.set(source, { start, base: { at, slack, values: samples } });
    if (!base) return;
    const from = evidence.timed ? at - SLACK : at;
    const whole = this.lostAt <= base.at && this.latest >= until;
    const rows = [...counters(samples)].flatMap(([name, counter]): Row[] => {
      if ((OF_IMAGES.has(counter.of) && !this.sawImages) || (counter.sync && !this.sawSync)) return [];
      const counted = counter.value - (counters(base.values).get(name)?.value ?? 0);
      const tally = this.tallies.get(counter.of) ?? new Tally();
      const earliest = tally.until(base.at - base.slack);
      const latest = tally.until(base.at + base.slack);
      if (earliest === null || latest === null || counted < 0) return [];
      const least = Math.max(0, (tally.until(from) ?? 0) - latest);
      const most = (tally.until(until) ?? 0) - earliest;
      const tooFew = counted - counter.unseen > most && whole;
      const tooMany = counted < least && counter.exact;
      // Operations so close to the answer that either count is right count as the kubelet counts them.
      return [{ name, told: counted, seen: Math.min(Math.max(counted, least), most), agrees: !tooFew && !tooMany }];
    });
    if (rows.length === 0) return;
    writer.write({ kind: 'metrics-check', rows, whole }, { basis: [seq] });
    for (const row of rows)
      if (!row.agrees) {
        const others = [...this.seenBy].map((id) => ({ source: id, value: row.seen }));
        writer.write(
          { kind: 'disagreement', about: row.name, sides: [{ source, value: row.told }, ...others] },
          { basis: [seq] },
        );
      }
  }

  /**
   * The base from which counters can be compared: the start of the process if everything since was observed, else the
   * answer before.
   */
  private base(source: string, start: number): Base | undefined {
    const first = this.first as NonNullable<typeof this.first>;
    const seenFromStart =
      start > 0 && (first.at <= start || (first.method === 'Version' && first.at - start < STARTUP));
    if (seenFromStart && (this.tallies.get('version')?.until(start) ?? null) !== null)
      return { at: start, slack: 0, values: new Map() };
    const before = this.before.get(source);
    return before?.start === start ? before.base : undefined;
  }
}

interface Counter {
  /** The name of the tally that it is compared with. */
  readonly of: string;
  readonly value: number;
  /** Nothing else is counted in the tally. */
  readonly exact: boolean;
  readonly sync: boolean;
  /** The number of counted operations that may have made no call that can be observed. */
  readonly unseen: number;
}
const STARTED = 'kubelet_started_containers_total';
const NOT_STARTED = 'kubelet_started_containers_errors_total';

/** The counters of an answer that can be compared with a tally. */
function counters(samples: ReadonlyMap<string, number>): ReadonlyMap<string, Counter> {
  const found = new Map<string, Counter>();
  let starts = 0;
  let failed = 0;
  for (const [name, value] of samples) {
    const operation = /^kubelet_runtime_operations_total\{operation_type="(\w+)"\}$/.exec(name)?.[1];
    // Updates that end a pod are counted, too, and are not calls of SyncPod.
    const type = /^kubelet_pod_worker_duration_seconds_count\{operation_type="(create|sync)"\}$/.exec(name)?.[1];
    if (operation !== undefined)
      found.set(name, { of: operation, value, exact: COUNTED.has(operation), sync: false, unseen: 0 });
    else if (type !== undefined) found.set(name, { of: `SyncPod ${type}`, value, exact: true, sync: true, unseen: 0 });
    else if (name.startsWith(`${STARTED}{`)) starts += value;
    else if (name.startsWith(`${NOT_STARTED}{`)) failed += value;
  }
  // A start is counted when it begins: if it failed, StartContainer may not have been called.
  if (starts > 0)
    found.set(STARTED, { of: 'start_container', value: starts, exact: true, sync: false, unseen: failed });
  return found;
}
