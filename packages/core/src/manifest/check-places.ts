/** Finds the place in a manifest's text at which something is wrong. */
import { isMap, isScalar, type Node } from 'yaml';
import type { FieldPath, Range } from './manifest-text.js';

export const rangeOf = (node: Node): Range => ({ from: node.range?.[0] ?? 0, to: node.range?.[1] ?? 0 });
/** The start of an item of a list; null for one that is not a map. */
export function headOfItem(node: Node): Range | null {
  if (!isMap(node)) return null;
  const key = node.items[0]?.key;
  return isScalar(key) ? rangeOf(key) : null;
}

/** Widens a range to at least one letter, and none behind the end of its line. */
export function widen(text: string, from: number, to: number): Range {
  const start = Math.max(0, Math.min(from, text.length));
  const line = text.indexOf('\n', start);
  const end = line < 0 ? text.length : line;
  return { from: start, to: Math.max(start, Math.min(Math.max(to, start + 1), Math.max(end, start))) };
}

/** Fields by which a static pod comes to need an object of the API server. */
const references: Readonly<Record<string, readonly string[]>> = {
  serviceaccounts: ['serviceAccountName', 'serviceAccount', 'serviceAccountToken'],
  secrets: ['imagePullSecrets', 'secretRef', 'secretKeyRef', 'secret'],
  configmaps: ['configMapRef', 'configMapKeyRef', 'configMap'],
  resourceclaims: ['resourceClaims'],
  clustertrustbundles: ['clusterTrustBundle'],
  podcertificates: ['podCertificate'],
  persistentvolumeclaims: ['persistentVolumeClaim', 'ephemeral'],
  csidrivers: ['csi'],
  endpoints: ['glusterfs'],
};

/** The path at which a manifest refers to that resource; its spec if that is not known. */
export function referenceIn(value: unknown, resource: string): FieldPath {
  const keys = references[resource.split(' ')[0] ?? ''] ?? [];
  const find = (v: unknown, path: FieldPath): FieldPath | null => {
    if (typeof v !== 'object' || v === null) return null;
    for (const [k, inner] of Array.isArray(v) ? [...v.entries()] : Object.entries(v)) {
      if (typeof k === 'string' && keys.includes(k)) return [...path, k];
      const found = find(inner, [...path, k]);
      if (found) return found;
    }
    return null;
  };
  const spec = (value as { spec?: unknown }).spec;
  return find(spec, ['spec']) ?? ['spec'];
}
