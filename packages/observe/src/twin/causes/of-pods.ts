/** Causes in what somebody asked for: how a pod was deleted, and what was in its specification. */
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import { mapSteps, nodeOf, withSteps } from './document.js';
import { containersOf, deletionOf, manifestOf, withContainer, withManifest, withPodSpec } from './manifests.js';
import type { CauseRow, Place } from './types.js';

const GRACES = [1, 2, 5, 10, 30, 60];
const GRACE = /^timeout$|GracePeriod$/i;
/** The first part of what asks for a deletion is heard so much earlier than the decision about it. */
const HEARD = 10_000;

/** The grace period that the observed kubelet used there; undefined if the difference does not show it. */
function graceSeen({ difference }: Place): number | undefined {
  for (const { path = '', values, seen } of [difference, ...(difference.followers ?? [])]) {
    const { gracePeriod, timeout } = objectOf(seen?.details);
    const found = numberOf(GRACE.test(path) ? values?.seen : (gracePeriod ?? timeout));
    if (found !== undefined) return found;
  }
  return undefined;
}
const withGrace = (pod: string, seconds: number) =>
  mapSteps((step, verb) => {
    const to = objectOf(step.delete);
    return verb === 'delete' && to.pod === pod ? { delete: { ...to, gracePeriodSeconds: seconds } } : step;
  });
const toAPI = (document: JsonObject): boolean => nodeOf(document).apiServer === true;

/** The differences that a deletion of another kind makes. */
const STOPPED = /killContainer|StopContainer|StopPodSandbox|^(DELETE|REMOVE|UPDATE|RECONCILE)$|terminat|Killing/;

