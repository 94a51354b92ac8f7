import { useCallback } from 'react';
import { type Lang, useUI } from '../store/ui-store.js';
import { en, type MessageKey } from './en.js';
import { zhCN } from './zh-cn.js';

export type { MessageKey } from './en.js';
export type Params = Readonly<Record<string, string | number>>;
export type Translate = (key: MessageKey, params?: Params) => string;

export const CATALOGUES: Readonly<Record<Lang, Readonly<Record<MessageKey, string>>>> = { en, 'zh-CN': zhCN };

let change: ((text: string) => string) | null = null;
/** Has every text changed before it is shown; null ends it. For tests of what the page does with other texts. */
export function changeTexts(by: ((text: string) => string) | null): void {
  change = by;
}

/** A message in a language, its {names} filled in. */
export function translate(lang: Lang, key: MessageKey, params?: Params): string {
  const known = CATALOGUES[lang][key];
  const text = change ? change(known) : known;
  return params ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole)) : text;
}

/** Translates in the page's language, outside of components. */
export const t: Translate = (key, params) => translate(useUI.getState().lang, key, params);

export function useT(): Translate {
  const lang = useUI((s) => s.lang);
  return useCallback((key: MessageKey, params?: Params) => translate(lang, key, params), [lang]);
}
