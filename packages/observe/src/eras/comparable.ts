import { minorOfEra } from '@syncloop/core/kubelet/era/nearest';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import { objectOf } from '../twin/base/json.js';
import type { Decision } from '../twin/base/types.js';

/** The first minor version whose container statuses have `started`. upstream: k8s.io/api/core/v1 ContainerStatus */
const STARTED_SINCE = 16;

/**
 * Returns decisions without what only the API of the newer version can state: a status without `started` does not say
 * that a container has not started.
 */
export function comparable(decisions: readonly Decision[], eras: readonly EraVersion[]): readonly Decision[] {
  if (eras.every((era) => minorOfEra(era) >= STARTED_SINCE)) return decisions;
  return decisions.map((d) => {
    const details = objectOf(d.details);
    if (details.containers === undefined) return d;
    const containers = Object.fromEntries(
      Object.entries(objectOf(details.containers)).map(([name, one]) => {
        const { started: _, ...rest } = objectOf(one);
        return [name, rest];
      }),
    );
    return { ...d, details: { ...details, containers } as Decision['details'] };
  });
}
