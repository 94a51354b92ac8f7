/** The scenario's file: YAML with comments that say what each part rests on. */
import { stringify } from 'yaml';
import { firstScenarioAPIVersion } from '../../scenario/document/scenario.js';
import type { Json, Micros } from '../../trace/index.js';

/** What happens at a moment of the twin's clock. */
export interface TimedStep {
  readonly at: Micros;
  readonly do: { readonly [verb: string]: Json };
  /** What it rests on, in one line. */
  readonly why: string;
  /** `namespace/name` of the pod that it is about. */
  readonly pod?: string;
}

export interface Part {
  readonly key: string;
  readonly value: Json;
  readonly why?: string;
}

export interface Draft {
  readonly name: string;
  readonly title: { readonly en: string; readonly zh: string };
  /** Lines of the comment at the head. */
  readonly head: readonly string[];
  /** The parts of `spec` before its steps, in order. */
  readonly parts: readonly Part[];
  /** In any order. */
  readonly steps: readonly TimedStep[];
  readonly until: Micros;
}

/** The longest time that a scenario can wait: so long is a twin at most. */
export const LONGEST: Micros = 168 * 3600e6;

/** Seconds to the microsecond, as a duration. */
export const seconds = (micros: Micros): string => `${Number((micros / 1e6).toFixed(6))}s`;

const yaml = (value: unknown, spaces: number): string =>
  stringify(value, { version: '1.1', lineWidth: 0, singleQuote: false })
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n');
/** An item on one line. */
const flow = (value: unknown): string =>
  stringify(value, { version: '1.1', lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
const comment = (text: string, spaces: number): string => `${' '.repeat(spaces)}# ${text.replaceAll('\n', ' ')}`;

export function writeScenario({ name, title, head, parts, steps, until }: Draft): string {
  const lines = head.map((line) => comment(line, 0));
  // In this version of the format a node has the cluster DNS that was seen, or none.
  lines.push(`apiVersion: ${firstScenarioAPIVersion}`, 'kind: Scenario');
  lines.push(yaml({ metadata: { name, title } }, 0), 'spec:');
  for (const { key, value, why } of parts) {
    if (why) lines.push(comment(why, 2));
    if (Array.isArray(value)) lines.push(`  ${key}:`, ...value.map((item) => `    - ${flow(item)}`));
    else lines.push(yaml({ [key]: value }, 2));
  }
  lines.push('  steps:');
  let now = -1;
  const ordered = steps.map((step, i) => ({ step, i })).sort((a, b) => a.step.at - b.step.at || a.i - b.i);
  for (const { step } of ordered) {
    const at = Math.max(0, step.at);
    lines.push(comment(step.why, 4));
    if (at !== now) lines.push(yaml([{ wait: { until: seconds(at) } }], 4));
    now = at;
    const [verb, argument] = Object.entries(step.do)[0] as [string, Json];
    lines.push(yaml([isEmpty(argument) ? verb : step.do], 4));
  }
  if (until > now)
    lines.push(comment('The end of what was observed.', 4), yaml([{ wait: { until: seconds(until) } }], 4));
  return `${lines.join('\n')}\n`;
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
