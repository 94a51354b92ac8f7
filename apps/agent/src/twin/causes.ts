/** Searches for what may explain that a kubelet and its twin diverge, while signals are heard. */
import { setImmediate } from 'node:timers/promises';
import { Stopped } from '@syncloop/core/debug';
import { loadEras } from '@syncloop/core/kubelet';
import type { TwinScenario } from '@syncloop/observe/twin';
import { type CauseReport, CauseSearch } from '@syncloop/observe/twin/causes';
import type { Holder } from './tools.js';

export interface CauseOptions {
  /** Changes of the twin that are tried. */
  readonly tries: number;
  /** When it settles, the search ends, and what it has found is returned. */
  readonly stop?: Promise<unknown>;
  /** Called with how far it is. */
  readonly progress?: (done: number, of: number) => void;
}

export async function searchCauses(
  holder: Holder,
  twin: TwinScenario,
  { tries, stop, progress }: CauseOptions,
): Promise<CauseReport> {
  // Another version of the kubelet is one of the causes.
  await loadEras();
  const search = new CauseSearch({
    twin,
    judge: (records, until, changed) => holder.compare(records, changed, until),
    budget: { tries },
  });
  let stopped = false;
  void stop?.then(() => {
    stopped = true;
  });
  const work = search.work();
  for (let next = work.next(); ; next = stopped ? work.throw(new Stopped()) : work.next()) {
    if (next.done) return next.value;
    const { done, of } = search.progress;
    progress?.(done, of);
    await setImmediate();
  }
}
