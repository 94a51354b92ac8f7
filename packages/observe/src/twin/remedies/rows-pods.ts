/** Changes of a pod's definition that may prevent an incident. */
import { isQuantity, parseQuantity, quantityMilliValue, quantityValue } from '@syncloop/core/base';
import type { IncidentKind } from '@syncloop/core/debug/incidents';
import type { Json } from '@syncloop/core/trace';
import { items, type JsonObject, numberOf, objectOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { containersOf, manifestOf, withContainer, withPodSpec, withSpec } from '../causes/index.js';
import { containerOf, lastValue, podScale, probeScale, upTo } from './scales.js';
import type { Case, Remedy, RemedyRow } from './types.js';

const UNSEEN_PROGRAM: TwinText = {
  en: 'no source says what the program would have done had the kubelet let it run on',
  zh: '没有来源说明，如果 kubelet 让程序继续运行，它会怎样',
};
const UNSEEN_MEMORY: TwinText = {
  en: 'no source says how much memory the program would have used',
  zh: '没有来源说明程序会使用多少内存',
};

/** Says how much time each further failure gives the program, although it is not known whether that is enough. */
function timeOf(one: Case, probe: string): TwinText | null {
  const spec = objectOf(containerOf(one)?.[probe]);
  if (Object.keys(spec).length === 0) return null;
  const period = numberOf(spec.periodSeconds) ?? 10;
  const threshold = numberOf(spec.failureThreshold) ?? 3;
  return {
    en: `whether ${one.container} would have answered later: failureThreshold ${threshold} and periodSeconds ${period} gave it ${threshold * period} s, and each failure more that failureThreshold allows gives it another ${period} s`,
    zh: `${one.container} 稍后是否会应答：failureThreshold ${threshold} 与 periodSeconds ${period} 给了它 ${threshold * period} 秒，failureThreshold 每多 1，就再多 ${period} 秒`,
  };
}

const probeRow = (kind: IncidentKind, probe: string): RemedyRow => ({
  id: `patient-${kind}`,
  kinds: [kind],
  // A container that is only not ready goes on, and so do its probes: their answers are known.
  ...(kind !== 'probe-readiness' && { unknown: (one: Case) => timeOf(one, probe) ?? UNSEEN_PROGRAM }),
  *of(one) {
    yield* probeScale(one, probe, 'failureThreshold', 3, () => upTo(30));
    yield* probeScale(one, probe, 'timeoutSeconds', 1, () => [2, 3, 5, 10, 20, 30]);
    yield* probeScale(one, probe, 'periodSeconds', 10, (now) => [2, 3, 6].map((n) => n * now));
    if (kind !== 'probe-readiness')
      yield* probeScale(one, probe, 'initialDelaySeconds', 0, () => [5, 10, 20, 30, 60, 120, 300]);
  },
});

/** Gives a container a field that it did not have, or takes one away. */
const ofContainer = (one: Case, key: string, text: TwinText, change: (c: JsonObject) => JsonObject): Remedy => ({
  key,
  text,
  change: withContainer(one.pod, one.container, change),
});

/** The fields of a pod that refer to a ConfigMap or a Secret. */
const REFERENCES = /^(configMap|secret|configMapRef|secretRef|configMapKeyRef|secretKeyRef)$/;

/** Returns a part of a pod in which each reference may find nothing. */
function optional(value: Json): Json {
  if (Array.isArray(value)) return value.map(optional);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      REFERENCES.test(key) ? { ...objectOf(part), optional: true } : optional(part as Json),
    ]),
  );
}

