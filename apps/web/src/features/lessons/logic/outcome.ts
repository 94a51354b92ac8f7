/**
 * The verdict at the end of a lesson on its predictions. `knows`: at least half were right, or nothing was asked. `few`
 * and `none`: fewer were. `skipped`: nothing was predicted.
 */
export type Outcome = 'knows' | 'few' | 'none' | 'skipped';

/** Only who predicted at least half rightly hears that they can say it now. */
export function outcomeOf({
  asked,
  answered,
  right,
}: Readonly<Record<'asked' | 'answered' | 'right', number>>): Outcome {
  if (asked === 0) return 'knows';
  if (answered === 0) return 'skipped';
  if (right === 0) return 'none';
  return 2 * right >= answered ? 'knows' : 'few';
}
