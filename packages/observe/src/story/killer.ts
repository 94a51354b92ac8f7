/** The pod killer of versions before 1.22, which ends pods outside their workers. */
import type { Says } from '../catalogue/index.js';
import type { RecordWriter } from '../record-writer.js';
import { text } from './fields.js';
import { about, type LineContext, write } from './process.js';
import { endWork } from './sync.js';
import type { Track } from './tracks.js';
import { causeInLoop } from './turn.js';

const killerOf = (writer: RecordWriter, { uid, pod }: Track) =>
  writer.goroutine(`podKiller ${uid}`, `podKiller ${pod}`, { place: 'pod/runtime', uid });

/** "Marking running pod pending termination", "Killing unwanted pod", "Marking pod termination". */
export function killer(context: LineContext, { moment }: Extract<Says, { is: 'killer' }>): void {
  const { process, line, writer } = context;
  const { podUID, podName } = line.found.fields;
  if (moment === 'marked') {
    const track = process.tracks.get(text(podUID));
    if (!track) return;
    const { g, cause } = causeInLoop(context, track);
    const verdict = 'pending termination';
    track.marked = write(
      context,
      { kind: 'decision', rule: 'KillPod', verdict, values: {}, ...about(track) },
      { g, cause },
    );
    return;
  }
  if (moment === 'begin') {
    // The line has only the name: it is the marked one, else the one that has gone.
    const track = process.tracks.toKill(text(podName));
    if (!track || track.killer > 0) return;
    const g = killerOf(writer, track);
    track.killer = write(context, { kind: 'enter', fn: 'killPod', args: about(track) }, { g, cause: track.marked });
    return;
  }
  const track = process.tracks.get(text(podUID));
  if (track) endKilling(context, track);
}

/**
 * Before 1.22 the worker of a removed pod is forgotten at once; a sync of it that no line ended has no other end.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).deletePod, podWorkers.ForgetWorker
 */
export function forgetWorker(context: LineContext, track: Track): void {
  if (track.work > 0) endWork(context, track, false);
  const reason = 'ForgetWorker';
  write(
    context,
    { kind: 'worker', state: 'removed', reason, ...about(track) },
    { g: context.process.loopG, concluded: true },
  );
  track.state = 'removed';
  context.writer.endGoroutine(`worker ${track.uid}`);
}

function endKilling(context: LineContext, track: Track): void {
  if (track.killer === 0) return;
  const { writer } = context;
  const of = track.killer;
  track.killer = 0;
  track.marked = 0;
  const g = killerOf(writer, track);
  write(context, { kind: 'exit', of, fn: 'killPod' }, { g, cause: of });
  writer.endGoroutine(`podKiller ${track.uid}`);
}