export const podRows: readonly RemedyRow[] = [
  probeRow('probe-liveness', 'livenessProbe'),
  probeRow('probe-startup', 'startupProbe'),
  probeRow('probe-readiness', 'readinessProbe'),
  {
    id: 'startup-probe',
    kinds: ['probe-liveness'],
    unknown: (one) => timeOf(one, 'livenessProbe') ?? UNSEEN_PROGRAM,
    *of(one) {
      const spec = containerOf(one);
      if (spec?.livenessProbe === undefined || spec.startupProbe !== undefined) return;
      yield ofContainer(
        one,
        'startupProbe',
        {
          en: `a startupProbe in ${one.container} that asks the same 30 times`,
          zh: `${one.container} 有一个 startupProbe，同样的探测做 30 次`,
        },
        (c) => ({ ...c, startupProbe: { ...objectOf(c.livenessProbe), failureThreshold: 30 } as Json }),
      );
    },
  },
  {
    id: 'deadline',
    kinds: ['deadline'],
    unknown: () => UNSEEN_PROGRAM,
    *of(one) {
      const now = lastValue(one, 'activeDeadlineSeconds');
      if (now === undefined) return;
      const step = Math.max(1, Math.ceil(now / 4));
      yield podScale(
        one,
        'activeDeadlineSeconds',
        now,
        upTo(60).map((n) => now + n * step),
      );
    },
  },
  {
    id: 'grace',
    kinds: ['hook', 'kill-failed', 'stuck-terminating', 'container-exit'],
    unknown: () => UNSEEN_PROGRAM,
    *of(one) {
      const manifest = manifestOf(one.document, one.pod);
      // A program that was not killed had time enough.
      if (!manifest || (one.incident.kind === 'container-exit' && one.incident.facts.exitCode !== 137)) return;
      const now = numberOf(objectOf(manifest.spec).terminationGracePeriodSeconds) ?? 30;
      yield podScale(one, 'terminationGracePeriodSeconds', now, [2, 5, 10, 20, 30, 60, 120]);
    },
  },
  {
    id: 'no-hook',
    kinds: ['hook', 'crash-loop'],
    *of(one) {
      for (const hook of Object.keys(objectOf(containerOf(one)?.lifecycle)))
        yield ofContainer(
          one,
          `without ${hook}`,
          { en: `no ${hook} hook in ${one.container}`, zh: `${one.container} 没有 ${hook} 钩子` },
          (c) => {
            const { [hook]: _, ...lifecycle } = objectOf(c.lifecycle);
            return { ...c, lifecycle: lifecycle as Json };
          },
        );
    },
  },
  {
    // A program that does its work once and ends without an error is taken for one that crashes.
    id: 'own-loop',
    kinds: ['crash-loop'],
    simulatedOnly: true,
    *of(one) {
      const [shell, flag, script, ...rest] = items(containerOf(one)?.command).map(textOf);
      const { exitCode } = one.incident.facts;
      if (!/(^|\/)(ba|da|a)?sh$/.test(shell ?? '') || flag !== '-c' || !script || rest.length > 0) return;
      if (exitCode !== undefined && Number(exitCode) !== 0) return;
      yield ofContainer(
        one,
        'own loop',
        {
          en: `the command of ${one.container} in a loop of its own (while true)`,
          zh: `${one.container} 的命令放进自己的循环（while true）`,
        },
        (c) => ({ ...c, command: [shell, flag, `while true; do ( ${script} ); done`] as Json }),
      );
    },
  },
  {
    id: 'memory',
    kinds: ['oom'],
    unknown: () => UNSEEN_MEMORY,
    *of(one) {
      const limit = textOf(objectOf(objectOf(containerOf(one)?.resources).limits).memory);
      const bytes = isQuantity(limit) ? quantityValue(parseQuantity(limit)) : 0;
      if (bytes <= 0) return;
      const shown = (n: number): string => `${Math.ceil((bytes * n) / 2 ** 20)}Mi`;
      yield {
        key: 'memory',
        values: [1.5, 2, 4, 8, 16, 64],
        at: (n) =>
          ofContainer(
            one,
            `memory ${n}`,
            {
              en: `a memory limit of ${shown(n)} instead of ${limit} for ${one.container}`,
              zh: `${one.container} 的内存上限为 ${shown(n)} 而不是 ${limit}`,
            },
            (c) => {
              const resources = objectOf(c.resources);
              return {
                ...c,
                resources: { ...resources, limits: { ...objectOf(resources.limits), memory: shown(n) } } as Json,
              };
            },
          ),
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
      const mine = containersOf(manifestOf(one.document, one.pod)).filter(
        ({ name }) => one.container === '' || name === one.container,
      );
      for (const ref of new Set(mine.map(({ image }) => textOf(image))))
        yield {
          key: `on the node ${ref}`,
          text: {
            en: `the image ${ref} on the node, and imagePullPolicy IfNotPresent`,
            zh: `镜像 ${ref} 已在节点上，且 imagePullPolicy 为 IfNotPresent`,
          },
          change: (document) => {
            const there = withSpec((spec) => ({
              ...spec,
              images: [...items(spec.images), { ref, programs: 'busybox' }],
            }))(document);
            return mine
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
    id: 'requests',
    kinds: ['admission'],
    *of(one) {
      const asking = containersOf(manifestOf(one.document, one.pod)).flatMap(({ name, resources }) => {
        const { cpu } = objectOf(objectOf(resources).requests);
        const asked =
          cpu === undefined || !isQuantity(String(cpu)) ? 0 : quantityMilliValue(parseQuantity(String(cpu)));
        return asked <= 0 ? [] : [{ name: textOf(name), asked }];
      });
      if (asking.length === 0) return;
      const now = asking.reduce((sum, { asked }) => sum + asked, 0);
      const part = (asked: number, percent: number): string => `${Math.round((asked * percent) / 100)}m`;
      yield {
        key: 'requests',
        values: [90, 75, 50, 25, 10],
        at: (percent) => ({
          key: `requests ${percent}`,
          text: {
            en: `requests for ${part(now, percent)} of CPU instead of ${now}m in ${one.pod}`,
            zh: `${one.pod} 的 CPU 请求为 ${part(now, percent)} 而不是 ${now}m`,
          },
          change: (document) =>
            asking.reduce(
              (all, { name, asked }) =>
                withContainer(one.pod, name, (c) => {
                  const resources = objectOf(c.resources);
                  const cpu = part(asked, percent);
                  return {
                    ...c,
                    resources: { ...resources, requests: { ...objectOf(resources.requests), cpu } } as Json,
                  };
                })(all),
              document,
            ),
        }),
      };
    },
  },
  {
    id: 'optional-reference',
    kinds: ['config-missing', 'volume-mount', 'container-create'],
    *of({ document, pod }) {
      const spec = objectOf(objectOf(manifestOf(document, pod)).spec);
      if (JSON.stringify(optional(spec)) === JSON.stringify(spec)) return;
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
];
