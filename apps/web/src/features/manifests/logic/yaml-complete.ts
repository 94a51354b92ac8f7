import { childOf, itemOf, podSchema, type SchemaNode } from '@syncloop/core/schema';
import type { Lang } from '../../../page/ui-store.js';
import { type YAMLContext, yamlContext } from './yaml-context.js';

/** A text that could be written at a place. */
export interface Completion {
  readonly label: string;
  /** Its type: `integer`, `list of objects`. */
  readonly detail: string;
  readonly info: string;
  readonly kind: 'key' | 'value';
  /**
   * Text to insert, with its lines already indented; `${…}` are places to fill in, in the form of CodeMirror's
   * snippets.
   */
  readonly insert: string;
  /** True if more can be completed right behind it. */
  readonly again: boolean;
  /** Required, or else wanted more than others: −99…99. */
  readonly boost: number;
}
export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
}

/** The field that a path of yaml-context leads to. */
export function fieldAt(path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = podSchema;
  for (const key of path) {
    if (!node) return undefined;
    if (key === '-') node = node.items;
    // A key right below a list is not a field of its items yet.
    else node = node.items ? undefined : childOf(node, key);
  }
  return node;
}

/** Returns the texts that could be written at a place. Null if nothing is known. */
export function completionsAt(text: string, at: number, lang: Lang): Completions | null {
  const context = yamlContext(text, at);
  if (!context) return null;
  const options = context.kind === 'value' ? values(context, text, lang) : keys(context, text, lang);
  return options.length === 0 ? null : { from: context.from, to: context.to, options };
}

const wordsOf = (node: SchemaNode, lang: Lang): string => node.description[lang === 'en' ? 'en' : 'zh'];

function values(context: YAMLContext, text: string, lang: Lang): Completion[] {
  const node = fieldAt(context.path);
  if (!node) return [];
  const given = node.enum ?? (node.type === 'boolean' ? ['true', 'false'] : []);
  const words = given.length > 0 ? given : namesFor(context.path, text);
  return words
    .filter((w) => w !== '')
    .map((w, i) => ({
      label: w,
      detail: String(node.default ?? '') === w ? 'default' : '',
      info: wordsOf(node, lang),
      kind: 'value',
      insert: escapeSnippet(
        /^(y|n|yes|no|on|off|true|false|null)$/i.test(w) && node.type === 'string' ? JSON.stringify(w) : w,
      ),
      again: false,
      boost: -i,
    }));
}

/** Names that are defined elsewhere in the manifest: volumes for mounts, ports for probes. */
function namesFor(path: readonly string[], text: string): string[] {
  const where = path.join('.');
  if (where.endsWith('volumeMounts.-.name')) return namesBelow(text, /^\s*volumes\s*:/);
  if (/(Probe|postStart|preStop)\.(httpGet|tcpSocket)\.port$/.test(where))
    return namesBelow(text, /^\s*(- )?ports\s*:/);
  return [];
}
function namesBelow(text: string, head: RegExp): string[] {
  const out: string[] = [];
  let indent = -1;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const own = line.length - line.trimStart().length;
    if (head.test(line)) {
      indent = own;
      continue;
    }
    if (indent < 0) continue;
    if (own < indent || (own === indent && !/^\s*-/.test(line))) {
      indent = -1;
      continue;
    }
    const name = /^\s*(?:- )?name\s*:\s*["']?([a-z0-9-]+)["']?\s*$/.exec(line)?.[1];
    if (name && !out.includes(name)) out.push(name);
  }
  return out;
}

function keys(context: YAMLContext, text: string, lang: Lang): Completion[] {
  // On an existing key, the completions are those of its own place.
  const replacing = context.from < context.to && /^\s*:/.test(text.slice(context.to));
  const path = replacing ? context.path.slice(0, -1) : context.path;
  const parent = fieldAt(path);
  if (!parent) return [];
  const { column } = context;
  if (parent.items)
    return [
      {
        label: '-',
        detail: typeName(parent.items),
        info: wordsOf(parent, lang),
        kind: 'key',
        insert: item(parent.items, column),
        again: false,
        boost: 0,
      },
    ];
  const { properties = {}, required = [], oneOf = [] } = parent;
  const there = new Set(context.siblings);
  const taken = oneOf.some((k) => there.has(k));
  return Object.entries(properties)
    .filter(([key, node]) => !there.has(key) && !node.unsupported && !node.readOnly && !(taken && oneOf.includes(key)))
    .map(([key, node], i) => ({
      label: key,
      detail: typeName(node),
      info: wordsOf(node, lang),
      kind: 'key',
      insert: replacing ? escapeSnippet(key) : keyText(key, node, column),
      again: !replacing && (node.enum !== undefined || node.type === 'boolean'),
      boost: (required.includes(key) ? 50 : 0) - Math.min(i, 49),
    }));
}

/** The type in a few letters, as documentation writes it. */
export function typeName(node: SchemaNode): string {
  if (node.type === 'array') return node.items ? `[]${typeName(node.items)}` : '[]';
  if (node.type === 'map') return `map[string]${node.values ? typeName(node.values) : 'string'}`;
  return node.type;
}

// --- Texts to insert

const escapeSnippet = (text: string): string =>
  text.replace(/[\\$#{}]/g, (c) => (c === '{' || c === '}' ? `\\${c}` : c));
const pad = (n: number): string => ' '.repeat(n);
let holes = 0;
const hole = (text = ''): string => `\${${++holes}${text === '' ? '' : `:${text}`}}`;

/** Returns `key:` and, below it, the fields that it needs. */
function keyText(key: string, node: SchemaNode, column: number): string {
  holes = 0;
  return field(key, node, column, 0);
}
function item(node: SchemaNode, column: number): string {
  holes = 0;
  return `- ${body(node, column + 2, 0)}`;
}

function field(key: string, node: SchemaNode, column: number, depth: number): string {
  switch (node.type) {
    case 'array':
      return `${key}:\n${pad(column + 2)}- ${node.items ? body(node.items, column + 4, depth + 1) : hole()}`;
    case 'map':
      return `${key}:\n${pad(column + 2)}${hole(node.properties ? (Object.keys(node.properties)[0] as string) : 'key')}: ${hole(node.properties ? '' : 'value')}`;
    case 'object':
      return `${key}:\n${pad(column + 2)}${body(node, column + 2, depth + 1)}`;
    default:
      return `${key}: ${node.enum || node.type === 'boolean' ? '' : hole()}`;
  }
}

/** Returns the required fields of an object, the first of them at the caret; any other value as a place to fill in. */
function body(node: SchemaNode, column: number, depth: number): string {
  const inner = itemOf(node);
  if (node.type !== 'object' || depth > 4) return hole();
  const required = inner.required ?? [];
  if (required.length === 0) return hole();
  return required
    .map((key) => {
      const child = inner.properties?.[key];
      return child ? field(key, child, column, depth) || `${key}: ` : `${key}: `;
    })
    .map((line) => (line.endsWith(': ') ? `${line}${hole()}` : line))
    .join(`\n${pad(column)}`);
}
