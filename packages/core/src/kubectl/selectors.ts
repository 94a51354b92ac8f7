/** Label and field selectors. upstream: apimachinery pkg/labels, pkg/fields */
import type { Pod } from '../api/types.js';
import { ConsoleError } from './errors.js';

export type Requirement =
  | { readonly key: string; readonly op: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly op: 'exists' | 'absent' };
type Values = Readonly<Record<string, string>>;

/** Reads a selector of labels: `app=web,tier!=db,env in (a,b),x,!y`. Throws a ConsoleError that names the part. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  return splitTop(text).map((part) => {
    const set = /^([\w./-]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
    if (set)
      return {
        key: set[1] ?? '',
        op: set[2] as 'in' | 'notin',
        values: (set[3] ?? '').split(',').map((v) => v.trim()),
      };
    const equal = /^([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)$/.exec(part);
    if (equal) return { key: equal[1] ?? '', op: equal[2] === '!=' ? 'notin' : 'in', values: [equal[3] ?? ''] };
    const bare = /^(!?)\s*([\w./-]+)$/.exec(part);
    if (bare) return { key: bare[2] ?? '', op: bare[1] ? 'absent' : 'exists' };
    throw new ConsoleError(
      `unable to parse requirement "${part}": write key=value, key!=value, key in (a,b), key or !key`,
      `无法解析选择条件 "${part}"：请写成 key=value、key!=value、key in (a,b)、key 或 !key`,
    );
  });
}

/** Reads a selector of fields: `status.phase=Running,metadata.name!=web`. `fields`: those that the resource has. */
export function parseFieldSelector(text: string, fields: readonly string[]): readonly Requirement[] {
  return splitTop(text).map((part) => {
    const m = /^([\w.[\]'/-]+?)(==|=|!=)(.*)$/.exec(part);
    if (!m)
      throw new ConsoleError(
        `invalid field selector "${part}": write field=value or field!=value`,
        `字段选择器 "${part}" 无效：请写成 field=value 或 field!=value`,
      );
    const key = m[1] ?? '';
    if (!fields.includes(key))
      throw new ConsoleError(
        `field label not supported: "${key}"; there are: ${fields.join(', ')}`,
        `不支持按字段 "${key}" 选择；可用的有：${fields.join(', ')}`,
      );
    return { key, op: m[2] === '!=' ? 'notin' : 'in', values: [m[3] ?? ''] };
  });
}

/** Commas inside parentheses do not part. */
function splitTop(text: string): string[] {
  return text
    .split(/,(?![^()]*\))/)
    .map((p) => p.trim())
    .filter(Boolean);
}

/** Returns true if values meet all requirements. A key that is absent is in no set: `!=` and `notin` take it. */
export function matches(requirements: readonly Requirement[], values: Values): boolean {
  return requirements.every((r) => {
    const value = Object.hasOwn(values, r.key) ? values[r.key] : undefined;
    const is = value !== undefined && (!('values' in r) || r.values.includes(value));
    return is === (r.op === 'in' || r.op === 'exists');
  });
}

/** upstream: pkg/registry/core/pod PodToSelectableFields */
export const podFields = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
] as const;

export function fieldsOfPod({ metadata, spec, status }: Pod): Values {
  return {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'spec.nodeName': spec.nodeName ?? '',
    'spec.restartPolicy': spec.restartPolicy ?? '',
    'spec.schedulerName': spec.schedulerName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec.hostNetwork ?? false),
    'status.phase': status.phase ?? '',
    'status.podIP': status.podIP ?? '',
    'status.nominatedNodeName': status.nominatedNodeName ?? '',
  };
}

/** upstream: pkg/registry/core/event ToSelectableFields */
export const eventFields = [
  'metadata.namespace',
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.fieldPath',
  'reason',
  'source',
  'type',
] as const;

/** Those that everything has. */
export const plainFields = ['metadata.name', 'metadata.namespace'] as const;
