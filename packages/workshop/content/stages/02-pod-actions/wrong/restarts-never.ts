// Containers that have ended start again, whatever the policy.
// fails: examples never
interface Plan {
  killPod: boolean;
  createSandbox: boolean;
  initContainersToStart: string[];
  containersToStart: string[];
  containersToKill: { name: string; reason: 'Changed' | 'LivenessProbe' | 'StartupProbe' | 'Unknown' }[];
}

export function computePodActions(pod: Pod, status: PodStatus): PodActions {
  const plan: Plan = {
    killPod: status.sandboxChanged,
    createSandbox: status.sandboxChanged,
    initContainersToStart: [],
    containersToStart: [],
    containersToKill: [],
  };
  if (status.sandboxChanged) {
    beginAnew(pod, status, plan);
    return plan;
  }
  const initialized = planInitContainers(pod, status, plan);
  if (plan.killPod || !initialized) return plan;
  let kept = 0;
  for (const c of pod.containers) if (planContainer(pod, c, statusOf(status, c), plan)) kept++;
  if (kept === 0 && plan.containersToStart.length === 0) {
    plan.killPod = true;
    plan.initContainersToStart = [];
  }
  return plan;
}

function beginAnew(pod: Pod, status: PodStatus, plan: Plan): void {
  if (pod.restartPolicy === 'Never' && status.attempt !== 0 && status.containers.length > 0) {
    plan.createSandbox = false;
    return;
  }
  const done = (c: Container) => {
    const s = statusOf(status, c);
    return c.restartPolicy === 'OnFailure' && s?.state === 'exited' && s.exitCode === 0;
  };
  const toStart = pod.containers.filter((c) => !done(c)).map((c) => c.name);
  if (toStart.length === 0) plan.createSandbox = false;
  else if (pod.initContainers.length > 0) plan.initContainersToStart = [pod.initContainers[0]!.name];
  else plan.containersToStart = toStart;
}

/** Returns true if the pod is initialized. */
function planInitContainers(pod: Pod, status: PodStatus, plan: Plan): boolean {
  const inits = pod.initContainers;
  if (inits.length === 0) return true;
  let initialized = pod.containers.some((c) => ['created', 'running'].includes(statusOf(status, c)?.state ?? ''));
  let seen = initialized;
  const giveUp = () => {
    plan.killPod = true;
    plan.initContainersToStart = [];
    return false;
  };
  for (let i = inits.length - 1; i >= 0; i--) {
    const c = inits[i]!;
    const s = statusOf(status, c);
    if (!s) {
      if (seen && c.sidecar) plan.initContainersToStart.push(c.name);
      continue;
    }
    if (seen && !c.sidecar) continue;
    const done = () => {
      if (i === inits.length - 1) initialized = true;
      else if (!c.sidecar || !seen) plan.initContainersToStart.push(inits[i + 1]!.name);
    };
    const restart = (reason: Plan['containersToKill'][number]['reason']) => {
      plan.containersToKill.push({ name: c.name, reason });
      plan.initContainersToStart.push(c.name);
    };
    if (s.state === 'created') plan.initContainersToStart.push(c.name);
    else if (s.state === 'running') {
      if (c.sidecar) planSidecar(c, s, done, restart);
    } else if (s.state === 'exited') {
      if (c.sidecar) plan.initContainersToStart.push(c.name);
      else if (s.exitCode === 0) done();
      else if (pod.deleted || !startsAgain(c, s.exitCode)) return giveUp();
      else plan.initContainersToStart.push(c.name);
    } else {
      if (!c.sidecar && c.restartPolicy === 'Never') return giveUp();
      restart('Unknown');
    }
    seen = true;
  }
  if (!seen) plan.initContainersToStart.push(inits[0]!.name);
  plan.initContainersToStart.reverse();
  return initialized;
}

function planSidecar(
  c: Container,
  s: ContainerStatus,
  done: () => void,
  restart: (reason: Plan['containersToKill'][number]['reason']) => void,
): void {
  if (c.startupProbe && s.startup === 'Failure') restart('StartupProbe');
  else if (!c.startupProbe || s.startup === 'Success') {
    done();
    if (s.changed) restart('Changed');
    else if (c.livenessProbe && s.liveness === 'Failure') restart('LivenessProbe');
  }
}

/** Returns true if the container is kept. */
function planContainer(pod: Pod, c: Container, s: ContainerStatus | undefined, plan: Plan): boolean {
  if (s?.state !== 'running') {
    if (pod.deleted || (s?.state === 'exited' && !startsAgain(c, s.exitCode))) return false;
    plan.containersToStart.push(c.name);
    if (s?.state === 'unknown') plan.containersToKill.push({ name: c.name, reason: 'Unknown' });
    return false;
  }
  const reason = s.changed ? 'Changed' : s.liveness === 'Failure' ? 'LivenessProbe' : s.startup === 'Failure' ? 'StartupProbe' : null;
  if (reason === null) return true;
  plan.containersToKill.push({ name: c.name, reason });
  if (reason === 'Changed' || c.restartPolicy !== 'Never') plan.containersToStart.push(c.name);
  return false;
}

function startsAgain({ restartPolicy }: Container, exitCode: number): boolean {
  return exitCode !== 0 || restartPolicy === 'Always';
}

function statusOf(status: PodStatus, { name }: Container): ContainerStatus | undefined {
  return status.containers.find((s) => s.name === name);
}
