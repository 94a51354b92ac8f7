/** A learner's code in a run: into a scenario with it, and out of one. */
import type { BreakpointSpec } from '@syncloop/core/debug';
import type { PartName } from '@syncloop/core/kubelet/parts';
import { freeId } from '../../breakpoints/logic/breakpoints.js';
import { fileOf } from './file-of.js';

interface PartCode {
  readonly file: string;
  readonly source: string;
  readonly lines?: boolean;
}
interface Document {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly parts?: { readonly [part: string]: PartCode } };
}
const asDocument = (scenario: string): Document => JSON.parse(scenario) as Document;

/** A scenario as JSON, in which each line of the code that it has leaves a record. */
export function withLines(scenario: string): string {
  const { spec, ...rest } = asDocument(scenario);
  const parts = Object.entries(spec.parts ?? {}).map(([part, code]) => [part, { ...code, lines: true }]);
  return JSON.stringify({ ...rest, spec: { ...spec, parts: Object.fromEntries(parts) } });
}

/** A stage's scenario (JSON) with the code in it, line by line. */
export function inScenario(scenario: string, names: readonly PartName[], stage: string, source: string): string {
  const { spec, ...rest } = asDocument(scenario);
  const code = { file: fileOf(stage), source, lines: true };
  const parts = Object.fromEntries(names.map((name) => [name, code]));
  return JSON.stringify({ ...rest, spec: { ...spec, parts } });
}

export const nameOfScenario = (scenario: string): string => asDocument(scenario).metadata.name;

/** The lines of a file at which breakpoints are, in order. */
export const linesOf = (specs: readonly BreakpointSpec[], file: string): readonly number[] =>
  specs.flatMap((spec) => (spec.on === 'line' && spec.file === file ? [Number(spec.line)] : [])).sort((a, b) => a - b);

/**
 * Returns breakpoints of which those of the file are at these lines; the same list if they are already. One that was at
 * a line keeps its condition.
 */
export function withLineBreakpoints(
  specs: readonly BreakpointSpec[],
  file: string,
  lines: readonly number[],
): readonly BreakpointSpec[] {
  const before = linesOf(specs, file);
  if (before.join() === [...lines].sort((a, b) => a - b).join()) return specs;
  const kept = specs.filter((spec) => spec.on !== 'line' || spec.file !== file || lines.includes(Number(spec.line)));
  const all: BreakpointSpec[] = [...kept];
  for (const line of lines) if (!before.includes(line)) all.push({ id: freeId(all), on: 'line', file, line });
  return all;
}

/** The expression for the first stop in a file: at one of its breakpoints, or at any line if it has none. */
export function firstStop(file: string, lines: readonly number[]): string {
  const atLine = lines.map((line) => `line == ${line}`).join(' || ');
  return `kind == "part-line" && file == ${JSON.stringify(file)}${atLine === '' ? '' : ` && (${atLine})`}`;
}
