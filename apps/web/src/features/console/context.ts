/** The context of a console command. */
import { nearestWord, type World } from '@syncloop/core/kubectl';
import { type MessageKey, type Params, t } from '../../i18n/index.js';
import { eventIndex } from '../../run/record-index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { freshObjects, knownObjects, objectsRefused } from './objects.js';
import type { Pod } from './pod.js';
import { worldOf } from './world.js';

/** A command's output, and the signal that stops it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** The console's own words. */
  note(key: MessageKey, params?: Params): void;
  readonly signal: AbortSignal;
}

/** The run as it is now; with the objects as the session has them now, if it has any. */
export async function lookAround(): Promise<World> {
  await freshObjects();
  return worldNow();
}
/** The same with the objects that are known already. */
export function worldNow(): World {
  const { info } = useSession.getState();
  return worldOf({ state: trace.state, time: trace.cursor.time, info }, knownObjects(), eventIndex.sync(trace.records));
}

export const can = (what: 'control' | 'rewind' | 'apply' | 'intervene' | 'scenarios'): boolean =>
  useSession.getState().info?.capabilities[what] ?? false;

export const send: typeof session.command = (command) => session.command(command);

/** Prints the API server's words for a missing pod, and the name that may have been meant. */
export function notFound(io: Io, name: string, pods: readonly Pod[]): void {
  io.err(`Error from server (NotFound): pods "${name}" not found`);
  const names = pods.map((p) => p.metadata.name);
  const near = names.find((n) => n.startsWith(`${name}-`)) ?? nearestWord(name, names);
  if (near) io.note('console.didYouMean', { name: near });
}

/** Returns the pod of that name; null after printing that there is none. */
export function findPod(io: Io, world: World, namespace: string, name: string): Pod | null {
  const here = world.pods.filter((p) => p.metadata.namespace === namespace);
  const found = here.find((p) => p.metadata.name === name);
  if (!found) notFound(io, name, here);
  return found ?? null;
}

/** Notes that the session does not hand out objects: the output is from its records alone. */
export function admitRecordsOnly(io: Io): void {
  if (objectsRefused() !== '') io.note('console.recordsOnly');
}

/** Resolves when `done` returns true, which is asked after each publication, or when the command is stopped. */
export function until(signal: AbortSignal, done: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || done()) {
      resolve();
      return;
    }
    const end = () => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = trace.subscribe(() => {
      if (done()) end();
    });
    signal.addEventListener('abort', end);
  });
}

/** In the page's language. */
export const say = t;
