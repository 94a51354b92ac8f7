/** The browser's own voice. Where it has none, nothing is offered and nothing is said. */
import type { Lang } from '../../page/ui-store.js';

export const canSpeak = (): boolean =>
  typeof speechSynthesis !== 'undefined' && typeof SpeechSynthesisUtterance !== 'undefined';

/** Says a text, and drops what is still being said. */
export function speak(text: string, lang: Lang): void {
  if (!canSpeak()) return;
  speechSynthesis.cancel();
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = lang;
  speechSynthesis.speak(utterance);
}

export function beSilent(): void {
  if (canSpeak()) speechSynthesis.cancel();
}
