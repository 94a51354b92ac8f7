/** For tests: all languages, at once. */
import type { Lang } from '../page/ui-store.js';
import { en } from './en.js';
import { addTexts, type Catalogue } from './index.js';
import { zhCN } from './zh-cn.js';

export const CATALOGUES: Readonly<Record<Lang, Catalogue>> = { en, 'zh-CN': zhCN.catalogue };
addTexts('zh-CN', zhCN);
