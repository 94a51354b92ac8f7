import type { Program } from '../process/world.js';
import type { ContainerScript } from './types.js';

/** The time from the stop signal to the end of a container whose script does not say. */
const stopTime = 20_000;

export interface LifeStart {
  /** Its script, which may be replaced later: then its process is woken. */
  readonly of: { readonly life: ContainerScript };
  /** The time at which its process began. */
  readonly began: number;
  /** Name of the signal that is to stop it. */
  readonly stopSignal: string;
  /** Called when it ends by itself. */
  readonly onOwnEnd: () => void;
}

/** The first process of a container that lives as a scenario says. */
export function lifeProgram({ of, began, stopSignal, onOwnEnd }: LifeStart): Program {
  return function* (proc, world) {
    for (const s of new Set([stopSignal, 'TERM'])) proc.caught.add(s);
    // At once, so that it is there whatever ends the container.
    const { log } = of.life;
    if (log !== undefined) proc.write(log.endsWith('\n') ? log : `${log}\n`);
    let stop: number | null = null;
    for (;;) {
      const { life } = of;
      const { runs, stops = { after: stopTime } } = life;
      const ownEnd = runs === undefined ? null : Math.max(began + runs, proc.kernel.now());
      const until: number | null = stop === null ? ownEnd : ownEnd === null ? stop : Math.min(stop, ownEnd);
      const woken = yield* proc.park(until);
      // More was said of it meanwhile.
      if (life !== of.life && proc.pending.length === 0) continue;
      if (woken === 'signal') {
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
