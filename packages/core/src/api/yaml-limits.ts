import { Lexer } from 'yaml';

/** No deeper than this may a manifest nest; real ones stay below 20. */
export const maxDepth = 64;
/** The largest manifest that the file source takes. upstream: config/common.go maxConfigLength */
export const maxManifestBytes = 10 * 1024 * 1024;

/**
 * Throws if a text is too long or nests too deep to be given to a parser: some parsers fall over for good on such
 * texts instead of throwing. Looks at the text once, without recursion.
 */
export function checkLimits(text: string): void {
  if (text.length > maxManifestBytes) throw new Error('the read limit is reached');
  checkIndentation(text);
  if (isJSON(text)) checkJSONDepth(text);
  else checkFlowDepth(text);
}

/** True if the kubelet reads the text as JSON. upstream: apimachinery util/yaml hasJSONPrefix */
export const isJSON = (text: string): boolean => /^[ \t\r\n]*\{/.test(text.slice(0, 4096));

const tooDeep = (): Error => new Error(`exceeded max depth of ${maxDepth}`);

/**
 * Limits block nesting, by how often the indentation grows and by the `- - -` of one line. Errs on the side of more.
 */
function checkIndentation(text: string): void {
  const indents: number[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    let i = at;
    let indicators = 0;
    for (; i < stop; i++) {
      const c = text[i];
      if (c === ' ') continue;
      const next = text[i + 1];
      if ((c === '-' || c === '?' || c === ':') && (next === ' ' || next === '\n' || next === undefined)) {
        if (++indicators > maxDepth) throw tooDeep();
        continue;
      }
      break;
    }
    if (i < stop) {
      const indent = i - at;
      while (indents.length > 0 && (indents.at(-1) as number) >= indent) indents.pop();
      indents.push(indent);
      if (indents.length + indicators > maxDepth) throw tooDeep();
    }
    at = stop + 1;
  }
}

/** Limits flow nesting by the lexer's own tokens, so that brackets in strings and scripts do not count. */
function checkFlowDepth(text: string): void {
  // With so few brackets there is nothing to count, and reading a long text twice takes its time.
  if ((text.match(/[[{]/g)?.length ?? 0) <= maxDepth) return;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') {
      if (++depth > maxDepth) throw tooDeep();
    } else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
  }
}

/** A JSON text of more values than asked for. */
export class TooManyMarks extends Error {}

/**
 * Throws if a JSON text nests deeper than {@link maxDepth}, and a TooManyMarks if it has more than `most` commas
 * and opening brackets, before anything reads it.
 */
export function checkJSONDepth(text: string, most = Number.POSITIVE_INFINITY): void {
  let depth = 0;
  let marks = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '"') i = endOfString(text, i);
    else if (c === ',' || c === '{' || c === '[') {
      if (++marks > most) throw new TooManyMarks(`more than ${most} values`);
      if (c !== ',' && ++depth > maxDepth) throw tooDeep();
    } else if (c === '}' || c === ']') depth--;
  }
}

/** The end of the string of a JSON text that begins at `start`: its closing quote, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote;
    from = quote + 1;
  }
}
