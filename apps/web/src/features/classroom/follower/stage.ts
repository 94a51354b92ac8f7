/** The stage of the workshop that the presenter has opened for all: this page opens it, and says how far it is. */
import type { FollowerMessage, StageReport } from '@syncloop/core/classroom';
import { progressIn } from '@syncloop/workshop/progress';
import { useUI } from '../../../page/ui-store.js';
import { openStage, useWorkshop, type WorkshopState } from '../../workshop/workshop-store.js';
import { Reporter } from './place.js';

export type StageMessage = Extract<FollowerMessage, { type: 'stage' }>;

export function showStage(stage: string): void {
  openStage(stage);
  useUI.setState({ dialog: 'workshop' });
}

/**
 * Returns how far this page is in a stage: levels that were passed, and the name of the case at which the code differs
 * first. Values and messages stay here, since they may have something of the code. Null before anything was judged.
 */
export function reportOf(
  stage: string,
  { progress, judged }: Pick<WorkshopState, 'progress' | 'judged'>,
): StageReport | null {
  const { passed } = progressIn(progress, stage);
  const levels = judged[stage]?.levels ?? [];
  if (passed.length === 0 && levels.length === 0) return null;
  const found = levels.find(({ state }) => state === 'failed')?.difference;
  if (!found) return { passed };
  const { level, case: name, problem } = found;
  return { passed, first: { level, case: name, ...(problem && { problem: problem.kind }) } };
}

/** Reports it whenever it has changed, as long as `stage` returns one. Returns what to call for a new connection. */
export function reportStage(stage: () => string | null, send: (message: StageMessage) => void): () => void {
  const reporter = new Reporter<StageMessage>({
    now: () => {
      const open = stage();
      const report = open === null ? null : reportOf(open, useWorkshop.getState());
      return open !== null && report ? { type: 'stage', stage: open, report } : null;
    },
    send,
    after: (millis, then) => void setTimeout(then, millis),
  });
  useWorkshop.subscribe((s, before) => {
    if (s.judged !== before.judged || s.progress !== before.progress) reporter.changed();
  });
  return () => reporter.anew();
}
