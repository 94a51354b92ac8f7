import { words } from '../../i18n/index.js';
import { withLaterWords } from '../../i18n/later-words.js';
import { texts } from './texts-en.js';

/** Loads a part of the page with the texts of the workshop. */
export const withTexts = withLaterWords(words(texts, () => import('./texts-zh-cn.js')));

export const loadPage = async () => (await withTexts(import('./workshop-page.js'))).WorkshopPage;
export const loadCodePanel = async () => (await withTexts(import('./code-panel.js'))).CodePanel;
export const loadSidesPanel = async () => (await withTexts(import('./sides-panel.js'))).SidesPanel;
export const loadLineDetails = async () => (await withTexts(import('./line-details.js'))).LineDetails;
