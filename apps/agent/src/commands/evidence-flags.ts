/** Flags of the commands that read a kubelet's sources. */
import { UsageError } from '../base/errors.js';
import type { FlagSpecs } from '../cli/args.js';
import { limitFlags } from '../limits/limits.js';

export const evidenceFlags = {
  'time-zone': {
    type: 'string',
    value: '+HH:MM',
    help: "offset of the log's local time from UTC, if the log does not contain it (default +00:00)",
  },
  ...limitFlags,
  'reveal-secrets': { type: 'bool', help: 'do not remove secrets from the log and from calls' },
} as const satisfies FlagSpecs;

/** The minutes that a log's local time is ahead of UTC. Throws a UsageError for an invalid offset. */
export function zoneOf(flags: { readonly 'time-zone'?: string }): { readonly zoneMinutes?: number } {
  const text = flags['time-zone'];
  if (text === undefined) return {};
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14)
    throw new UsageError(`--time-zone is ${JSON.stringify(text)}, but must be an offset such as +02:00 or -0530`);
  return { zoneMinutes: (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes)) };
}
