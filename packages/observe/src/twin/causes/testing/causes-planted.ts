/** One planted cause of each kind. */
import { items, type JsonObject, objectOf, objectsOf } from '../../base/json.js';
import { mapSteps, withNode, withSpec } from '../document.js';
import { withManifest, withPodSpec } from '../manifests.js';
import type { Planted } from './planted.js';

const image = 'localhost/busybox:dev';
const container = (more: JsonObject = {}): JsonObject => ({
  name: 'app',
  image,
  imagePullPolicy: 'IfNotPresent',
  command: ['sleep', '600'],
  ...more,
});
const pod = (spec: JsonObject = {}, more: JsonObject = {}, meta: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...meta },
  spec: { terminationGracePeriodSeconds: 3, containers: [container(more)], ...spec },
});
const toAPI = (manifest: JsonObject): JsonObject => ({ apply: { to: 'api', manifest } });
const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } };
const api = { apiServer: true };
const withoutGrace = mapSteps((step, verb) => {
  if (verb !== 'delete') return step;
  const { gracePeriodSeconds: _, ...rest } = objectOf(step.delete);
  return { delete: rest };
});
/** The twin's scenario without steps of a verb. */
const without = (...verbs: string[]) => mapSteps((step, verb) => (verbs.includes(verb) ? null : step));
/** Lets containers run on that ended. */
const runningOn = withSpec((spec) => ({
  ...spec,
  lives: objectsOf(spec.lives).map(({ runs: _, exits: _e, signal: _s, oom: _o, ...rest }) => rest as JsonObject),
}));
const probe = (more: JsonObject = {}): JsonObject => ({
  livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 2, ...more },
});
const noProbes = withSpec((spec) => ({ ...spec, lives: objectsOf(spec.lives).map(({ probes: _, ...rest }) => rest) }));
const noCalls = (method: string) =>
  withSpec((spec) => ({ ...spec, calls: objectsOf(spec.calls).filter((c) => c.method !== method) }));

