/** Objects as kubectl writes them: YAML with sorted keys, lists at the level of their key. */
import { isObject } from '../base/index.js';

/** Texts that YAML 1.1 would take for another type. upstream: go-yaml resolve */
const OTHER =
  /^(|y|n|yes|no|on|off|true|false|null|~|<<|\.nan|[-+]?\.inf|[-+]?\d[\d_]*|[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?|[-+]?0[xob][\da-f_]+|[-+]?\d+(:[0-5]?\d)+(\.\d*)?|\d{4}-\d\d?-\d\d?([t ].*)?)$/i;
/** Texts that need quotes for how they begin or what is in them. */
const MARKED = /^([,[\]{}#&*!|>'"%@`]|[-?:](\s|$)|\s)|: | #|[:\s]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be escaped
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]|\t/;

/** A JSON value as YAML, with a line break at its end. Fields without a value are left out. */
export function kubectlYaml(value: unknown): string {
  const lines: string[] = [];
  node(value, '', '', lines);
  return `${lines.join('\n')}\n`;
}

/** Writes a value as `kubectl get -o json` prints it. */
export function kubectlJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 4)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([k, v]) => [k, sorted(v)]));
}

const entriesOf = (value: Record<string, unknown>): [string, unknown][] =>
  Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Writes a value. `lead`: what is before it on its first line; `pad`: before its other lines. */
function node(value: unknown, lead: string, pad: string, lines: string[]): void {
  if (Array.isArray(value) && value.length > 0) {
    if (lead.trim() !== '' && !lead.endsWith('- ')) lines.push(lead.trimEnd());
    value.forEach((v: unknown, i) => {
      node(v, i === 0 && lead.endsWith('- ') ? `${lead}- ` : `${pad}- `, `${pad}  `, lines);
    });
    return;
  }
  if (isObject(value)) {
    const entries = entriesOf(value);
    if (entries.length > 0) {
      if (lead.trim() !== '' && !lead.endsWith('- ')) lines.push(lead.trimEnd());
      entries.forEach(([key, v], i) => {
        const head = `${i === 0 && lead.endsWith('- ') ? lead : pad}${scalar(key, pad)}: `;
        // A list is at the level of its key, a map one deeper.
        node(v, head, Array.isArray(v) ? pad : `${pad}  `, lines);
      });
      return;
    }
  }
  lines.push(`${lead}${scalar(value, pad)}`);
}

function scalar(value: unknown, pad: string): string {
  if (Array.isArray(value)) return '[]';
  if (isObject(value)) return '{}';
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  if (value.includes('\n') && /\S/.test(value) && !/^\s|[\t\r]|[^\S\n]\n/.test(value)) {
    const keep = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-';
    const body = value.replace(/\n$/, '').split('\n');
    return `|${keep}\n${body.map((l) => (l === '' ? '' : `${pad}${l}`)).join('\n')}`;
  }
  if (OTHER.test(value) || UNPRINTABLE.test(value) || value.includes('\n')) return JSON.stringify(value);
  return MARKED.test(value) ? `'${value.replace(/'/g, "''")}'` : value;
}
