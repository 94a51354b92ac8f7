/** The limits of a command that reads untrusted files. */
import { sizeText } from '../base/size-text.js';
import type { FlagSpecs, Flags } from '../cli/args.js';

const MiB = 1024 * 1024;

export const limitFlags = {
  'memory-limit': {
    type: 'size',
    value: 'SIZE',
    min: 256 * MiB,
    help: 'largest amount of memory that it may use, at least 256Mi (default 1Gi)',
  },
  'time-limit': {
    type: 'duration',
    value: 'DURATION',
    help: 'longest time that it may read and compute (default 10m; 0: no limit)',
  },
  'size-limit': {
    type: 'size',
    value: 'SIZE',
    min: 1,
    help: 'largest number of bytes to read from all files together, after decompression (default 4Gi)',
  },
} as const satisfies FlagSpecs;

export interface Limits {
  /** Bytes of resident memory. */
  readonly memory: number;
  /** Milliseconds; infinite if there is no limit. */
  readonly millis: number;
  /** Bytes read, decompressed. */
  readonly size: number;
}

export function limitsOf(flags: Flags<typeof limitFlags>): Limits {
  const { 'memory-limit': memory = 1024 * MiB, 'time-limit': micros = 600e6, 'size-limit': size = 4096 * MiB } = flags;
  return { memory, millis: micros === 0 ? Number.POSITIVE_INFINITY : micros / 1000, size };
}

export type LimitName = 'memory' | 'time' | 'size';

/** A limit in words, with the flag that raises it. */
export function limitText(name: LimitName, { memory, millis, size }: Limits): string {
  const value = { memory: sizeText(memory), time: `${millis / 1000} s`, size: `${sizeText(size)}, decompressed` }[name];
  return `the limit of ${name} (${value}; --${name}-limit)`;
}

/** Returns what to do after a limit was reached. */
export const remedy = (name: LimitName): string =>
  `read a smaller part of it, for example with journalctl --since and --until, or raise --${name}-limit`;

/**
 * The shares of the limits of memory and time that reading may use; the rest is for processing the result. `text`:
 * the most bytes of records in memory at once, as a share of the memory limit.
 */
export interface Shares {
  readonly memory: number;
  readonly time: number;
  readonly text: number;
}
/** A recording is written while the files are read, and a page holds a bounded part of them. */
export const STREAMED: Shares = { memory: 0.8, time: 0.9, text: Number.POSITIVE_INFINITY };
/** A twin needs all records at once, and about as much again for each of the runs that are compared. */
export const HELD: Shares = { memory: 0.6, time: 0.5, text: 0.2 };
