import { addWords, loadLang, words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { texts } from './texts-en.js';

let added = false;

/** Loads the page with its texts, which are not part of the first load. */
export async function loadPage() {
  if (!added) addWords(words(texts, () => import('./texts-zh-cn.js')));
  added = true;
  const [{ FleetPage }] = await Promise.all([import('./fleet-page.js'), loadLang(useUI.getState().lang)]);
  return FleetPage;
}
