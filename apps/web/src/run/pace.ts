import { createContext } from 'react';
import { useSession } from './session-store.js';
import { trace } from './trace-store.js';

/** The time between two looks at a run that goes on, ms: as fast as a person reads, and slower if time is short. */
const STEADY = 100;
const FAST = 250;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let last = Number.NEGATIVE_INFINITY;
let listening = false;

function tell(): void {
  clearTimeout(timer);
  timer = undefined;
  last = performance.now();
  for (const listener of listeners) listener();
}

function listen(): void {
  listening = true;
  trace.subscribe(() => {
    if (timer !== undefined) return;
    const { running, speed } = useSession.getState().run;
    const wait = running ? last + (speed.mode === 'max' ? FAST : STEADY) - performance.now() : 0;
    if (wait <= 0) tell();
    else timer = setTimeout(tell, wait);
  });
  // A pause shows the moment at once.
  useSession.subscribe((s, before) => {
    if (before.run.running && !s.run.running) tell();
  });
}

/** Like `trace.subscribe`, but calls at most every 100 ms during a run (250 ms at full speed); at once when paused. */
export function subscribeSteadily(listener: () => void): () => void {
  if (!listening) listen();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * True around a part of the page that shows more than can be drawn again in each frame: `useTrace` then looks at the
 * run as often as a person can read it.
 */
export const Steady = createContext(false);
