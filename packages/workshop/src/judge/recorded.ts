import {
  type Conversation,
  type CriEntry,
  conversation,
  type Loose,
  type PodSnapshot,
  type Recording,
  type StatusSnapshot,
  type StatusStep,
  statusHistory,
} from '@syncloop/core/conformance/compare';
import type { TraceRecord } from '@syncloop/core/trace';

/** A recording of a real kubelet, as far as a stage compares it: scripts/recordings.mjs leaves out the rest. */
export type Recorded = Pick<Recording, 'scenario' | 'steps' | 'cri' | 'status'> & {
  readonly about: string;
  /** The kubelet's version: `Kubernetes v1.36.2`. */
  readonly kubelet: string;
};

/** A run of ours, in the same shape. */
export type Observed = Pick<Recorded, 'steps' | 'cri' | 'status'>;

/** The calls that change a pod's sandbox and containers. The others are not compared. */
const isCompared = (method: string): boolean => /^(Run|Create|Start|Stop|Remove)(PodSandbox|Container)$/.test(method);

/** The compared calls of each pod. */
export const callsOf = ({ steps, cri }: Observed): Conversation['pods'] =>
  conversation({ scenario: '', marks: [], status: [], klog: [], steps, cri: cri.filter((e) => isCompared(e.method)) })
    .pods;

/** The compared statuses of each pod. */
export const statusesOf = ({ status }: Observed): Map<string, StatusStep[]> => statusHistory(status, statusText);

/** Records a run of ours, record by record. */
export class Observer {
  private readonly cri: CriEntry[] = [];
  private readonly status: StatusSnapshot[] = [];
  /** Positions in `cri`, by the numbers of the calls' records. */
  private readonly open = new Map<number, number>();
  private pods: ReadonlyMap<string, PodSnapshot> = new Map();

  constructor(private readonly steps: Recorded['steps']) {}

  take = (record: TraceRecord): void => {
    const at = Math.round(record.time / 1000);
    if (record.kind === 'cri-call') {
      const method = record.method.charAt(0).toUpperCase() + record.method.slice(1);
      if (!isCompared(method)) return;
      this.open.set(record.seq, this.cri.length);
      this.cri.push({ seq: this.cri.length, at, tookMs: 0, method, request: record.request as Loose });
    } else if (record.kind === 'cri-return') {
      const index = this.open.get(record.call);
      const entry = index === undefined ? undefined : this.cri[index];
      if (index === undefined || !entry) return;
      this.open.delete(record.call);
      const { response, error } = record;
      this.cri[index] = {
        ...entry,
        tookMs: at - entry.at,
        ...(response !== undefined && { response: response as Loose }),
        ...(error && { error }),
      };
    } else if (record.kind === 'status') {
      const name = record.pod.replace(/^.*\//, '');
      this.look(at, new Map(this.pods).set(name, { name, uid: '', status: record.status as unknown as Loose }));
    } else if (record.kind === 'status-removed') {
      const pods = new Map(this.pods);
      pods.delete(record.pod.replace(/^.*\//, ''));
      this.look(at, pods);
    }
  };

  result(): Observed {
    return { steps: this.steps, cri: this.cri, status: this.status };
  }

  private look(at: number, pods: ReadonlyMap<string, PodSnapshot>): void {
    this.pods = pods;
    this.status.push({ at, pods: [...pods.values()] });
  }
}

interface StatusLike {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  readonly initContainerStatuses?: readonly ContainerLike[];
  readonly containerStatuses?: readonly ContainerLike[];
}
interface ContainerLike {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly exitCode?: number };
  };
}

/**
 * A status as a learner reads it: phase, three conditions, and each container. Undefined for a pod for which no status
 * was computed yet: it is shown as its source has it.
 */
function statusText(pod: PodSnapshot): string | undefined {
  const status = (pod.status ?? {}) as StatusLike;
  if (!status.conditions) return undefined;
  const conditions = ['Initialized', 'ContainersReady', 'Ready'].map((type) => {
    const c = status.conditions?.find((one) => one.type === type);
    return c ? `${type}=${c.status}${c.reason ? `(${c.reason})` : ''}` : `${type}=?`;
  });
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((c) => {
    const { running, waiting, terminated } = c.state ?? {};
    const state = running
      ? 'running'
      : terminated
        ? `terminated(${terminated.exitCode ?? 0})`
        : `waiting(${waiting?.reason ?? ''})`;
    return `${c.name}=${state}${c.ready ? ' ready' : ''} restarts=${c.restartCount ?? 0}`;
  });
  return [`phase=${status.phase}`, ...conditions, ...containers].join(', ');
}
