/** The calls and the statuses of a recording of a real kubelet, for the workshop's judge. */

/** The names of pods and containers, without the node's suffix. */
const podName = (name) => name.replace(/-node1$/, '');
const MUTATING = new Set(['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer', 'StopPodSandbox']);

/** Returns the mutating calls of each pod, in order: [op, at, end], ms since the start. */
export function callsOf(cri) {
  const byId = new Map();
  const pods = {};
  const stopped = new Set();
  for (const { method, request, response, at, tookMs, error } of cri) {
    if (!MUTATING.has(method)) continue;
    const { config } = request;
    const attempt = config?.metadata?.attempt ?? 0;
    let target = byId.get(request.containerId ?? request.podSandboxId);
    if (method === 'RunPodSandbox') target = { pod: podName(config.metadata.name), short: `#${attempt}` };
    if (method === 'CreateContainer')
      target = { pod: podName(request.sandboxConfig.metadata.name), short: `${config.metadata.name}#${attempt}` };
    if (!target) continue;
    if (response?.podSandboxId && method === 'RunPodSandbox') byId.set(response.podSandboxId, target);
    if (response?.containerId && method === 'CreateContainer') byId.set(response.containerId, target);
    // The garbage collector stops a sandbox again before it removes it; when it comes is chance.
    const op = `${method} ${target.short}${method === 'StopContainer' ? ` timeout=${request.timeout ?? 0}` : ''}`;
    const key = `${target.pod} ${op}`;
    if (method === 'StopPodSandbox' && stopped.has(key)) continue;
    stopped.add(key);
    pods[target.pod] ??= [];
    pods[target.pod].push([error ? `${op} FAILED` : op, at, at + tookMs]);
  }
  return pods;
}

/** A status as the judge compares it: phase, three conditions, and each container. */
export function statusText(status) {
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

/** Returns the statuses that each pod had, in order: [text, from, until]. */
export function statusesOf(snapshots) {
  const pods = {};
  const end = (snapshots.at(-1)?.at ?? 0) + 700;
  const close = (name, at) => {
    const last = pods[name]?.at(-1);
    if (last && last[2] === end) last[2] = at;
  };
  for (const { at, pods: shown } of snapshots) {
    for (const { name, status } of shown) {
      const short = podName(name);
      // A pod that no status was computed for yet is shown as its source has it.
      if (!status.conditions) {
        close(short, at);
        continue;
      }
      pods[short] ??= [];
      const text = statusText(status);
      if (pods[short].at(-1)?.[0] === text && pods[short].at(-1)[2] === end) continue;
      close(short, at);
      pods[short].push([text, at, end]);
    }
    for (const name of Object.keys(pods)) if (!shown.some((p) => podName(p.name) === name)) close(name, at);
  }
  return pods;
}

/** A recording, reduced to what a stage needs. */
export const digestOf = ({ scenario, about = '', kubelet = '', steps, cri, status }) => ({
  name: scenario,
  about,
  kubelet,
  steps,
  calls: callsOf(cri),
  statuses: statusesOf(status),
});
