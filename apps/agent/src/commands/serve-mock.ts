/** `syncloop serve-mock`: the mock runtime on a unix socket, for crictl, a real kubelet, and contract tests. */
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { newMockRuntime } from '@syncloop/core/mock';
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { serveRuntime } from '../cri/server.js';
import { streamingServer } from '../cri/streaming-server.js';
import { HostFiles } from '../host/host-files.js';
import { LogsOnDisk } from '../host/logs-on-disk.js';
import type { Command } from './command.js';

const flagSpecs = {
  endpoint: {
    type: 'string',
    value: 'unix:///PATH',
    help: 'socket to create (default unix:///tmp/syncloop-mock.sock)',
  },
  'host-files': {
    type: 'string',
    value: 'DIR',
    help: "containers see this machine's files below DIR in their mounts, such as a kubelet's --root-dir; what they write stays in memory",
  },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of ids and durations (default 1)' },
} as const satisfies FlagSpecs;

/** Serves until a signal. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('serve-mock', argv, flagSpecs);
  if (positionals.length > 1)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[1])}: one endpoint is enough`);
  const endpoint = flags.endpoint ?? positionals[0] ?? 'unix:///tmp/syncloop-mock.sock';
  const hostFiles = flags['host-files'];
  const stopping = io.untilSignal();
  const kernel = new Kernel({ clock: new RealClock(), seed: flags.seed ?? 1 });
  const driver = new RealDriver(kernel);
  const failed = new Promise<unknown>((resolve) => {
    driver.onError = resolve;
  });
  const streaming = await streamingServer();
  const mock = newMockRuntime(kernel, {
    streams: (request) => streaming.url(request),
    fs: hostFiles === undefined ? new LogsOnDisk(kernel) : new HostFiles(kernel, hostFiles),
    ...(flags.seed !== undefined && { seed: flags.seed }),
  });
  streaming.serve(kernel, mock);
  const server = await serveRuntime(kernel, mock.runtime, mock.image, endpoint).catch((err) => {
    // An open listener would keep the process alive.
    streaming.close();
    throw err;
  });
  driver.start();
  io.out(`syncloop: mock runtime at ${endpoint}\nsyncloop: try: crictl --runtime-endpoint ${endpoint} version\n`);
  const end = await Promise.race([stopping, failed.then((err) => ({ err }))]);
  await server.close();
  streaming.close();
  driver.stop();
  if (typeof end === 'string') return 0;
  io.err(`syncloop: the mock failed: ${end.err instanceof Error ? end.err.message : end.err}\n`);
  return 1;
}

export const command: Command = {
  usage: 'syncloop serve-mock [--endpoint unix:///PATH] [--host-files DIR]',
  flags: flagSpecs,
  run,
};
