import type { TraceRecord } from '../records.js';
import { english } from './en.js';
import { narrateIn } from './narrator.js';
import type { Lang, Language, NameLookup, Narration } from './parts.js';
import { chinese } from './zh.js';

const languages: Readonly<Record<Lang, Language>> = { en: english, zh: chinese };

/** The same in either language, for callers that may load both. */
export const narrate = (record: TraceRecord, lookup: NameLookup, lang: Lang): Narration =>
  narrateIn(languages[lang], record, lookup);
