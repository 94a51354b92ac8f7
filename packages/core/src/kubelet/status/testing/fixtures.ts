import type { Container, ContainerStatus, Pod, PodSpec } from '../../../api/types.js';
import { Kernel, type KernelOptions } from '../../../kernel/index.js';
import type { RecordKind, RecordOf, TraceRecord } from '../../../trace/index.js';
import type { RuntimePodStatus, SandboxStatus, State, Status } from '../../container/types.js';

/** Noon of the run's first day, in the form of a runtime's time. */
export const epochMillis = Date.UTC(2026, 0, 1);
export const nanos = (seconds: number): bigint =>
  BigInt(epochMillis) * 1_000_000n + BigInt(Math.round(seconds * 1000)) * 1_000_000n;

export interface TestKernel {
  readonly kernel: Kernel;
  readonly records: TraceRecord[];
  of<K extends RecordKind>(kind: K): RecordOf<K>[];
  logs(): string[];
}

export function testKernel(options: KernelOptions = {}): TestKernel {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r), ...options });
  const of = <K extends RecordKind>(kind: K): RecordOf<K>[] => records.filter((r) => r.kind === kind) as RecordOf<K>[];
  return { kernel, records, of, logs: () => of('log').map((r) => r.msg) };
}

/** A pod from the API unless `source` says file. */
export function makePod(
  spec: Partial<PodSpec> & { containers?: Container[] } = {},
  options: { source?: 'file' | 'api'; name?: string } & Partial<Pod['metadata']> = {},
): Pod {
  const { source = 'api', name = 'web', ...metadata } = options;
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      annotations: { 'kubernetes.io/config.source': source },
      ...metadata,
    },
    spec: { restartPolicy: 'Always', containers: [{ name: 'app', image: 'busybox' }], ...spec },
    status: { phase: 'Pending' },
  };
}

/** A container of the runtime, started at `at` seconds of the run. */
export function cs(name: string, state: State, more: Partial<Status> & { at?: number } = {}): Status {
  const { at = 1, ...rest } = more;
  return {
    id: { type: 'containerd', id: `${name}-${rest.restartCount ?? 0}` },
    name,
    state,
    createdAt: nanos(at),
    startedAt: state === 'created' ? 0n : nanos(at),
    finishedAt: state === 'exited' ? nanos(at + 1) : 0n,
    exitCode: 0,
    image: 'busybox',
    imageID: 'sha256:1',
    imageRef: 'sha256:1',
    hash: 1,
    restartCount: 0,
    reason: state === 'exited' ? (rest.exitCode ? 'Error' : 'Completed') : '',
    message: '',
    ...rest,
  };
}

export const readySandbox = (id = 'sandbox0', ip = '10.0.0.2'): SandboxStatus => ({
  id,
  metadata: { name: 'web', attempt: 0 },
  createdAt: '1',
  network: { ip },
});
export const deadSandbox = (id = 'sandbox0'): SandboxStatus => ({
  id,
  metadata: { name: 'web', attempt: 0 },
  createdAt: '1',
  state: 'SANDBOX_NOTREADY',
});

export function podStatusOf(
  pod: Pod,
  containers: Status[],
  options: { ips?: string[]; sandboxes?: SandboxStatus[]; active?: Status[] } = {},
): RuntimePodStatus {
  return {
    id: pod.metadata.uid,
    name: pod.metadata.name,
    namespace: pod.metadata.namespace,
    ips: options.ips ?? ['10.0.0.2'],
    containerStatuses: containers,
    activeContainerStatuses: options.active ?? containers,
    sandboxStatuses: options.sandboxes ?? [readySandbox()],
    timestamp: 1,
  };
}

/** A container's status as the API shows it. */
export function apiStatus(
  name: string,
  state: ContainerStatus['state'],
  more: Partial<ContainerStatus> = {},
): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: 'busybox', imageID: '', ...more };
}
export const running = (startedAt = '2026-01-01T00:00:01Z') => ({ running: { startedAt } });
export const waiting = (reason?: string) => ({ waiting: reason ? { reason } : {} });
export const terminated = (exitCode: number, reason = exitCode ? 'Error' : 'Completed') => ({
  terminated: { exitCode, reason },
});
