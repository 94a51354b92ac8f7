import type { Kubelet } from '../../../kubelet/kubelet.js';
import type { PodWorkerState, UpdatePodOptions } from '../../../kubelet/podworkers/types.js';
import { parseScenario, type ScenarioRun } from '../../../scenario/index.js';
import { startOf } from '../../run/subject.js';
import type { Start } from '../types.js';

/** An edit and the end of a pod come one right after the other, between two turns of the housekeeping. */
const text = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: edited-and-removed
spec:
  seed: 1
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web, uid: uid-of-web }
        spec:
          terminationGracePeriodSeconds: 1
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"] }
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3100ms
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web, uid: uid-of-web, labels: { tier: front } }
        spec:
          terminationGracePeriodSeconds: 1
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"] }
    - wait: 1us
    - delete: web
    - waitFor: { pod: web, gone: true, timeout: 30s }
`;

export const editedAndRemoved = parseScenario(text, 'edited-and-removed.yaml');

interface Inside {
  table: {
    podSyncStatuses: Map<string, { pendingUpdate: UpdatePodOptions | null; workType(): PodWorkerState }>;
    notify(uid: string): boolean;
  };
  loop: { startPodSync(ctx: unknown, uid: string): { canStart: boolean; update: unknown } | null };
}

/**
 * Gives a worker a race: it does what it was woken for, as it stood then, instead of what is pending when it begins.
 * Nothing shows unless another update comes between.
 */
export function breakWorker(run: ScenarioRun): void {
  const { table, loop } = (run.kubelet as Kubelet).podWorkers as unknown as Inside;
  const woken = new Map<string, { workType: PodWorkerState; options: UpdatePodOptions }>();
  const notify = table.notify.bind(table);
  table.notify = (uid) => {
    const status = table.podSyncStatuses.get(uid);
    const sent = notify(uid);
    if (sent && status?.pendingUpdate && !woken.has(uid))
      woken.set(uid, { workType: status.workType(), options: status.pendingUpdate });
    return sent;
  };
  const startPodSync = loop.startPodSync.bind(loop);
  loop.startPodSync = (ctx, uid) => {
    const start = startPodSync(ctx, uid);
    const update = woken.get(uid);
    woken.delete(uid);
    return start?.canStart && update ? { ...start, update } : start;
  };
}

export const sound: Start = startOf(editedAndRemoved);
export const broken: Start = startOf(editedAndRemoved, { prepare: breakWorker });
