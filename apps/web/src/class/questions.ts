/** Questions that other parts of the page have at hand for a class: a lesson's prediction. */
import type { PollDraft } from '@syncloop/core/class';

type Offer = () => PollDraft | null;
const offers: Offer[] = [];

/** `offer` is asked for the question of right now, null where there is none. */
export function offerQuestion(offer: Offer): void {
  offers.push(offer);
}

/** The first that there is. */
export function offeredQuestion(): PollDraft | null {
  for (const offer of offers) {
    const question = offer();
    if (question) return question;
  }
  return null;
}
