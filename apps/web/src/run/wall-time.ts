/** Times of an observed run as its log has them: wall-clock time in the log's zone. */
import type { SessionInfo } from '@syncloop/core/debug';
import type { Micros } from '@syncloop/core/trace';
import { useCallback } from 'react';
import { seconds } from '../units/text.js';
import { useSession } from './session-store.js';

/** Returns a time such as `11:32:28.312`, or with its day; '' if it is not a valid time. */
export function wallTime(info: Pick<SessionInfo, 'epochMillis' | 'zoneMinutes'>, time: Micros, day = false): string {
  const at = new Date(info.epochMillis + (info.zoneMinutes ?? 0) * 60_000 + time / 1000);
  if (Number.isNaN(at.getTime())) return '';
  const text = at.toISOString();
  return day ? text.slice(0, 19).replace('T', ' ') : text.slice(11, 23);
}

/** Returns the wall-clock time of an observed run and of its twin; seconds since the start of one of ours. */
export function useWhen(): (time: Micros) => string {
  const info = useSession((s) => s.info);
  return useCallback(
    (time) => (info?.capabilities.observed || info?.capabilities.twin ? wallTime(info, time) : `${seconds(time)} s`),
    [info],
  );
}
