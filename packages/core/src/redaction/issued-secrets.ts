/** Secrets by their form: what services issue, and what is behind the name of a service. */
import type { Range } from './named-values.js';
import { issued as gitleaks, services } from './rules/gitleaks.js';
import { own } from './rules/own.js';
import type { IssuedRule, ServiceRule } from './rules/types.js';
import { entropy } from './secret-values.js';

interface Compiled {
  readonly rule: IssuedRule | ServiceRule;
  /** Made when its word is found for the first time: there are some 170. */
  form: RegExp | null;
}

const byWord = new Map<string, Compiled[]>();
for (const rule of [...own, ...gitleaks, ...services]) {
  const compiled: Compiled = { rule, form: null };
  for (const word of 'words' in rule ? rule.words : rule.after) {
    const same = byWord.get(word);
    if (same) same.push(compiled);
    else byWord.set(word, [compiled]);
  }
}

/** The words of which one must be in a text before any of the rules is tried, in lower case. */
export const issuedWords: readonly string[] = [...byWord.keys()];

/** The characters between a service's name and the value. */
const BETWEEN = /[ \t\w.-]{0,20}[\s'"\\]{0,4}(?:=|>|:{1,3}=?|\|\||,)[`'"\s=\\]{0,5}/y;

/** The secret of which a rule's word ends at `end`; null for none. Looks at a bounded number of characters. */
export function issuedSecret(text: string, word: string, end: number): Range | null {
  for (const compiled of byWord.get(word) ?? []) {
    const { rule } = compiled;
    compiled.form ??= new RegExp(rule.form, 'y');
    const start = 'words' in rule ? end - word.length - (rule.before ?? 0) : valueStart(text, end);
    if (start === null || start < 0) continue;
    compiled.form.lastIndex = start;
    const found = compiled.form.exec(text)?.[0];
    if (found === undefined) continue;
    // A value behind a service's name is exactly this long.
    if (!('words' in rule) && /[\w-]/.test(text[start + found.length] ?? '')) continue;
    if (rule.entropy !== undefined && entropy(found) < rule.entropy) continue;
    return [start, start + found.length + restOf(text, start + found.length)];
  }
  return null;
}

function valueStart(text: string, end: number): number | null {
  BETWEEN.lastIndex = end;
  return BETWEEN.test(text) ? BETWEEN.lastIndex : null;
}

const REST = /[\w-]{0,400}={0,2}/y;
/** Returns the length of the text that goes on without a break: it belongs to the secret. */
function restOf(text: string, from: number): number {
  REST.lastIndex = from;
  return REST.exec(text)?.[0].length ?? 0;
}
