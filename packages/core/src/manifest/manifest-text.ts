import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { resolvePlain } from '../api/yaml.js';
import { checkLimits } from '../api/yaml-limits.js';

/** Keys, and indices of lists, from the top of a manifest. */
export type FieldPath = readonly (string | number)[];
/** A stretch of a text, as offsets: `to` is behind it. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * A manifest's text with the places of its fields. Throws nothing: of broken YAML there is as much as could be read.
 */
export class ManifestText {
  readonly documents: readonly Document.Parsed[];
  /** The first one: the only one that the kubelet reads. */
  readonly root: Node | null;

  /** @param text within the limits of `checkLimits`: the parser itself has none */
  constructor(readonly text: string) {
    // Scalars stay as they were written; what they mean is the kubelet's to say.
    const parsed = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'silent',
      prettyErrors: false,
    });
    this.documents = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
    this.root = this.documents[0]?.contents ?? null;
  }

  /** The node behind aliases. */
  resolve(node: unknown): Node | null {
    if (isAlias(node)) return node.resolve(this.documents[0] as Document) ?? null;
    return isNode(node) ? node : null;
  }

  /**
   * The place of a field: its value, or the nearest thing around it that is there. `key`: its key instead, if there
   * is one.
   */
  rangeOf(path: FieldPath, key = false): Range {
    let node: Node | null = this.root;
    let pair: Pair | null = null;
    for (const part of path) {
      const inner = this.resolve(node);
      let next: unknown = null;
      let via: Pair | null = null;
      if (isMap(inner)) {
        via = pairOf(inner, String(part));
        // A field without a value is at its key.
        next = via ? (via.value ?? via.key) : null;
      } else if (isSeq(inner)) next = inner.items[Number(part)];
      if (!isNode(next)) return pair && isNode(pair.key) ? rangeOfNode(pair.key) : headOf(this, node);
      node = next;
      pair = via;
    }
    if (key && pair && isNode(pair.key)) return rangeOfNode(pair.key);
    const inner = this.resolve(node);
    // All of a map or list would be much to mark.
    if ((isMap(inner) || isSeq(inner)) && pair && isNode(pair.key)) return rangeOfNode(pair.key);
    return headOf(this, node);
  }
}

const rangeOfNode = (node: Node): Range => {
  const [from, to] = node.range ?? [0, 0];
  return { from, to };
};

/** The first key of a map, the first item of a list, a scalar as a whole. */
function headOf(text: ManifestText, node: Node | null): Range {
  if (!node) return { from: 0, to: Math.min(text.text.length, 1) };
  if (isMap(node)) {
    const key = node.items[0]?.key;
    if (isNode(key)) return rangeOfNode(key);
  }
  if (isSeq(node) && isNode(node.items[0])) return headOf(text, node.items[0]);
  return rangeOfNode(node);
}

export function pairOf(map: YAMLMap, key: string): Pair | null {
  // If a key is given twice, the last one counts.
  return map.items.findLast((p) => isScalar(p.key) && String(p.key.value) === key) ?? null;
}

/** Returns the value that the kubelet reads from a scalar. */
export function scalarValue(node: Scalar): unknown {
  const text = String(node.value ?? '');
  if (node.tag === 'tag:yaml.org,2002:str' || node.tag === '!') return text;
  if (node.type !== Scalar.PLAIN) return text;
  try {
    return resolvePlain(node.source ?? text);
  } catch {
    return text;
  }
}

/** Reads `spec.containers[0].image` as a path; keys in brackets are keys. */
export function parsePath(path: string): FieldPath {
  const out: (string | number)[] = [];
  for (const m of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    const inner = m[1] ?? m[2] ?? '';
    out.push(m[2] !== undefined && /^\d+$/.test(inner) ? Number(inner) : inner);
  }
  return out;
}
export const pathText = (path: FieldPath): string =>
  path.reduce<string>((s, p) => (typeof p === 'number' ? `${s}[${p}]` : s === '' ? p : `${s}.${p}`), '');

/** The place that an error message is about, by the field's path that it begins with; null without such a path. */
export function placeOfError(text: string, message: string): Range | null {
  const path = /(?:^|\s)((?:metadata|spec)(?:\.[\w-]+|\[[^\]\s]*\])*): /.exec(message)?.[1];
  if (path === undefined) return null;
  try {
    checkLimits(text);
    return new ManifestText(text).rangeOf(parsePath(path));
  } catch {
    return null;
  }
}
