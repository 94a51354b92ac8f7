/** The moment that the page is at: the run, and how it is looked at. */

import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useBranches } from '../branches/branches-store.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { useGraph } from '../graph/index.js';
import { lessonNow } from '../lessons/lessons-start.js';
import { notesOfRun } from '../notes/notes.js';
import { loadOf, type Moment } from './share.js';
import type { LinkView } from './share-view.js';

/** The name of a branch that nobody has named. */
const MAIN = 'main';

async function branchName(): Promise<string | undefined> {
  const { branch } = useSession.getState().run;
  const list = await session.command({ do: 'branches' }).catch(() => undefined);
  const name = (list ?? useBranches.getState().branches).find((b) => b.id === branch)?.name;
  return name === undefined || name === MAIN ? undefined : name;
}

function viewNow(): LinkView {
  const { left, bottom, inspectorOpen, inspectorTab, filter } = useUI.getState();
  const { chosen } = useGraph.getState();
  return { ...(chosen && { level: chosen }), left, bottom, inspectorOpen, inspectorTab, filter };
}

/** Rejects if the session cannot be run again. */
export async function momentNow(): Promise<Moment> {
  const load = loadOf(await session.command({ do: 'spec' }));
  const branch = await branchName();
  const { lang, selection } = useUI.getState();
  const { specs } = useBreakpoints.getState();
  const notes = notesOfRun();
  const lesson = lessonNow();
  return {
    load,
    lang,
    view: viewNow(),
    ...(selection && { selection }),
    ...(lesson && { lesson: load.clock === undefined ? lesson : { ...lesson, away: true } }),
    ...(branch !== undefined && { branch }),
    ...(specs.length > 0 && { breakpoints: specs }),
    ...(notes.length > 0 && { notes }),
  };
}
