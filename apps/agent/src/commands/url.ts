/** `syncloop url`: another link to a page that runs on this machine. */
import { statSync } from 'node:fs';
import { SetupError, UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { readFlagFile } from '../cli/flag-file.js';
import type { IO } from '../cli/io.js';
import { linkTo } from '../links/link-code.js';
import { type RunningPage, runningPages } from '../links/running.js';
import type { Command } from './command.js';

const flagSpecs = {
  port: { type: 'int', value: 'PORT', min: 1, max: 65535, help: 'the page at this port (default: all running pages)' },
  forwarded: {
    type: 'bool',
    help: 'a link to 127.0.0.1, for a browser that comes through a forwarded port (ssh -L, kubectl port-forward)',
  },
  look: { type: 'bool', help: 'print a read-only link, if the page has two kinds' },
  'ui-token-file': {
    type: 'file',
    value: 'FILE',
    help: 'the page whose token is in this file, as given to attach; with --port (default 7330)',
  },
} as const satisfies FlagSpecs;

/** Returns the page of a token file: it may run behind a forwarded port, where its process is not seen. */
function pageOf(file: string, port: number): RunningPage {
  const token = readFlagFile('--ui-token-file', file).trim();
  if ((statSync(file).mode & 0o077) !== 0)
    throw new SetupError(`--ui-token-file ${file} can be read by others: chmod 600 ${file}`);
  return { pid: 0, what: '', host: '127.0.0.1', port, token };
}

async function run(argv: readonly string[], io: IO, found: () => readonly RunningPage[] = runningPages) {
  const { flags, positionals } = parseArgs('url', argv, flagSpecs);
  if (positionals[0] !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}: url takes flags only`);
  const { port, look, forwarded, 'ui-token-file': file } = flags;
  const pages =
    file !== undefined
      ? [pageOf(file, port ?? 7330)]
      : found().filter((one) => port === undefined || one.port === port);
  if (pages.length === 0)
    throw new SetupError(
      `no page of this user runs ${port === undefined ? 'here' : `at port ${port}`}; for one that root runs: sudo syncloop url`,
    );
  for (const { what, host, address, token, observer, ...one } of pages) {
    const link = linkTo(forwarded ? host : (address ?? host), one.port, look ? (observer ?? token) : token);
    // Alone, it can be passed on to another program.
    io.out(pages.length === 1 ? `${link}\n` : `${link}  ${what}\n`);
  }
  return 0;
}

export const command: Command & { readonly run: typeof run } = {
  usage: 'syncloop url [--port PORT] [--look] [--forwarded]',
  flags: flagSpecs,
  run,
};
