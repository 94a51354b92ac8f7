import { addWords, loadLang, words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { texts } from './texts-en.js';

let added = false;

/** Loads a part of the page with the texts of the workshop, which are not part of the first load. */
export async function withTexts<T>(part: Promise<T>): Promise<T> {
  if (!added) addWords(words(texts, () => import('./texts-zh-cn.js')));
  added = true;
  const [loaded] = await Promise.all([part, loadLang(useUI.getState().lang)]);
  return loaded;
}

export const loadPage = async () => (await withTexts(import('./workshop-page.js'))).WorkshopPage;
export const loadCodePanel = async () => (await withTexts(import('./code-panel.js'))).CodePanel;
export const loadSidesPanel = async () => (await withTexts(import('./sides-panel.js'))).SidesPanel;
export const loadLineDetails = async () => (await withTexts(import('./line-details.js'))).LineDetails;
