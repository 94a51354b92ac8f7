import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { podFromJSON } from '../api/decode.js';
import { DecodeError } from '../api/decoder.js';
import type { Pod } from '../api/types.js';
import { validatePod } from '../api/validation.js';
import { parseManifest } from '../api/yaml.js';
import { checkLimits, isJSON } from '../api/yaml-limits.js';
import { messageOf } from '../base/index.js';
import { applyDefaults } from '../kubelet/config/common.js';
import { staticPodReference } from '../kubelet/config/static-pod-reference.js';
import type { SchemaNode } from '../schema/node.js';
import { podSchema } from '../schema/pod-schema.js';
import { nearest } from '../words/index.js';
import { headOfItem, rangeOf, referenceIn, widen } from './check-places.js';
import { type FieldPath, ManifestText, parsePath, pathText, type Range, scalarValue } from './manifest-text.js';

/**
 * One thing about a manifest that is wrong or worth knowing.
 * `error`: the kubelet refuses it. `warning`: it takes it, but hardly as it was meant. `info`: so that nobody wonders.
 */
export interface Problem extends Range {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: ProblemCode;
  /** The values in its sentence. */
  readonly params: Readonly<Record<string, string>>;
  /** '' if it is about the text. */
  readonly path: string;
  /** In the kubelet's own words, if it has some. */
  readonly kubelet?: string;
}
export type ProblemCode =
  | 'syntax'
  | 'notPod'
  | 'type'
  | 'required'
  | 'enum'
  | 'duplicate'
  | 'notFound'
  | 'kubelet'
  | 'reference'
  | 'unknown'
  | 'unknownNear'
  | 'twice'
  | 'ignored'
  | 'noPlugin'
  | 'readOnly'
  | 'oneOf'
  | 'secondDocument';

export interface CheckOptions {
  readonly file: string;
  /** Folder of the manifests: UIDs hang on it. Default: that of the scenarios. */
  readonly folder?: string;
  readonly nodeName: string;
}

/** The file as the kubelet's file source names it. */
export const sourceOf = ({ file, folder = '/etc/kubernetes/manifests' }: CheckOptions): string => `${folder}/${file}`;

/** Returns all that can be said about a manifest before it is applied, in the order of the text. */
export function checkManifest(text: string, options: CheckOptions): Problem[] {
  const problems = new Checker(text, options).run();
  return problems.sort((a, b) => a.from - b.from || rank[a.severity] - rank[b.severity]);
}
const rank = { error: 0, warning: 1, info: 2 };

class Checker {
  private readonly out: Problem[] = [];
  private manifest!: ManifestText;

  constructor(
    private readonly text: string,
    private readonly options: CheckOptions,
  ) {}

  run(): Problem[] {
    const { text } = this;
    try {
      checkLimits(text);
    } catch (error) {
      return [{ from: 0, to: 0, severity: 'error', code: 'kubelet', params: { message: messageOf(error) }, path: '' }];
    }
    this.manifest = new ManifestText(text);
    if (this.syntax()) return this.out;
    const value = this.kubelet();
    if (typeof value === 'object' && value !== null && this.manifest.root) this.walk(this.manifest.root, podSchema, []);
    const second = isJSON(text) ? undefined : this.manifest.documents[1];
    if (second) {
      const from = second.range[0];
      this.add({ from, to: Math.min(text.length, from + 3) }, 'info', 'secondDocument', {}, []);
    }
    return this.out;
  }

  private add(
    range: Range,
    severity: Problem['severity'],
    code: ProblemCode,
    params: Record<string, string>,
    path: FieldPath,
    kubelet?: string,
  ): void {
    this.out.push({
      ...range,
      severity,
      code,
      params,
      path: pathText(path),
      ...(kubelet !== undefined && { kubelet }),
    });
  }

