import type { Overview } from '@syncloop/core/debug';

const KINDS = ['log', 'cri', 'pods', 'spans', 'events', 'metrics', 'api'] as const;
export type SourceWord = (typeof KINDS)[number];

/** Kinds of sources that are not here, the most useful first. */
export function missingSources({ sources }: Pick<Overview, 'sources'>): readonly SourceWord[] {
  const here = new Set(sources.filter((s) => s.pieces > 0 || s.state !== 'lost').map((s) => s.kind));
  return KINDS.filter((kind) => !here.has(kind));
}

/** The verbosity to be turned up; null if it is high enough, or there is no log. */
export function lowVerbosity({ verbosity, sources }: Pick<Overview, 'sources' | 'verbosity'>): number | null {
  if (!sources.some((s) => s.kind === 'log')) return null;
  return verbosity !== null && verbosity < 4 ? verbosity : null;
}

export const sourceWord = (kind: string): SourceWord => KINDS.find((k) => k === kind) ?? 'log';
