/** Both runs on the page: what was observed, and the twin that re-enacts it. */
import { LeanSimulationSession, ObservedSession, sessionTools, simulationSource } from '@syncloop/core/debug';
import type { TwinScenario } from '@syncloop/core/twin';
import { TwinSession, type TwinTools } from '@syncloop/core/twin/session';
import type { IO } from '../cli/io.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { redactRecord } from '../redaction/redact.js';
import { serveSession } from '../server/session-host.js';
import { SessionPump } from '../server/session-pump.js';
import type { Observed } from '../twin/reenact.js';
import type { Cut, Tools, TwinRun } from '../twin/tools.js';
import { read } from './open.js';
import { webRoot } from './web-root.js';

export interface OpenTwinOptions {
  readonly observed: Observed;
  readonly tools: Tools;
  readonly scenario: TwinScenario;
  /** How the twin came closest to what was observed. */
  readonly run: TwinRun;
  readonly cut: Cut;
  readonly host: string;
  readonly port: number;
  readonly revealSecrets: boolean;
  readonly io: IO;
}

/** Serves until a signal. The twin is the one that was judged, cut and all. */
export async function openTwin(files: readonly EvidenceFile[], options: OpenTwinOptions): Promise<void> {
  const { host, port, io } = options;
  const total = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const seen = new ObservedSession(
    files.map(({ source }) => source),
    { id: `twin-${Date.now()}`, total, ...(!options.revealSecrets && { redact: redactRecord }) },
  );
  const session = new TwinSession(seen, async () => toolsOf(options));
  const stopping = io.untilSignal();
  let stopped = false;
  const reading = read(seen, files, { stopped: () => stopped, lost: (why) => io.err(`syncloop: warning: ${why}\n`) });
  await Promise.race([reading.done, stopping]);
  let server: Awaited<ReturnType<typeof serveSession>> | null = null;
  const pump = new SessionPump(session, () => server?.server ?? null);
  try {
    server = await serveSession(session, {
      host,
      port,
      webRoot: webRoot(),
      control: true,
      remedy: 'choose another with --port (0 for any free one)',
      onClients: (count) => pump.clients(count),
    });
    session.execute({ do: 'reenact' }, (result) => {
      if (!result.ok) io.err(`syncloop: warning: the page has no twin: ${result.error}\n`);
    });
    io.out(`syncloop: open ${server.url}\n`);
    io.err(`syncloop: ${await stopping}: stopped\n`);
  } finally {
    stopped = true;
    pump.stop();
    await server?.close();
  }
}

/** The same judges for the page; an edited scenario is held against what was observed, too. */
function toolsOf({ observed, tools, scenario, run, cut }: OpenTwinOptions): TwinTools {
  return {
    make: () => scenario,
    decisionsOf: (records) => tools.decisionsOf(records, { pods: cut.pods }),
    coverageOf: tools.coverageOf,
    hold: (records, twin, made) => tools.hold({ ...observed, records }, twin, made, cut),
    simulate: ({ scenario: name, text, deviations = run.deviations }, id) =>
      new LeanSimulationSession(
        simulationSource(),
        {
          scenario: name,
          text,
          id,
          ...(run.seed !== undefined && { seed: run.seed }),
          ...(deviations && { deviations }),
        },
        sessionTools,
      ),
    *search(records, made, tries = 100) {
      const { tried, choices, run: found } = yield* tools.search({ ...observed, records }, made, tries, cut);
      const best = choices.length > 0 ? choices : [];
      const text = best[0]?.text ?? { en: 'No choice was found that explains it.', zh: '没有找到能解释它的选择。' };
      return { tried, choices: best, text, deviations: found?.deviations ?? [] };
    },
  };
}
