/** `syncloop nodes`: many nodes on which `syncloop attach` runs, from the user's own machine. */
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { offerLinks } from '../links/offer-links.js';
import { mustBeLoopback } from '../net/listen.js';
import { whereToListen } from '../net/own-address.js';
import { Cluster } from '../nodes/cluster.js';
import { serveNodes } from '../nodes/nodes-server.js';
import type { Command } from './command.js';
import { kubectlFlags, pageFlags } from './page-flags.js';

const SELECTOR = 'app.kubernetes.io/name=syncloop,app.kubernetes.io/component=attach';

const flagSpecs = {
  namespace: { type: 'string', short: 'n', value: 'NAME', help: 'namespace of the pods (default syncloop-attach)' },
  selector: { type: 'string', short: 'l', value: 'LABELS', help: `labels of the pods (default ${SELECTOR})` },
  ...kubectlFlags,
  ...pageFlags(7329),
} as const satisfies FlagSpecs;

async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('nodes', argv, flagSpecs);
  if (positionals[0] !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}: nodes takes flags only`);
  const { namespace = 'syncloop-attach', selector = SELECTOR, kubeconfig, context, kubectl } = flags;
  const host = flags.host ?? '127.0.0.1';
  const port = flags.port ?? 7329;
  mustBeLoopback('--host', host, port);
  const stopping = io.untilSignal();
  const where = await whereToListen(flags.host);
  const server = await serveNodes({
    ...where,
    port,
    remedy: 'choose another with --port (0 for any free one)',
    title: [context, namespace].filter(Boolean).join(' / '),
    cluster: new Cluster({
      namespace,
      selector,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
      ...(kubectl !== undefined && { kubectl }),
    }),
  });
  const { link, token, port: servedPort } = server;
  const withdraw = offerLinks({
    what: 'the nodes of a cluster',
    ...where,
    port: servedPort,
    token,
    print: () => io.out(`syncloop: open ${link()}\n`),
  });
  const signal = await stopping;
  withdraw();
  await server.close();
  io.err(`syncloop: ${signal}: stopped; forwarded ports are closed\n`);
  return 0;
}

export const command: Command = { usage: 'syncloop nodes [--namespace NAME] [--context NAME]', flags: flagSpecs, run };
