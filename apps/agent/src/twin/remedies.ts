/** Runs what would have prevented an incident: in a scenario, or in the twin of what was observed. */
import { loadEras } from '@syncloop/core/kubelet';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import { type RemedyReport, RemedySearch, type Subject, subjectOf } from '@syncloop/observe/twin/remedies';
import type { PreventionStory } from '@syncloop/observe/verdict';
import type { Observed } from './reenact.js';
import { Holder, makeTwin } from './tools.js';

interface RemedyOptions {
  /** The kind of the incident; default: the weightiest one. */
  readonly kind?: string;
  /** The most runs. */
  readonly runs: number;
  readonly progress?: (done: number, of: number) => void;
}

/** Returns null if the run has no such incident. */
export async function remediesOf(
  subject: Subject,
  { progress, ...options }: RemedyOptions,
): Promise<RemedyReport | null> {
  // Another version is one of the remedies.
  await loadEras();
  const search = new RemedySearch(subject, options);
  const work = search.work();
  for (let next = work.next(); ; next = work.next()) {
    if (next.done) return next.value;
    progress?.(search.progress.done, search.progress.of);
  }
}

/** A scenario, and what a run of it has in place of the scenario's own. */
interface OwnRun {
  readonly name: string;
  readonly text: string;
  readonly era?: EraVersion;
  readonly seed?: number;
}
/** The remedies in a scenario's own run. */
export function remediesInScenario({ name, text, era, seed }: OwnRun, options: RemedyOptions) {
  const { document, ...subject } = subjectOf({ name, text }, 'simulated');
  const spec = { ...(document.spec as object), ...(era && { era }), ...(seed !== undefined && { seed }) };
  return remediesOf({ ...subject, document: { ...document, spec } }, options);
}

/** The remedies in the twin of an observed run. Throws an error that names what is missing if no twin can be made. */
export async function remediesInTwin(observed: Observed, options: RemedyOptions): Promise<RemedyReport | null> {
  await loadEras();
  const twin = makeTwin(observed, new Holder(observed).begun.records, {});
  return remediesOf(subjectOf(twin, 'twin'), options);
}

/** A report as a verdict has it. */
export const preventionOf = ({ incident, tried, unknown }: RemedyReport): PreventionStory => ({
  incident,
  tried: tried.map(({ effect, text }) => ({ effect, text })),
  unknown,
});
