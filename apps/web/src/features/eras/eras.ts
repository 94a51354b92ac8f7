/** The version of the kubelet that runs, and whether another one can be chosen. */
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet';
import { inLang } from '../../i18n/in-lang.js';
import { t } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { type SessionState, useSession } from '../../run/session-store.js';
import { type LessonsState, useLessons } from '../lessons/lessons-store.js';

export const eraOf = ({ info }: Pick<SessionState, 'info'> = useSession.getState()): EraVersion =>
  info?.era ?? defaultEra;

/** True if this session can run with another version at all: a simulation of a scenario, and not a real node. */
export const hasEras = ({ phase, info }: SessionState = useSession.getState()): boolean =>
  phase === 'ready' && info?.capabilities.eras === true;

/** Returns why another version cannot be chosen now, as a sentence; '' if it can. */
export function fixedBecause(
  session: SessionState = useSession.getState(),
  { lesson, where }: Pick<LessonsState, 'lesson' | 'where'> = useLessons.getState(),
): string {
  const era = eraOf(session);
  if (!hasEras(session)) return t('eras.fixed', { era });
  if (lesson && where !== 'left')
    return t('eras.inLesson', { lesson: inLang({ ...lesson.title }, useUI.getState().lang), era });
  return session.run.exploring ? t('eras.fixedBusy') : '';
}

/** Finds the same selection in a run whose records are others and whose pods may have other UIDs. */
export function sameSelection(
  selection: Selection | null,
  before: Readonly<Record<string, { readonly pod: string }>>,
  after: readonly { readonly uid: string; readonly pod: string }[],
): Selection | null {
  if (selection?.kind === 'channel' || selection?.kind === 'part') return selection;
  if (selection?.kind !== 'pod') return null;
  const pod = before[selection.uid]?.pod;
  const there = after.find((one) => one.pod === pod);
  return there ? { kind: 'pod', uid: there.uid } : null;
}
