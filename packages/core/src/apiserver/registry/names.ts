import { trimRight } from '../../base/trim.js';
import type { ObjectMeta } from '../types.js';

/**
 * Rules for names, labels and annotations, in the words of apimachinery. upstream: apimachinery util/validation,
 * api/validation
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`;
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const longer = (n: number): string => `must be no more than ${n} characters`;

/** Checks a name; the messages of what is wrong. */
export type NameRule = (name: string) => string[];

export const isLabel: NameRule = (name) => [
  ...(name.length > 63 ? [longer(63)] : []),
  ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [labelText]),
];
// Dots are looked for apart: one pattern over it all would take quadratic time on a bad name.
const subdomain = (name: string): boolean =>
  name.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part));
export const isSubdomain: NameRule = (name) => [
  ...(name.length > 253 ? [longer(253)] : []),
  ...(name.length <= 1000 && subdomain(name) ? [] : [subdomainText]),
];
export const isLabel1035: NameRule = (name) => [
  ...(name.length > 63 ? [longer(63)] : []),
  ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [label1035Text]),
];
/** Any name that can be in a path. upstream: apimachinery pkg/api/validation/path IsValidPathSegmentName */
export const isPathSegment: NameRule = (name) => [
  ...(name.length > 1000 ? [longer(1000)] : []),
  ...(name === '.' || name === '..' ? [`may not be '${name}'`] : []),
  ...['/', '%'].filter((c) => name.includes(c)).map((c) => `may not contain '${c}'`),
];
export const isQualifiedName: NameRule = (name) => {
  const parts = name.split('/');
  const out: string[] = [];
  if (parts.length > 2)
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  const own = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') out.push('prefix part must be non-empty');
    else out.push(...isSubdomain(prefix.toLowerCase() === prefix ? prefix : prefix).map((m) => `prefix part ${m}`));
  }
  if (own === '') out.push('name part must be non-empty');
  else if (own.length > 63) out.push(`name part ${longer(63)}`);
  if (own === '' || !/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(own.slice(0, 1000))) out.push(qualifiedText);
  return out;
};
export const isLabelValue: NameRule = (value) => [
  ...(value.length > 63 ? [longer(63)] : []),
  ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value.slice(0, 1000)) ? [] : [valueText]),
];

const invalid = (path: string, value: unknown, message: string): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${message}`;

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): string[] {
  const out: string[] = [];
  for (const [k, v] of Object.entries(labels ?? {})) {
    for (const m of isQualifiedName(k)) out.push(invalid(path, k, m));
    for (const m of isLabelValue(v)) out.push(invalid(path, v, m));
  }
  return out;
}

const annotationLimit = 256 * 1024;
function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): string[] {
  const out: string[] = [];
  let size = 0;
  for (const [k, v] of Object.entries(annotations ?? {})) {
    for (const m of isQualifiedName(k.toLowerCase())) out.push(invalid(path, k, m));
    size += k.length + v.length;
  }
  if (size > annotationLimit) out.push(`${path}: Too long: may not be more than ${annotationLimit} bytes`);
  return out;
}

/** upstream: ValidateObjectMeta */
export function validateMeta(meta: ObjectMeta, namespaced: boolean, rule: NameRule): string[] {
  const out: string[] = [];
  if (meta.generateName)
    for (const m of rule(trimRight(meta.generateName, '-.') || 'a'))
      out.push(invalid('metadata.generateName', meta.generateName, m));
  if (!meta.name) out.push('metadata.name: Required value: name or generateName is required');
  else for (const m of rule(meta.name)) out.push(invalid('metadata.name', meta.name, m));
  if (namespaced && meta.namespace)
    for (const m of isLabel(meta.namespace)) out.push(invalid('metadata.namespace', meta.namespace, m));
  if (!namespaced && meta.namespace) out.push('metadata.namespace: Forbidden: not allowed on this type');
  return [...out, ...validateRest(meta)];
}

function validateRest(meta: ObjectMeta): string[] {
  const out = [
    ...validateLabels(meta.labels, 'metadata.labels'),
    ...validateAnnotations(meta.annotations, 'metadata.annotations'),
  ];
  for (const [i, o] of (meta.ownerReferences ?? []).entries()) {
    const at = `metadata.ownerReferences[${i}]`;
    if (!o.apiVersion) out.push(invalid(`${at}.apiVersion`, o.apiVersion, 'version must not be empty'));
    if (!o.kind) out.push(invalid(`${at}.kind`, o.kind, 'kind must not be empty'));
    if (!o.name) out.push(invalid(`${at}.name`, o.name, 'name must not be empty'));
    if (!o.uid) out.push(invalid(`${at}.uid`, o.uid, 'uid must not be empty'));
  }
  if ((meta.ownerReferences ?? []).filter((o) => o.controller).length > 1)
    out.push('metadata.ownerReferences: Invalid value: "": Only one reference can have Controller set to true');
  for (const [i, f] of (meta.finalizers ?? []).entries())
    for (const m of isQualifiedName(f)) out.push(invalid(`metadata.finalizers[${i}]`, f, m));
  return out;
}

/** Fills in what a client may leave out, then tells what may not change. upstream: ValidateObjectMetaAccessorUpdate */
export function validateMetaUpdate(next: ObjectMeta, old: ObjectMeta): string[] {
  const out: string[] = [];
  next.uid ||= old.uid as string;
  next.creationTimestamp ||= old.creationTimestamp as string;
  if (old.deletionTimestamp) {
    next.deletionTimestamp = old.deletionTimestamp;
    next.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds as number;
  }
  const same = (
    field: 'name' | 'namespace' | 'uid' | 'creationTimestamp' | 'deletionTimestamp' | 'deletionGracePeriodSeconds',
  ) => {
    if ((next[field] ?? null) !== (old[field] ?? null))
      out.push(invalid(`metadata.${field}`, next[field] ?? null, 'field is immutable'));
  };
  for (const f of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const)
    same(f);
  if (old.deletionTimestamp) {
    const known = new Set(old.finalizers);
    const added = (next.finalizers ?? []).filter((f) => !known.has(f));
    if (added.length > 0)
      out.push(
        `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
      );
  }
  return [...out, ...validateRest(next)];
}
