import type { Company, ManifestFile, RunState, ScenarioEntry, SessionInfo } from '@syncloop/core/debug';
import { create } from 'zustand';

export type SessionPhase = 'starting' | 'ready' | 'refused' | 'closed';

/** The session this page is connected to, and its last report. Changed at most once per frame. */
export interface SessionState {
  readonly phase: SessionPhase;
  /** The reason why it was refused or closed. */
  readonly reason: string;
  readonly kind: 'worker' | 'agent';
  readonly info: SessionInfo | null;
  readonly run: RunState;
  /** The other pages that look at it, and the one that moved it last. */
  readonly company: Company;
  readonly manifests: readonly ManifestFile[];
  readonly scenarios: readonly ScenarioEntry[];
  /** Selects with several ready cases are asked of the user. */
  readonly asking: boolean;
}

export const RUN_BEFORE: RunState = {
  running: false,
  seq: 0,
  time: 0,
  steps: 0,
  iterations: 0,
  speed: { mode: 'time', factor: 1 },
  choice: null,
  next: '',
  stopped: '',
};

/** No other page looks. */
export const ALONE: Company = { pages: 1 };

/** Returns true if it runs, or is on its way to the end of a step or a go: its present position is not a stop. */
export const isUnderWay = (run: Pick<RunState, 'running' | 'going'>): boolean => run.running || run.going === true;

export const useSession = create<SessionState>(() => ({
  phase: 'starting',
  reason: '',
  kind: 'worker',
  info: null,
  run: RUN_BEFORE,
  company: ALONE,
  manifests: [],
  scenarios: [],
  asking: false,
}));

/**
 * Returns true if the session shows a recording: it can be gone through in both directions, and nothing in it can be
 * changed.
 */
export function showsRecording({ info }: Pick<SessionState, 'info'> = useSession.getState()): boolean {
  return info !== null && info.capabilities.rewind === true && !info.capabilities.scenarios;
}

/** Something done now would begin a branch: decisions are known that come after this one. */
export function inThePast(run: RunState): boolean {
  return run.end !== undefined && run.steps < run.end.step;
}
