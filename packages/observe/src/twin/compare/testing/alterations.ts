/**
 * Faults for tests: a kubelet of ours with one altered rule, from outside, on the objects of the run. Nothing of this
 * is in the product.
 */

import type { Pod, PodStatus } from '@syncloop/core/api';
import { type Go, Second, sleep } from '@syncloop/core/kernel';
import type { Kubelet } from '@syncloop/core/kubelet';
import type { DecisionKind } from '../../base/types.js';

export interface Alteration {
  readonly name: string;
  /** A scenario of the library. */
  readonly scenario: string;
  readonly alter: (kubelet: Kubelet) => void;
  /** The place of the first difference: one of these kinds, and words of its sentence. */
  readonly at: readonly DecisionKind[];
  readonly says: RegExp;
}

// biome-ignore lint/suspicious/noExplicitAny: any method of any object is replaced here
type Method = (...args: any[]) => any;
/** Replaces a method of one object; the replacement gets the original. */
function patch(object: object, method: string, make: (original: Method) => Method): void {
  const of = object as { [name: string]: Method };
  const original = of[method] as Method;
  of[method] = make(original.bind(object));
}
const runtime = (k: Kubelet) => k.containerRuntime.runtimeService;
/** Changes the spec of a pod from the one that was asked for. */
function withSpec(change: (spec: { -readonly [K in keyof Pod['spec']]: Pod['spec'][K] }) => void): (pod: Pod) => Pod {
  return (pod) => {
    const copy = structuredClone(pod);
    change(copy.spec);
    return copy;
  };
}
/** Makes workers start and restart containers by another spec. */
function syncOther(k: Kubelet, change: (pod: Pod) => Pod): void {
  patch(
    k.containerRuntime,
    'syncPod',
    (sync) =>
      (ctx, pod, ...rest) =>
        sync(ctx, change(pod), ...rest),
  );
}
/** Statuses that somebody changes on their way, or throws away. */
function statuses(k: Kubelet, change: (status: PodStatus, pod: Pod) => PodStatus | null): void {
  patch(k.statusManager, 'setPodStatus', (set) => (pod, status) => {
    const other = change(structuredClone(status), pod);
    if (other) set(pod, other);
  });
}
/** The n-th time and from there on; from 1. */
function nth(n: number): () => boolean {
  let count = 0;
  return () => ++count === n;
}
type Terminated = { state?: { terminated?: { exitCode: number } }; lastState?: { terminated?: { exitCode: number } } };
const exitCodes = (status: PodStatus, change: (code: number) => number): PodStatus => {
  for (const c of (status.containerStatuses ?? []) as unknown as Terminated[])
    for (const of of [c.state?.terminated, c.lastState?.terminated]) if (of) of.exitCode = change(of.exitCode);
  return status;
};
function losePleg(k: Kubelet, lost: (type: string, name: string) => boolean): void {
  patch(k.pleg, 'sendEvent', (send) => (event, ...rest) => {
    if (!lost(event.type, event.transition?.name ?? '')) send(event, ...rest);
  });
}
function loseEvents(k: Kubelet, reason: string): void {
  patch(k.recorder, 'event', (record) => (pod, type, why, ...rest) => {
    if (why !== reason) record(pod, type, why, ...rest);
  });
}
function probes(k: Kubelet, change: (pod: Pod) => Pod): void {
  patch(k.probeManager, 'addPod', (add) => (pod) => add(change(pod)));
}
type Probed = { livenessProbe?: { failureThreshold?: number }; readinessProbe?: { failureThreshold?: number } };

