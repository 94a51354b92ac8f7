import { english, type Language } from '@syncloop/core/trace';
import { useCallback } from 'react';
import { type Lang, useUI } from '../page/ui-store.js';
import { en, type MessageKey } from './en.js';

export type { MessageKey } from './en.js';
export type Params = Readonly<Record<string, string | number>>;
export type Translate = (key: MessageKey, params?: Params) => string;

export type Catalogue = Readonly<Record<MessageKey, string>>;

/** The page's own messages in a language, and the narrator's sentences about records. */
export interface Texts {
  readonly catalogue: Catalogue;
  readonly narrator: Language;
}
const ENGLISH: Texts = { catalogue: en, narrator: english };
/** English is always there; another language comes when it is first wanted. */
const loaded: Partial<Record<Lang, Texts>> = {};
const LOADERS: Readonly<Partial<Record<Lang, () => Promise<Texts>>>> = {
  'zh-CN': async () => (await import('./zh-cn.js')).zhCN,
};
const textsOf = (lang: Lang): Texts => loaded[lang] ?? ENGLISH;

/** Loads a language, where it is not there yet; to be awaited before it is shown. */
export async function loadLang(lang: Lang): Promise<void> {
  const load = LOADERS[lang];
  if (!loaded[lang] && load) loaded[lang] = await load();
}
/** Has a language at once. For tests. */
export function addTexts(lang: Lang, texts: Texts): void {
  loaded[lang] = texts;
}
/** The narrator of a language. */
export const narratorOf = (lang: Lang): Language => textsOf(lang).narrator;

let change: ((text: string) => string) | null = null;
/** Has every text changed before it is shown; null ends it. For tests of what the page does with other texts. */
export function changeTexts(by: ((text: string) => string) | null): void {
  change = by;
}

/** A message in a language, its {names} filled in. */
export function translate(lang: Lang, key: MessageKey, params?: Params): string {
  const known = textsOf(lang).catalogue[key];
  const text = change ? change(known) : known;
  return params ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole)) : text;
}

/** Translates in the page's language, outside of components. */
export const t: Translate = (key, params) => translate(useUI.getState().lang, key, params);

export function useT(): Translate {
  const lang = useUI((s) => s.lang);
  return useCallback((key: MessageKey, params?: Params) => translate(lang, key, params), [lang]);
}
