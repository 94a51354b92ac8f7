/** Reads and changes the pods of a twin's scenario. */
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { type Change, mapSteps, specOf } from './document.js';

/** The pod that an `apply` puts on the node; null if the step is another one, or has a text for it. */
export function podOf(step: JsonObject): JsonObject | null {
  const apply = objectOf(step.apply);
  const pod = objectOf(apply.manifest ?? apply);
  return textOf(objectOf(pod.metadata).name) === '' ? null : pod;
}
export const nameOf = (pod: JsonObject): string => {
  const { name, namespace } = objectOf(pod.metadata);
  const at = textOf(namespace);
  return at === '' || at === 'default' ? textOf(name) : `${at}/${textOf(name)}`;
};

/** The last manifest of a pod by its name; null if there is none. */
export function manifestOf(scenario: JsonObject, name: string): JsonObject | null {
  let found: JsonObject | null = null;
  for (const step of objectsOf(specOf(scenario).steps)) {
    const pod = podOf(step);
    if (pod && nameOf(pod) === name) found = pod;
  }
  return found;
}

/** Changes all manifests of a pod. */
export const withManifest = (name: string, change: (pod: JsonObject) => JsonObject): Change =>
  mapSteps((step, verb) => {
    const pod = verb === 'apply' ? podOf(step) : null;
    if (!pod || nameOf(pod) !== name) return step;
    const apply = objectOf(step.apply);
    const changed = change(pod) as Json;
    return { apply: apply.manifest === undefined ? changed : { ...apply, manifest: changed } };
  });
export const withPodSpec = (name: string, change: (spec: JsonObject) => JsonObject): Change =>
  withManifest(name, (pod) => ({ ...pod, spec: change(objectOf(pod.spec)) as Json }));
export const withContainer = (pod: string, container: string, change: (container: JsonObject) => JsonObject): Change =>
  withPodSpec(pod, (spec) => ({
    ...spec,
    ...Object.fromEntries(
      ['initContainers', 'containers'].flatMap((list) =>
        spec[list] === undefined
          ? []
          : [[list, objectsOf(spec[list]).map((c) => (c.name === container ? change(c) : c)) as Json]],
      ),
    ),
  }));

/** The containers of a pod, init containers first. */
export const containersOf = (pod: JsonObject | null): readonly JsonObject[] => {
  const spec = objectOf(pod?.spec);
  return [...objectsOf(spec.initContainers), ...objectsOf(spec.containers)];
};

/** The step that deletes a pod; null if there is none. */
export function deletionOf(scenario: JsonObject, name: string): JsonObject | null {
  const is = (step: JsonObject) =>
    textOf(objectOf(step.delete).pod || step.delete).replace(/\.ya?ml$/, '') === name.replaceAll('/', '-') ||
    textOf(objectOf(step.delete).pod) === name;
  return objectsOf(specOf(scenario).steps).find((step) => step.delete !== undefined && is(step)) ?? null;
}

/** A container of a pod in words. */
export const of = (pod: string, container: string): TwinText => ({
  en: `${container} of ${pod}`,
  zh: `${pod} 的 ${container}`,
});
