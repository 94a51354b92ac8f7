/** The assumptions about programs: behaviours that nobody said, of containers whose programs are not simulated. */
import type { ImageBehaviour } from '@syncloop/core/scenario';
import type { ImageQuestion } from '@syncloop/core/scenario/workload';
import { create } from 'zustand';
import { session } from '../../session/session.js';

/** The assumed behaviour of a container, and the question about its image. */
export interface Assumption {
  readonly question: ImageQuestion;
  /** Null: its image is assumed not to exist. */
  readonly does: ImageBehaviour | null;
  readonly pod: string;
  readonly container: string;
  /** The TCP ports in its manifest. */
  readonly ports: readonly number[];
}
interface Assumptions {
  /** By the UID of the pod and the name of the container: `UID/NAME`. */
  readonly by: Readonly<Record<string, Assumption>>;
  /** The one that the dialog asks about. */
  readonly asked: string;
}
export const useAssumptions = create<Assumptions>(() => ({ by: {}, asked: '' }));

type Loose = Readonly<Record<string, unknown>>;

/** Reads them from the session; a session that simulates nothing has none. */
export async function readAssumptions(): Promise<Readonly<Record<string, Assumption>>> {
  const objects = await session.command({ do: 'objects' });
  if (!objects?.answers) return {};
  const { imageQuestions, portsOf } = await import('@syncloop/core/scenario/workload');
  const by: Record<string, Assumption> = {};
  for (const value of objects.pods) {
    const { name: pod, uid } = value.metadata;
    const questions = imageQuestions([{ name: pod, pod: value as unknown as Loose }], objects);
    for (const c of [...(value.spec.initContainers ?? []), ...(value.spec.containers ?? [])]) {
      const question = questions.find((q) => q.containers.includes(`${pod}/${c.name}`));
      if (!question?.assumed) continue;
      // The registry denies an image that nobody said anything of; a known image runs its own program.
      if (!question.settled && question.because === 'waits') continue;
      const does = question.settled ? (question.doesIn?.[c.name] ?? question.does) : null;
      if (does?.kind === 'command') continue;
      by[`${uid}/${c.name}`] = { question, does, pod, container: c.name, ports: portsOf(c as unknown as Loose) };
    }
  }
  return by;
}
