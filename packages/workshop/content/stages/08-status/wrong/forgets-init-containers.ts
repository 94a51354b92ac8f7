// Init containers count in nothing.
// fails: examples init-runs
export function generateAPIPodStatus(pod: PodSpec, now: Now): Status {
  const phase = phaseOf(pod, now);
  return { phase, conditions: [initialized(pod, now, phase), ready('ContainersReady', pod, now, phase), ready('Ready', pod, now, phase)] };
}

function phaseOf(pod: PodSpec, now: Now): Status['phase'] {
  const n = count(pod, now);
  if (n.failedInit > 0) return 'Failed';
  if (n.pendingInit > 0) return 'Pending';
  if (n.pendingSidecars > 0 && !now.podHasInitialized) return 'Pending';
  if (n.waiting > 0) return 'Pending';
  if (n.running > 0 && n.unknown === 0) return 'Running';
  if (n.running === 0 && n.stopped > 0 && n.unknown === 0) {
    if (!now.podIsTerminal && n.stopped > n.stoppedForGood) return 'Running';
    return n.stopped === n.succeeded ? 'Succeeded' : 'Failed';
  }
  return 'Pending';
}

function count(pod: PodSpec, now: Now) {
  const n = { failedInit: 0, pendingInit: 0, pendingSidecars: 0, waiting: 0, running: 0, unknown: 0, stopped: 0, stoppedForGood: 0, succeeded: 0 };
  for (const c of pod.initContainers.filter((one) => one.sidecar)) {
    const s = shownStatusOf(now, c);
    if (c.sidecar) {
      if (!s) n.unknown++;
      else if (s.state === 'running') {
        n.running++;
        if (!s.started) n.pendingSidecars++;
      } else if (s.exitCode === null) {
        n.pendingSidecars++;
        n.waiting++;
      }
    } else if (!s || s.state === 'running' || s.exitCode === null) n.pendingInit++;
    else if (s.exitCode !== 0 && !willStartAgain(c, s.exitCode)) n.failedInit++;
  }
  for (const c of pod.containers) {
    const s = shownStatusOf(now, c);
    if (!s) n.unknown++;
    else if (s.state === 'running') n.running++;
    else if (s.exitCode === null) n.waiting++;
    else {
      n.stopped++;
      if (!willStartAgain(c, s.exitCode)) n.stoppedForGood++;
      if (s.state === 'terminated' && s.exitCode === 0) n.succeeded++;
    }
  }
  return n;
}

function initialized(pod: PodSpec, now: Now, phase: Status['phase']): Condition {
  const type = 'Initialized';
  const statuses = pod.initContainers.map((c) => ({ c, s: shownStatusOf(now, c) }));
  if (phase === 'Succeeded' && statuses.every(({ s }) => s)) return { type, status: 'True', reason: 'PodCompleted' };
  const started = pod.containers.some((c) => ['running', 'terminated'].includes(shownStatusOf(now, c)?.state ?? ''));
  const done = statuses.every(({ c, s }) => !c.sidecar || s?.started);
  if (started || done || now.wasInitialized) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotInitialized' };
}

function ready(type: 'ContainersReady' | 'Ready', pod: PodSpec, now: Now, phase: Status['phase']): Condition {
  const statuses = [...pod.initContainers.filter((c) => c.sidecar), ...pod.containers].map((c) => shownStatusOf(now, c));
  if (phase === 'Succeeded' && statuses.every((s) => s)) return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  if (statuses.every((s) => s?.ready)) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotReady' };
}

function willStartAgain({ restartPolicy }: SpecContainer, exitCode: number): boolean {
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

function shownStatusOf(now: Now, { name }: SpecContainer): ShownStatus | undefined {
  return now.statuses.find((s) => s.name === name);
}
