import { en } from './en.js';
import { zh } from './zh.js';

/** The key of a sentence. */
export type MessageKey = keyof typeof en;

/** A sentence by its key. A parameter may be a sentence itself. */
export interface Message {
  readonly key: MessageKey;
  readonly params?: { readonly [name: string]: string | number | Message };
}

export const message = (key: MessageKey, params?: Message['params']): Message => (params ? { key, params } : { key });

/** The languages that messages are said in. */
const catalogues = { en, zh };

/** The sentence of a message. `{{` and `}}` are braces. */
export function inWords({ key, params = {} }: Message, lang: keyof typeof catalogues): string {
  return catalogues[lang][key].replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name?: string) => {
    if (name === undefined) return found.charAt(0);
    const value = Object.hasOwn(params, name) ? params[name] : '';
    return typeof value === 'object' ? inWords(value, lang) : String(value);
  });
}
