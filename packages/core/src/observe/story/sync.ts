/** Where what a sync does belongs. */
import type { Seq } from '../../trace/index.js';
import { type Told, write } from './process.js';
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
