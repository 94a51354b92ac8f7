import type { Problem } from '@syncloop/workshop/interpreter';
import { inWords } from '@syncloop/workshop/messages';
import type { Lang } from '../../page/ui-store.js';

/** Says a problem of a learner's code in the page's language. */
export const problemIn = (lang: Lang, { says }: Problem): string => inWords(says, lang === 'en' ? 'en' : 'zh');
