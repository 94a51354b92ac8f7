/** Times of an observed run on the clock that the user chose: in the log's zone, in UTC, or in the browser's zone. */
import type { SessionInfo } from '@syncloop/core/debug';
import type { Micros } from '@syncloop/core/trace';
import { useCallback } from 'react';
import { type Clock, useUI } from '../page/ui-store.js';
import { seconds } from '../units/text.js';
import { useSession } from './session-store.js';

type Zone = Pick<SessionInfo, 'epochMillis' | 'zoneMinutes'>;

/** Minutes that a clock is ahead of UTC at a time, in ms since 1970. */
export function zoneOf(info: Zone, millis: number, clock: Clock = useUI.getState().clock): number {
  if (clock === 'utc') return 0;
  return clock === 'log' ? (info.zoneMinutes ?? 0) : -new Date(millis).getTimezoneOffset();
}

/** Returns a time such as `11:32:28.312`, or with its day; '' if it is not a valid time. */
export function wallTime(info: Zone, time: Micros, day = false, clock: Clock = useUI.getState().clock): string {
  const millis = info.epochMillis + time / 1000;
  const at = new Date(millis + zoneOf(info, millis, clock) * 60_000);
  if (Number.isNaN(at.getTime())) return '';
  const text = at.toISOString();
  return day ? text.slice(0, 19).replace('T', ' ') : text.slice(11, 23);
}

/** True if the times of a session are those of a real clock. */
export const hasWallTime = (info: SessionInfo | null): info is SessionInfo =>
  info?.capabilities.observed === true || info?.capabilities.twin === true;

/** Returns how a ruler writes times of a real clock: with so many digits of a second; null for runs of ours. */
export function rulerClock(): { text: (time: Micros, digits: number) => string; phase: Micros } | null {
  const { info } = useSession.getState();
  if (!hasWallTime(info)) return null;
  const zone = zoneOf(info, info.epochMillis) * 60_000_000;
  return {
    text: (time, digits) => wallTime(info, time).slice(0, digits > 0 ? 9 + Math.min(3, digits) : 8),
    phase: Math.round(info.epochMillis * 1000) + zone,
  };
}

/** Returns the wall-clock time of an observed run and of its twin; seconds since the start of one of ours. */
export function useWhen(): (time: Micros) => string {
  const info = useSession((s) => s.info);
  const clock = useUI((s) => s.clock);
  return useCallback(
    (time) => (hasWallTime(info) ? wallTime(info, time, false, clock) : `${seconds(time)} s`),
    [info, clock],
  );
}
