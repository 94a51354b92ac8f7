/** Changes that may prevent incidents, by their kinds. */
import type { IncidentKind } from '@syncloop/core/debug/incidents';
import { eraVersions } from '@syncloop/core/kubelet/era/versions';
import type { Json } from '@syncloop/core/trace';
import { numberOf, objectOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import {
  containersOf,
  manifestOf,
  nodeOf,
  specOf,
  withContainer,
  withNode,
  withPodSpec,
  withSpec,
} from '../causes/index.js';
import type { Case, Remedy, RemedyRow, Scale } from './types.js';

const UNSEEN_PROGRAM: TwinText = {
  en: 'no source says what the program would have done had the kubelet let it run on',
  zh: '没有来源说明，如果 kubelet 让程序继续运行，它会怎样',
};

const containerOf = ({ document, pod, container }: Case) =>
  containersOf(manifestOf(document, pod)).find(({ name }) => name === container);

/** A number of a probe that is raised until the incident is gone. */
const probeScale = (
  one: Case,
  probe: string,
  [field, usual, values]: readonly [string, number, readonly number[]],
): Scale[] => {
  const spec = containerOf(one);
  if (spec?.[probe] === undefined) return [];
  const now = numberOf(objectOf(spec[probe])[field]) ?? usual;
  return [
    {
      key: `${probe} ${field}`,
      values: values.filter((value) => value > now),
      at: (value) => ({
        key: `${probe} ${field} ${value}`,
        text: {
          en: `${field} ${value} instead of ${now} in the ${probe} of ${one.container}`,
          zh: `${one.container} 的 ${probe} 中 ${field} 为 ${value} 而不是 ${now}`,
        },
        change: withContainer(one.pod, one.container, (c) => ({
          ...c,
          [probe]: { ...objectOf(c[probe]), [field]: value } as Json,
        })),
      }),
    },
  ];
};
const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1);
const probeRow = (kind: IncidentKind, probe: string): RemedyRow => ({
  id: `patient-${kind}`,
  kinds: [kind],
  unknown: UNSEEN_PROGRAM,
  *of(one) {
    yield* probeScale(one, probe, ['failureThreshold', 3, upTo(30)]);
    yield* probeScale(one, probe, ['timeoutSeconds', 1, [2, 3, 5, 10, 20, 30]]);
  },
});
/** A number of a pod's specification. */
const podScale = (one: Case, field: string, now: number, values: readonly number[]): Scale => ({
  key: field,
  values: values.filter((value) => value > now),
  at: (value) => ({
    key: `${field} ${value}`,
    text: {
      en: `${field} ${value} instead of ${now} for ${one.pod}`,
      zh: `${one.pod} 的 ${field} 为 ${value} 而不是 ${now}`,
    },
    change: withPodSpec(one.pod, (spec) => ({ ...spec, [field]: value })),
  }),
});
/** A setting of the kubelet. */
const setting = (name: string, value: Json, now: Json): Remedy => ({
  key: `${name} ${JSON.stringify(value)}`,
  text: {
    en: `${name} ${shown(value)} instead of ${shown(now)} in the kubelet's configuration`,
    zh: `kubelet 配置中的 ${name} 为 ${shown(value)} 而不是 ${shown(now)}`,
  },
  change: withNode({ [name]: value }),
});
const shown = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

