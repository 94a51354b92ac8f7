import { words } from '../../i18n/index.js';
import { withLaterWords } from '../../i18n/later-words.js';
import { texts } from './texts-en.js';

const withTexts = withLaterWords(words(texts, () => import('./texts-zh-cn.js')));

export const loadPage = async () => (await withTexts(import('./fleet-page.js'))).FleetPage;
