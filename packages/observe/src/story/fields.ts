/** Values of a line's fields, as all versions print them. */
import { isObject } from '@syncloop/core/base';
import type { Json, KillReason } from '@syncloop/core/trace';
import { podName, uidInName } from '../identity.js';
import { goList, goStruct } from '../log/go-values.js';

export type JsonObject = { readonly [key: string]: Json | undefined };

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** A pod of a list: its name, and its UID if the line has it. */
export interface PodInList {
  readonly pod: string;
  readonly uid: string;
}

/** The pods of a list; null for any other value. */
export function podList(value: Json | undefined): PodInList[] | null {
  let list = goList(value);
  if (!list && typeof value === 'string') {
    // `name_ns(uid), name_ns(uid)`, and nothing for none.
    const parts = value === '' ? [] : value.split(/,\s*/);
    if (parts.every((part) => uidInName(part) !== '')) list = parts;
  }
  if (!list) return null;
  return list.map((one) => ({ pod: podName(one), uid: uidInName(one) })).filter(({ pod }) => pod !== '');
}

/** A PodLifecycleEvent as every version prints it. */
export function lifecycleEvent(value: Json | undefined): { uid: string; type: string; data: string } | null {
  const event = isObject(value) ? value : typeof value === 'string' ? goStruct(value) : null;
  const [uid, type, data] = [event?.ID, event?.Type, event?.Data];
  return typeof uid === 'string' && typeof type === 'string' && uid !== ''
    ? { uid, type, data: typeof data === 'string' ? data : '' }
    : null;
}

/** The pods of an update of devices, `{"PodUIDs":["u-1"]}` or `{PodUIDs:[u-1]}`; empty if it cannot be read. */
export function podUIDsOf(value: Json | undefined): readonly string[] {
  const event = isObject(value) ? value : typeof value === 'string' ? goStruct(value) : null;
  const uids = event?.PodUIDs;
  if (Array.isArray(uids)) return uids.filter((uid) => typeof uid === 'string');
  return typeof uids === 'string'
    ? uids
        .replace(/^\[|\]$/g, '')
        .split(' ')
        .filter(Boolean)
    : [];
}

/** A number, also of the `%!s(int32=137)` kind or one in quotes; undefined for none. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,12}$/.test(value) ? Number(value) : undefined;
}

const UNITS: { readonly [unit: string]: number } = { h: 3600e6, m: 60e6, s: 1e6, ms: 1e3, us: 1, µs: 1, ns: 1e-3 };
/** Microseconds of a duration as Go prints it, `1m20s`; undefined for none. */
export function goDuration(value: string): number | undefined {
  let total = 0;
  let rest = value;
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/.exec(rest);
    if (!part) return undefined;
    total += Number(part[1]) * (UNITS[part[2] as string] ?? 0);
    rest = rest.slice(part[0].length);
  }
  return value === '' ? undefined : Math.round(total);
}

/** The name of a container: a name, or the whole struct as versions before 1.33 or so print it. */
export function containerNameOf(value: Json | undefined): string {
  if (isObject(value)) return text(value.name ?? value.Name);
  const whole = text(value);
  return /^&?(?:v1\.)?Container\{Name:([^,}]*)[,}]/.exec(whole)?.[1] ?? (/[{}\s]/.test(whole) ? '' : whole);
}

/**
 * Returns the reason of a kill in the words of computePodActions and the event Killing; undefined for other reasons.
 */
export function killReasonIn(message: string): KillReason | undefined {
  if (message.includes('failed liveness probe')) return 'LivenessProbe';
  if (message.includes('failed startup probe')) return 'StartupProbe';
  return message === 'FailedPostStartHook' ? message : undefined;
}
