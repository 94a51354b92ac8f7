/** `syncloop restore-api`: data of our own API server from a backup, or from the rest of damaged ones. */
import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import type { Command } from './command.js';

/** The number in Kubernetes' documentation of etcdutl snapshot restore. */
const bumpRevision = 1_000_000_000;

const flagSpecs = {
  'serve-api-data': {
    type: 'string',
    value: 'DIR',
    help: 'new or empty folder to restore into; with --accept-loss the damaged folder',
  },
  'accept-loss': {
    type: 'bool',
    help: 'keep the objects of a damaged folder that can be read, and lose the others; the damaged files are moved to a folder next to it',
  },
  'bump-revision': {
    type: 'int',
    value: 'N',
    min: 0,
    max: 2 ** 48,
    help: `added to resourceVersion, so that no client takes an old one for a new one (default ${bumpRevision}); with --accept-loss only if the last version is unknown`,
  },
} as const satisfies FlagSpecs;

const objects = (count: number) => `${count} ${count === 1 ? 'object' : 'objects'}`;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('restore-api', argv, flagSpecs);
  const [file, extra] = positionals;
  const given = flags['serve-api-data'];
  if (!given) throw new UsageError('a folder is required: --serve-api-data DIR');
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: give one file`);
  const folder = resolve(given);
  const bump = flags['bump-revision'] ?? bumpRevision;
  const { acceptLoss, restore } = await import('../api-data/restore.js');
  if (!flags['accept-loss']) {
    if (file === undefined)
      throw new UsageError('a backup is required: syncloop restore-api FILE --serve-api-data DIR');
    const state = await restore(resolve(file), folder, bump);
    io.out(
      `${folder}: ${objects(state.count)}; resourceVersion continues at ${state.version}. Start syncloop kubelet with --serve-api-data ${folder}\n`,
    );
    return 0;
  }
  if (file !== undefined)
    throw new UsageError(
      '--accept-loss keeps what is left in the folder, and a backup replaces it: give FILE or --accept-loss, not both',
    );
  const salvaged = await acceptLoss(folder, bump, new Date());
  if (!salvaged) {
    io.out(`${folder} is not damaged: nothing was changed\n`);
    return 0;
  }
  const { state, acknowledged, aside } = salvaged;
  const of = acknowledged ? ` of ${acknowledged.count} that were acknowledged` : '';
  io.out(
    `${folder}: ${objects(state.count)}${of}; resourceVersion continues at ${state.version}. The damaged files are in ${aside}\n`,
  );
  return 0;
}

export const command: Command = {
  usage:
    'syncloop restore-api FILE --serve-api-data DIR\n       syncloop restore-api --accept-loss --serve-api-data DIR',
  flags: flagSpecs,
  run,
};
