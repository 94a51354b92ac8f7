import { isAlias, isMap, isScalar, isSeq, type ParsedNode, parseAllDocuments, Scalar, type YAMLMap } from 'yaml';
import { checkLimits, isJSON } from './yaml-limits.js';

/** Nodes that one manifest may have once its aliases are followed. */
const maxNodes = 200_000;

/**
 * A manifest's text as the JSON value that the kubelet sees: JSON as it is, YAML by the rules of go-yaml v2, which are
 * mostly those of YAML 1.1 (`n` is false, `0644` is 420), but `1:30` is text. Only the first document counts; of a key
 * given twice the last counts. Throws with the parser's message.
 * upstream: sigs.k8s.io/yaml YAMLToJSON over go.yaml.in/yaml/v2
 */
export function parseManifest(text: string): unknown {
  checkLimits(text);
  if (isJSON(text)) return JSON.parse(text);
  const doc = parseAllDocuments<ParsedNode>(text, AS_WRITTEN)[0];
  if (!doc) return null;
  const error = doc.errors[0];
  if (error)
    throw new Error(
      `error converting YAML to JSON: yaml: ${(error.message.split('\n')[0] as string).replace(/:$/, '')}`,
    );
  return manifestValue(doc.contents);
}

/** Options of the parser that leave every scalar as it was written: `manifestValue` decides what it means. */
export const AS_WRITTEN = { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' } as const;

/**
 * Returns the value of a document's contents that were parsed `AS_WRITTEN`, by the same rules as `parseManifest`.
 * Throws with the parser's message.
 */
export const manifestValue = (contents: ParsedNode | null): unknown => new Converter().convert(contents);

class Converter {
  private readonly anchors = new Map<string, ParsedNode>();
  private readonly open = new Set<string>();
  private nodes = 0;

  convert(node: ParsedNode | null): unknown {
    if (!node) return null;
    if (++this.nodes > maxNodes) throw new Error('yaml: document contains excessive aliasing');
    if (isAlias(node)) return this.alias(node.source);
    if (node.anchor) this.anchors.set(node.anchor, node);
    if (node.anchor) this.open.add(node.anchor);
    try {
      if (isSeq(node)) return node.items.map((item) => this.convert(item as ParsedNode));
      if (isMap(node)) return this.map(node as YAMLMap<ParsedNode, ParsedNode | null>);
      if (isScalar(node)) return resolveScalar(node);
      return null;
    } finally {
      if (node.anchor) this.open.delete(node.anchor);
    }
  }

  private alias(name: string): unknown {
    const target = this.anchors.get(name);
    if (!target) throw new Error(`yaml: unknown anchor '${name}' referenced`);
    if (this.open.has(name)) throw new Error(`yaml: anchor '${name}' value contains itself`);
    const { anchor } = target;
    this.open.add(name);
    try {
      target.anchor = undefined;
      return this.convert(target);
    } finally {
      target.anchor = anchor;
      this.open.delete(name);
    }
  }

  private map(node: YAMLMap<ParsedNode, ParsedNode | null>): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      if (isScalar(key) && key.source === '<<' && key.type === Scalar.PLAIN) {
        for (const merged of this.merges(value)) for (const [k, v] of Object.entries(merged)) entries.set(k, v);
        continue;
      }
      const name = this.convert(key);
      if (typeof name === 'object' && name !== null)
        throw new Error('yaml: invalid map key: a map key must be a scalar');
      entries.set(String(name ?? 'null'), this.convert(value));
    }
    // Never by assignment: a key of `__proto__` is a key like any other.
    return Object.fromEntries(entries);
  }

  /** Returns the maps that `<<` brings in, the least important first. */
  private merges(value: ParsedNode | null): Record<string, unknown>[] {
    const merged = this.convert(value);
    const list = Array.isArray(merged) ? [...merged].reverse() : [merged];
    for (const m of list)
      if (typeof m !== 'object' || m === null || Array.isArray(m))
        throw new Error('yaml: map merge requires map or sequence of maps as the value');
    return list as Record<string, unknown>[];
  }
}

const words = new Map<string, unknown>([
  ...['', '~', 'null', 'Null', 'NULL'].map((w) => [w, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((w) => [w, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((w) => [w, false] as const),
]);

/** upstream: go.yaml.in/yaml/v2 resolve.go resolve */
function resolveScalar(node: Scalar): unknown {
  const text = String(node.value ?? '');
  // A tag is here only when it was written.
  if (node.tag === 'tag:yaml.org,2002:str' || node.tag === '!') return text;
  if (node.type !== Scalar.PLAIN && node.tag !== 'tag:yaml.org,2002:int') return text;
  return resolvePlain(node.source ?? text);
}

/** Returns the value of a scalar without quotes. */
export function resolvePlain(source: string): unknown {
  if (words.has(source)) return words.get(source);
  if (!/^[-+.0-9]/.test(source)) return source;
  const plain = source.replaceAll('_', '');
  const n = parseGoInt(plain);
  if (n !== null) return n;
  if (/^[-+]?[0-9]*\.?[0-9]+([eE][-+][0-9]+)?$/.test(plain) || /^[-+]?[0-9]+\.[0-9]*([eE][-+]?[0-9]+)?$/.test(plain))
    return Number(plain);
  if (/^[-+]?\.(inf|Inf|INF)$/.test(source) || /^\.(nan|NaN|NAN)$/.test(source))
    throw new Error(`error converting YAML to JSON: json: unsupported value: ${source}`);
  return source;
}

/** upstream: strconv.ParseInt(s, 0, 64): 0x, 0o, 0b and a leading 0 for octal. Null for any other text. */
function parseGoInt(text: string): number | null {
  const m = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(text);
  if (!m) return null;
  const [, sign, digits] = m as unknown as [string, string, string];
  const octal = /^0[oO]?([0-7]+)$/.exec(digits);
  const value = octal ? Number.parseInt(octal[1] as string, 8) : Number(digits);
  return sign === '-' ? 0 - value : value;
}
