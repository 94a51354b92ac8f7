import { runGolden } from '../../../conformance/golden/golden.js';
import type { GoldenStep } from '../../../conformance/golden/steps.js';
import type { RecordOf, TraceRecord } from '../../../trace/index.js';
import type { EraVersion } from '../../era/index.js';

export const untilTerm = "trap 'exit 0' TERM; while true; do sleep 0.2; done";
export const deaf = "trap '' TERM; while true; do sleep 0.2; done";

/** A container with a shell command, as the recordings have them. */
export const container = (name: string, command: string, more: object = {}) => ({
  name,
  image: 'localhost/busybox:dev',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', command],
  ...more,
});

/** A pod of one container `app`, unless `spec` says otherwise; `more` goes on in the container. */
export const podOf = (name: string, command: string, spec: object = {}, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { terminationGracePeriodSeconds: 5, containers: [container('app', command, more)], ...spec },
});

interface Status {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}
interface ContainerStatus {
  readonly restartCount: number;
  readonly state: Readonly<
    Record<string, { readonly reason?: string; readonly message?: string; readonly exitCode?: number }>
  >;
}

/**
 * Does a recording's steps with the kubelet of a version, which has to be loaded before. Times are milliseconds, of
 * the log too; `call`: a call by what it is about, as `StopContainer app#0 timeout=5`.
 */
export function goldenIn(era: EraVersion, steps: readonly GoldenStep[]) {
  const records: TraceRecord[] = [];
  const recording = runGolden({ scenario: 'era', steps }, { era, sink: (r) => void records.push(r) });
  const names = new Map<string, string>();
  const calls = recording.cri.map((c) => {
    const request = c.request as {
      config?: { metadata?: { name?: string; uid?: string; attempt?: number } };
      containerId?: string;
      podSandboxId?: string;
      timeout?: string;
    };
    const attempt = request.config?.metadata?.attempt ?? 0;
    const response = c.response as { containerId?: string; podSandboxId?: string } | undefined;
    let name = names.get(request.containerId ?? request.podSandboxId ?? '') ?? '';
    if (c.method === 'RunPodSandbox') {
      name = `sandbox#${attempt}`;
      names.set(response?.podSandboxId ?? '', name);
    } else if (c.method === 'CreateContainer') {
      name = `${request.config?.metadata?.name}#${attempt}`;
      names.set(response?.containerId ?? '', name);
    }
    const timeout = request.timeout ? ` timeout=${request.timeout}` : '';
    return { ...c, call: `${c.method} ${name}${timeout}`, end: c.at + c.tookMs, uid: request.config?.metadata?.uid };
  });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const mutating = calls.filter((c) => /^(RunPod|Create|Start|Stop|Remove|Exec)/.test(c.method));
  return {
    records,
    of,
    marks: recording.marks,
    mark: (step: string) => recording.marks.find((m) => m.step === step)?.at ?? Number.NaN,
    all: calls,
    /** Calls that change something, less what is removed. */
    calls: mutating.filter((c) => !c.method.startsWith('Remove')),
    removals: mutating.filter((c) => c.method.startsWith('Remove')).map((c) => c.call),
    /** The pod as `/pods` showed it, each change. */
    statuses: recording.status.map((s) => ({ at: s.at, status: s.pods[0]?.status as Status | undefined })),
    lines: (pattern: RegExp) => of('log').flatMap((l) => (pattern.test(l.msg) ? [{ ...l, at: l.time / 1000 }] : [])),
    events: (reason: string) => of('kube-event').filter((e) => e.reason === reason && e.object.kind === 'Pod'),
    problems: recording.problems,
  };
}
