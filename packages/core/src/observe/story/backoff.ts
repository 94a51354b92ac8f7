/** Back-offs: a container that has to wait before it is started, or its image pulled, again. */
import { goDuration, text } from './fields.js';
import { about, bounded, type Told, write } from './process.js';
import { inSync } from './sync.js';
import type { Track } from './tracks.js';

const CRASH_LOOP = /back-off (\S+) restarting failed container=(\S+) pod=([^\s_]+)_([^\s(]+)\(([^)]*)\)/;
/** "Back-off restarting failed container". */
export function backoff(told: Told): void {
  const { line, process } = told;
  const [, delay = '', container = '', name, namespace, uid = ''] = CRASH_LOOP.exec(text(line.found.fields.err)) ?? [];
  if (uid === '') return;
  const track = process.tracks.of(`${namespace}/${name}`, uid);
  writeBackoff(told, track, 'crash-loop', container, goDuration(delay), false);
}

function writeBackoff(
  told: Told,
  track: Track,
  of: 'crash-loop' | 'image-pull',
  container: string,
  delay: number | undefined,
  concluded: boolean,
): void {
  const how = { ...inSync(told, track), concluded };
  const cause = track.actions || how.cause;
  const told_ = delay !== undefined && { delay };
  write(told, { kind: 'backoff', of, container, ...told_, active: true, ...about(track) }, { ...how, cause });
  bounded(told.process.deeds, `backoff ${track.uid} ${container}`, told.line.seq);
}

/** What the error of a sync says of back-offs: below `-v=3` nothing else does. */
export function concludeBackoff(told: Told, track: Track, error: string): void {
  const before = (container: string) => {
    const key = `backoff ${track.uid} ${container}`;
    const had = (told.process.deeds.get(key) ?? 0) > track.work && track.work > 0;
    told.process.deeds.delete(key);
    return had;
  };
  for (const [, delay = '', container = ''] of error.matchAll(new RegExp(CRASH_LOOP.source, 'g')))
    if (!before(container)) writeBackoff(told, track, 'crash-loop', container, goDuration(delay), false);
  for (const [, container = ''] of error.matchAll(/"StartContainer\\?" for \\?"([^"\\]+)\\?" with ImagePullBackOff/g))
    if (!before(container)) writeBackoff(told, track, 'image-pull', container, undefined, false);
}
