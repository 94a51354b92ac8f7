/** Fields of a KubeletConfiguration about eviction, garbage collection of images, and the node's shutdown. */
import { parseThresholdConfig } from '@syncloop/core/kubelet';
import { map, object, record } from '@syncloop/core/shape';
import type { AgentConfig } from './agent-config.js';
import { bool, duration, type Field, field, int, listOf, string } from './readers.js';

/** Texts by signal, such as `memory.available: 100Mi`. */
const texts = map(
  record(string, 'a map from signals such as memory.available to texts such as "100Mi" or "10%"'),
  (v) => ({
    ...v,
  }),
);

type Statements = 'evictionHard' | 'evictionSoft' | 'evictionSoftGracePeriod' | 'evictionMinimumReclaim';

/** An error within one of the maps is reported at its place; errors between several fields are reported at the end. */
const statements = (name: Statements): Field =>
  field(
    map(texts, (thresholds, r) => {
      if (name === 'evictionSoft') return thresholds;
      try {
        parseThresholdConfig({ [name]: thresholds });
      } catch (err) {
        throw r.error((err as Error).message, 'it must be a map of thresholds by signal');
      }
      return thresholds;
    }),
    (c: AgentConfig, v) => {
      c.kubelet[name] = v;
    },
  );

const percent = int(0, 100);
const byPriority = object(
  { priority: int(-(2 ** 31)), shutdownGracePeriodSeconds: int(0, Number.MAX_SAFE_INTEGER) },
  'drop',
);

export const guardFields: Readonly<Record<string, Field>> = {
  evictionHard: statements('evictionHard'),
  evictionSoft: statements('evictionSoft'),
  evictionSoftGracePeriod: statements('evictionSoftGracePeriod'),
  evictionMinimumReclaim: statements('evictionMinimumReclaim'),
  evictionPressureTransitionPeriod: field(duration, (c, v) => {
    c.kubelet.evictionPressureTransitionPeriod = v;
  }),
  evictionMaxPodGracePeriod: field(int(0), (c, v) => {
    c.kubelet.evictionMaxPodGracePeriod = v;
  }),
  mergeDefaultEvictionSettings: field(bool, (c, v) => {
    c.kubelet.mergeDefaultEvictionSettings = v;
  }),
  localStorageCapacityIsolation: field(bool, (c, v) => {
    c.kubelet.localStorageCapacityIsolation = v;
  }),
  imageGCHighThresholdPercent: field(percent, (c, v) => {
    c.kubelet.imageGCHighThresholdPercent = v;
  }),
  imageGCLowThresholdPercent: field(percent, (c, v) => {
    c.kubelet.imageGCLowThresholdPercent = v;
  }),
  imageMinimumGCAge: field(duration, (c, v) => {
    c.kubelet.imageMinimumGCAge = v;
  }),
  imageMaximumGCAge: field(duration, (c, v) => {
    c.kubelet.imageMaximumGCAge = v;
  }),
  shutdownGracePeriod: field(duration, (c, v) => {
    c.kubelet.shutdownGracePeriod = v;
  }),
  shutdownGracePeriodCriticalPods: field(duration, (c, v) => {
    c.kubelet.shutdownGracePeriodCriticalPods = v;
  }),
  shutdownGracePeriodByPodPriority: field(
    listOf(byPriority, 'groups, each with priority and shutdownGracePeriodSeconds'),
    (c, v) => {
      c.kubelet.shutdownGracePeriodByPodPriority = v;
    },
  ),
};

/**
 * Finds contradictions between these fields and names one of the fields; null if there are none.
 * upstream: pkg/kubelet/apis/config/validation
 */
export function guardProblem({ kubelet: k }: AgentConfig): { readonly field: string; readonly text: string } | null {
  try {
    parseThresholdConfig(k);
  } catch (err) {
    return { field: 'evictionSoft', text: (err as Error).message };
  }
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = k;
  if (low >= high)
    return {
      field: 'imageGCLowThresholdPercent',
      text: `${low} must be less than imageGCHighThresholdPercent, which is ${high}`,
    };
  const { shutdownGracePeriod: all = 0, shutdownGracePeriodCriticalPods: critical = 0 } = k;
  if (critical > all)
    return {
      field: 'shutdownGracePeriodCriticalPods',
      text: `it must not be longer than shutdownGracePeriod, of which it is a part`,
    };
  if ((k.shutdownGracePeriodByPodPriority ?? []).length > 0 && (all > 0 || critical > 0))
    return {
      field: 'shutdownGracePeriodByPodPriority',
      text: 'it cannot be combined with shutdownGracePeriod and shutdownGracePeriodCriticalPods; remove it or those two',
    };
  return null;
}
