/** Explains a field from the pod's schema. upstream: kubectl pkg/explain */
import { nearest } from '../words/index.js';
import { ConsoleError } from './errors.js';
import type { Text } from './grammar.js';

/** The part of a schema that explain reads; SchemaNode of the pod's schema is one. */
export interface PodSchema {
  readonly type: string;
  readonly description: Text;
  readonly properties?: Readonly<Record<string, PodSchema>>;
  /** The values of a map. */
  readonly values?: PodSchema;
  /** The items of an array. */
  readonly items?: PodSchema;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly default?: string | number | boolean;
  readonly unsupported?: true;
}

/** Returns the schema of what a list or map holds, through all its levels. */
function inner(s: PodSchema): PodSchema {
  const held = s.items ?? s.values;
  return held ? inner(held) : s;
}

const types: Readonly<Record<string, string>> = {
  object: 'Object',
  any: 'Object',
  quantity: 'Quantity',
  'int-or-string': 'IntOrString',
  time: 'Time',
};
function typeName(s: PodSchema): string {
  if (s.items) return `[]${typeName(s.items)}`;
  if (s.values) return `map[string]${typeName(s.values)}`;
  return types[s.type] ?? s.type;
}

const unsupported: Text = {
  en: '(The kubelet here ignores it.)',
  zh: '（这里的 kubelet 会忽略它。）',
};
const textOf = (s: PodSchema, lang: 'en' | 'zh'): string =>
  s.description[lang] + (s.unsupported ? ` ${unsupported[lang]}` : '');

/**
 * Finds a field such as `pod.spec.containers` in the pod's schema. Throws a ConsoleError that names the fields there
 * are.
 */
export function fieldAt(schema: PodSchema, path: string): { readonly schema: PodSchema; readonly required: boolean } {
  const [root = '', ...keys] = path.replace(/\[\]/g, '').split('.').filter(Boolean);
  if (!['pod', 'pods', 'po'].includes(root.toLowerCase()))
    throw new ConsoleError(
      `couldn't find resource for "${root}"; only pods are explained here: explain pod.spec`,
      `没有资源 "${root}"；这里只解释 Pod：explain pod.spec`,
    );
  let at = schema;
  let required = false;
  for (const [i, key] of keys.entries()) {
    const { properties = {}, required: needed = [] } = inner(at);
    const next = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!next) {
      const names = Object.keys(properties);
      const near = nearest(key, names);
      const where = ['pod', ...keys.slice(0, i)].join('.');
      throw new ConsoleError(
        `field "${key}" does not exist in ${where}; ${near ? `did you mean "${near}"?` : names.length > 0 ? `there are: ${names.join(', ')}` : 'it has no fields'}`,
        `${where} 中没有字段 "${key}"；${near ? `是否想输入 "${near}"？` : names.length > 0 ? `可用的有：${names.join('、')}` : '它没有字段'}`,
      );
    }
    required = needed.includes(key);
    at = next;
  }
  return { schema: at, required };
}

/** Writes a field as `kubectl explain` lays it out. */
export function explain(schema: PodSchema, path: string, lang: 'en' | 'zh', recursive = false): string {
  const { schema: at } = fieldAt(schema, path);
  const keys = path.split('.').filter(Boolean).slice(1);
  const out = ['KIND:       Pod', 'VERSION:    v1', ''];
  const name = keys.at(-1);
  if (name !== undefined) out.push(`FIELD: ${name} <${typeName(at)}>`, '');
  if (inner(at).enum) out.push('ENUM:', ...(inner(at).enum ?? []).map((v) => `    ${v}`), '');
  if (at.default !== undefined) out.push('DEFAULT:', `    ${at.default}`, '');
  out.push('DESCRIPTION:', ...wrap(textOf(at, lang), '    '), '');
  const fields = inner(at);
  if (fields.properties) {
    out.push('FIELDS:');
    listFields(fields, lang, recursive, '  ', out);
  }
  return `${out.join('\n').trimEnd()}\n`;
}

function listFields(schema: PodSchema, lang: 'en' | 'zh', recursive: boolean, pad: string, out: string[]): void {
  const { properties = {}, required = [] } = schema;
  for (const [name, field] of Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))) {
    out.push(`${pad}${name}\t<${typeName(field)}>${required.includes(name) ? ' -required-' : ''}`);
    if (recursive) {
      const below = inner(field);
      if (below.properties) listFields(below, lang, recursive, `${pad}  `, out);
    } else out.push(...wrap(textOf(field, lang), `${pad}  `), '');
  }
}

const WIDTH = 76;
function wrap(text: string, pad: string): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + word.length + 1 > WIDTH) {
        lines.push(pad + line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    if (line !== '') lines.push(pad + line);
  }
  return lines;
}

/** Paths that go on from what was typed: `pod.sp` gives `pod.spec`. */
export function fieldPaths(schema: PodSchema, typed: string): string[] {
  const at = typed.lastIndexOf('.');
  if (at < 0) return ['pod'];
  const head = typed.slice(0, at);
  try {
    return Object.keys(inner(fieldAt(schema, head).schema).properties ?? {})
      .sort()
      .map((name) => `${head}.${name}`);
  } catch {
    return [];
  }
}
