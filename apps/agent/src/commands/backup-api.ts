/** `syncloop backup-api`: the data of our own API server as one file, while it runs or not. */
import { renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { SetupError, UsageError } from '../base/errors.js';
import { irregular } from '../base/read-file.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import type { Command } from './command.js';

export const defaultData = '/var/lib/kubelet/api/data';

const flagSpecs = {
  'serve-api-data': {
    type: 'string',
    value: 'DIR',
    help: `folder of the API server's data, as syncloop kubelet has it (default ${defaultData})`,
  },
} as const satisfies FlagSpecs;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('backup-api', argv, flagSpecs);
  const [file, extra] = positionals;
  if (file === undefined) throw new UsageError('a file to write is required: syncloop backup-api FILE');
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: give one file`);
  const other = irregular(resolve(file));
  if (other) throw new SetupError(`cannot write ${file}: ${other.message}; choose another file`);
  // It is loaded only when it is needed.
  const { backUp, writeBackup } = await import('../api-data/backup.js');
  const { realDisk, syncFolder } = await import('../api-data/disk.js');
  const { bytes, state } = await backUp(realDisk, resolve(flags['serve-api-data'] ?? defaultData));
  writeBackup(realDisk, resolve(file), bytes, (from, to) => {
    renameSync(from, to);
    syncFolder(to);
  });
  io.out(`${file}: ${state.count} objects up to resourceVersion ${state.version}, ${bytes.length} bytes\n`);
  return 0;
}

export const command: Command = {
  usage: 'syncloop backup-api FILE [--serve-api-data DIR]',
  flags: flagSpecs,
  run,
};
