/** Which version of the kubelet a command runs. */
import { availableEras, defaultEra, type EraVersion, loadEra } from '@syncloop/core/kubelet';
import { UsageError } from '../base/errors.js';

export const eraFlag = {
  type: 'string',
  value: 'VERSION',
  help: `version of the kubelet: ${availableEras.join(', ')} (default: the scenario's own, or ${defaultEra})`,
} as const;

/** The version that was asked for, loaded. Rejects with a UsageError where there is none. */
export async function chosenEra(wanted: string = defaultEra, flag = '--era'): Promise<EraVersion> {
  const era = availableEras.find((version) => version === wanted);
  if (!era)
    throw new UsageError(`${flag} is ${JSON.stringify(wanted)}, but must be one of ${availableEras.join(', ')}`);
  await loadEra(era);
  return era;
}
