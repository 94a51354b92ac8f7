import type { RunUpTo } from '@syncloop/core/debug';
import { isScenarioName, library } from '@syncloop/core/scenario';
import { useUI } from '../../page/ui-store.js';
import { session } from '../../session/session.js';
import { useBranches } from '../branches/branches-store.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { useManifests } from '../manifests/manifests-store.js';
import { useNotes } from '../notes/notes-store.js';

export { isScenarioName };

/** The run in view: its actions, and how many of each kind there are. */
export interface RunInView {
  readonly spec: RunUpTo;
  readonly base: string;
  readonly interventions: number;
  readonly deviations: number;
  /** The number of other branches. */
  readonly branches: number;
}

/** Rejects with the reason if the run cannot be repeated. */
export async function runInView(): Promise<RunInView> {
  const spec = await session.command({ do: 'spec' });
  return {
    spec,
    base: spec.scenario,
    interventions: spec.interventions?.length ?? 0,
    deviations: spec.deviations?.length ?? 0,
    branches: Math.max(0, useBranches.getState().branches.length - 1),
  };
}

/** The run up to here as a scenario, and the number of things that a scenario cannot hold. */
export interface MadeScenario extends RunInView {
  readonly text: string;
  readonly drafts: readonly string[];
  readonly breakpoints: number;
  readonly notes: number;
}

/** Rejects with the reason if the run cannot be a scenario. `name`: small letters, digits and -. */
export async function makeScenario(name: string): Promise<MadeScenario> {
  const { scenarioOfRun } = await import('@syncloop/core/debug/run-as-scenario');
  const run = await runInView();
  return {
    ...run,
    text: scenarioOfRun(run.spec, { name, title: { en: name, zh: name } }, library),
    drafts: Object.keys(useManifests.getState().drafts),
    breakpoints: useBreakpoints.getState().specs.length,
    notes: useNotes.getState().notes.length,
  };
}

/** Begins the scenario that was made, in place of the run. */
export async function runMade(name: string, text: string): Promise<void> {
  await session.command({ do: 'load', scenario: name, text });
  useUI.setState({ selection: null, inspectorOpen: false, dialog: null, tryDismissed: false });
}
