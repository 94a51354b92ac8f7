/** logs and exec: the output of containers. */

import type { ContainerLog } from '@syncloop/core/debug';
import { type ConsoleCommand, containerNames, defaultContainer, logTarget, readLog } from '@syncloop/core/kubectl';
import type { RecordOf } from '@syncloop/core/trace';
import { firstAt, RecordIndex } from '../../run/record-index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { can, findPod, type Io, lookAround, send, until } from './context.js';
import type { Pod } from './pod.js';

/** Returns the container; notes its name if none was given. */
function containerFor(io: Io, pod: Pod, named: string | null): string | null {
  const names = containerNames(pod);
  if (named !== null) {
    if (names.includes(named)) return named;
    io.err(`error: container ${named} is not valid for pod ${pod.metadata.name}`);
    io.note('console.containers', { names: names.join(', ') });
    return null;
  }
  const { name, others } = defaultContainer(pod);
  if (others) io.err(`Defaulted container "${name}" out of: ${shown(pod)}`);
  return name;
}

const shown = ({ spec }: Pod): string =>
  [
    ...spec.containers.map((c) => c.name),
    ...(spec.initContainers ?? []).map((c) => `${c.name} (init)`),
    ...(spec.ephemeralContainers ?? []).map((c) => `${c.name} (ephem)`),
  ].join(', ');

interface Printed {
  readonly tail: number | null;
  readonly timestamps: boolean;
  readonly follow: boolean;
}

export async function logs(io: Io, c: Extract<ConsoleCommand, { do: 'logs' }>): Promise<void> {
  const pod = findPod(io, await lookAround(), c.namespace, c.pod);
  if (!pod) return;
  const container = containerFor(io, pod, c.container);
  if (container === null) return;
  const target = logTarget(pod, container, c.previous);
  if ('error' in target) {
    io.err(`Error from server (BadRequest): ${target.error}`);
    return;
  }
  await printLog(io, target.id, c);
}

/** `id` may be a prefix. */
export async function crictlLogs(io: Io, c: Extract<ConsoleCommand, { do: 'crictl'; what: 'logs' }>): Promise<void> {
  const found = Object.values(trace.state.containers).filter((x) => x.state !== 'removed' && x.id.startsWith(c.id));
  const [one] = found;
  if (!one || found.length > 1) {
    io.err(
      `FATA[0000] rpc error: code = NotFound desc = an error occurred when try to find container "${c.id}": not found`,
    );
    return;
  }
  await printLog(io, one.id, c);
}

async function printLog(io: Io, id: string, { tail, timestamps, follow }: Printed): Promise<void> {
  if (!can('apply') && !can('intervene')) {
    io.note('console.noLogs', { id: id.slice(0, 13) });
    return;
  }
  const read = (from: number) => send({ do: 'logs', container: id, from });
  const print = (log: ContainerLog, most: number | null) => {
    const lines = readLog(log.lines).map((l) => (timestamps ? `${l.time} ${l.text}` : l.text));
    const wanted = most === null || most < 0 ? lines : most === 0 ? [] : lines.slice(-most);
    if (wanted.length > 0) io.out(wanted.join('\n'));
  };
  let log: ContainerLog;
  try {
    log = await read(0);
  } catch (error) {
    // The kubelet's own words, as kubectl passes them on: the container was removed.
    const text = error instanceof Error ? error.message : String(error);
    if (!text.startsWith('unable to retrieve')) throw error;
    io.out(text);
    return;
  }
  print(log, tail);
  if (log.from > 0 && tail === null) io.note('console.logCut', { n: log.lines.length });
  if (!follow) {
    if (log.from + log.lines.length === 0) io.note('console.logEmpty');
    return;
  }
  const { epoch } = trace.cursor;
  while (!io.signal.aborted && trace.cursor.epoch === epoch) {
    const { seq } = trace.cursor;
    const over = trace.state.containers[id]?.state !== 'running';
    const from = log.from + log.lines.length;
    log = await read(from);
    print(log, null);
    // A container that has ended writes no more.
    if (over) return;
    await until(io.signal, () => trace.cursor.seq !== seq || trace.cursor.epoch !== epoch);
    await pause(io.signal, FOLLOW_MILLIS);
  }
}

const FOLLOW_MILLIS = 250;
const pause = (signal: AbortSignal, millis: number): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    setTimeout(resolve, millis);
  });

const inputs = new RecordIndex('input');

export async function exec(io: Io, c: Extract<ConsoleCommand, { do: 'exec' }>): Promise<void> {
  if (!can('intervene')) {
    io.note('console.noExec');
    return;
  }
  const pod = findPod(io, await lookAround(), c.namespace, c.pod);
  if (!pod) return;
  const container = containerFor(io, pod, c.container);
  if (container === null) return;
  if (c.interactive) io.note('console.noTerminal');
  const { uid } = pod.metadata;
  const before = trace.cursor.seq;
  await send({ do: 'act', action: { exec: { pod: uid, container, command: c.command } } });
  const { epoch } = trace.cursor;
  let result: RecordOf<'input'> | undefined;
  let noted = false;
  await until(io.signal, () => {
    if (trace.cursor.epoch !== epoch && trace.cursor.seq < before) return true;
    const records = inputs.sync(trace.records);
    const mine = records.slice(firstAt(records, before + 1));
    result = mine.find(
      (r) =>
        (r.verb === 'execDone' && r.args[0] === uid && r.args[1] === container) ||
        (r.verb === 'failed' && String(r.args[0]).startsWith('exec: ')),
    );
    if (!result && !noted && !useSession.getState().run.running) {
      noted = true;
      io.note('console.execWaits');
    }
    return result !== undefined;
  });
  if (!result) return;
  if (result.verb === 'failed') {
    io.err(`error: Internal error occurred: error executing command in container: ${String(result.args[0]).slice(6)}`);
    return;
  }
  const [, , code, stdout, stderr] = result.args;
  const text = (v: unknown) => String(v ?? '').replace(/\n$/, '');
  if (text(stdout) !== '') io.out(text(stdout));
  if (text(stderr) !== '') io.err(text(stderr));
  if (code !== 0) io.err(`command terminated with exit code ${String(code)}`);
}
