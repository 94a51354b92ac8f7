/** Finds the version of the kubelet that a command runs. */
import { availableEras, defaultEra, type EraVersion, loadEra, loadEras } from '@syncloop/core/kubelet';
import { minorOf, minorOfEra, nearestEra } from '@syncloop/core/kubelet/era/nearest';
import { UsageError } from '../base/errors.js';

/** The minor versions between which any may be asked for. */
const [oldest, newest] = [21, minorOfEra(defaultEra)];

export const eraFlag = {
  type: 'string',
  value: 'VERSION',
  help: `version of the kubelet: ${availableEras.join(', ')} (default: the scenario's own, or ${defaultEra})`,
} as const;

/** The version that was asked for, loaded. Rejects with a UsageError if there is none. */
export async function chosenEra(wanted: string = defaultEra, flag = '--era'): Promise<EraVersion> {
  const era = availableEras.find((version) => version === wanted);
  if (!era)
    throw new UsageError(`${flag} is ${JSON.stringify(wanted)}, but must be one of ${availableEras.join(', ')}`);
  await loadEra(era);
  return era;
}

/** The design of the version that was asked for, loaded, and that very version if it is another one of that design. */
export async function chosenVersion(
  wanted: string | undefined,
): Promise<{ readonly era: EraVersion; readonly emulatedVersion?: string }> {
  const minor = minorOf(wanted ?? '');
  if (
    wanted === undefined ||
    minor === null ||
    minor < oldest ||
    minor > newest ||
    availableEras.some((v) => v === wanted)
  )
    return { era: await chosenEra(wanted) };
  return { era: await chosenEra(nearestEra(wanted) ?? undefined), emulatedVersion: `1.${minor}` };
}
export const twinEraFlag = {
  ...eraFlag,
  help: `version of the twin's kubelet: ${availableEras[0]}, or any from v1.${oldest} to v1.${newest} (default: the nearest one to what was observed)`,
} as const;

/**
 * The version of a twin's kubelet that was asked for; undefined if the nearest one is to be taken, which may be any.
 * Whatever it is is loaded. Rejects with a UsageError if there is none.
 */
export async function twinEra(
  wanted: string | undefined,
): Promise<{ readonly era: EraVersion; readonly emulatedVersion?: string } | undefined> {
  if (wanted !== undefined) return await chosenVersion(wanted);
  await loadEras();
  return undefined;
}
