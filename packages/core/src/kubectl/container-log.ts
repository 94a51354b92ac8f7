/**
 * Chooses the log that `kubectl logs` shows of a container, and its lines.
 * upstream: pkg/kubelet kubelet_pods.go, pkg/kubelet/kuberuntime/logs
 */
import type { Pod } from '../api/types.js';

/**
 * The id of the container whose log is meant, or the API server's words about why there is none.
 * upstream: validateContainerLogStatus
 */
export function logTarget(
  { metadata: { name: pod }, status }: Pod,
  container: string,
  previous: boolean,
): { readonly id: string } | { readonly error: string } {
  const found = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses]
    .flatMap((list) => list ?? [])
    .find((c) => c.name === container);
  if (!found) return { error: `container "${container}" in pod "${pod}" is not available` };
  const { running, waiting, terminated } = found.state;
  const last = found.lastState?.terminated?.containerID ?? '';
  let id = '';
  if (previous) id = last;
  else if (running) id = found.containerID ?? '';
  // One that could not be started has no id of its own: what it wrote the time before.
  else if (terminated) id = terminated.containerID || last;
  else if (found.lastState?.terminated) id = last;
  else {
    const start = `container "${container}" in pod "${pod}" is waiting to start`;
    if (!waiting) return { error: `${start} - no logs yet` };
    if (waiting.reason === 'ErrImagePull') return { error: `${start}: image can't be pulled` };
    if (waiting.reason === 'ImagePullBackOff') return { error: `${start}: trying and failing to pull image` };
    return { error: `${start}: ${waiting.reason ?? ''}` };
  }
  if (id === '') return { error: `previous terminated container "${container}" in pod "${pod}" not found` };
  return { id: id.replace(/^\w+:\/\//, '') };
}

/**
 * The container that is meant when none is named, and what kubectl says about it. upstream: polymorphichelpers
 * logsForObject
 */
export function defaultContainer(pod: Pod): { readonly name: string; readonly others: boolean } {
  const { containers, initContainers = [] } = pod.spec;
  const wanted = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  const found = containers.find((c) => c.name === wanted) ?? containers[0];
  return { name: found?.name ?? '', others: wanted !== found?.name && containers.length + initContainers.length > 1 };
}

export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly text: string;
}

/** The lines of a log file in the CRI's format; entries marked as partial are put together. */
export function readLog(raw: readonly string[]): LogLine[] {
  const out: LogLine[] = [];
  const open = new Map<string, { time: string; text: string }>();
  for (const line of raw) {
    const m = /^(\S+) (stdout|stderr) ([^ ]+) ?(.*)$/s.exec(line);
    if (!m) continue;
    const [, time = '', stream = '', tags = '', text = ''] = m;
    const begun = open.get(stream);
    if (begun) begun.text += text;
    const entry = begun ?? { time, text };
    if (tags.split(':')[0] === 'P') open.set(stream, entry);
    else open.delete(stream);
    if (!begun) out.push(entry);
  }
  return out;
}
