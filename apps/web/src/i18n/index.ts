/** The page's texts. Each room has its own, in English and in other languages, and adds them when it is registered. */
import { english, type Language } from '@syncloop/core/trace';
import { useCallback } from 'react';
import { type Lang, setLang, useUI } from '../page/ui-store.js';
import { en } from './en.js';

/**
 * Every text by its key. A room adds its keys next to its English texts:
 * `declare module '../../i18n/index.js' { interface Texts extends Keys<typeof en> {} }`.
 */
export interface Texts extends Keys<typeof en> {}
/** The keys of a room's English texts. */
export type Keys<E> = { readonly [K in keyof E]: string };
export type MessageKey = keyof Texts;
export type Params = Readonly<Record<string, string | number>>;
export type Translate = (key: MessageKey, params?: Params) => string;

type Catalogue = Readonly<Record<string, string>>;
type OtherLang = Exclude<Lang, 'en'>;
/** A room's texts: English at once, every other language when it is first wanted. */
export interface Words {
  readonly en: Catalogue;
  readonly others: Readonly<Record<OtherLang, () => Promise<Catalogue>>>;
}

/** A room's texts. A key that is missing in the other language does not compile. */
export function words<E extends Catalogue>(
  en: E,
  zhCN: () => Promise<{ readonly zhCN: Readonly<Record<keyof E, string>> }>,
): Words {
  return { en, others: { 'zh-CN': async () => (await zhCN()).zhCN } };
}

const rooms: Words[] = [];
const catalogues: Record<Lang, Record<string, string>> = { en: {}, 'zh-CN': {} };

/** Adds the texts of rooms. Throws if a key has another text already. */
export function addWords(...added: readonly Words[]): void {
  for (const room of added) {
    for (const key of Object.keys(room.en))
      if ((catalogues.en[key] ?? room.en[key]) !== room.en[key]) throw new Error(`the text ${key} is there twice`);
    Object.assign(catalogues.en, room.en);
    rooms.push(room);
  }
}
addWords(words(en, () => import('./zh-cn.js')));

/** The narrators' sentences about records. English is always there. */
const narrators: { en: Language } & Partial<Record<Lang, Language>> = { en: english };
const NARRATORS: Readonly<Record<OtherLang, () => Promise<Language>>> = {
  'zh-CN': async () => (await import('./zh-cn.js')).narrator,
};
/** The narrator of a language. */
export const narratorOf = (lang: Lang): Language => narrators[lang] ?? narrators.en;

/** Loads the missing texts of a language; await it before that is shown. */
export async function loadLang(lang: Lang): Promise<void> {
  if (lang === 'en') return;
  narrators[lang] ??= await NARRATORS[lang]();
  const into = catalogues[lang];
  const missing = rooms.filter((room) => Object.keys(room.en).some((key) => !Object.hasOwn(into, key)));
  for (const loaded of await Promise.all(missing.map((room) => room.others[lang]()))) Object.assign(into, loaded);
}

/** Shows another language once its texts are there, and keeps it as the user's choice. */
export async function chooseLang(lang: Lang): Promise<void> {
  await loadLang(lang);
  setLang(lang);
}
/** Shows another language for as long as the page is open. */
export async function showLang(lang: Lang): Promise<void> {
  await loadLang(lang);
  useUI.setState({ lang });
}

let change: ((text: string) => string) | null = null;
/** Changes every text before it is shown; null ends it. For tests of the page with other texts. */
export function changeTexts(by: ((text: string) => string) | null): void {
  change = by;
}

/** Returns true if there is a text with this key. */
export const isMessageKey = (key: string): key is MessageKey => Object.hasOwn(catalogues.en, key);

/** A message in a language, its {names} filled in. Without a translation it is the English one. */
export function translate(lang: Lang, key: MessageKey, params?: Params): string {
  const known = catalogues[lang][key] ?? catalogues.en[key] ?? key;
  const text = change ? change(known) : known;
  return params ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole)) : text;
}

/** Translates in the page's language, outside of components. */
export const t: Translate = (key, params) => translate(useUI.getState().lang, key, params);

export function useT(): Translate {
  const lang = useUI((s) => s.lang);
  return useCallback((key: MessageKey, params?: Params) => translate(lang, key, params), [lang]);
}
