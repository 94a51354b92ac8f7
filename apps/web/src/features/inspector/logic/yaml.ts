/** JSON as YAML text, for the clipboard. */
import type { Json } from '@syncloop/core/trace';

const PLAIN = /^[A-Za-z_/][\w./@+-]*( [\w./@+()-]+)*$/;
const WORDS = /^(y|n|yes|no|on|off|true|false|null|~)$/i;

/**
 * A value as a YAML document; fields without a value are left out. Strings that YAML could take for something else are
 * quoted.
 */
export function yamlOf(value: Json): string {
  return `${block(value, 0).replace(/^\n/, '')}\n`;
}

/** Writes a value; it starts with a line break if it takes lines of its own. */
function block(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  const pad = '  '.repeat(depth);
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    if (list.length === 0) return '[]';
    return list.map((v) => `\n${pad}- ${block(v, depth + 1).replace(/^\n\s*/, '')}`).join('');
  }
  const entries = Object.entries(value as { readonly [key: string]: Json | undefined }).filter(
    (e): e is [string, Json] => e[1] !== undefined,
  );
  if (entries.length === 0) return '{}';
  return entries
    .map(([key, v]) => {
      const text = block(v, depth + 1);
      return `\n${pad}${scalar(key)}:${text.startsWith('\n') ? '' : ' '}${text}`;
    })
    .join('');
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value);
}
