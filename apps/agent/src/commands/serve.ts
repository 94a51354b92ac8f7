/** `syncloop serve`: the web app, and a debug session on the embedded mock. */
import { classSettings, warningOf } from '../class/settings.js';
import { parseArgs } from '../cli/args.js';
import { UsageError } from '../cli/errors.js';
import type { IO } from '../cli/io.js';
import { newToken } from '../server/auth.js';
import { mustBeLoopback } from '../server/listen.js';
import { SimulationWatch } from '../server/simulation-watch.js';
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
  const audience = classSettings(flags, webRoot());
  const stopping = io.untilSignal();
  const watch = new SimulationWatch(
    {
      host,
      port,
      webRoot: webRoot(),
      scenario: flags.scenario ?? 'hello',
      ...(flags.seed !== undefined && { seed: flags.seed }),
      id: `serve-${Date.now()}`,
      token: newToken(),
      observer: newToken(),
      audience,
    },
    {
      onRestart: (why) =>
        io.err(
          `syncloop: the simulation was ended: ${why}; it was started again, and pages that are open begin anew with it\n`,
        ),
    },
  );
  const serving = await watch.open();
  io.out(`syncloop: open ${serving.url}\n`);
  if (audience && serving.audience) {
    for (const link of serving.audience.links.slice(0, 1)) io.out(`syncloop: for the class: ${link}\n`);
    const warning = warningOf(audience);
    if (warning) io.err(`syncloop: warning: ${warning}\n`);
  }
  const signal = await Promise.race([stopping, watch.failed]);
  await watch.close();
  io.err(`syncloop: ${signal}: stopped\n`);
  return 0;
}
