import type { Program } from '../process/world.js';
import type { Life } from './types.js';

/** How soon a container ends after the stop signal of which nothing was said. */
const stopTime = 20_000;

export interface LifeStart {
  readonly life: Life;
  /** When its process began. */
  readonly began: number;
  /** Name of the signal that is to stop it. */
  readonly stopSignal: string;
  /** Its own end comes now. */
  readonly onOwnEnd: () => void;
}

/** The first process of a container that lives as a scenario says. */
export function lifeProgram({ life, began, stopSignal, onOwnEnd }: LifeStart): Program {
  return function* (proc, world) {
    const { runs, stops = { after: stopTime } } = life;
    for (const s of new Set([stopSignal, 'TERM'])) proc.caught.add(s);
    // At once, so that it is there whatever ends the container.
    if (life.log !== undefined) proc.write(life.log.endsWith('\n') ? life.log : `${life.log}\n`);
    const ownEnd = runs === undefined ? null : began + runs;
    let stop: number | null = null;
    for (;;) {
      const until: number | null = stop === null ? ownEnd : ownEnd === null ? stop : Math.min(stop, ownEnd);
      if ((yield* proc.park(until)) === 'signal') {
        proc.pending.length = 0;
        if (stops.after !== undefined) stop ??= proc.kernel.now() + stops.after;
        continue;
      }
      if (until === null) continue;
      if (until === stop) return stops.exits ?? 0;
      onOwnEnd();
      if (life.oom) world.oom(proc);
      else if (life.signal !== undefined) proc.die(life.signal);
      else return life.exits ?? 0;
    }
  };
}
