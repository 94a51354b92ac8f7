/** The `syncloop` program: finds the command, runs it, and says what went wrong. */
import { type FlagSpecs, flagHelp } from './cli/args.js';
import { UsageError } from './cli/errors.js';
import { type IO, processIO } from './cli/io.js';
import { suggestion } from './cli/suggestion.js';
import {
  conformanceFlags,
  exploreFlags,
  exportFlags,
  importFlags,
  infoFlags,
  serveFlags,
  serveMockFlags,
  simulateFlags,
  whyFlags,
} from './commands/flags.js';
import { kubeletFlags } from './config/kubelet-flags.js';
import { kubeletVersion, version } from './version.js';

interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly flags: FlagSpecs;
  readonly run: (argv: readonly string[], io: IO) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'serve the debugger with a simulation, on loopback',
    usage: 'syncloop serve [--port 7330]',
    flags: serveFlags,
    run: async (argv, io) => (await import('./commands/serve.js')).serveCommand(argv, io),
  },
  kubelet: {
    summary:
      'run as the kubelet of this node, with the debugger: stand-alone, in a cluster, or with its own API server',
    usage: 'syncloop kubelet --config FILE --container-runtime-endpoint unix:///PATH [FLAGS]',
    flags: kubeletFlags,
    run: async (argv, io) => (await import('./commands/kubelet.js')).kubeletCommand(argv, io),
  },
  simulate: {
    summary: 'run a scenario in virtual time, without a page',
    usage: 'syncloop simulate SCENARIO [--seed N] [--record FILE] [--until 60s]',
    flags: simulateFlags,
    run: async (argv, io) => (await import('./commands/simulate.js')).simulateCommand(argv, io),
  },
  explore: {
    summary: 'run a scenario under many schedules, and look for one that breaks something',
    usage: "syncloop explore SCENARIO [--schedules N] [--strategy random|pct|exhaustive] [--never 'EXPRESSION']",
    flags: exploreFlags,
    run: async (argv, io) => (await import('./commands/explore.js')).exploreCommand(argv, io),
  },
  why: {
    summary: 'tell why something in a recording happened, or did not',
    usage:
      'syncloop why FILE --container web/app --what restart\n       syncloop why FILE --pod web --field phase\n       syncloop why FILE --record SEQ\n       syncloop why FILE --pending web',
    flags: whyFlags,
    run: async (argv, io) => (await import('./commands/why.js')).whyCommand(argv, io),
  },
  info: {
    summary: 'tell what is in a recording',
    usage: 'syncloop info FILE',
    flags: infoFlags,
    run: async (argv, io) => (await import('./commands/info.js')).infoCommand(argv, io),
  },
  export: {
    summary: "write a recording in another program's format",
    usage: 'syncloop export FILE --format chrome|otlp|ndjson|klog [-o OUT]',
    flags: exportFlags,
    run: async (argv, io) => (await import('./commands/export.js')).exportCommand(argv, io),
  },
  import: {
    summary: 'make a recording of an exported or an old one',
    usage: 'syncloop import FILE -o OUT.syncloop',
    flags: importFlags,
    run: async (argv, io) => (await import('./commands/export.js')).importCommand(argv, io),
  },
  'serve-mock': {
    summary: 'serve the mock container runtime on a unix socket',
    usage: 'syncloop serve-mock [--endpoint unix:///PATH]',
    flags: serveMockFlags,
    run: async (argv, io) => (await import('./commands/serve-mock.js')).serveMockCommand(argv, io),
  },
  conformance: {
    summary: 'compare with recordings of a real kubelet, or judge a container runtime',
    usage:
      'syncloop conformance [--runtime mock|cri] [FILE...]\n       syncloop conformance --contract [--runtime mock|cri]',
    flags: conformanceFlags,
    run: async (argv, io) => (await import('./conformance/main.js')).main(argv, (line) => io.out(`${line}\n`)),
  },
  version: {
    summary: 'print versions',
    usage: 'syncloop version',
    flags: {},
    async run(_argv, io) {
      io.out(`syncloop ${version} (behaves as kubelet ${kubeletVersion}; node ${process.version})\n`);
      return 0;
    },
  },
  help: {
    summary: 'explain a command',
    usage: 'syncloop help [COMMAND]',
    flags: {},
    async run([name], io) {
      io.out(name === undefined ? overview() : commandHelp(name));
      return 0;
    },
  },
};

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return `syncloop: a visual debugger for the Kubernetes kubelet\n\nCommands:\n${rows.join('\n')}\n\nMore about one: syncloop help COMMAND\n`;
}

function commandHelp(name: string): string {
  const command = find(name);
  const flags = Object.keys(command.flags).length > 0 ? `\nFlags:\n${flagHelp(command.flags)}\n` : '';
  return `${command.summary}\n\nUsage: ${command.usage}\n${flags}`;
}

function find(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  throw new UsageError(
    `unknown command ${JSON.stringify(name)}${suggestion(name, Object.keys(commands), 'syncloop ')}; see: syncloop help`,
  );
}

/** Errors whose message is written for whoever runs this; any other is a bug, and its stack the best that there is. */
const explainedErrors = new Set(['SetupError', 'EndpointError', 'ScenarioError', 'RecordingError']);

/** Runs the command line; resolves with the exit code: 2 for a wrong command line, 1 for what failed. */
export async function main(argv: readonly string[], io: IO = processIO()): Promise<number> {
  const [name, ...rest] = argv;
  io.onFatal?.();
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      io.out(overview());
      return name === undefined ? 2 : 0;
    }
    if (name === '--version') return await find('version').run([], io);
    const command = find(name);
    if (name !== 'help' && rest.some((word) => word === '--help' || word === '-h')) {
      io.out(commandHelp(name));
      return 0;
    }
    return await command.run(rest, io);
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
