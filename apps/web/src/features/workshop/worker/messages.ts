import type { LearnerResult } from '@syncloop/workshop/interpreter';
import type { Difference, Judgement, JudgeProgress } from '@syncloop/workshop/judge';

/** A question to the worker that runs learners' code. */
export type Question = { readonly id: number; readonly stage: string; readonly code: string } & (
  | { readonly do: 'judge' }
  /** Records the call of an example, by its place in the stage's table. */
  | { readonly do: 'trace'; readonly example: number }
);

/** Its answers. A judgement has the examples first, all of them, then its progress, then its end. */
export type Answer = { readonly id: number } & (
  | { readonly examples: readonly (Difference | null)[] }
  | { readonly progress: JudgeProgress }
  | { readonly judgement: Judgement }
  | { readonly traced: LearnerResult }
  | { readonly failed: string }
);
