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
  node: {
    type: 'string',
    value: 'NAME',
    help: 'the node to read, if the files are of several (default: the one with most lines of a kubelet)',
  },
  ...limitFlags,
  'reveal-secrets': { type: 'bool', help: 'do not remove secrets from the log and from calls' },
} as const satisfies FlagSpecs;

/**
 * The node that is wanted, and the minutes that a log's local time is ahead of UTC. Throws a UsageError for an invalid
 * offset.
 */
export function sourcesOf(flags: { readonly 'time-zone'?: string; readonly node?: string }): {
  readonly zoneMinutes?: number;
  readonly node?: string;
} {
  return { ...(flags.node !== undefined && { node: flags.node }), ...zoneOf(flags['time-zone']) };
}

function zoneOf(text: string | undefined): { readonly zoneMinutes?: number } {
  if (text === undefined) return {};
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14)
    throw new UsageError(`--time-zone is ${JSON.stringify(text)}, but must be an offset such as +02:00 or -0530`);
  return { zoneMinutes: (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes)) };
}
