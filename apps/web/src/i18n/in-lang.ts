/** Returns a text of core's in the page's language, whichever way its languages are named. */
export function inLang(texts: Readonly<Record<string, string>> | string, lang: string): string {
  if (typeof texts === 'string') return texts;
  return texts[lang] ?? texts[lang.split('-')[0] ?? ''] ?? texts.en ?? Object.values(texts)[0] ?? '';
}
