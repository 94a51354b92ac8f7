/** Back-offs: a container that has to wait before it is started, or its image pulled, again. */
import { goDuration, text } from './fields.js';
import { about, bounded, type LineContext, write } from './process.js';
import { inSync } from './sync.js';
import type { Track } from './tracks.js';

const CRASH_LOOP = /back-off (\S+) restarting failed container=(\S+) pod=([^\s_]+)_([^\s(]+)\(([^)]*)\)/;
/** "Back-off restarting failed container". */
export function backoff(context: LineContext): void {
  const { line, process } = context;
  const [, delay = '', container = '', name, namespace, uid = ''] = CRASH_LOOP.exec(text(line.found.fields.err)) ?? [];
  if (uid === '') return;
  const track = process.tracks.of(`${namespace}/${name}`, uid);
  writeBackoff(context, track, 'crash-loop', container, goDuration(delay), false);
}

function writeBackoff(
  context: LineContext,
  track: Track,
  of: 'crash-loop' | 'image-pull',
  container: string,
  delay: number | undefined,
  concluded: boolean,
): void {
  const how = { ...inSync(context, track), concluded };
  const cause = track.actions || how.cause;
  const told_ = delay !== undefined && { delay };
  write(context, { kind: 'backoff', of, container, ...told_, active: true, ...about(track) }, { ...how, cause });
  bounded(context.process.causes, `backoff ${track.uid} ${container}`, context.line.seq);
}

/** Concludes back-offs from the error of a sync: below `-v=3` no other line reports them. */
export function concludeBackoff(context: LineContext, track: Track, error: string): void {
  const before = (container: string) => {
    const key = `backoff ${track.uid} ${container}`;
    const had = (context.process.causes.get(key) ?? 0) > track.work && track.work > 0;
    context.process.causes.delete(key);
    return had;
  };
  for (const [, delay = '', container = ''] of error.matchAll(new RegExp(CRASH_LOOP.source, 'g')))
    if (!before(container)) writeBackoff(context, track, 'crash-loop', container, goDuration(delay), false);
  for (const [, container = ''] of error.matchAll(/"StartContainer\\?" for \\?"([^"\\]+)\\?" with ImagePullBackOff/g))
    if (!before(container)) writeBackoff(context, track, 'image-pull', container, undefined, false);
}
