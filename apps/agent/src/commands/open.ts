/** `syncloop open`: the page about a kubelet's log, or other sources in files. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { redactRecord } from '@syncloop/core/redaction';
import type { TraceRecord } from '@syncloop/core/trace';
import { fleetStory } from '@syncloop/observe/fleet';
import { ObservedSession } from '@syncloop/observe/session';
import { TwinSession } from '@syncloop/observe/twin/session';
import { SetupError, UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { fleetNodes } from '../fleet/fleet-nodes.js';
import { FleetSession, type NodeSession, type OpenNode } from '../fleet/fleet-session.js';
import { readFleet } from '../fleet/read-fleet.js';
import { limitsOf, STREAMED } from '../limits/limits.js';
import type { OnProgress } from '../limits/progress.js';
import { ReadBudget } from '../limits/read-budget.js';
import { offerLinks } from '../links/offer-links.js';
import { mustBeLoopback } from '../net/listen.js';
import { whereToListen } from '../net/own-address.js';
import { SeveralNodesError } from '../observe/bundles.js';
import { type EvidenceFile, findEvidence } from '../observe/evidence-files.js';
import { readingProgress } from '../observe/read-evidence.js';
import { loadTwinTools } from '../server/load-twin-tools.js';
import { serveSession } from '../server/session-host.js';
import { SessionPump } from '../server/session-pump.js';
import type { Command } from './command.js';
import { evidenceFlags, sourcesOf } from './evidence-flags.js';
import { pageFlags } from './page-flags.js';
import { webRoot } from './web-root.js';

const flagSpecs = {
  ...pageFlags(7330),
  ...evidenceFlags,
} as const satisfies FlagSpecs;

/** Lines that are held back are shown when standard input was silent for this long, ms. */
const QUIET_MILLIS = 1000;

/** Serves until a signal, and reads meanwhile. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('open', argv, flagSpecs);
  if (positionals.length === 0)
    throw new UsageError(
      'a file is required: syncloop open kubelet.log, a folder with logs or a capture, or - for standard input',
    );
  const host = flags.host ?? '127.0.0.1';
  const port = flags.port ?? 7330;
  mustBeLoopback('--host', host, port);
  const where = await whereToListen(flags.host);
  const stopping = io.untilSignal();
  const opening = await Promise.race([openFiles(positionals, flags, io), stopping]);
  if (typeof opening === 'string') {
    io.err(`syncloop: ${opening}: stopped\n`);
    return 0;
  }
  const { served } = opening;
  await Promise.race([opening.begun, stopping]);
  let server: Awaited<ReturnType<typeof serveSession>> | null = null;
  let withdraw = () => {};
  const pump = new SessionPump(served, () => server?.server ?? null);
  io.progress?.({ doing: 'serving the page', serving: true });
  try {
    server = await serveSession(served, {
      ...where,
      port,
      webRoot: webRoot(),
      control: true,
      remedy: 'choose another with --port (0 for any free one)',
      onClients: (count) => pump.clients(count),
    });
    const { link, port: servedPort, token } = server;
    withdraw = offerLinks({
      what: positionals.join(' '),
      ...where,
      port: servedPort,
      token,
      print: () => io.out(`syncloop: open ${link()}\n`),
    });
    const signal = await stopping;
    io.err(`syncloop: ${signal}: stopped\n`);
  } finally {
    opening.close();
    withdraw();
    pump.stop();
    await server?.close();
  }
  return 0;
}

type OpenFlags = Flags<typeof flagSpecs>;
/** Something to serve, and what ends the reading of its files. */
interface Opening extends OpenNode {
  readonly served: NodeSession;
  /** Resolves when there is something to show. */
  readonly begun: Promise<unknown>;
}

/** Opens the files of one node; or those of several, of which the first that can be read is shown. */
async function openFiles(paths: readonly string[], flags: OpenFlags, io: IO): Promise<Opening> {
  try {
    const { files, left } = await findEvidence(paths, sourcesOf(flags));
    for (const why of left) io.err(`syncloop: ${why}\n`);
    return openNode(files, flags, io);
  } catch (error) {
    if (!(error instanceof SeveralNodesError)) throw error;
    return await openFleet(paths, flags, io);
  }
}

