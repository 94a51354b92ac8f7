/** Places the records of a sync: goroutine, step and cause. */
import type { Seq } from '@syncloop/core/trace';
import { about, type LineContext, write } from './process.js';
import type { Track } from './tracks.js';

/** Returns goroutine, step and cause for a record in the sync of a pod. */
export function inSync(
  { process, writer }: LineContext,
  track: Track,
): { readonly g: number; readonly span: Seq; readonly cause: Seq } {
  return {
    g: process.worker(writer, track),
    span: track.start || track.method,
    cause: track.start || track.method || track.work,
  };
}

/** Ends a start that went well. No line reports it: the next start begins, or the sync ends. */
export function closeStart(context: LineContext, track: Track): void {
  if (track.start === 0) return;
  const { start: of } = track;
  track.start = 0;
  write(
    context,
    { kind: 'exit', of, fn: 'startContainer' },
    { g: context.process.worker(context.writer, track), span: track.method, cause: of, concluded: true },
  );
}

/** A worker begins its work: caused by the update before it, or by the result of its own last work. */
export function beginWork(context: LineContext, track: Track, workType: Track['workType'], seen: boolean): void {
  const { process, writer } = context;
  const g = process.worker(writer, track);
  track.workType = workType;
  track.work = write(
    context,
    { kind: 'work-start', workType, ...about(track) },
    { g, cause: track.update || track.moved, concluded: !seen },
  );
  track.update = 0;
  track.moved = 0;
  track.error = null;
  track.actions = 0;
}

export function endWork(context: LineContext, track: Track, seen: boolean): void {
  const { process, writer, line } = context;
  closeMethod(context, track);
  const { error } = track;
  write(
    context,
    { kind: 'work-done', workType: track.workType, ...(error && { error: error.text }), ...about(track) },
    {
      g: process.worker(writer, track),
      cause: track.work,
      concluded: !seen,
      ...(error && error.basis !== line.seq && { basis: [error.basis, line.seq] }),
    },
  );
  track.work = 0;
  track.error = null;
}

/** Closes a method whose end the log does not report: the next line ends it. */
export function closeMethod(context: LineContext, track: Track): void {
  closeStart(context, track);
  if (track.method === 0) return;
  write(
    context,
    { kind: 'exit', of: track.method, fn: track.methodName },
    { g: context.process.worker(context.writer, track), cause: track.method, concluded: true },
  );
  track.method = 0;
}
