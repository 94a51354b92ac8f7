/**
 * The thread of `syncloop serve` that computes a simulation and serves its page. The computation may never end, or may
 * fill the thread's memory: the main thread (simulation-watch.ts) then ends this thread and starts another one.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { SimulationSession, sessionTools, simulationSource } from '@syncloop/core/debug';
import { loadEras } from '@syncloop/core/kubelet';
import { comparingEras } from '@syncloop/observe/eras';
import { loadInterpreter } from '../base/learner-code.js';
import type { ClassroomOptions } from '../classroom/classroom-host.js';
import { type SessionHost, serveSession } from '../server/session-host.js';
import { SessionPump } from '../server/session-pump.js';

/**
 * The session that the thread is to serve. Ports and tokens are the same after it was started again, so pages find
 * their way back.
 */
export interface ThreadSettings {
  readonly host: string;
  readonly port: number;
  readonly webRoot: string;
  readonly scenario: string;
  readonly seed?: number;
  /** Makes the session's id unlike that of the thread before. */
  readonly id: string;
  readonly token: string;
  readonly observer: string;
  readonly audience: ClassroomOptions | null;
}

/** The page's port, and the links of the class if there is one. */
export interface Serving {
  readonly port: number;
  readonly audience: { readonly links: readonly string[]; readonly port: number; readonly token: string } | null;
}

export type FromThread =
  | { readonly is: 'serving'; readonly serving: Serving }
  | { readonly is: 'failed'; readonly name: string; readonly message: string }
  | { readonly is: 'alive' }
  /** The class is served at another address. */
  | { readonly is: 'moved'; readonly host: string }
  | { readonly is: 'closed' };
export type ToThread = 'alive?' | 'close';

/**
 * Serves, and resolves with a function that ends it. Rejects with a SetupError, or the library's error about the
 * scenario.
 */
async function serve(
  settings: ThreadSettings,
  moved: (host: string) => void,
): Promise<{ readonly serving: Serving; close(): Promise<void> }> {
  await Promise.all([loadEras(), loadInterpreter()]);
  const { host, port, webRoot, scenario, seed, id, token, observer, audience: wanted } = settings;
  const session = new SimulationSession(
    simulationSource(),
    { scenario, ...(seed !== undefined && { seed }), id, open: true, speed: { mode: 'follow' } },
    { ...sessionTools, compareEras: comparingEras },
  );
  let server: SessionHost | null = null;
  const pump = new SessionPump(session, () => server?.server ?? null);
  const audience =
    wanted && (await (await import('../classroom/classroom-host.js')).openClassroom({ ...wanted, onMoved: moved }));
  server = await serveSession(session, {
    host,
    port,
    webRoot,
    control: true,
    token,
    observer,
    remedy: 'choose another with --port (0 for any free one)',
    onClients: (count) => pump.clients(count),
    ...(audience && { extend: (io, gate) => audience.present(io, gate) }),
  }).catch(async (err: unknown) => {
    await audience?.close();
    throw err;
  });
  return {
    serving: {
      port: server.port,
      audience: audience && { links: audience.links, port: audience.port, token: audience.token },
    },
    async close() {
      pump.stop();
      await Promise.all([server?.close(), audience?.close()]);
    },
  };
}

const main = parentPort;
if (main) {
  const tell = (message: FromThread) => main.postMessage(message);
  serve(workerData as ThreadSettings, (host) => tell({ is: 'moved', host })).then(
    ({ serving, close }) => {
      main.on('message', (message: ToThread) => {
        if (message === 'alive?') tell({ is: 'alive' });
        else void close().finally(() => tell({ is: 'closed' }));
      });
      tell({ is: 'serving', serving });
    },
    (error: unknown) => {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      tell({ is: 'failed', name, message });
    },
  );
}
