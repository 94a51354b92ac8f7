import { type ImageAnswerOf, type ImageQuestion, imageStep, type KnownImages } from '@syncloop/core/scenario/workload';
import { useEffect, useState } from 'react';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useAnswered } from './answered.js';

export interface NodeKnows extends KnownImages {
  /** The node has an API server. */
  readonly api: boolean;
}

/** Null if the session does not say: a real node knows its images itself. */
export async function askNode(): Promise<NodeKnows | null> {
  if (!(useSession.getState().info?.capabilities.intervene ?? false)) return null;
  try {
    const objects = await session.command({ do: 'objects' });
    // A session of an earlier version knows nothing of what images do.
    if (!objects?.answers) return null;
    return { images: objects.images, answers: objects.answers, api: objects.api !== null };
  } catch {
    return null;
  }
}

/** Asks again when the run or `key` changes, and when an answer about an image was sent. */
export function useNodeKnows(key: string): NodeKnows | null {
  const id = useSession((s) => s.info?.id ?? '');
  const ready = useSession((s) => s.phase === 'ready');
  const answered = useAnswered((s) => s.sent);
  const [known, setKnown] = useState<{ readonly id: string; readonly knows: NodeKnows | null }>({
    id: '',
    knows: null,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for each of them
  useEffect(() => {
    if (!ready) return;
    let gone = false;
    void askNode().then((knows) => {
      if (!gone) setKnown({ id, knows });
    });
    return () => {
      gone = true;
    };
  }, [id, ready, key, answered]);
  return known.id === id ? known.knows : null;
}

const same = (a: ImageAnswerOf, b: ImageAnswerOf): boolean =>
  JSON.stringify([a.does, a.doesIn, a.assumed]) === JSON.stringify([b.does, b.doesIn, b.assumed]);

/**
 * Tells the run what images do, as steps of it. Images that it knows already are left out, and so are guesses that
 * there is no such image: the registry reports that by itself.
 */
export async function tellImages(
  questions: readonly ImageQuestion[],
  answers: readonly ImageAnswerOf[],
): Promise<void> {
  for (const [i, question] of questions.entries()) {
    const answer = answers[i];
    if (!answer || (same(question, answer) && (question.settled || answer.does === null))) continue;
    await session.command({ do: 'act', action: imageStep({ ...answer, ref: question.ref }) as never });
  }
  useAnswered.setState(({ sent }) => ({ sent: sent + 1 }));
}
