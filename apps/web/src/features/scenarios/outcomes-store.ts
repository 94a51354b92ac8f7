import type { ScenarioOutcome } from '@syncloop/core/debug';
import { create } from 'zustand';
import { useSession } from '../../run/session-store.js';

/** The outcomes of scenarios that were last run untouched, by name; as long as the page is open. */
export const useOutcomes = create<{ readonly byName: ReadonlyMap<string, ScenarioOutcome> }>(() => ({
  byName: new Map(),
}));

/** Remembers outcomes from the session. Returns a function that ends it. */
export function followOutcomes(): () => void {
  return useSession.subscribe(({ info, run: { outcome } }) => {
    if (!info || !outcome || outcome.state === 'running' || outcome.state === 'resting') return;
    const { byName } = useOutcomes.getState();
    if (byName.get(info.scenario)?.state === outcome.state) return;
    useOutcomes.setState({ byName: new Map(byName).set(info.scenario, outcome) });
  });
}
