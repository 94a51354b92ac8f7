/** Reads and changes the scenario of a twin, as JSON. A document is never changed in place. */
import { parseDuration } from '@syncloop/core/base';
import type { Json, Micros } from '@syncloop/core/trace';
import { items, type JsonObject, objectOf, objectsOf, seconds, textOf } from '../base/json.js';

export type Change = (scenario: JsonObject) => JsonObject;

export const specOf = (scenario: JsonObject): JsonObject => objectOf(scenario.spec);
export const nodeOf = (scenario: JsonObject): JsonObject => objectOf(specOf(scenario).node);

export const withSpec =
  (change: (spec: JsonObject) => JsonObject): Change =>
  (scenario) => ({ ...scenario, spec: change(specOf(scenario)) as Json });
/** Sets settings of the kubelet; undefined removes one. */
export const withNode = (settings: JsonObject): Change =>
  withSpec((spec) => ({ ...spec, node: { ...objectOf(spec.node), ...settings } as Json }));

/** Adds an item to a list of the spec, and removes those that `replaces` holds for. */
export const withItem = (list: string, item: JsonObject, replaces: (old: JsonObject) => boolean): Change =>
  withSpec((spec) => ({
    ...spec,
    [list]: [...objectsOf(spec[list]).filter((old) => !replaces(old)), item] as Json,
  }));

/** The time that an item of `steps` waits for, if it says so; NaN for one that waits for something to happen. */
function timeAfter(step: Json, now: Micros): Micros {
  const { wait, waitFor } = objectOf(step);
  if (waitFor !== undefined) return Number.NaN;
  if (wait === undefined) return now;
  const until = textOf(objectOf(wait).until);
  if (until !== '') return Math.max(Number.isNaN(now) ? 0 : now, parseDuration(until) ?? 0);
  return now + (parseDuration(textOf(wait)) ?? 0);
}

/** Adds steps at a time of the run's clock. */
export const withSteps = (at: Micros, steps: readonly JsonObject[]): Change =>
  withSpec((spec) => {
    const list = items(spec.steps);
    let now = 0;
    let place = list.findIndex((step) => {
      now = timeAfter(step, now);
      return now > at;
    });
    if (place < 0) place = list.length;
    const added = [{ wait: { until: seconds(at) } }, ...steps] as Json[];
    return { ...spec, steps: [...list.slice(0, place), ...added, ...list.slice(place)] };
  });

/** A time that is earlier by so much, but not before the run. */
export const before = (at: Micros, by: Micros): Micros => Math.max(0, at - by);

/** A moment in the key of a guess: two that are closer than a tenth of a second are the same. */
export const moment = (at: Micros): string => `@${Math.round(at / 1e5)}`;

/** Changes steps one by one; null removes one. */
export const mapSteps = (change: (step: JsonObject, verb: string) => JsonObject | null): Change =>
  withSpec((spec) => ({
    ...spec,
    steps: items(spec.steps).flatMap((step): Json[] => {
      const object = objectOf(step);
      const verb = Object.keys(object)[0];
      if (verb === undefined) return [step];
      const changed = change(object, verb);
      return changed === null ? [] : [changed as Json];
    }),
  }));
