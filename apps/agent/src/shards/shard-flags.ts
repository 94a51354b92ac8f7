import type { Shard } from '@syncloop/core/base';
import { UsageError } from '../base/errors.js';
import type { FlagSpecs, Flags } from '../cli/args.js';

/** The most shards that a run is split into. */
const MOST = 100_000;
/** The variable in which Kubernetes gives a pod of an Indexed Job its index. */
const INDEX = 'JOB_COMPLETION_INDEX';

export const shardFlags = {
  shard: {
    type: 'string',
    value: 'I/N',
    help: 'do only the I-th of N shares, and print its result for syncloop merge',
  },
  shards: {
    type: 'int',
    value: 'N',
    min: 1,
    max: MOST,
    help: `the same with the share of a pod in an Indexed Job with N completions: its number is in ${INDEX}`,
  },
  output: {
    type: 'file',
    short: 'o',
    value: 'FILE',
    help: 'with --shard: the file for the result (default: print it)',
  },
} as const satisfies FlagSpecs;

/** Returns the share that the flags ask for; null for the whole. Throws a UsageError. */
export function chosenShard(
  { shard, shards, output }: Flags<typeof shardFlags>,
  env: { readonly [name: string]: string | undefined } = process.env,
): Shard | null {
  if (shard !== undefined && shards !== undefined)
    throw new UsageError(`--shard names the share, --shards takes it from ${INDEX}: give only one of them`);
  if (shard !== undefined) {
    const [, i, n] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard) ?? [];
    const [index, of] = [Number(i) - 1, Number(n)];
    if (n === undefined || of < 1 || of > MOST || index < 0 || index >= of)
      throw new UsageError(
        `--shard is ${JSON.stringify(shard)}, but must be I/N, such as 1/8 for the first of eight (N up to ${MOST})`,
      );
    return { index, of };
  }
  if (shards !== undefined) {
    const given = env[INDEX];
    if (given === undefined || !/^\d{1,6}$/.test(given))
      throw new UsageError(
        `--shards takes the number of its share from ${INDEX}, which ${given === undefined ? 'is not set' : `is ${JSON.stringify(given)}`}: an Indexed Job sets it; elsewhere give --shard I/${shards}`,
      );
    const index = Number(given);
    if (index >= shards)
      throw new UsageError(
        `${INDEX} is ${given}, but --shards is ${shards}: give the number of completions of the Job to --shards`,
      );
    return { index, of: shards };
  }
  if (output !== undefined) throw new UsageError('--output has an effect only with --shard or --shards: leave it out');
  return null;
}