export const alterations: readonly Alteration[] = [
  {
    name: 'a grace period of 30 s for every container',
    scenario: 'graceful-delete',
    alter: (k) =>
      patch(runtime(k), 'stopContainer', (stop) => (ctx, request) => stop(ctx, { ...request, timeout: '30' })),
    at: ['call'],
    says: /StopContainer.*timeout/,
  },
  {
    name: 'a grace period that is not shortened by the time of the hook',
    scenario: 'graceful-delete',
    alter: (k) =>
      patch(
        k.containerRuntime,
        'killPod',
        (kill) =>
          function* (ctx, pod, running, override): Go<void> {
            yield* kill(ctx, pod, running, override === null ? null : override + 2);
          },
      ),
    at: ['kill', 'call'],
    says: /gracePeriod|timeout/,
  },
  {
    name: 'a back-off that is skipped',
    scenario: 'crash-loop',
    alter: (k) => patch(k.crashLoopBackOff, 'isInBackOffSince', () => () => false),
    at: ['restart', 'sync', 'call'],
    says: /back|sync|CreateContainer|restarted/,
  },
  {
    name: 'a back-off that does not grow',
    scenario: 'crash-loop',
    alter: (k) =>
      patch(k.crashLoopBackOff, 'next', (next) => {
        const once = new Set<string>();
        return (id, at) => {
          if (!once.has(id)) next(id, at);
          once.add(id);
        };
      }),
    at: ['restart', 'sync'],
    says: /20|10/,
  },
  {
    name: 'a back-off that grows twice as fast',
    scenario: 'crash-loop',
    alter: (k) => {
      const again = new Set<string>();
      patch(k.crashLoopBackOff, 'next', (next) => (id, at) => {
        next(id, at);
        if (again.has(id)) next(id, at);
        again.add(id);
      });
    },
    at: ['restart', 'sync'],
    says: /40|20/,
  },
  {
    name: 'a PLEG event ContainerDied that is lost',
    scenario: 'container-killed',
    alter: (k) => {
      const first = nth(1);
      losePleg(k, (type, name) => type === 'ContainerDied' && name !== '' && first());
    },
    at: ['pleg'],
    says: /ContainerDied/,
  },
  {
    name: 'a PLEG event ContainerStarted that is lost',
    scenario: 'two-pods',
    alter: (k) => {
      const first = nth(1);
      losePleg(k, (type, name) => type === 'ContainerStarted' && name !== '' && first());
    },
    at: ['pleg'],
    says: /ContainerStarted/,
  },
  {
    name: 'a preStop hook that is left out',
    scenario: 'graceful-delete',
    alter: (k) => patch(k.containerRuntime.runner, 'run', () => function* (): Go<void> {}),
    at: ['call'],
    says: /ExecSync/,
  },
  {
    name: 'a postStart hook that is left out',
    scenario: 'post-start-fails',
    alter: (k) => patch(k.containerRuntime.runner, 'run', () => function* (): Go<void> {}),
    at: ['call', 'sync', 'pleg'],
    says: /ExecSync|sync/,
  },
  {
    name: 'StopContainer called twice',
    scenario: 'graceful-delete',
    alter: (k) =>
      patch(
        runtime(k),
        'stopContainer',
        (stop) =>
          function* (ctx, request): Go<object> {
            yield* stop(ctx, request);
            return yield* stop(ctx, request);
          },
      ),
    at: ['call'],
    says: /StopContainer/,
  },
  {
    name: 'RunPodSandbox called twice',
    scenario: 'hello',
    alter: (k) =>
      patch(
        runtime(k),
        'runPodSandbox',
        (make) =>
          function* (ctx, request): Go<object> {
            const made = yield* make(ctx, request);
            yield* make(ctx, {
              ...request,
              config: { ...request.config, metadata: { ...request.config.metadata, attempt: 1 } },
            });
            return made;
          },
      ),
    at: ['call'],
    says: /RunPodSandbox/,
  },
  {
    name: 'restartPolicy OnFailure taken as Never',
    scenario: 'run-to-completion',
    alter: (k) =>
      syncOther(
        k,
        withSpec((spec) => {
          (spec as { restartPolicy?: string }).restartPolicy = 'Never';
        }),
      ),
    at: ['sync', 'call'],
    says: /start 1|CreateContainer/,
  },
  {
    name: 'restartPolicy Always taken as Never',
    scenario: 'container-killed',
    alter: (k) =>
      syncOther(
        k,
        withSpec((spec) => {
          (spec as { restartPolicy?: string }).restartPolicy = 'Never';
        }),
      ),
    at: ['sync', 'call'],
    says: /sync|CreateContainer|StopPodSandbox/,
  },
  {
    name: 'an exit code of 1 shown as 0',
    scenario: 'crash-loop',
    alter: (k) => statuses(k, (status) => exitCodes(status, () => 0)),
    at: ['status'],
    says: /exitCode/,
  },
  {
    name: 'an exit code of 137 shown as 143',
    scenario: 'oom',
    alter: (k) => statuses(k, (status) => exitCodes(status, (code) => (code === 137 ? 143 : code))),
    at: ['status'],
    says: /exitCode/,
  },
  {
    name: 'a liveness probe with one failure more',
    scenario: 'liveness',
    alter: (k) =>
      probes(
        k,
        withSpec((spec) => {
          for (const c of spec.containers as unknown as Probed[])
            if (c.livenessProbe) c.livenessProbe.failureThreshold = (c.livenessProbe.failureThreshold ?? 3) + 1;
        }),
      ),
    at: ['sync', 'event'],
    says: /failures|Unhealthy/,
  },
  {
    name: 'a liveness probe with one failure less',
    scenario: 'liveness',
    alter: (k) =>
      probes(
        k,
        withSpec((spec) => {
          for (const c of spec.containers as unknown as Probed[])
            if (c.livenessProbe) c.livenessProbe.failureThreshold = (c.livenessProbe.failureThreshold ?? 3) - 1;
        }),
      ),
    at: ['sync'],
    says: /failures/,
  },
  {
    name: 'a readiness probe with one failure more',
    scenario: 'readiness',
    alter: (k) =>
      probes(
        k,
        withSpec((spec) => {
          for (const c of spec.containers as unknown as Probed[])
            if (c.readinessProbe) c.readinessProbe.failureThreshold = (c.readinessProbe.failureThreshold ?? 3) + 1;
        }),
      ),
    at: ['sync'],
    says: /failures/,
  },
  {
    name: 'a container that is ready and not shown so',
    scenario: 'readiness',
    alter: (k) =>
      statuses(k, (status) => {
        for (const c of (status.containerStatuses ?? []) as { ready: boolean }[]) c.ready = false;
        return status;
      }),
    at: ['status'],
    says: /ready|Ready/,
  },
  {
    name: 'an event Killing that is not recorded',
    scenario: 'graceful-delete',
    alter: (k) => loseEvents(k, 'Killing'),
    at: ['event'],
    says: /Killing/,
  },
  {
    name: 'an event Started that is not recorded',
    scenario: 'hello',
    alter: (k) => loseEvents(k, 'Started'),
    at: ['event'],
    says: /Started/,
  },
  {
    name: 'a status Running that is lost',
    scenario: 'hello',
    alter: (k) => statuses(k, (status) => (status.phase === 'Running' ? null : status)),
    at: ['status'],
    says: /Running/,
  },
  {
    name: 'a status whose condition ContainersReady is always True',
    scenario: 'crash-loop',
    alter: (k) =>
      statuses(k, (status) => {
        for (const c of (status.conditions ?? []) as { type: string; status: string }[])
          if (c.type === 'ContainersReady') c.status = 'True';
        return status;
      }),
    at: ['status'],
    says: /ContainersReady/,
  },
  {
    name: 'init containers in the wrong order',
    scenario: 'init-and-sidecar',
    alter: (k) =>
      syncOther(
        k,
        withSpec((spec) => {
          (spec.initContainers as unknown[] | undefined)?.reverse();
        }),
      ),
    at: ['call', 'sync', 'event'],
    says: /proxy|migrate|sync/,
  },
  {
    name: 'a sidecar that is stopped with the app',
    scenario: 'init-and-sidecar',
    alter: (k) =>
      patch(
        k.containerRuntime,
        'killPod',
        (kill) =>
          (ctx, pod, ...rest) =>
            kill(
              ctx,
              pod &&
                withSpec((spec) => {
                  for (const c of (spec.initContainers ?? []) as { restartPolicy?: string }[]) delete c.restartPolicy;
                })(pod),
              ...rest,
            ),
      ),
    at: ['call', 'kill', 'event'],
    says: /proxy|app/,
  },
  {
    name: 'the wrong image',
    scenario: 'hello',
    alter: (k) =>
      patch(
        runtime(k),
        'createContainer',
        (create) => (ctx, request) =>
          create(ctx, {
            ...request,
            config: {
              ...request.config,
              image: { ...request.config.image, userSpecifiedImage: 'localhost/busybox:old' },
            },
          }),
      ),
    at: ['call'],
    says: /image/,
  },
  {
    name: 'a command that lacks its last word',
    scenario: 'hello',
    alter: (k) =>
      patch(
        runtime(k),
        'createContainer',
        (create) => (ctx, request) =>
          create(ctx, { ...request, config: { ...request.config, command: ['sh', '-c', 'sleep 600'] } }),
      ),
    at: ['call'],
    says: /command/,
  },
  {
    name: 'a mount that is left out',
    scenario: 'hello',
    alter: (k) =>
      patch(
        runtime(k),
        'createContainer',
        (create) => (ctx, request) =>
          create(ctx, { ...request, config: { ...request.config, mounts: (request.config.mounts ?? []).slice(1) } }),
      ),
    at: ['call'],
    says: /mounts/,
  },
  {
    name: 'a sandbox that is not stopped',
    scenario: 'graceful-delete',
    alter: (k) =>
      patch(
        runtime(k),
        'stopPodSandbox',
        () =>
          function* (): Go<object> {
            return {};
          },
      ),
    at: ['call', 'sync', 'pleg'],
    says: /StopPodSandbox|sandbox/,
  },
  {
    name: 'a kill that comes 6 s late',
    scenario: 'liveness',
    alter: (k) =>
      patch(
        k.containerRuntime,
        'killPod',
        (kill) =>
          function* (...args): Go<void> {
            yield* sleep(6 * Second);
            yield* kill(...args);
          },
      ),
    at: ['kill', 'call', 'sync'],
    says: /later/,
  },
  {
    name: 'dead containers that stay',
    scenario: 'crash-loop',
    alter: (k) =>
      patch(
        runtime(k),
        'removeContainer',
        () =>
          function* (): Go<object> {
            return {};
          },
      ),
    at: ['call'],
    says: /RemoveContainer/,
  },
  {
    name: 'a deadline that is not kept',
    scenario: 'deadline',
    alter: (k) => {
      for (const handler of k.podSyncHandlers)
        patch(handler, 'shouldEvict', () => () => ({ evict: false, reason: '', message: '' }));
    },
    at: ['sync', 'kill', 'event'],
    says: /DeadlineExceeded|terminating|killed/,
  },
];
