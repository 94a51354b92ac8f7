import type { BreakpointSpec, BreakpointStatus, Hit } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { create } from 'zustand';

/** The records at which a breakpoint was hit, among those in memory. */
export interface SearchResult {
  readonly id: string;
  /** The breakpoint that was searched for, should it be changed meanwhile. */
  readonly spec: BreakpointSpec;
  /** The hits with the records that the page had then: it forgets them when the session goes back. */
  readonly hits: readonly (Hit & { readonly record: TraceRecord | undefined })[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

export interface BreakpointsState {
  readonly specs: readonly BreakpointSpec[];
  /** Their status as the session reports it, by id. */
  readonly status: Readonly<Record<string, BreakpointStatus>>;
  /** Written by logpoints in this run, the newest last. */
  readonly written: readonly Hit[];
  readonly found: SearchResult | null;
  /** Breakpoint that is searched for, '' when none is. */
  readonly finding: string;
  /** The form: a breakpoint that is changed, or a new one. */
  readonly editing: { readonly spec: BreakpointSpec | null } | null;
}

export const useBreakpoints = create<BreakpointsState>(() => ({
  specs: [],
  status: {},
  written: [],
  found: null,
  finding: '',
  editing: null,
}));
