import type { Json, Micros, TraceRecord } from '@syncloop/core/trace';

/** A mutating call of a pod as text, and its time from begin to end in ms: `CreateContainer app#1`. */
export type RecordedCall = readonly [op: string, at: number, end: number];
/** A status of a pod as text, and the time that it lasted, in ms. */
export type RecordedStatus = readonly [text: string, from: number, until: number];

/**
 * The calls and statuses of a real kubelet, as far as they are compared; made from its recording. Times in ms since
 * the start.
 */
export interface Recorded {
  readonly name: string;
  readonly about: string;
  /** The kubelet's version. */
  readonly kubelet: string;
  readonly steps: readonly (readonly [verb: string, ...args: Json[]])[];
  readonly calls: { readonly [pod: string]: readonly RecordedCall[] };
  readonly statuses: { readonly [pod: string]: readonly RecordedStatus[] };
}

/** The same of one of our runs, from its records. */
export type Observed = Pick<Recorded, 'calls' | 'statuses'>;

type Loose = { readonly [key: string]: unknown };
const podName = (name: string): string => name.replace(/^.*\//, '').replace(/-node1$/, '');
const mutating = new Set(['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer', 'StopPodSandbox']);
const millis = (time: Micros): number => Math.round(time / 1000);

interface Target {
  readonly pod: string;
  readonly short: string;
}

/** Collects what a run does, record by record. */
export class Observer {
  private readonly targets = new Map<string, Target>();
  private readonly calls: { [pod: string]: [string, number, number][] } = {};
  private readonly statuses: { [pod: string]: [string, number, number][] } = {};
  private readonly open = new Map<number, { readonly target: Target; readonly entry: [string, number, number] }>();
  private readonly stopped = new Set<string>();
  private last = 0;

  take = (record: TraceRecord): void => {
    this.last = millis(record.time);
    if (record.kind === 'cri-call') this.call(record.seq, record.method, record.request as Loose);
    else if (record.kind === 'cri-return') this.answer(record.call, record.response, record.error !== undefined);
    else if (record.kind === 'status') this.status(podName(record.pod), record.status as Loose);
    else if (record.kind === 'status-removed') this.close(podName(record.pod));
  };

  result(): Observed {
    for (const pod of Object.keys(this.statuses)) this.close(pod, this.last + 700);
    return { calls: this.calls, statuses: this.statuses };
  }

  private call(seq: number, rpc: string, request: Loose): void {
    const method = rpc.charAt(0).toUpperCase() + rpc.slice(1);
    if (!mutating.has(method)) return;
    const config = request.config as { metadata?: { name?: string; attempt?: number } } | undefined;
    const sandbox = request.sandboxConfig as { metadata?: { name?: string } } | undefined;
    const attempt = config?.metadata?.attempt ?? 0;
    let target = this.targets.get(String(request.containerId ?? request.podSandboxId ?? ''));
    if (method === 'RunPodSandbox') target = { pod: podName(config?.metadata?.name ?? ''), short: `#${attempt}` };
    if (method === 'CreateContainer')
      target = { pod: podName(sandbox?.metadata?.name ?? ''), short: `${config?.metadata?.name}#${attempt}` };
    if (!target) return;
    const timeout = method === 'StopContainer' ? ` timeout=${Number(request.timeout ?? 0)}` : '';
    const op = `${method} ${target.short}${timeout}`;
    const key = `${target.pod} ${op}`;
    // The garbage collector stops a sandbox again before it removes it; when it comes is chance.
    if (method === 'StopPodSandbox' && this.stopped.has(key)) return;
    this.stopped.add(key);
    const entry: [string, number, number] = [op, this.last, this.last];
    this.calls[target.pod] ??= [];
    this.calls[target.pod]?.push(entry);
    this.open.set(seq, { target, entry });
  }

  private answer(call: number, response: Json | undefined, failed: boolean): void {
    const found = this.open.get(call);
    if (!found) return;
    this.open.delete(call);
    found.entry[2] = this.last;
    if (failed) found.entry[0] += ' FAILED';
    const { podSandboxId, containerId } = (response ?? {}) as { podSandboxId?: string; containerId?: string };
    const id = containerId ?? podSandboxId;
    if (id !== undefined) this.targets.set(id, found.target);
  }

  private status(pod: string, status: Loose): void {
    const text = statusText(status);
    this.statuses[pod] ??= [];
    const list = this.statuses[pod];
    if (list.at(-1)?.[0] === text && list.at(-1)?.[2] === -1) return;
    this.close(pod);
    list.push([text, this.last, -1]);
  }

  private close(pod: string, at = this.last): void {
    const last = this.statuses[pod]?.at(-1);
    if (last && last[2] === -1) last[2] = at;
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

/** A status as it is compared: phase, three conditions, and each container. The same text as scripts/recordings.mjs. */
export function statusText(given: object): string {
  const status = given as StatusLike;
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
