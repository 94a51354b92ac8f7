import type { SourceIndex, Sources } from './source-types.js';

const made = new Map<string, SourceIndex>();

/** Returns the sources as a run of that version names them: its own, and v1.36's if it has none. */
export const sourcesOf = (sources: Sources, era: string | undefined): Sources =>
  era !== undefined && Object.hasOwn(sources.eras, era) ? { ...sources, index: indexOf(sources, era) } : sources;

function indexOf(sources: Sources, era: string | undefined): SourceIndex {
  const own = era === undefined ? undefined : sources.eras[era];
  if (era === undefined || !own) return sources.index;
  let all = made.get(era);
  if (!all) {
    all = laidOver(indexOf(sources, own.base), own);
    made.set(era, all);
  }
  return all;
}

/** Returns the upper index, with the lower one's other entries. */
function laidOver(lower: SourceIndex, upper: SourceIndex): SourceIndex {
  const replaced = new Set(upper.steps.map((s) => s.fn));
  const steps = [...lower.steps.filter((s) => !replaced.has(s.fn)), ...upper.steps];
  const outline = { ...lower.outline, ...upper.outline };
  return { functions: { ...lower.functions, ...upper.functions }, steps, outline };
}
