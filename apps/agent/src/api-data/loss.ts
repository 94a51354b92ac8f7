/** Errors for data that are not as they were acknowledged. */
import { SetupError } from '../base/errors.js';
import type { StoreState } from './state.js';

/** The objects that can still be read: how many, and up to which resourceVersion. */
export interface Left {
  readonly count: number;
  readonly version: number;
}

const objects = (count: number) => (count === 1 ? '1 object' : `${count} objects`);

/** Data are not as they were acknowledged. */
export class DamagedData extends SetupError {}

/**
 * Returns an error that names the file, the loss as far as it is known, and the remedy. `acknowledged`: null if
 * unknown. `left`: null if it was not looked at.
 */
export function damaged(
  folder: string,
  why: string,
  acknowledged: Pick<StoreState, 'count' | 'version'> | null,
  left: Left | null,
): DamagedData {
  return new DamagedData(
    `the data of the API server in ${folder} is damaged: ${why}. ${lossOf(acknowledged, left)}` +
      `To go on, restore a backup into a new folder (syncloop restore-api BACKUP --serve-api-data DIR), ` +
      `or keep what can be read (syncloop restore-api --accept-loss --serve-api-data ${folder}). Nothing was changed`,
  );
}

function lossOf(acknowledged: Pick<StoreState, 'count' | 'version'> | null, left: Left | null): string {
  if (!left) return '';
  if (!acknowledged)
    return `${objects(left.count)} up to resourceVersion ${left.version} can be read; how many there were is not known. `;
  const { count, version } = acknowledged;
  const were = `${objects(count)} up to resourceVersion ${version} were acknowledged`;
  if (left.count === 0) return `${were}; none of them can be read. `;
  if (left.version < version) {
    const lost =
      left.version + 1 === version ? `the change ${version} is` : `the changes ${left.version + 1} to ${version} are`;
    return `${were}; what can be read is ${objects(left.count)} up to resourceVersion ${left.version}: ${lost} lost. `;
  }
  return `${were}; ${left.count} of them can be read. `;
}
