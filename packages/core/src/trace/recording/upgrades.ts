import { type Raw, RECORDING_VERSION, RecordingError } from './header.js';

export interface Upgrade {
  /** Changes a header, or a record. Absent: nothing changes. */
  readonly header?: (header: Raw) => Raw;
  readonly record?: (record: Raw) => Raw;
}
export type Upgrades = Readonly<Record<number, Upgrade>>;

/**
 * Key n brings version n to n + 1. How to add one: docs/developers/recordings.md.
 * 1 to 2: the file became blocks with an index; header and records stayed what they were.
 */
export const upgrades: Upgrades = { 1: {} };

/** Throws when a step from 1 up to `version` is missing, or one leads beyond. */
export function checkUpgrades(steps: Upgrades = upgrades, version: number = RECORDING_VERSION): void {
  for (let v = 1; v < version; v++)
    if (!Object.hasOwn(steps, v)) throw new Error(`recording: no upgrade from version ${v} to ${v + 1}`);
  for (const key of Object.keys(steps))
    if (!(Number(key) >= 1 && Number(key) < version))
      throw new Error(`recording: upgrade from version ${key} leads nowhere`);
}
checkUpgrades();

/** The file's version when it can be read, else a RecordingError. */
export function readableVersion(version: unknown, current: number, place: RecordingError['place']): number {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new RecordingError(
      `the header's version is ${JSON.stringify(version) ?? 'missing'}; it must be a whole number from 1 on`,
      place,
    );
  if (version > current)
    throw new RecordingError(
      `the recording has version ${version}, this program reads versions up to ${current}: open it with a newer one`,
      place,
    );
  return version;
}

export function upgradeHeader(raw: Raw, from: number, current: number, steps: Upgrades): Raw {
  for (let v = from; v < current; v++) raw = steps[v]?.header?.(raw) ?? raw;
  return raw;
}
export function upgradeRecord(raw: Raw, from: number, current: number, steps: Upgrades): Raw {
  for (let v = from; v < current; v++) raw = steps[v]?.record?.(raw) ?? raw;
  return raw;
}
