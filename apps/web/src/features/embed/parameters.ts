/**
 * Values of the scenario that a reader of an article may change, from the address of a frame:
 * `&vary=constants.genericPlegRelistPeriod:1s,3s,10s|Relist period`. The path is one below `spec.node`, or `seed`, or
 * `era`; the first value is the one that the frame's moment has. Without a label behind `|` the path's last name is it.
 */
import { type EraVersion, eraVersions } from '@syncloop/core/kubelet/era/versions';

export interface Parameter {
  readonly path: string;
  readonly label: string;
  /** At least two, each once. */
  readonly values: readonly string[];
}

/** The chosen values, as a scenario is loaded with them. */
export interface Variation {
  readonly seed?: number;
  readonly era?: EraVersion;
  /** By path below `spec.node`. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

const MOST_PARAMETERS = 4;
const MOST_VALUES = 30;
const PATH = /^[A-Za-z]{1,60}(\.[A-Za-z]{1,60}){0,3}$/;
const VALUE = /^[\w.%+-]{1,40}$/;
/** Values in an order: a slider suits them. */
const ORDERED = /^(-?\d+(\.\d+)?%?|(\d+(\.\d+)?(ns|us|ms|s|m|h))+)$/;

function parameterOf(text: string): Parameter | null {
  const [rest = '', label = ''] = text.split('|', 2);
  const colon = rest.indexOf(':');
  const path = rest.slice(0, Math.max(0, colon));
  const values = [...new Set(rest.slice(colon + 1).split(','))];
  const isKnown = path !== 'era' || values.every((v) => eraVersions.some((era) => era === v));
  if (
    !isKnown ||
    !PATH.test(path) ||
    values.length < 2 ||
    values.length > MOST_VALUES ||
    !values.every((v) => VALUE.test(v))
  )
    return null;
  return { path, label: label.trim().slice(0, 60) || (path.split('.').at(-1) as string), values };
}

/** The parameters of an address, each path once; those that cannot be read are left out. */
export function parametersOf(search: string): readonly Parameter[] {
  const byPath = new Map<string, Parameter>();
  for (const text of new URLSearchParams(search).getAll('vary')) {
    const parameter = parameterOf(text);
    if (parameter && !byPath.has(parameter.path) && byPath.size < MOST_PARAMETERS)
      byPath.set(parameter.path, parameter);
  }
  return [...byPath.values()];
}

export const isOrdered = ({ values }: Parameter): boolean => values.every((value) => ORDERED.test(value));

const plain = (text: string): string | number | boolean =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text;

/** `chosen`: the index of each parameter's value; missing: the first. */
export function variationOf(parameters: readonly Parameter[], chosen: { readonly [path: string]: number }): Variation {
  const values = new Map(parameters.map(({ path, values }) => [path, values[chosen[path] ?? 0] ?? '']));
  const seed = Number(values.get('seed'));
  const era = eraVersions.find((version) => version === values.get('era'));
  values.delete('seed');
  values.delete('era');
  return {
    ...(Number.isInteger(seed) && { seed }),
    ...(era && { era }),
    settings: Object.fromEntries([...values].map(([path, value]) => [path, plain(value)])),
  };
}