export const remedyRows: readonly RemedyRow[] = [
  probeRow('probe-liveness', 'livenessProbe'),
  probeRow('probe-startup', 'startupProbe'),
  probeRow('probe-readiness', 'readinessProbe'),
  {
    id: 'deadline',
    kinds: ['deadline'],
    unknown: UNSEEN_PROGRAM,
    *of(one) {
      const now = numberOf(objectOf(manifestOf(one.document, one.pod)?.spec).activeDeadlineSeconds);
      if (now !== undefined)
        yield podScale(
          one,
          'activeDeadlineSeconds',
          now,
          upTo(60).map((n) => n * Math.max(1, Math.ceil(now / 4))),
        );
    },
  },
  {
    id: 'grace',
    kinds: ['hook', 'kill-failed', 'stuck-terminating', 'container-exit'],
    unknown: UNSEEN_PROGRAM,
    *of(one) {
      const manifest = manifestOf(one.document, one.pod);
      if (!manifest) return;
      const now = numberOf(objectOf(manifest.spec).terminationGracePeriodSeconds) ?? 30;
      yield podScale(one, 'terminationGracePeriodSeconds', now, [2, 5, 10, 20, 30, 60, 120]);
    },
  },
  {
    id: 'no-hook',
    kinds: ['hook', 'crash-loop'],
    *of(one) {
      const hooks = Object.keys(objectOf(containerOf(one)?.lifecycle));
      for (const hook of hooks)
        yield {
          key: `without ${hook}`,
          text: { en: `no ${hook} hook in ${one.container}`, zh: `${one.container} 没有 ${hook} 钩子` },
          change: withContainer(one.pod, one.container, (c) => {
            const { [hook]: _, ...lifecycle } = objectOf(c.lifecycle);
            return { ...c, lifecycle: lifecycle as Json };
          }),
        };
    },
  },
  {
    id: 'restart-policy',
    kinds: ['crash-loop', 'container-exit', 'oom'],
    *of(one) {
      const manifest = manifestOf(one.document, one.pod);
      if (!manifest) return;
      const now = textOf(objectOf(manifest.spec).restartPolicy) || 'Always';
      for (const policy of ['OnFailure', 'Never'])
        if (policy !== now)
          yield {
            key: policy,
            text: {
              en: `restartPolicy ${policy} instead of ${now} for ${one.pod}`,
              zh: `${one.pod} 的 restartPolicy 为 ${policy} 而不是 ${now}`,
            },
            change: withPodSpec(one.pod, (spec) => ({ ...spec, restartPolicy: policy })),
          };
    },
  },
  {
    id: 'image-on-node',
    kinds: ['image'],
    *of(one) {
      const images = new Set(
        containersOf(manifestOf(one.document, one.pod))
          .filter(({ name }) => one.container === '' || name === one.container)
          .map(({ image }) => textOf(image)),
      );
      for (const ref of images)
        yield {
          key: `on the node ${ref}`,
          text: {
            en: `the image ${ref} on the node, and imagePullPolicy IfNotPresent`,
            zh: `镜像 ${ref} 已在节点上，且 imagePullPolicy 为 IfNotPresent`,
          },
          change: (document) => {
            const there = withSpec((spec) => ({
              ...spec,
              images: [...((spec.images as Json[] | undefined) ?? []), { ref, programs: 'busybox' }],
            }))(document);
            return containersOf(manifestOf(document, one.pod))
              .filter(({ image }) => image === ref)
              .reduce(
                (all, { name }) =>
                  withContainer(one.pod, textOf(name), (c) => ({ ...c, imagePullPolicy: 'IfNotPresent' }))(all),
                there,
              );
          },
        };
    },
  },
  {
    id: 'request-timeout',
    kinds: ['runtime-slow', 'name-reserved', 'sandbox'],
    *of({ document }) {
      const now = textOf(nodeOf(document).runtimeRequestTimeout) || '120s';
      for (const value of ['240s', '900s']) if (value !== now) yield setting('runtimeRequestTimeout', value, now);
    },
  },
  {
    id: 'parallel-pulls',
    kinds: ['image'],
    *of({ document }) {
      if (nodeOf(document).serializeImagePulls !== false) yield setting('serializeImagePulls', false, true);
    },
  },
  {
    id: 'max-pods',
    kinds: ['admission'],
    *of({ document }) {
      const now = numberOf(nodeOf(document).maxPods) ?? 110;
      yield {
        key: 'maxPods',
        values: upTo(8).map((n) => now + n),
        at: (value) => setting('maxPods', value, now),
      };
    },
  },
  {
    id: 'machine-cpus',
    kinds: ['admission', 'eviction'],
    *of({ document }) {
      const machine = objectOf(specOf(document).machine);
      const now = numberOf(machine.cpus) ?? 4;
      yield {
        key: 'cpus',
        values: [1, 2, 4, 8, 16].map((n) => now + n),
        at: (value) => ({
          key: `cpus ${value}`,
          text: { en: `${value} instead of ${now} CPUs on the node`, zh: `节点有 ${value} 个 CPU 而不是 ${now} 个` },
          change: withSpec((spec) => ({ ...spec, machine: { ...objectOf(spec.machine), cpus: value } as Json })),
        }),
      };
    },
  },
  {
    id: 'eviction-threshold',
    kinds: ['pressure', 'eviction'],
    unknown: { en: 'no source says how much was left at each moment', zh: '没有来源说明每一时刻还剩多少资源' },
    *of({ document, incident }) {
      const node = nodeOf(document);
      const hard = objectOf(node.evictionHard);
      const memory = /memory/.test(incident.text.en);
      const signals = memory ? ['memory.available'] : ['nodefs.available', 'imagefs.available'];
      const low = Object.fromEntries(signals.map((signal) => [signal, memory ? '1Mi' : '1%']));
      yield setting('evictionHard', { ...hard, ...low }, (node.evictionHard as Json) ?? 'the default');
      const soft = objectOf(node.evictionSoftGracePeriod);
      const longer = Object.fromEntries(Object.keys(soft).map((signal) => [signal, '10m']));
      if (Object.keys(soft).length > 0) yield setting('evictionSoftGracePeriod', longer, soft as Json);
    },
  },
  {
    id: 'optional-reference',
    kinds: ['config-missing', 'volume-mount', 'container-create'],
    *of({ document, pod }) {
      const manifest = manifestOf(document, pod);
      const text = JSON.stringify(manifest ?? {});
      if (!/(configMap|secret|configMapRef|secretRef|configMapKeyRef|secretKeyRef)":\{/.test(text)) return;
      const optional = (value: Json): Json =>
        Array.isArray(value)
          ? value.map(optional)
          : typeof value === 'object' && value !== null
            ? Object.fromEntries(
                Object.entries(value).map(([key, of]) => [
                  key,
                  /^(configMap|secret|configMapRef|secretRef|configMapKeyRef|secretKeyRef)$/.test(key)
                    ? { ...objectOf(of), optional: true }
                    : optional(of as Json),
                ]),
              )
            : value;
      yield {
        key: 'optional',
        text: {
          en: `optional: true for the ConfigMaps and Secrets of ${pod}`,
          zh: `${pod} 的 ConfigMap 与 Secret 设为 optional: true`,
        },
        change: withPodSpec(pod, (spec) => objectOf(optional(spec as Json))),
      };
    },
  },
  {
    id: 'version',
    kinds: [
      'probe-readiness',
      'sync-failed',
      'pod-recreated',
      'stuck-terminating',
      'name-reserved',
      'admission',
      'orphaned-pod',
      'pleg-unhealthy',
      'force-deleted',
      'kill-failed',
      'status-refused',
      'volume-release',
    ],
    *of({ document }) {
      const now = textOf(specOf(document).era) || 'v1.36';
      for (const era of [...eraVersions].reverse())
        if (era !== now)
          yield {
            key: era,
            text: { en: `a kubelet ${era} instead of ${now}`, zh: `kubelet 版本为 ${era} 而不是 ${now}` },
            change: withSpec((spec) => ({ ...spec, era })),
          };
    },
  },
];

const ENDED_BY_ITSELF: TwinText = {
  en: 'why the program ended: its own log says it (kubectl logs --previous)',
  zh: '程序为何退出：需看它自己的日志（kubectl logs --previous）',
};
/** The facts about a kind that no run of ours shows. */
export const unknownKinds: { readonly [K in IncidentKind]?: TwinText } = {
  'crash-loop': ENDED_BY_ITSELF,
  'container-exit': ENDED_BY_ITSELF,
  oom: {
    en: 'how much memory would have been enough: what a program uses is not simulated',
    zh: '多少内存才够：程序的内存用量没有模拟',
  },
  pressure: {
    en: 'what used the resource up, and whether the node would have run out of it: that is not simulated',
    zh: '是什么耗尽了资源，以及节点是否会因此耗尽：这没有模拟',
  },
  hook: { en: 'why the hook failed', zh: '钩子为何失败' },
  'runtime-down': { en: 'why the runtime went away: its own log says it', zh: '运行时为何中断：需看它自己的日志' },
  'sandbox-died': { en: 'who ended the sandbox', zh: '是谁终止了沙箱' },
  'api-unreachable': { en: 'why the API server could not be reached', zh: 'API server 为何无法访问' },
  'network-setup': {
    en: 'why the network plug-in failed: its own log says it',
    zh: '网络插件为何失败：需看它自己的日志',
  },
  'disk-full': { en: 'what filled the disk', zh: '是什么占满了磁盘' },
};
