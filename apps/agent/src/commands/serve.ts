/** `syncloop serve`: the web app, and a debug session on the embedded mock. */

import { UsageError } from '../base/errors.js';
import { classroomFlags } from '../classroom/flags.js';
import { classroomSettings, warningOf } from '../classroom/settings.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { linkTo } from '../links/link-code.js';
import { offerLinks } from '../links/offer-links.js';
import { mustBeLoopback } from '../net/listen.js';
import { newToken } from '../net/token.js';
import { SimulationWatch } from '../simulation/simulation-watch.js';
import type { Command } from './command.js';
import { pageFlags } from './page-flags.js';
import { webRoot } from './web-root.js';

const flagSpecs = {
  ...pageFlags(7330),
  scenario: { type: 'string', value: 'NAME', help: 'scenario to start with, by name (default hello)' },
  seed: { type: 'int', value: 'N', min: 0, help: "seed of the simulation (default: the scenario's own)" },
  ...classroomFlags,
} as const satisfies FlagSpecs;

/** Serves until a signal. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('serve', argv, flagSpecs);
  if (positionals[0] !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}: serve takes flags only`);
  const host = flags.host ?? '127.0.0.1';
  const port = flags.port ?? 7330;
  mustBeLoopback('--host', host, port);
  const audience = classroomSettings(flags, webRoot());
  const stopping = io.untilSignal();
  const token = newToken();
  const watch = new SimulationWatch(
    {
      host,
      port,
      webRoot: webRoot(),
      scenario: flags.scenario ?? 'hello',
      ...(flags.seed !== undefined && { seed: flags.seed }),
      id: `serve-${Date.now()}`,
      token,
      observer: newToken(),
      audience,
    },
    {
      onRestart: (why) =>
        io.err(
          `syncloop: the simulation was ended: ${why}; it was started again, and open pages begin again with it\n`,
        ),
    },
  );
  const serving = await watch.open();
  const served = { what: 'a simulated node', host, port: serving.port, token };
  const withdraw = offerLinks({
    ...served,
    // With a class the page begins to present.
    print: () => io.out(`syncloop: open ${linkTo(host, serving.port, token)}${audience ? '&present' : ''}\n`),
  });
  if (audience && serving.audience) {
    const who = audience.fixed
      ? 'for the class'
      : 'for the class, on this machine until you choose a network on your page';
    for (const link of serving.audience.links.slice(0, 1)) io.out(`syncloop: ${who}: ${link}\n`);
    const warning = warningOf(audience);
    if (warning) io.err(`syncloop: warning: ${warning}\n`);
  }
  const signal = await Promise.race([stopping, watch.failed]).finally(withdraw);
  await watch.close();
  io.err(`syncloop: ${signal}: stopped\n`);
  return 0;
}

export const command: Command = {
  usage: 'syncloop serve [--port 7330] [--scenario hello]',
  flags: flagSpecs,
  run,
};