export const planted: readonly Planted[] = [
  {
    cause: 'deletion-forced',
    name: 'forced',
    node: api,
    steps: [
      toAPI(pod()),
      running,
      { wait: '2s' },
      { delete: { pod: 'web', to: 'api', gracePeriodSeconds: 0 } },
      { wait: '5s' },
    ],
    forget: withoutGrace,
  },
  {
    cause: 'deletion-grace',
    name: 'grace',
    node: api,
    steps: [
      toAPI(pod({ terminationGracePeriodSeconds: 10 })),
      running,
      { wait: '2s' },
      { delete: { pod: 'web', to: 'api', gracePeriodSeconds: 2 } },
      { wait: '5s' },
    ],
    forget: withoutGrace,
  },
  {
    cause: 'spec-grace',
    name: 'spec-grace',
    steps: [{ apply: pod() }, running, { wait: '2s' }, { delete: 'web' }, { wait: '5s' }],
    forget: withPodSpec('web', (spec) => ({ ...spec, terminationGracePeriodSeconds: 30 })),
  },
  {
    cause: 'pod-deleted',
    name: 'deleted',
    steps: [{ apply: pod() }, running, { wait: '2s' }, { delete: 'web' }, { wait: '5s' }],
    forget: without('delete'),
  },
  {
    cause: 'pod-uid',
    name: 'uid',
    steps: [{ apply: pod() }, running, { wait: '8s' }],
    forget: withManifest('web', (one) => ({ ...one, metadata: { ...objectOf(one.metadata), uid: 'Not/A UID' } })),
  },
  {
    cause: 'restart-policy',
    name: 'policy',
    steps: [{ apply: pod({ restartPolicy: 'Never' }, { command: ['sh', '-c', 'sleep 1; exit 1'] }) }, { wait: '8s' }],
    forget: withPodSpec('web', ({ restartPolicy: _, ...spec }) => spec),
  },
  {
    cause: 'sidecar',
    name: 'sidecar',
    steps: [
      { apply: pod({ initContainers: [{ ...container(), name: 'side', restartPolicy: 'Always' }] }) },
      running,
      { wait: '3s' },
    ],
    forget: withPodSpec('web', (spec) => ({
      ...spec,
      initContainers: objectsOf(spec.initContainers).map(({ restartPolicy: _, ...c }) => c),
    })),
  },
  {
    cause: 'probe-settings',
    name: 'threshold',
    spec: {
      lives: [
        {
          pod: 'web',
          container: 'app',
          probes: { liveness: [{ result: 'success', times: 3 }, { result: 'failure' }] },
        },
      ],
    },
    steps: [{ apply: pod({}, probe({ failureThreshold: 2 })) }, running, { wait: '9s' }],
    forget: withPodSpec('web', (spec) => ({
      ...spec,
      containers: objectsOf(spec.containers).map((c) => ({
        ...c,
        livenessProbe: { ...objectOf(c.livenessProbe), failureThreshold: 4 },
      })),
    })),
  },
  {
    cause: 'image-pulled',
    name: 'pulled',
    spec: {
      registry: [{ ref: 'registry.example/app:1', answer: 'serve', programs: 'busybox' }],
      calls: [{ method: 'PullImage', image: 'registry.example/app:1', took: '4s' }],
    },
    steps: [{ apply: pod({}, { image: 'registry.example/app:1' }) }, running, { wait: '2s' }],
    forget: withSpec((spec) => ({
      ...spec,
      calls: objectsOf(spec.calls).filter(({ method }) => method !== 'PullImage'),
      registry: [],
      images: [...objectsOf(spec.images), ...objectsOf(spec.registry).map(({ answer: _, ...one }) => one)],
    })),
  },
  {
    cause: 'pull-policy',
    name: 'pull-policy',
    spec: {
      registry: [{ ref: 'registry.example/app:1', answer: 'serve', programs: 'busybox' }],
      images: [{ ref: 'registry.example/app:1', programs: 'busybox' }],
    },
    steps: [
      { apply: pod({}, { image: 'registry.example/app:1', imagePullPolicy: 'IfNotPresent' }) },
      running,
      { wait: '2s' },
    ],
    forget: withPodSpec('web', (spec) => ({
      ...spec,
      containers: objectsOf(spec.containers).map((c) => ({ ...c, imagePullPolicy: 'Always' })),
    })),
  },
  {
    cause: 'image-missing',
    name: 'missing',
    spec: { registry: [{ ref: 'registry.example/app:1', answer: 'not-found' }] },
    steps: [{ apply: pod({}, { image: 'registry.example/app:1' }) }, { wait: '6s' }],
    forget: withSpec((spec) => ({
      ...spec,
      registry: [],
      images: [...objectsOf(spec.images), { ref: 'registry.example/app:1', programs: 'busybox' }],
      calls: objectsOf(spec.calls).filter(({ method }) => method !== 'PullImage'),
    })),
  },
  {
    cause: 'call-failed',
    name: 'failed',
    steps: [
      { fault: { method: 'StartContainer', pod: 'web', times: 1, error: { message: 'no shim' } } },
      { apply: pod() },
      running,
      { wait: '2s' },
    ],
    forget: noCalls('StartContainer'),
  },
  {
    cause: 'call-slow',
    name: 'slow',
    steps: [
      { fault: { method: 'RunPodSandbox', pod: 'web', times: 1, delay: '7s' } },
      { apply: pod({ activeDeadlineSeconds: 5 }) },
      { wait: '12s' },
    ],
    forget: noCalls('RunPodSandbox'),
  },
  {
    cause: 'probe-answer',
    name: 'probe',
    spec: {
      lives: [
        {
          pod: 'web',
          container: 'app',
          attempt: 0,
          probes: { liveness: [{ result: 'success', times: 4 }, { result: 'failure' }] },
        },
      ],
    },
    steps: [{ apply: pod({}, probe()) }, running, { wait: '9s' }],
    forget: noProbes,
  },
  {
    cause: 'container-ended',
    name: 'ended',
    spec: { lives: [{ pod: 'web', container: 'app', attempt: 0, runs: '3s', exits: 7 }] },
    steps: [{ apply: pod() }, running, { wait: '8s' }],
    forget: runningOn,
  },
  {
    cause: 'container-killed',
    name: 'killed',
    steps: [
      { apply: pod() },
      running,
      { wait: '3s' },
      { kill: { pod: 'web', container: 'app', signal: 'KILL' } },
      { wait: '6s' },
    ],
    forget: runningOn,
  },
  {
    cause: 'container-oom',
    name: 'oom',
    steps: [{ apply: pod() }, running, { wait: '3s' }, { oom: { pod: 'web', container: 'app' } }, { wait: '6s' }],
    forget: runningOn,
  },
  {
    cause: 'sandbox-removed',
    name: 'sandbox',
    steps: [{ apply: pod() }, running, { wait: '3s' }, { killSandbox: 'web' }, { wait: '8s' }],
    forget: (document) => runningOn(without('killSandbox')(document)),
  },
  {
    cause: 'kubelet-restart',
    name: 'kubelet',
    steps: [{ apply: pod() }, running, { wait: '4s' }, { restart: { kubelet: 'stop', down: '2s' } }, { wait: '10s' }],
    forget: (document) =>
      withSpec((spec) => {
        let started = false;
        const steps = items(spec.steps).filter((step) => {
          const verb = typeof step === 'string' ? step : Object.keys(objectOf(step))[0];
          if (verb === 'stopKubelet') return false;
          if (verb !== 'startKubelet' || !started) {
            started ||= verb === 'startKubelet';
            return true;
          }
          return false;
        });
        return { ...spec, steps };
      })(document),
  },
  {
    cause: 'runtime-restart',
    name: 'runtime',
    steps: [
      { wait: '2s' },
      { apply: pod() },
      { wait: '0.1s' },
      { fault: { runtime: 'stopped', for: '5s' } },
      { wait: '12s' },
    ],
    forget: (document) =>
      withSpec((spec) => ({
        ...spec,
        calls: [],
        steps: items(spec.steps).filter(
          (s) => !/Runtime$/.test(typeof s === 'string' ? s : (Object.keys(objectOf(s))[0] ?? '')),
        ),
      }))(document),
  },
  {
    cause: 'clock-jumped',
    name: 'clock',
    steps: [
      { apply: pod({ activeDeadlineSeconds: 30 }) },
      running,
      { wait: '2s' },
      { fault: { clock: '1m' } },
      { wait: '8s' },
    ],
    forget: without('fault'),
  },
  {
    cause: 'api-away',
    name: 'api',
    node: api,
    steps: [
      toAPI(pod()),
      running,
      { wait: '2s' },
      { delete: { pod: 'web', to: 'api' } },
      { wait: '0.5s' },
      { fault: { api: 'unreachable' } },
      { wait: '12s' },
    ],
    forget: without('fault', 'clearFaults'),
  },
  {
    cause: 'configuration',
    name: 'backoff',
    node: { maxContainerRestartPeriod: '10s' },
    steps: [{ apply: pod({}, { command: ['sh', '-c', 'exit 1'] }) }, { wait: '40s' }],
    forget: withNode({ maxContainerRestartPeriod: undefined }),
  },
  {
    cause: 'configuration',
    name: 'max-pods',
    node: { maxPods: 1 },
    steps: [{ apply: pod() }, running, { apply: pod({}, {}, { name: 'late' }) }, { wait: '4s' }],
    forget: withNode({ maxPods: undefined }),
  },
  {
    cause: 'feature-gate',
    name: 'gate',
    node: { featureGates: { ReduceDefaultCrashLoopBackOffDecay: true } },
    steps: [{ apply: pod({}, { command: ['sh', '-c', 'exit 1'] }) }, { wait: '20s' }],
    forget: withNode({ featureGates: undefined }),
  },
  {
    cause: 'kubelet-version',
    name: 'version',
    version: 'v1.36.2',
    spec: { era: 'v1.25' },
    steps: [{ apply: pod() }, running, { wait: '2s' }, { delete: 'web' }, { wait: '6s' }],
    forget: withSpec(({ era: _, ...spec }) => spec),
  },
];
