/** Changes of the kubelet, its configuration and its node that may prevent an incident. */

import type { IncidentKind } from '@syncloop/core/debug/incidents';
import { minorOf, minorOfEra, nearestEra } from '@syncloop/core/kubelet/era/nearest';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, numberOf, objectOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { nodeOf, specOf, withNode, withSpec } from '../causes/index.js';
import { durationScale, setting, upTo } from './scales.js';
import type { Remedy, RemedyRow } from './types.js';

/** The minor version of the kubelet that a scenario runs. */
function minorIn(document: JsonObject): number {
  const emulated = minorOf(textOf(nodeOf(document).emulatedVersion));
  return emulated ?? minorOfEra((textOf(specOf(document).era) || defaultEra) as EraVersion);
}
/** The oldest and the newest minor version that are tried; nobody goes back to v1.12, which is of another design. */
const [OLDEST, NEWEST] = [minorOfEra('v1.21'), minorOfEra(defaultEra)];

const ofVersion =
  (now: number) =>
  (minor: number): Remedy => ({
    key: `v1.${minor}`,
    text: {
      en: `a kubelet v1.${minor} instead of v1.${now}`,
      zh: `kubelet 版本为 v1.${minor} 而不是 v1.${now}`,
    },
    change: (document) => {
      const era = nearestEra(`v1.${minor}`) ?? defaultEra;
      const own = minor === minorOfEra(era);
      return withNode({ emulatedVersion: own ? undefined : `1.${minor}` })(
        withSpec((spec) => ({ ...spec, era }))(document),
      );
    },
  });

interface GateRow {
  readonly gate: string;
  readonly to: boolean;
  readonly kinds: readonly IncidentKind[];
}
/** Feature gates that decide in incidents of some kinds. */
const gates: readonly GateRow[] = [
  { gate: 'EventedPLEG', to: true, kinds: ['pleg-unhealthy'] },
  { gate: 'ReduceDefaultCrashLoopBackOffDecay', to: true, kinds: ['crash-loop'] },
  { gate: 'ChangeContainerStatusOnKubeletRestart', to: false, kinds: ['kubelet-restarted'] },
  { gate: 'GracefulNodeShutdown', to: true, kinds: ['shutdown'] },
];

const UNSEEN_CALL: TwinText = {
  en: 'no source says how long the runtime would have taken for the calls that ran out of time',
  zh: '没有来源说明超时的调用本来需要多久',
};

export const nodeRows: readonly RemedyRow[] = [
  {
    id: 'shorter-back-off',
    kinds: ['crash-loop'],
    *of({ document }) {
      // The kubelet has had the setting since v1.32, and by default since v1.35.
      if (minorIn(document) < 35) return;
      const now = textOf(nodeOf(document).maxContainerRestartPeriod) || '300s';
      yield durationScale('maxContainerRestartPeriod', now, [1 / 2, 1 / 5, 1 / 10, 1 / 30]);
    },
  },
  {
    id: 'request-timeout',
    kinds: ['runtime-slow', 'name-reserved', 'sandbox'],
    // An observed call ends when the kubelet gives it up.
    unknown: ({ held }) => held ?? UNSEEN_CALL,
    *of({ document }) {
      const now = textOf(nodeOf(document).runtimeRequestTimeout) || '120s';
      yield durationScale('runtimeRequestTimeout', now, [1.25, 1.5, 1.75, 2, 3, 5, 7.5]);
    },
  },
  {
    // A relist that waits for a call which is never answered is over as soon as the call is given up.
    id: 'shorter-request-timeout',
    kinds: ['pleg-unhealthy'],
    *of({ document }) {
      const now = textOf(nodeOf(document).runtimeRequestTimeout) || '120s';
      yield durationScale('runtimeRequestTimeout', now, [3 / 4, 1 / 2, 1 / 4, 1 / 8]);
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
    unknown: () => ({ en: 'no source says how much was left at each moment', zh: '没有来源说明每一时刻还剩多少资源' }),
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
    id: 'gate',
    kinds: gates.flatMap(({ kinds }) => kinds),
    *of({ document, incident }) {
      const set = objectOf(nodeOf(document).featureGates);
      for (const { gate, to, kinds } of gates)
        if (kinds.includes(incident.kind) && set[gate] !== to)
          yield {
            key: gate,
            text: { en: `the feature gate ${gate}=${to}`, zh: `特性门控 ${gate}=${to}` },
            change: withNode({ featureGates: { ...set, [gate]: to } as Json }),
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
      'kubelet-restarted',
      'container-exit',
    ],
    *of({ document }) {
      const now = minorIn(document);
      const minors = upTo(NEWEST).filter((minor) => minor >= OLDEST);
      yield { key: 'newer', values: minors.filter((minor) => minor > now), at: ofVersion(now) };
      yield { key: 'older', values: minors.filter((minor) => minor < now).reverse(), at: ofVersion(now) };
    },
  },
];