export const ofPods: readonly CauseRow[] = [
  {
    id: 'deletion-forced',
    name: { en: 'a deletion by force', zh: '强制删除' },
    hints: [
      { kinds: ['config'], what: /^(DELETE|REMOVE)$/, weight: 3 },
      { kinds: ['kill', 'call'], path: GRACE, weight: 2 },
      { what: STOPPED, weight: 1 },
    ],
    *guesses({ pod, document }) {
      const step = deletionOf(document, pod);
      if (!step || objectOf(step.delete).to !== 'api' || objectOf(step.delete).gracePeriodSeconds === 0) return;
      yield {
        key: `forced ${pod}`,
        text: {
          en: `a forced deletion of ${pod} (a grace period of 0 s)`,
          zh: `${pod} 被强制删除（宽限期为 0 秒）`,
        },
        cost: 1,
        change: withGrace(pod, 0),
      };
    },
  },
  {
    id: 'deletion-grace',
    name: { en: 'another grace period of a deletion', zh: '删除时的另一个宽限期' },
    hints: [
      { kinds: ['kill', 'call'], path: GRACE, weight: 3 },
      { kinds: ['call', 'pleg', 'config'], how: ['time', 'order'], what: STOPPED, weight: 1 },
      { what: STOPPED, weight: 1 },
    ],
    *guesses(place) {
      const { pod, document } = place;
      const step = deletionOf(document, pod);
      const seen = graceSeen(place);
      const to = objectOf(step?.delete);
      if (!step || to.to !== 'api') return;
      const known = seen === undefined || seen === 0 ? [] : [seen];
      for (const seconds of [...known, ...GRACES]) {
        if (seconds === to.gracePeriodSeconds || seconds < (known[0] ?? 0)) continue;
        yield {
          key: `grace ${pod} ${seconds}`,
          text: {
            en: `a grace period of ${seconds} s for the deletion of ${pod}`,
            zh: `删除 ${pod} 的宽限期为 ${seconds} 秒`,
          },
          cost: 1,
          change: withGrace(pod, seconds),
        };
      }
    },
  },
  {
    id: 'spec-grace',
    name: { en: 'another grace period in the specification', zh: '规约中的另一个宽限期' },
    hints: [
      { path: /terminationGracePeriod/, weight: 3 },
      { kinds: ['kill', 'call'], path: GRACE, weight: 2 },
      { kinds: ['call', 'pleg', 'kill'], how: ['time', 'order', 'value'], what: STOPPED, weight: 1 },
      { kinds: ['pleg', 'status'], says: /137|ContainerDied/, weight: 1 },
    ],
    *guesses(place) {
      const { pod, document } = place;
      const manifest = manifestOf(document, pod);
      if (!manifest) return;
      const now = numberOf(objectOf(manifest.spec).terminationGracePeriodSeconds) ?? 30;
      const seen = graceSeen(place);
      for (const seconds of [...(seen === undefined ? [] : [seen]), ...GRACES]) {
        if (seconds === now) continue;
        yield {
          key: `spec-grace ${pod} ${seconds}`,
          text: {
            en: `terminationGracePeriodSeconds ${seconds} instead of ${now} in the specification of ${pod}`,
            zh: `${pod} 规约中的 terminationGracePeriodSeconds 为 ${seconds} 而不是 ${now}`,
          },
          cost: 1,
          change: withPodSpec(pod, (spec) => ({ ...spec, terminationGracePeriodSeconds: seconds })),
        };
      }
    },
  },
  {
    id: 'pod-deleted',
    name: { en: 'a deletion that no source reports', zh: '没有来源报告的删除' },
    hints: [
      { kinds: ['config'], how: ['missing'], what: /^(DELETE|REMOVE)$/, weight: 3 },
      { how: ['missing'], what: STOPPED, weight: 2 },
    ],
    *guesses({ pod, document, at }) {
      if (pod === '' || !manifestOf(document, pod) || deletionOf(document, pod)) return;
      const api = toAPI(document);
      yield {
        key: `deleted ${pod}`,
        text: { en: `a deletion of ${pod} that no source reports`, zh: `${pod} 被删除，而没有来源报告` },
        cost: 2,
        change: withSteps(Math.max(0, at - HEARD), [{ delete: api ? { pod, to: 'api' } : pod }]),
      };
      if (api)
        yield {
          key: `deleted-now ${pod}`,
          text: {
            en: `a forced deletion of ${pod} that no source reports`,
            zh: `${pod} 被强制删除，而没有来源报告`,
          },
          cost: 2,
          change: withSteps(Math.max(0, at - HEARD), [{ delete: { pod, to: 'api', gracePeriodSeconds: 0 } }]),
        };
    },
  },
  {
    id: 'pod-uid',
    name: { en: 'a UID of another shape', zh: '另一种形式的 UID' },
    hints: [
      { kinds: ['config'], how: ['missing'], what: /^ADD$/, weight: 3 },
      { how: ['missing'], weight: 1 },
    ],
    *guesses({ pod, document }) {
      const manifest = manifestOf(document, pod);
      if (!manifest || objectOf(manifest.metadata).uid === undefined) return;
      yield {
        key: `uid ${pod}`,
        text: {
          en: `a UID for ${pod} that the kubelet derives itself, instead of ${JSON.stringify(textOf(objectOf(manifest.metadata).uid))}`,
          zh: `${pod} 的 UID 由 kubelet 自行推导，而不是 ${JSON.stringify(textOf(objectOf(manifest.metadata).uid))}`,
        },
        cost: 1,
        change: withManifest(pod, (one) => {
          const { uid: _, ...metadata } = objectOf(one.metadata);
          return { ...one, metadata: metadata as Json };
        }),
      };
    },
  },
  {
    id: 'restart-policy',
    name: { en: 'another restart policy', zh: '另一个重启策略' },
    hints: [
      { says: /PodFailed|PodCompleted/, weight: 3 },
      { kinds: ['restart'], weight: 2 },
      { kinds: ['sync', 'call', 'pleg'], says: /start|Create|terminat/i, weight: 1 },
      { kinds: ['status'], what: /Succeeded|Failed/, weight: 3 },
      { kinds: ['call'], what: /CreateContainer/, weight: 2 },
    ],
    *guesses({ pod, document }) {
      const manifest = manifestOf(document, pod);
      if (!manifest) return;
      const now = textOf(objectOf(manifest.spec).restartPolicy) || 'Always';
      for (const policy of ['Never', 'OnFailure', 'Always']) {
        if (policy === now) continue;
        yield {
          key: `policy ${pod} ${policy}`,
          text: {
            en: `restartPolicy ${policy} instead of ${now} for ${pod}`,
            zh: `${pod} 的 restartPolicy 为 ${policy} 而不是 ${now}`,
          },
          cost: 1,
          change: withPodSpec(pod, (spec) => ({ ...spec, restartPolicy: policy })),
        };
      }
    },
  },
  {
    id: 'sidecar',
    name: { en: 'an init container that keeps running', zh: '持续运行的 init 容器' },
    hints: [
      { kinds: ['sync'], says: /init/, weight: 3 },
      { kinds: ['call', 'pleg', 'status', 'event'], weight: 1 },
    ],
    *guesses({ pod, document }) {
      for (const c of objectsOf(objectOf(manifestOf(document, pod)?.spec).initContainers)) {
        const name = textOf(c.name);
        const is = c.restartPolicy === 'Always';
        yield {
          key: `sidecar ${pod} ${name}`,
          text: is
            ? {
                en: `the init container ${name} of ${pod} as an ordinary one, without restartPolicy Always`,
                zh: `${pod} 的 init 容器 ${name} 为普通容器，没有 restartPolicy Always`,
              }
            : {
                en: `restartPolicy Always for the init container ${name} of ${pod}`,
                zh: `${pod} 的 init 容器 ${name} 的 restartPolicy 为 Always`,
              },
          cost: 1,
          change: withContainer(pod, name, ({ restartPolicy: _, ...rest }) =>
            is ? rest : { ...rest, restartPolicy: 'Always' },
          ),
        };
      }
    },
  },
  {
    id: 'probe-settings',
    name: { en: 'other settings of a probe', zh: '探针的其他设置' },
    hints: [
      { path: /^failures$/, weight: 3 },
      { kinds: ['event'], what: /Unhealthy/, weight: 2 },
      { says: /probe/i, weight: 2 },
      { kinds: ['kill', 'status', 'restart'], weight: 1 },
    ],
    *guesses({ pod, container, document, difference: { path, values } }) {
      const spec = containersOf(manifestOf(document, pod)).find(({ name }) => name === container);
      const failures = path === 'failures' ? numberOf(values?.seen) : undefined;
      for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
        const now = objectOf(spec?.[probe]);
        if (spec?.[probe] === undefined) continue;
        for (const [field, usual, values] of [
          ['failureThreshold', 3, [1, 2, 3, 4, 5]],
          ['periodSeconds', 10, [1, 2, 5, 10]],
          ['initialDelaySeconds', 0, [0, 5, 10]],
        ] as const) {
          const before = numberOf(now[field]) ?? usual;
          // Values near to the one that is there come first.
          const near: number[] = [...values].sort((a, b) => Math.abs(a - before) - Math.abs(b - before));
          if (failures !== undefined && field === 'failureThreshold') near.unshift(failures);
          for (const value of near) {
            if (value === before) continue;
            yield {
              key: `probe ${pod} ${container} ${probe} ${field} ${value}`,
              text: {
                en: `${field} ${value} instead of ${before} in the ${probe} of ${pod} (${container})`,
                zh: `${pod}（${container}）的 ${probe} 中 ${field} 为 ${value} 而不是 ${before}`,
              },
              cost: 1,
              change: withContainer(pod, container, (c) => ({
                ...c,
                [probe]: { ...objectOf(c[probe]), [field]: value } as Json,
              })),
            };
          }
        }
      }
    },
  },
];
