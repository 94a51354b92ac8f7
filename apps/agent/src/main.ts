/** The `syncloop` program: finds the command, runs it, and reports errors. */
import { UsageError } from './base/errors.js';
import { suggestion } from './base/suggestion.js';
import { flagHelp } from './cli/args.js';
import { type IO, processIO } from './cli/io.js';
import type { Command } from './commands/command.js';
import { type CommandEntry, commands } from './commands/index.js';

const help: Command = {
  usage: 'syncloop help [COMMAND]',
  flags: {},
  async run([name], io) {
    io.out(name === undefined ? overview() : await commandHelp(name));
    return 0;
  },
};

const table: typeof commands = {
  ...commands,
  help: { summary: 'explain a command', load: async () => ({ command: help }) },
};

function overview(): string {
  const rows = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`);
  return `syncloop: a visual debugger for the Kubernetes kubelet\n\nCommands:\n${rows.join('\n')}\n\nMore about a command: syncloop help COMMAND\n`;
}

async function commandHelp(name: string): Promise<string> {
  const { summary, load } = find(name);
  const { usage, flags } = (await load()).command;
  const shown = Object.keys(flags).length > 0 ? `\nFlags:\n${flagHelp(flags)}\n` : '';
  return `${summary}\n\nUsage: ${usage}\n${shown}`;
}

function find(name: string): CommandEntry {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry) return entry;
  throw new UsageError(
    `unknown command ${JSON.stringify(name)}${suggestion(name, Object.keys(table), 'syncloop ')}; see: syncloop help`,
  );
}

/** Names of errors whose message is written for the user. Any other error is a bug: its stack is printed. */
const explainedErrors = new Set(['SetupError', 'EndpointError', 'ScenarioError', 'RecordingError', 'PartError']);

/** Runs the command line; resolves with the exit code: 2 for a wrong command line, 1 for a failure. */
export async function main(argv: readonly string[], io: IO = { ...processIO(), own: true }): Promise<number> {
  const [name, ...rest] = argv;
  io.onFatal?.();
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      io.out(overview());
      return name === undefined ? 2 : 0;
    }
    if (name === '--version') return await (await find('version').load()).command.run([], io);
    const entry = find(name);
    if (name !== 'help' && rest.some((word) => word === '--help' || word === '-h')) {
      io.out(await commandHelp(name));
      return 0;
    }
    // Its files may be anybody's: it reads them in a process where they can do no harm.
    if (entry.bounded && io.own)
      return await (await import('./limits/bounded-process.js')).runBounded(name, rest, io, entry.bounded);
    return await (await entry.load()).command.run(rest, io);
  } catch (err) {
    if (err instanceof UsageError) {
      io.err(`syncloop: ${err.message}\n`);
      return 2;
    }
    const explained = err instanceof Error && explainedErrors.has(err.name);
    io.err(`syncloop: ${explained ? err.message : err instanceof Error ? (err.stack ?? err.message) : String(err)}\n`);
    return 1;
  }
}
