/** Breakpoints at lines of our sources: at the begin of a named call, and of one of its steps. Pure. */
import type { BreakpointSpec } from '@syncloop/core/debug';
import { HANDLERS } from '../../../run/loop.js';
import type { Target } from '../../breakpoints/logic/breakpoints.js';
import type { SourceIndex } from './source-types.js';

/**
 * Returns the breakpoint at the begin of a named call. For handlers it is the one that the graph sets, so that there
 * are not two.
 */
export const targetOfFunction = (fn: string): Target =>
  (HANDLERS as readonly string[]).includes(fn) ? { on: 'handler', name: fn } : { on: 'function', name: fn };

export interface BreakLine {
  readonly line: number;
  readonly target: Target;
  /** Name of the call, or of its step. */
  readonly name: string;
  readonly step: boolean;
  readonly state: 'none' | 'off' | 'on';
}

/** The lines of a file at which one can stop, from top to bottom. */
export function breakLines(index: SourceIndex, file: string, specs: readonly BreakpointSpec[]): readonly BreakLine[] {
  const lines: BreakLine[] = [];
  const add = (line: number, target: Target, name: string, step: boolean) =>
    lines.push({ line, target, name, step, state: stateOf(specs, target) });
  for (const f of Object.values(index.functions)) if (f.file === file) add(f.from, targetOfFunction(f.fn), f.fn, false);
  for (const s of index.steps) if (s.file === file) add(s.from, { on: 'step', fn: s.fn, step: s.name }, s.name, true);
  return lines.sort((a, b) => a.line - b.line);
}

/** Returns the state of the breakpoints there, with whatever conditions of their own. */
function stateOf(specs: readonly BreakpointSpec[], target: Target): BreakLine['state'] {
  const there = specs.filter((spec) => stopsAt(spec, target));
  if (there.length === 0) return 'none';
  return there.some((spec) => spec.enabled !== false) ? 'on' : 'off';
}

function stopsAt(spec: BreakpointSpec, target: Target): boolean {
  if (target.on === 'step') return spec.on === 'step' && spec.fn === target.fn && spec.step === target.step;
  if (target.on !== 'function' && target.on !== 'handler') return false;
  if (spec.on === 'handler') return spec.name === target.name;
  return spec.on === 'function' && spec.name === target.name && (spec.when ?? 'enter') === 'enter';
}
