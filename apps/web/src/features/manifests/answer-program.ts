/** Takes a person's answer about a program: the run goes back to the start of its pod and comes to the same time. */
import type { ImageAnswerOf, ImageQuestion } from '@syncloop/core/scenario/workload';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import type { Assumption } from './assumptions.js';
import { tellImages } from './node-images.js';

/** Returns the record with which the run begins to know one of the pods; null if there is none. */
async function beginOf(uids: readonly string[]): Promise<number | null> {
  const condition = uids.map((uid) => `uid == ${JSON.stringify(uid)}`).join(' || ');
  const [hit] = await session.command({ do: 'search', breakpoint: { id: 'begin', on: 'record', condition }, limit: 1 });
  return hit?.seq ?? null;
}

const MOST_PODS = 40;

/**
 * Lets the run go on from the start of the pods with the answer, as a branch, up to the present time. What was answered
 * is a step of the run, and so of a scenario that is made of it.
 */
export async function answerProgram(
  question: ImageQuestion,
  answer: ImageAnswerOf,
  by: Readonly<Record<string, Assumption>>,
): Promise<void> {
  const { time } = useSession.getState().run;
  // An expression has its limits; the first pods are the earliest.
  const uids = Object.entries(by).flatMap(([id, a]) => (a.question.full === question.full ? id.split('/', 1) : []));
  const begin = await beginOf([...new Set(uids)].slice(0, MOST_PODS));
  useUI.setState({ selection: null, inspectorOpen: false });
  if (begin !== null) await session.command({ do: 'go', to: { seq: begin } });
  await tellImages([question], [answer]);
  if (begin !== null) await session.command({ do: 'go', to: { time } });
}
