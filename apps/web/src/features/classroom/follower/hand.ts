/** The message that raises a follower's hand. */
import { type FollowerMessage, MAX_HAND, MAX_NAME } from '@syncloop/core/classroom';

/** Returns the name as the class takes it: letters, digits, blanks and what stands in names; '' if nothing is left. */
export const nameFrom = (typed: string): string =>
  typed
    .replace(/[^\p{L}\p{M}\p{N} .'-]/gu, '')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, MAX_NAME)
    .trim();

/** Null if the moment is too long for a follower's message. */
export function handMessage(moment: string, time: number, typed: string): FollowerMessage | null {
  if (moment.length > MAX_HAND) return null;
  const name = nameFrom(typed);
  return { type: 'hand', hand: { moment, time, ...(name !== '' && { name }) } };
}
