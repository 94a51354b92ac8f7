/** `syncloop serve`: the web app, and a debug session on the embedded mock. */
import { SimulationSession, simulationSource } from '@syncloop/core/debug';
import type { ClassHost } from '../class/class-host.js';
import { classSettings, warningOf } from '../class/settings.js';
import { parseArgs } from '../cli/args.js';
import { UsageError } from '../cli/errors.js';
import type { IO } from '../cli/io.js';
import { mustBeLoopback } from '../server/listen.js';
import { type SessionHost, serveSession } from '../server/session-host.js';
import { SimulationHost } from '../server/simulation-host.js';
import { serveFlags } from './flags.js';
import { webRoot } from './web-root.js';

/** Serves until a signal. */
export async function serveCommand(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('serve', argv, serveFlags);
  if (positionals[0] !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}: serve takes flags only`);
  const host = flags.host ?? '127.0.0.1';
  const port = flags.port ?? 7330;
  mustBeLoopback('--host', host, port);
  const settings = classSettings(flags, webRoot());
  const stopping = io.untilSignal();
  const session = new SimulationSession(simulationSource(), {
    scenario: flags.scenario ?? 'hello',
    ...(flags.seed !== undefined && { seed: flags.seed }),
    id: `serve-${Date.now()}`,
  });
  let server: SessionHost | null = null;
  const pump = new SimulationHost(session, () => server?.server ?? null);
  const audience: ClassHost | null = settings && (await (await import('../class/class-host.js')).openClass(settings));
  server = await serveSession(session, {
    host,
    port,
    webRoot: webRoot(),
    control: true,
    remedy: 'choose another with --port (0 for any free one)',
    onClients: (count) => pump.clients(count),
    ...(audience && { extend: (io, gate) => audience.present(io, gate) }),
  }).catch(async (err: unknown) => {
    await audience?.close();
    throw err;
  });
  io.out(`syncloop: open ${server.url}\n`);
  if (settings && audience) {
    for (const link of audience.links.slice(0, 1)) io.out(`syncloop: for the class: ${link}\n`);
    const warning = warningOf(settings);
    if (warning) io.err(`syncloop: warning: ${warning}\n`);
  }
  const signal = await stopping;
  pump.stop();
  await Promise.all([server.close(), audience?.close()]);
  io.err(`syncloop: ${signal}: stopped\n`);
  return 0;
}
