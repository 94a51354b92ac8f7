/** The pod killer of versions before 1.22: what ends a pod beside its worker. */
import type { Says } from '../catalogue/index.js';
import { text } from './fields.js';
import { about, type Told, write } from './process.js';
import { endWork } from './sync.js';
import type { Track } from './tracks.js';
import { causeInLoop } from './turn.js';

/** "Marking running pod pending termination", "Killing unwanted pod", "Marking pod termination". */
export function killer(told: Told, { moment }: Extract<Says, { is: 'killer' }>): void {
  const { process, line, scribe } = told;
  const { podUID, podName } = line.found.fields;
  if (moment === 'marked') {
    const track = process.tracks.get(text(podUID));
    if (!track) return;
    const { g, cause } = causeInLoop(told, track);
    const verdict = 'pending termination';
    track.marked = write(
      told,
      { kind: 'decision', rule: 'KillPod', verdict, values: {}, ...about(track) },
      { g, cause },
    );
    return;
  }
  if (moment === 'begin') {
    // The line has the name alone: it is the one that was marked, else the one that has gone.
    const track = process.tracks.toKill(text(podName));
    if (!track || track.killer > 0) return;
    const g = scribe.goroutine(`podKiller ${track.uid}`, `podKiller ${track.pod}`);
    track.killer = write(told, { kind: 'enter', fn: 'killPod', args: about(track) }, { g, cause: track.marked });
    return;
  }
  const track = process.tracks.get(text(podUID));
  if (track) endKilling(told, track);
}

/**
 * Before 1.22 the worker of a removed pod is forgotten at once; a sync of it that no line ended has no other end.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).deletePod, podWorkers.ForgetWorker
 */
export function forgetWorker(told: Told, track: Track): void {
  if (track.work > 0) endWork(told, track, false);
  const reason = 'ForgetWorker';
  write(
    told,
    { kind: 'worker', state: 'removed', reason, ...about(track) },
    { g: told.process.loopG, concluded: true },
  );
  track.state = 'removed';
  told.scribe.endGoroutine(`worker ${track.uid}`);
}

function endKilling(told: Told, track: Track): void {
  if (track.killer === 0) return;
  const { scribe } = told;
  const of = track.killer;
  track.killer = 0;
  track.marked = 0;
  const g = scribe.goroutine(`podKiller ${track.uid}`, `podKiller ${track.pod}`);
  write(told, { kind: 'exit', of, fn: 'killPod' }, { g, cause: of });
  scribe.endGoroutine(`podKiller ${track.uid}`);
}
