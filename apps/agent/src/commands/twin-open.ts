/** Shows both runs on the page: the observed one, and the twin that re-enacts it. */

import { redactRecord } from '@syncloop/core/redaction';
import { ObservedSession } from '@syncloop/observe/session';
import type { Cut, TwinScenario } from '@syncloop/observe/twin';
import { TwinSession, type TwinTools } from '@syncloop/observe/twin/session';
import { twinTools } from '@syncloop/observe/twin/tools';
import type { IO } from '../cli/io.js';
import { type Limits, STREAMED } from '../limits/limits.js';
import { ReadBudget } from '../limits/read-budget.js';
import { offerLinks } from '../links/offer-links.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { serveSession } from '../server/session-host.js';
import { SessionPump } from '../server/session-pump.js';
import type { Observed } from '../twin/reenact.js';
import { Holder, searchTwin } from '../twin/tools.js';
import { read } from './open.js';
import { webRoot } from './web-root.js';

export interface OpenTwinOptions {
  readonly observed: Observed;
  readonly scenario: TwinScenario;
  readonly cut: Cut;
  /** See SessionHostOptions. */
  readonly where: { readonly host: string; readonly address?: string };
  readonly port: number;
  readonly revealSecrets: boolean;
  /** The limits of reading: no more is read than what was judged. */
  readonly limits: Limits;
  readonly io: IO;
}

/** Serves until a signal. The twin is the one that was judged, with the same cut. */
export async function openTwin(files: readonly EvidenceFile[], options: OpenTwinOptions): Promise<void> {
  const { where, port, io } = options;
  const total = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const seen = new ObservedSession(
    files.map(({ source }) => source),
    { id: `twin-${Date.now()}`, total, ...(!options.revealSecrets && { redact: redactRecord }) },
  );
  const session = new TwinSession(seen, async () => toolsOf(options));
  const stopping = io.untilSignal();
  let stopped = false;
  const reading = read(seen, files, {
    stopped: () => stopped,
    lost: (why) => io.err(`syncloop: warning: ${why}\n`),
    budget: new ReadBudget(options.limits, STREAMED),
    progress: io.progress,
  });
  await Promise.race([reading.done, stopping]);
  let server: Awaited<ReturnType<typeof serveSession>> | null = null;
  let withdraw = () => {};
  const pump = new SessionPump(session, () => server?.server ?? null);
  io.progress?.({ doing: 'serving the page', serving: true });
  try {
    server = await serveSession(session, {
      ...where,
      port,
      webRoot: webRoot(),
      control: true,
      remedy: 'choose another with --port (0 for any free one)',
      onClients: (count) => pump.clients(count),
    });
    session.execute({ do: 'reenact' }, (result) => {
      if (!result.ok) io.err(`syncloop: warning: the page has no twin: ${result.error}\n`);
    });
    const { link, token } = server;
    const print = () => io.out(`syncloop: open ${link()}\n`);
    withdraw = offerLinks({ what: 'a log and its twin', ...where, port: server.port, token, print });
    io.err(`syncloop: ${await stopping}: stopped\n`);
  } finally {
    stopped = true;
    withdraw();
    pump.stop();
    await server?.close();
  }
}

/** The same comparison for the page; it compares an edited scenario with the observed run, too. */
function toolsOf({ observed, scenario, cut }: OpenTwinOptions): TwinTools {
  const holder = new Holder(observed, cut);
  return {
    ...twinTools(),
    make: () => scenario,
    compare: (_seen, twin, made) => holder.compare(twin, made),
    *search(_seen, made, _facts, tries = 100) {
      const search = searchTwin(holder, made, tries);
      let next = search.next();
      for (; !next.done; next = search.next()) yield { done: next.value, of: tries };
      const { tried, choices, better, text } = next.value;
      return { chance: { tried, choices, text }, text: better?.text ?? null };
    },
  };
}
