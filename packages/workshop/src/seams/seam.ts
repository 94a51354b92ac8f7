import { messageOf } from '@syncloop/core/base';
import type { PartName } from '@syncloop/core/kubelet/parts';
import { read, type Shape, ShapeError } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Problem } from '../interpreter/types.js';
import { makeProblem } from '../language/index.js';
import { type Message, message, shapeMessage } from '../messages/index.js';
import { type CodeTrail, type LoadedCode, lineOfFunction } from './code.js';

/** A part that a learner can write: its function, and what it must return. */
export interface Seam<Out> {
  readonly part: PartName;
  /** The function, by upstream's name. */
  readonly fn: string;
  readonly result: Shape<Out>;
  /** A result, or an output, in which only what matters differs: lists whose order is free are sorted. */
  readonly canonical: (result: Json) => Json;
}

export type Answer<Out> = { readonly trail: CodeTrail } & (
  | { readonly ok: true; readonly value: Out; readonly json: Json }
  | { readonly ok: false; readonly problem: Problem }
);

/** Calls the function of a seam and reads what it returned. */
export function callSeam<Out>(
  seam: Seam<Out>,
  code: LoadedCode,
  { file, text }: { readonly file: string; readonly text: string },
  args: readonly Json[],
): Answer<Out> {
  const result = code.call(seam.fn, args);
  if (!result.ok) return { ok: false, problem: result.problem, trail: result };
  const { value: json } = result;
  try {
    return { ok: true, value: read(seam.result, json, 'result'), json, trail: result };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const line = lineOfFunction(text, seam.fn);
    const why = shapeMessage(messageOf(error));
    const says = message('wrongShape', { fn: seam.fn, why });
    return { ok: false, problem: makeProblem('shape', says, file, { line, column: 1 }), trail: result };
  }
}

/** A result whose lists have no order: each is sorted. */
export const sorted = (result: Json): Json =>
  Object.fromEntries(
    Object.entries(result as { readonly [field: string]: readonly string[] }).map(([field, names]) => [
      field,
      names.toSorted(),
    ]),
  );

/** Says in words which of the names in a list of the result is not there; null if each is. */
export function unknownName(field: string, names: readonly string[], known: readonly string[]): Message | null {
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return null;
  const path = field === '' ? 'result' : `result.${field}`;
  return message('unknownName', { path, name: JSON.stringify(wrong), there: known.join(', ') || message('none') });
}
