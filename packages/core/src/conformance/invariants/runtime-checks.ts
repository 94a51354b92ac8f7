import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { Millisecond } from '../../kernel/index.js';
import { type Checker, seconds, short } from './checker.js';
import type { ContainerFact } from './facts.js';

/** From a process' start until the runtime says that it runs. */
const untilStopped = 10 * Millisecond;

/** A pod's sandbox is stopped before there is another. */
export const oneReadySandbox: Checker = function oneReadySandbox({ facts, report }) {
  return (r) => {
    if (r.kind !== 'actual-sandbox' || r.state !== 'ready') return;
    const others = [...facts.sandboxes.values()].filter((s) => s.uid === r.uid && s.id !== r.id && s.state === 'ready');
    for (const s of others)
      report(
        r.pod,
        `sandbox ${short(r.id)} (attempt ${r.attempt}) became ready while ${short(s.id)} (attempt ${s.attempt}) was`,
      );
  };
};

/**
 * Returns true if upstream's kubelet, too, would have started `b` in spite of `a`, another process of the same
 * container. It knows of processes by what the runtime says; so it misses one that began after it had looked, because a
 * start went on that it had given up (`late`). And from when such a one has a successor, it looks at the newer of the
 * two only.
 */
function excused(a: ContainerFact, b: ContainerFact, all: readonly ContainerFact[]): boolean {
  if (!a.late && !b.late) return false;
  const couldKnow = a.startedAt !== null && b.view !== null && a.startedAt + untilStopped <= b.view;
  return !couldKnow || all.some((x) => x.name === a.name && x.attempt > a.attempt && x.createdAt < b.createdAt);
}

/** No two processes of one container at the same time. */
export const oneRunningPerName: Checker = function oneRunningPerName({ facts, report }) {
  return (r) => {
    if (r.kind !== 'actual-container' || r.state !== 'running') return;
    const b = facts.containers.get(r.id);
    if (!b) return;
    const all = facts.of(r.uid);
    for (const a of all)
      if (a !== b && a.name === b.name && a.state === 'running' && !excused(a, b, all))
        report(
          facts.pod(r.uid)?.metadata.name ?? r.uid,
          `container ${b.name} attempt ${b.attempt} (${short(b.id)}) started while attempt ${a.attempt} (${short(a.id)}) had been running since ${seconds(a.startedAt ?? 0)}`,
        );
  };
};

/**
 * A container of a pod that is never restarted has one process, unless an edit changed it, the pod was removed
 * meanwhile, or it has a restart policy of its own (a sidecar, say).
 */
export const neverStartsTwice: Checker = function neverStartsTwice({ facts, report }) {
  return (r) => {
    if (r.kind !== 'actual-container' || r.state !== 'running') return;
    const b = facts.containers.get(r.id);
    const pod = facts.pod(r.uid);
    if (!b || !pod || pod.spec.restartPolicy !== 'Never' || facts.edited(r.uid)) return;
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    if (containers.some((c) => c.name === b.name && c.restartPolicy !== undefined)) return;
    // A rule of one container may restart them all.
    if (containers.some((c) => c.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'))) return;
    const all = facts.of(r.uid);
    for (const a of all)
      if (a !== b && a.name === b.name && a.life === b.life && a.startedAt !== null && !excused(a, b, all))
        report(
          pod.metadata.name,
          `container ${b.name} of a pod with restartPolicy Never started again (${short(b.id)}, attempt ${b.attempt}); it first did at ${seconds(a.startedAt)} (${short(a.id)}, attempt ${a.attempt}, exit code ${a.exitCode})`,
        );
  };
};

/**
 * A container starts when those before it in the init order are done in this sandbox: ended well, or, of a sidecar,
 * started. Not so if an app container of an earlier sandbox was left created, as when the kubelet died before it
 * started it: upstream takes it as a sign that the pod is initialized (computeInitContainerActions), and so do we.
 */
export const initContainersComeFirst: Checker = function initContainersComeFirst({ facts, report }) {
  return (r) => {
    if (r.kind !== 'actual-container' || r.state !== 'running') return;
    const c = facts.containers.get(r.id);
    const pod = facts.pod(r.uid);
    if (!c || !pod || facts.edited(r.uid)) return;
    const apps = pod.spec.containers.map((x) => x.name);
    const leftover = facts
      .of(r.uid)
      .some(
        (x) => x.sandbox !== c.sandbox && apps.includes(x.name) && (x.state === 'created' || x.state === 'running'),
      );
    if (leftover && apps.includes(c.name)) return;
    for (const init of pod.spec.initContainers ?? []) {
      if (init.name === c.name) return;
      const before = facts.of(r.uid).filter((x) => x.name === init.name && x.sandbox === c.sandbox);
      const sidecar = isRestartableInitContainer(init);
      const done = before.some((x) => (sidecar ? x.startedAt !== null : x.exitCode === 0));
      if (!done)
        report(
          pod.metadata.name,
          `container ${c.name} started before ${sidecar ? 'sidecar' : 'init container'} ${init.name} ${sidecar ? 'had started' : 'had succeeded'} in its sandbox`,
        );
    }
  };
};
