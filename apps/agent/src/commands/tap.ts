/** `syncloop tap`: a byte pipe between a kubelet and its container runtime, and a decoder of a copy of the bytes. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { SetupError, UsageError } from '../base/errors.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { socketPath } from '../cri/endpoint.js';
import { askVersion } from '../cri/runtime-poll.js';
import { type Machine, planInstall, planRemove, type Step } from '../tap/install.js';
import { runTap } from '../tap/run.js';
import { defaultEvidence, defaultListen, defaultTarget } from '../tap/target.js';
import type { Command } from './command.js';

const flagSpecs = {
  endpoint: {
    type: 'string',
    value: 'unix:///PATH',
    help: "the runtime's socket (default: that of containerd, CRI-O or cri-dockerd, whichever exists)",
  },
  listen: {
    type: 'string',
    value: 'unix:///PATH',
    help: `socket to create for the kubelet (default: the one that systemd passes, else ${defaultListen})`,
  },
  output: {
    type: 'file',
    short: 'o',
    value: 'FILE',
    help: 'write a capture, cri-bytes.ndjson, with mode 0600: it contains all that the socket does, including secrets of pods',
  },
  limit: { type: 'int', value: 'MIB', min: 1, help: 'size at which the capture ends (default 1024)' },
  evidence: {
    type: 'string',
    value: 'unix:///PATH',
    help: 'socket to create, from which syncloop attach reads what was decoded',
  },
  quiet: { type: 'bool', short: 'q', help: 'print no lines about calls' },
  all: { type: 'bool', help: 'print a line for every call, also for those that only read' },
  file: { type: 'file', value: 'FILE', help: "install: the file that sets the kubelet's runtime endpoint" },
  yes: { type: 'bool', short: 'y', help: 'install, remove: make the changes; without it they are only listed' },
} as const satisfies FlagSpecs;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('tap', argv, flagSpecs);
  const [verb, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}; see: syncloop help tap`);
  if (verb === undefined) return await pipe(flags, io);
  if (verb === 'install') return await install(flags, io);
  if (verb === 'remove') return await carryOut(planRemove(machine), flags, io, 'syncloop tap remove --yes');
  throw new UsageError(`${JSON.stringify(verb)} is neither install nor remove; see: syncloop help tap`);
}

async function pipe(flags: Flags<typeof flagSpecs>, io: IO): Promise<number> {
  const stopping = io.untilSignal();
  const handed = handedOver();
  const listen = flags.listen ?? defaultListen;
  const endpoint = flags.endpoint ?? (await defaultTarget());
  const lines = flags.all ? 'all' : 'changes';
  const tap = await runTap({
    listen: flags.listen === undefined && handed !== null ? { fd: handed } : socketPath(listen),
    target: socketPath(endpoint),
    ...(flags.output !== undefined && { capture: { file: flags.output, most: (flags.limit ?? 1024) * 1024 * 1024 } }),
    ...(flags.evidence !== undefined && { evidence: socketPath(flags.evidence) }),
    ...(!flags.quiet && { lines }),
    line: (text) => io.out(`${text}\n`),
    warn: (text) => io.err(`syncloop: ${text}\n`),
  });
  io.err(
    `syncloop: tap from ${handed !== null && flags.listen === undefined ? "systemd's socket" : listen} to ${endpoint}\n`,
  );
  await stopping;
  await tap.close();
  return 0;
}

/** The first socket that systemd passes; null if there is none. upstream: sd_listen_fds(3) */
function handedOver(): number | null {
  const { LISTEN_PID: pid, LISTEN_FDS: fds } = process.env;
  return Number(pid) === process.pid && Number(fds) >= 1 ? 3 : null;
}

const machine: Machine = {
  root: '/',
  ask: askVersion,
  run: (command: string, args: readonly string[]) => {
    try {
      execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (err) {
      const said = String((err as { stderr?: unknown }).stderr ?? (err as Error).message).trim();
      throw new SetupError(`${[command, ...args].join(' ')} failed: ${said}`);
    }
  },
};

async function install(flags: Flags<typeof flagSpecs>, io: IO): Promise<number> {
  const { steps, target } = planInstall(machine, {
    program: program(),
    listen: socketPath(flags.listen ?? defaultListen),
    evidence: socketPath(flags.evidence ?? defaultEvidence),
    ...(flags.file !== undefined && { file: resolve(flags.file) }),
  });
  io.out(`A tap in front of ${target}. Containers are not touched; the kubelet is restarted once.\n`);
  return await carryOut(steps, flags, io, `syncloop tap install ${flags.file ? `--file ${flags.file} ` : ''}--yes`);
}

/** Prints each step, and makes it if `--yes` was given. An error names the steps that were made before. */
async function carryOut(
  steps: readonly Step[],
  { yes }: Flags<typeof flagSpecs>,
  io: IO,
  command: string,
): Promise<number> {
  for (const [i, { text, apply }] of steps.entries()) {
    io.out(`${i + 1}. ${text}\n`);
    if (!yes) continue;
    try {
      await apply();
    } catch (err) {
      throw new SetupError(
        `step ${i + 1} of ${steps.length} failed: ${(err as Error).message}\nsteps 1 to ${i} are done; to undo them: syncloop tap remove --yes`,
      );
    }
  }
  io.out(yes ? 'Done.\n' : `Nothing was changed. To do this: ${command}\n`);
  return 0;
}

/** Returns the command that starts this program: its name, or Node with its script. */
function program(): string {
  const script = process.argv[1] ?? '/usr/local/bin/syncloop';
  return script.endsWith('.mjs') || script.endsWith('.js') ? `${process.execPath} ${script}` : script;
}

export const command: Command = {
  usage: [
    'syncloop tap [--endpoint unix:///PATH] [--listen unix:///PATH] [-o FILE]',
    'syncloop tap install [--file FILE] [--yes]',
    'syncloop tap remove [--yes]',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};
