/** The PLEG: its changes, and the exit codes of containers. */
import type { RecordBody, Seq } from '@syncloop/core/trace';
import { containerId } from '../identity.js';
import { numberOf, text } from './fields.js';
import { bounded, type LineContext } from './process.js';
import type { Track } from './tracks.js';

/** "GenericPLEG": a container or sandbox changed. */
export function transition(context: LineContext): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const id = containerId(fields.containerID);
  const uid = text(fields.podUID);
  const next = text(fields.newState);
  if (id === '' || uid === '' || next === '') return;
  process.containers.owned(id, uid);
  const track = process.tracks.get(uid);
  nameByElimination(context, track, id, next);
  const known = process.containers.of(id);
  const body: Extract<RecordBody, { kind: 'pleg-transition' }> = {
    kind: 'pleg-transition',
    id,
    ...(known?.name !== undefined && { name: known.name }),
    ...(known?.sandbox !== undefined && { sandbox: known.sandbox }),
    old: text(fields.oldState),
    new: next,
    pod: track?.pod ?? writer.pods.name(uid) ?? '',
    uid,
  };
  // A line that comes at once reports the exit code.
  if (next === 'exited' && known?.sandbox !== true && finishing.has(process, id)) {
    bounded(process.ending, id, { body, basis: line.seq }, 500);
    return;
  }
  writeTransition(context, body, [line.seq]);
}

/** Containers whose exit code a line to come reports. */
export const finishing = {
  of: new WeakMap<object, Set<string>>(),
  add(process: object, id: string): void {
    const ids = this.of.get(process) ?? new Set();
    this.of.set(process, ids);
    if (ids.size < 2_000) ids.add(id);
  },
  has(process: object, id: string): boolean {
    return this.of.get(process)?.has(id) === true;
  },
  delete(process: object, id: string): void {
    this.of.get(process)?.delete(id);
  },
};

function writeTransition(
  context: LineContext,
  body: Extract<RecordBody, { kind: 'pleg-transition' }>,
  basis: readonly Seq[],
  concluded = false,
): void {
  const { process, writer } = context;
  // The kubelet's last operation on this container, or for it, is the cause.
  const cause =
    body.new === 'exited'
      ? (process.causes.get(body.id) ?? 0)
      : body.new === 'running' && body.name
        ? (process.causes.get(`start ${body.uid} ${body.name}`) ?? 0)
        : 0;
  const seq = writer.write(body, { g: process.goroutine(writer, 'pleg'), basis, concluded, cause });
  if (body.new === 'non-existent') process.transitions.delete(body.id);
  else bounded(process.transitions, body.id, seq);
}

/** "Generic (PLEG): container finished": with which code. Only of containers, never of sandboxes. */
export function finished(context: LineContext): void {
  const { process, line, writer } = context;
  const { fields } = line.found;
  const id = containerId(fields.containerID);
  const uid = text(fields.podID);
  const exitCode = numberOf(fields.exitCode);
  if (id === '' || uid === '') return;
  finishing.delete(process, id);
  const code = exitCode !== undefined && { exitCode };
  const held = process.ending.get(id);
  if (held) {
    process.ending.delete(id);
    writeTransition(context, { ...(held.body as Extract<RecordBody, { kind: 'pleg-transition' }>), ...code }, [
      held.basis,
      line.seq,
    ]);
    return;
  }
  // At `-v=2` this is the only line that reports it; at higher levels an earlier line did.
  if (process.ahead.work && process.transitions.has(id)) return;
  const name = process.containers.of(id)?.name;
  const pod = process.tracks.get(uid)?.pod ?? writer.pods.name(uid) ?? '';
  writeTransition(
    context,
    { kind: 'pleg-transition', id, ...(name && { name }), sandbox: false, new: 'exited', ...code, pod, uid },
    [line.seq],
  );
}

/** The loop reported its end before a line gave the exit code. */
export function endLife(context: LineContext, id: string): void {
  const held = context.process.ending.get(id);
  if (!held) return;
  context.process.ending.delete(id);
  writeTransition(context, held.body as Extract<RecordBody, { kind: 'pleg-transition' }>, [held.basis]);
}

/** cAdvisor saw the cgroup of a container. */
export function cgroupSeen({ process, line }: LineContext): void {
  bounded(process.cgroups, text(line.found.fields.containerID), line.at);
}

/**
 * The container whose start was under way when its cgroup was seen: a pod starts one after the other. Undefined if that
 * is not known.
 */
function startedMeanwhile(
  { process }: LineContext,
  { started }: Track,
  id: string,
): Track['started'][number] | undefined {
  const seen = process.cgroups.get(id);
  return seen === undefined ? undefined : started.findLast(({ at }) => at <= seen);
}

/**
 * A container that is seen first has the one name that was started in its pod and has no id yet. Where several were
 * started, which is which is not known, nor can it be once as many ids were seen.
 */
function nameByElimination(context: LineContext, track: Track | undefined, id: string, state: string): void {
  const { process } = context;
  if (!track || state === 'non-existent' || process.transitions.has(id) || process.ending.has(id)) return;
  const known = process.containers.of(id);
  if (known?.sandbox) return;
  if (known?.name) {
    const at = track.started.findIndex((s) => s.name === known.name);
    if (at >= 0) track.started.splice(at, 1);
  } else {
    const [only, ...others] = track.started;
    if (!only) return;
    const own = startedMeanwhile(context, track, id);
    if (own) {
      process.containers.container(id, own.name);
      track.started.splice(track.started.indexOf(own), 1);
      return;
    }
    // A sandbox runs, too: without its id, it cannot be distinguished from the container.
    if (!track.sandbox) return;
    if (others.length === 0) process.containers.container(id, only.name);
    else if (++track.unmatched < track.started.length) return;
    track.started = [];
  }
  if (track.started.length === 0) track.unmatched = 0;
}