/** Reads one node while it is served. */
function openNode(files: readonly EvidenceFile[], flags: OpenFlags, io: IO): Opening {
  const total = files.every(({ size }) => size !== null) ? files.reduce((sum, one) => sum + (one.size ?? 0), 0) : null;
  const piped = files.length === 1 && files[0]?.size === null;
  const shown = flags['reveal-secrets'] ? (record: TraceRecord) => record : redactRecord;
  const session = new ObservedSession(
    files.map(({ source }) => source),
    {
      id: `open-${Date.now()}`,
      ...(total !== null && { total }),
      // Standard input may be a log that is still written.
      ...(piped && { pace: 'live' }),
      redact: shown,
    },
  );
  let stopped = false;
  const budget = new ReadBudget(limitsOf(flags), STREAMED);
  const reading = read(session, files, {
    stopped: () => stopped,
    lost: (why) => io.err(`syncloop: warning: ${why}\n`),
    budget,
    progress: io.progress,
  });
  const settling = setInterval(() => session.settle(), QUIET_MILLIS);
  void reading.done.then(() => {
    if (stopped) return;
    for (const { source, bytes, pieces } of budget.met ? [] : session.observation.progress)
      io.err(`syncloop: ${source.name} is read: ${pieces} pieces of evidence in ${bytes} bytes\n`);
  });
  const served = new TwinSession(session, () => loadTwinTools(shown));
  const close = () => {
    stopped = true;
    clearInterval(settling);
  };
  return { session: served, served, begun: reading.begun, close };
}

/** Reads all nodes for the verdict on them, and opens one. */
async function openFleet(paths: readonly string[], flags: OpenFlags, io: IO): Promise<Opening> {
  const options = sourcesOf(flags);
  const { zoneMinutes } = options;
  const of = zoneMinutes === undefined ? {} : { zoneMinutes };
  const found = await fleetNodes(paths);
  const nodes = await readFleet(found, {
    budget: new ReadBudget(limitsOf(flags), STREAMED),
    progress: io.progress,
    revealSecrets: flags['reveal-secrets'] === true,
    by: `syncloop ${version}`,
    ...of,
  });
  const story = fleetStory(nodes, `syncloop ${version}`);
  const first = story.nodes.find(({ problem }) => problem === '');
  if (!first) throw new SetupError(`none of the ${nodes.length} nodes can be read: ${story.nodes[0]?.problem}`);
  const open = async (name: string): Promise<Opening> => {
    const node = found.find((one) => one.name === name);
    if (!node) throw new SetupError(`there is no node ${name}`);
    const opened = openNode((await node.open(of)).files, flags, io);
    await opened.begun;
    return opened;
  };
  const opened = await open(first.name);
  const session = new FleetSession(story, first.name, opened, open);
  return { session, served: session, begun: opened.begun, close: () => session.close() };
}

export const command: Command = {
  usage: 'syncloop open FILE...|DIR [--port 7330]',
  flags: flagSpecs,
  run,
};

export interface ReadOptions {
  readonly stopped: () => boolean;
  /** Called with a sentence for the terminal when something is not read. */
  readonly lost: (why: string) => void;
  readonly budget: ReadBudget;
  readonly progress?: OnProgress | undefined;
}

/** Reads in turns of the event loop; `begun` resolves once there is something to show. */
export function read(
  session: ObservedSession,
  files: readonly EvidenceFile[],
  { stopped, lost, budget, progress }: ReadOptions,
): { readonly begun: Promise<void>; readonly done: Promise<void> } {
  let tell = () => {};
  const begun = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const all = async () => {
    let weight = 0;
    const far = readingProgress(files);
    const pieces = new Map(files.map((file) => [file.source.id, file.pieces()[Symbol.asyncIterator]()]));
    for (let id = session.behind; id !== undefined && !stopped(); id = session.behind) {
      try {
        const next = await pieces.get(id)?.next();
        if (!next || next.done) session.end(id);
        else {
          session.read(id, next.value.bytes, next.value.weight);
          weight += next.value.weight;
          progress?.(
            far(
              weight,
              session.observation.progress.reduce((sum, one) => sum + one.pieces, 0),
            ),
          );
          if (!budget.take(next.value.bytes.length)) {
            for (const { source, bytes, pieces: n, ended } of session.observation.progress) {
              if (ended) continue;
              lost(budget.warning(source.name, bytes, n));
              session.lose(source.id, budget.sentence(bytes));
            }
          }
        }
      } catch (err) {
        if (!(err instanceof SetupError)) throw err;
        lost(err.message);
        session.lose(id, `It could be read up to here only: ${err.message}.`);
      }
      if (session.begun) tell();
      await nextTurn();
    }
    for (const one of pieces.values()) await one.return?.();
    tell();
  };
  return { begun, done: all() };
}
