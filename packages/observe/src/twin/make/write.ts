/** Writes the scenario's file: YAML with comments that name the evidence of each part. */

import { firstScenarioAPIVersion } from '@syncloop/core/scenario';
import type { Json, Micros } from '@syncloop/core/trace';
import { stringify } from 'yaml';
import { seconds } from '../base/json.js';

/** A step at a moment of the twin's clock. */
export interface TimedStep {
  readonly at: Micros;
  readonly do: { readonly [verb: string]: Json };
  /** Its evidence, in one line. */
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

/** The longest time that a scenario can wait. */
export const LONGEST_WAIT: Micros = 168 * 3600e6;

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

/** The steps in the order of their times, with the waits between them; without a step only waits. */
function* timeline({ steps, until }: Draft): Generator<{ readonly wait?: Micros; readonly step?: TimedStep }> {
  let now = -1;
  const ordered = steps.map((step, i) => ({ step, i })).sort((a, b) => a.step.at - b.step.at || a.i - b.i);
  for (const { step } of ordered) {
    const at = Math.max(0, step.at);
    yield { ...(at !== now && { wait: at }), step };
    now = at;
  }
  if (until > now) yield { wait: until };
}

const waitUntil = (micros: Micros) => ({ wait: { until: seconds(micros) } });

function stepItem({ do: action }: TimedStep): Json {
  const [verb, argument] = Object.entries(action)[0] as [string, Json];
  return isEmpty(argument) ? verb : action;
}

/** Returns the same as the file that {@link writeScenario} writes, as the value that a YAML parser would make of it. */
export function scenarioDocument(draft: Draft): Json {
  const { name, title, parts } = draft;
  const steps: Json[] = [];
  for (const { wait, step } of timeline(draft)) {
    if (wait !== undefined) steps.push(waitUntil(wait));
    if (step) steps.push(stepItem(step));
  }
  const spec = { ...Object.fromEntries(parts.map(({ key, value }) => [key, value])), steps };
  const document = { apiVersion: firstScenarioAPIVersion, kind: 'Scenario', metadata: { name, title }, spec };
  // JSON drops fields that are undefined, as a file would.
  return JSON.parse(JSON.stringify(document)) as Json;
}

export function writeScenario(draft: Draft): string {
  const { name, title, head, parts } = draft;
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
  for (const { wait, step } of timeline(draft)) {
    lines.push(comment(step?.why ?? 'The end of what was observed.', 4));
    if (wait !== undefined) lines.push(yaml([waitUntil(wait)], 4));
    if (step) lines.push(yaml([stepItem(step)], 4));
  }
  return `${lines.join('\n')}\n`;
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