  /** True if the text cannot be read at all. */
  private syntax(): boolean {
    const { text } = this;
    const first = this.manifest.documents[0]?.errors[0];
    if (isJSON(text)) {
      try {
        JSON.parse(text);
        return false;
      } catch (error) {
        const message = messageOf(error);
        const at = Number(/position (\d+)/.exec(message)?.[1] ?? first?.pos[0] ?? 0);
        this.add(widen(text, at, at + 1), 'error', 'syntax', { message, rule: 'json' }, []);
        return true;
      }
    }
    if (!first) return false;
    const message = (first.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    this.add(
      widen(text, first.pos[0], first.pos[1]),
      'error',
      'syntax',
      { message, rule: /^Implicit (map )?keys? need/i.test(message) ? 'MULTILINE_IMPLICIT_KEY' : first.code },
      [],
    );
    return true;
  }

  /** Adds the kubelet's own problems with the manifest; returns its value. */
  private kubelet(): unknown {
    const { manifest, options } = this;
    let value: unknown;
    let pod: Pod;
    try {
      value = parseManifest(this.text);
      pod = podFromJSON(value);
    } catch (error) {
      const message = messageOf(error);
      if (error instanceof DecodeError) {
        const path = parsePath(error.path);
        const [, want, got] = /: want (.*), got (.*)$/.exec(message) ?? [];
        const range = manifest.rangeOf(path);
        if (want && got) this.add(range, 'error', 'type', { want, got }, path, message);
        else this.add(range, 'error', 'kubelet', { message }, path, message);
      } else if (!this.top(value, message)) return undefined;
      return value;
    }
    if (!pod.metadata.name) {
      const path = ['metadata', 'name'];
      this.add(
        manifest.rangeOf(path, true),
        'error',
        'required',
        { field: 'metadata.name' },
        path,
        'name is needed for the pod',
      );
      return value;
    }
    applyDefaults(pod, { source: sourceOf(options), isFile: true, nodeName: options.nodeName });
    for (const error of validatePod(pod)) this.invalid(error);
    const resource = staticPodReference(pod);
    if (resource !== '') {
      const path = referenceIn(value, resource);
      this.add(
        manifest.rangeOf(path, true),
        'error',
        'reference',
        { resource },
        path,
        `static pods may not reference ${resource}`,
      );
    }
    return value;
  }

  /** Reports why the text is not a pod. False: not a pod at all; true: not yet one. */
  private top(value: unknown, message: string): boolean {
    const { manifest } = this;
    const map =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
    if (!map) {
      this.add(manifest.rangeOf([]), 'error', 'notPod', { kind: '' }, [], message);
      return false;
    }
    const missing = ['kind', 'apiVersion'].filter((k) => map[k] === undefined || map[k] === '' || map[k] === null);
    for (const field of missing) this.add(manifest.rangeOf([]), 'error', 'required', { field }, [field], message);
    if (missing.length > 0) return true;
    const path = map.kind === 'Pod' ? ['apiVersion'] : ['kind'];
    this.add(
      manifest.rangeOf(path),
      'error',
      'notPod',
      { kind: `${String(map.apiVersion)} ${String(map.kind)}` },
      path,
      message,
    );
    return false;
  }

  /** Adds one error of the kubelet's validation, at its place. */
  private invalid(error: string): void {
    const at = error.indexOf(': ');
    let path: FieldPath = parsePath(error.slice(0, at));
    const message = error.slice(at + 2);
    // The node's name was put behind it.
    const suffix = `-${this.options.nodeName.toLowerCase()}`;
    const [, kind, rest = ''] = /^([A-Z][a-z]+(?: [a-z]+)*)(?:: ([\s\S]*))?$/.exec(message) ?? [];
    const value = (/^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? '').slice(1, -1);
    const range = (key = false) => this.manifest.rangeOf(path, key);
    switch (kind) {
      case 'Required value':
        if (this.has(path)) this.add(range(), 'error', 'required', { field: pathText(path) }, path, error);
        else {
          this.add(
            this.manifest.rangeOf(path.slice(0, -1)),
            'error',
            'required',
            { field: String(path.at(-1) ?? '') },
            path,
            error,
          );
        }
        return;
      case 'Unsupported value':
        this.add(
          range(),
          'error',
          'enum',
          { value, values: /supported values: (.*)$/.exec(rest)?.[1] ?? '' },
          path,
          error,
        );
        return;
      case 'Duplicate value':
        this.add(range(), 'error', 'duplicate', { value }, path, error);
        return;
      case 'Not found':
        this.add(range(), 'error', 'notFound', { value }, path, error);
        return;
      case 'Forbidden':
        this.add(range(true), 'error', 'kubelet', { message: rest }, path, error);
        return;
      default:
        if (path[0] === 'metadata' && path[1] === 'name') path = ['metadata', 'name'];
        this.add(range(), 'error', 'kubelet', { message: message.replaceAll(`${suffix}"`, '"') }, path, error);
    }
  }

  private has(path: FieldPath): boolean {
    let node = this.manifest.root;
    for (const part of path) {
      const inner = this.manifest.resolve(node);
      if (isMap(inner))
        node =
          (inner.items.find((p) => isScalar(p.key) && String(p.key.value) === String(part))?.value as Node) ?? null;
      else if (isSeq(inner)) node = (inner.items[Number(part)] as Node) ?? null;
      else return false;
      if (!node) return false;
    }
    return true;
  }

  /** Reports unknown fields, which the kubelet drops without a word. */
  private walk(node: Node, schema: SchemaNode, path: FieldPath): void {
    // The value of an alias was checked where it is written.
    if (isAlias(node)) return;
    const got = isMap(node) ? 'object' : isSeq(node) ? 'array' : 'scalar';
    const want = { object: 'object', map: 'object', array: 'array' }[schema.type as string] ?? 'scalar';
    if (schema.type !== 'any' && got !== want) {
      // Nothing given is nothing there.
      if (!(isScalar(node) && scalarValue(node) === null))
        this.once(this.manifest.rangeOf(path), 'warning', 'type', { want: schema.type, got }, path);
      return;
    }
    if (isScalar(node)) {
      this.scalar(node, schema, path);
      return;
    }
    if (isSeq(node)) {
      if (schema.items)
        for (const [i, item] of node.items.entries()) if (item) this.walk(item as Node, schema.items, [...path, i]);
      return;
    }
    if (isMap(node)) this.map(node, schema, path);
  }

  private map(node: YAMLMap, schema: SchemaNode, path: FieldPath): void {
    const { properties } = schema;
    const seen = new Set<string>();
    for (const pair of node.items) {
      if (!isScalar(pair.key) || pair.key.value === '<<') continue;
      const key = String(pair.key.value);
      const at = rangeOf(pair.key);
      const inner = [...path, key];
      if (seen.has(key)) this.add(at, 'warning', 'twice', { field: key }, inner);
      seen.add(key);
      const known = properties && Object.hasOwn(properties, key) ? properties[key] : schema.values;
      if (!known) {
        if (!properties) continue;
        const near = nearest(
          key,
          Object.keys(properties).filter((k) => !seen.has(k)),
        );
        this.add(
          at,
          'warning',
          near === null ? 'unknown' : 'unknownNear',
          { field: key, ...(near !== null && { near }) },
          inner,
        );
        continue;
      }
      if (known.unsupported) {
        const source = schema.oneOf?.includes(key) ?? false;
        this.add(at, source ? 'warning' : 'info', source ? 'noPlugin' : 'ignored', { field: key }, inner);
        continue;
      }
      if (known.readOnly) {
        this.add(at, 'info', 'readOnly', { field: key }, inner);
        continue;
      }
      if (pair.value) this.walk(pair.value as Node, known, inner);
    }
    for (const field of schema.required ?? [])
      if (!seen.has(field) && !node.items.some((p) => isScalar(p.key) && p.key.value === '<<'))
        this.missing(node, field, path);
    const one = schema.oneOf?.filter((k) => seen.has(k)) ?? [];
    for (const extra of one.slice(1))
      this.once(
        this.manifest.rangeOf([...path, extra], true),
        'warning',
        'oneOf',
        { field: extra, first: one[0] as string },
        [...path, extra],
      );
  }

  /** Unless the kubelet says so itself. */
  private missing(node: Node, field: string, path: FieldPath): void {
    const range = path.length === 0 ? this.manifest.rangeOf([]) : this.manifest.rangeOf(path);
    this.once(typeof path.at(-1) === 'number' ? (headOfItem(node) ?? range) : range, 'warning', 'required', { field }, [
      ...path,
      field,
    ]);
  }

  private once(
    range: Range,
    severity: Problem['severity'],
    code: ProblemCode,
    params: Record<string, string>,
    path: FieldPath,
  ): void {
    const text = pathText(path);
    if (!this.out.some((p) => p.path === text && p.severity === 'error')) this.add(range, severity, code, params, path);
  }

  private scalar(node: Node, schema: SchemaNode, path: FieldPath): void {
    if (!schema.enum || !isScalar(node)) return;
    const value = scalarValue(node);
    if (typeof value !== 'string' || schema.enum.includes(value)) return;
    const values = schema.enum.map((v) => JSON.stringify(v)).join(', ');
    this.once(rangeOf(node), 'warning', 'enum', { value, values }, path);
  }
}
