/** The changes of remedies: values of fields, and numbers that are tried in the order of how much they change. */
import { parseDuration } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, numberOf, objectOf, objectsOf } from '../base/json.js';
import {
  type Change,
  containersOf,
  manifestOf,
  mapSteps,
  specOf,
  withContainer,
  withNode,
  withPodSpec,
} from '../causes/index.js';
import type { Case, Remedy, Scale } from './types.js';

/** The whole numbers from 1 on. */
export const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1);

/** The container that a case is about, in the last manifest of its pod. */
export const containerOf = ({ document, pod, container }: Case): JsonObject | undefined =>
  containersOf(manifestOf(document, pod)).find(({ name }) => name === container);

/** A number of a probe, which is raised until the incident is gone. `usual`: its value if the field is not set. */
export function probeScale(
  one: Case,
  probe: string,
  field: string,
  usual: number,
  values: (now: number) => readonly number[],
): Scale[] {
  const spec = containerOf(one);
  if (spec?.[probe] === undefined) return [];
  const now = numberOf(objectOf(spec[probe])[field]) ?? usual;
  return [
    {
      key: `${probe} ${field}`,
      values: values(now).filter((value) => value > now),
      at: (value) => ({
        key: `${probe} ${field} ${value}`,
        text: {
          en: `${field} ${value} instead of ${now} in the ${probe} of ${one.container}`,
          zh: `${one.container} 的 ${probe} 中 ${field} 为 ${value} 而不是 ${now}`,
        },
        change: withContainer(one.pod, one.container, (c) => ({
          ...c,
          [probe]: { ...objectOf(c[probe]), [field]: value } as Json,
        })),
      }),
    },
  ];
}

const editOf = (step: JsonObject, pod: string): JsonObject => {
  const edit = objectOf(step.edit);
  return edit.pod === pod ? objectOf(objectOf(edit.patch).spec) : {};
};
/** A number of a pod's specification, as its last edit leaves it. */
export const lastValue = ({ document, pod }: Case, field: string): number | undefined => {
  const edits = objectsOf(specOf(document).steps).map((step) => numberOf(editOf(step, pod)[field]));
  return edits.findLast((value) => value !== undefined) ?? numberOf(objectOf(manifestOf(document, pod)?.spec)[field]);
};
/** Sets it in the pod's manifests, or in the edits that set it. */
const withValue =
  (pod: string, field: string, value: number): Change =>
  (document) => {
    const edits = (step: JsonObject) => editOf(step, pod)[field] !== undefined;
    if (!objectsOf(specOf(document).steps).some(edits))
      return withPodSpec(pod, (spec) => ({ ...spec, [field]: value }))(document);
    return mapSteps((step) => {
      if (!edits(step)) return step;
      const edit = objectOf(step.edit);
      const spec = { ...editOf(step, pod), [field]: value };
      return { edit: { ...edit, patch: { ...objectOf(edit.patch), spec } } as Json };
    })(document);
  };

/** A number of a pod's specification, which is raised. */
export const podScale = (one: Case, field: string, now: number, values: readonly number[]): Scale => ({
  key: field,
  values: values.filter((value) => value > now),
  at: (value) => ({
    key: `${field} ${value}`,
    text: {
      en: `${field} ${value} instead of ${now} for ${one.pod}`,
      zh: `${one.pod} 的 ${field} 为 ${value} 而不是 ${now}`,
    },
    change: withValue(one.pod, field, value),
  }),
});

/** A setting of the kubelet. */
export const setting = (name: string, value: Json, now: Json): Remedy => ({
  key: `${name} ${JSON.stringify(value)}`,
  text: {
    en: `${name} ${shown(value)} instead of ${shown(now)} in the kubelet's configuration`,
    zh: `kubelet 配置中的 ${name} 为 ${shown(value)} 而不是 ${shown(now)}`,
  },
  change: withNode({ [name]: value }),
});
const shown = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A setting that is a duration, in multiples of what it is, each in whole seconds. */
export function durationScale(name: string, now: string, factors: readonly number[]): Scale {
  const present = Math.round((parseDuration(now) ?? 0) / 1e6);
  return {
    key: `${name} ${factors.join()}`,
    values: [...new Set(factors.map((factor) => Math.max(1, Math.round(present * factor))))].filter(
      (value) => value !== present,
    ),
    at: (value) => setting(name, `${value}s`, now),
  };
}
