/** Where what a sync does belongs. */
import type { Seq } from '../../trace/index.js';
import { about, type Told, write } from './process.js';
import type { Track } from './tracks.js';

/** Goroutine, step and cause of what happens in the sync of a pod. */
export function inSync(
  { process, scribe }: Told,
  track: Track,
): { readonly g: number; readonly span: Seq; readonly cause: Seq } {
  return {
    g: process.worker(scribe, track),
    span: track.start || track.method,
    cause: track.start || track.method || track.work,
  };
}

/** That a start went well no line says: the next one begins, or the sync ends. */
export function closeStart(told: Told, track: Track): void {
  if (track.start === 0) return;
  const { start: of } = track;
  track.start = 0;
  write(
    told,
    { kind: 'exit', of, fn: 'startContainer' },
    { g: told.process.worker(told.scribe, track), span: track.method, cause: of, concluded: true },
  );
}

/** A worker begins its work: on the update before it, or on what its own last work came to. */
export function beginWork(told: Told, track: Track, workType: Track['workType'], seen: boolean): void {
  const { process, scribe } = told;
  const g = process.worker(scribe, track);
  track.workType = workType;
  track.work = write(
    told,
    { kind: 'work-start', workType, ...about(track) },
    { g, cause: track.update || track.moved, concluded: !seen },
  );
  track.update = 0;
  track.moved = 0;
  track.error = null;
  track.actions = 0;
}

export function endWork(told: Told, track: Track, seen: boolean): void {
  const { process, scribe, line } = told;
  closeMethod(told, track);
  const { error } = track;
  write(
    told,
    { kind: 'work-done', workType: track.workType, ...(error && { error: error.text }), ...about(track) },
    {
      g: process.worker(scribe, track),
      cause: track.work,
      concluded: !seen,
      ...(error && error.basis !== line.seq && { basis: [error.basis, line.seq] }),
    },
  );
  track.work = 0;
  track.error = null;
}

/** What has no end of its own in the log ended with what came after it. */
export function closeMethod(told: Told, track: Track): void {
  closeStart(told, track);
  if (track.method === 0) return;
  write(
    told,
    { kind: 'exit', of: track.method, fn: track.methodName },
    { g: told.process.worker(told.scribe, track), cause: track.method, concluded: true },
  );
  track.method = 0;
}
