import type { RunUpTo } from '@syncloop/core/debug';
import { useUI } from '../../page/ui-store.js';
import { session } from '../../session/session.js';
import { useBranches } from '../branches/branches-store.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { useManifests } from '../manifests/manifests-store.js';
import { useNotes } from '../notes/notes-store.js';

/** The run up to here as a scenario: what goes along, and how much of what cannot. */
export interface MadeScenario {
  readonly text: string;
  readonly base: string;
  readonly interventions: number;
  readonly deviations: number;
  readonly drafts: readonly string[];
  readonly breakpoints: number;
  readonly notes: number;
  readonly branches: number;
}

/** Rejects with the reason where the run cannot be a scenario. `name`: small letters, digits and -. */
export async function makeScenario(name: string): Promise<MadeScenario> {
  const [{ scenarioOfRun }, { library }] = await Promise.all([
    import('@syncloop/core/debug/run-as-scenario'),
    import('@syncloop/core/scenario'),
  ]);
  const spec = (await session.command({ do: 'spec' })) as unknown as RunUpTo;
  return {
    text: scenarioOfRun(spec, { name, title: { en: name, zh: name } }, library),
    base: spec.scenario,
    interventions: spec.interventions?.length ?? 0,
    deviations: spec.deviations?.length ?? 0,
    drafts: Object.keys(useManifests.getState().drafts),
    breakpoints: useBreakpoints.getState().specs.length,
    notes: useNotes.getState().notes.length,
    branches: Math.max(0, useBranches.getState().branches.length - 1),
  };
}

/** Whether a scenario has such a name. */
export const isScenarioName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);

/** Begins the scenario that was made, in place of the run. */
export async function runMade(name: string, text: string): Promise<void> {
  await session.command({ do: 'load', scenario: name, text });
  useUI.setState({ selection: null, inspectorOpen: false, dialog: null });
}
