import { useUI } from '../page/ui-store.js';
import { addWords, loadLang, type Words } from './index.js';

/** Returns a function that loads a part of the page together with texts that are not part of the first load. */
export function withLaterWords(later: Words): <T>(part: Promise<T>) => Promise<T> {
  let isAdded = false;
  return async (part) => {
    if (!isAdded) addWords(later);
    isAdded = true;
    const [loaded] = await Promise.all([part, loadLang(useUI.getState().lang)]);
    return loaded;
  };
}
