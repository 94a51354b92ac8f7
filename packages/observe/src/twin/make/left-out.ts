/**
 * Observed data may contain a value that no scenario can have: a pod's name with a control character, an infinite
 * number. Then that pod is left out, or the single fact if it is about no pod, and the twin is made of the rest.
 */
import { isObject } from '@syncloop/core/base';
import { generatedScenario, ScenarioError } from '@syncloop/core/scenario';
import type { Json } from '@syncloop/core/trace';
import { textOf } from '../base/json.js';
import type { LeftOut } from '../base/types.js';
import { shortName } from './seen.js';
import { type Draft, type Part, scenarioDocument, type TimedStep } from './write.js';

export interface Readable {
  readonly draft: Draft;
  /** The scenario, as JSON. */
  readonly document: Json;
  readonly left: readonly LeftOut[];
}

/** One value of the draft: a step, or an item or a field of a part. */
interface Piece {
  /** The pod's short name; '' if the piece is about no pod. */
  readonly pod: string;
  readonly part: Part | null;
  readonly step: TimedStep | null;
}

/**
 * Returns the draft without its unreadable pieces. `placeOf` returns the place at which the evidence of a pod begins.
 */
export function readable(draft: Draft, placeOf: (shortName: string) => string): Readable {
  const document = scenarioDocument(draft);
  if (problemOf(document) === null) return { draft, document, left: [] };
  const pieces = piecesOf(draft);
  const alone: Draft = { ...draft, head: [], parts: [], steps: [] };
  const problemWith = (some: readonly Piece[]): string | null => problemOf(scenarioDocument(drafted(alone, some)));
  const wrong = wrongOf(pieces, problemWith);
  const left = new Map<string, LeftOut>();
  for (const piece of wrong) {
    const about = piece.pod || (piece.part?.key ?? '');
    if (left.has(about)) continue;
    const place = piece.pod === '' ? '' : placeOf(piece.pod);
    const at = place === '' ? { en: '', zh: '' } : { en: ` (${place})`, zh: `（${place}）` };
    const of = piece.pod === '' ? { en: `\`${about}\` has`, zh: `\`${about}\` ` } : { en: 'it has', zh: '它' };
    const problem = problemWith([piece]) ?? '';
    left.set(about, {
      pod: piece.pod === '' ? '' : fullName(piece.pod),
      why: {
        en: `${of.en} a value that a simulated node cannot have: ${problem}${at.en}`,
        zh: `${of.zh}含有模拟节点无法使用的值：${problem}${at.zh}`,
      },
    });
  }
  const rest = pieces.filter((piece) => !wrong.has(piece) && !(piece.pod !== '' && left.has(piece.pod)));
  const kept = drafted({ ...draft, parts: [], steps: [] }, rest);
  const shorter = scenarioDocument(kept);
  const problem = problemOf(shorter);
  if (problem !== null) throw new ScenarioError(`no twin can be made of what was observed: ${problem}`);
  return { draft: kept, document: shorter, left: [...left.values()] };
}

const fullName = (pod: string): string => (pod.includes('/') ? pod : `default/${pod}`);

/** Returns why a document cannot be a scenario, without a place in it, since nobody wrote it; null if it can. */
function problemOf(document: Json): string | null {
  try {
    generatedScenario(document, '');
    return null;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScenarioError') throw error;
    return error.message.replace(/^spec\.\w+(\[\d+\])?\.?/, '');
  }
}

function piecesOf({ parts, steps }: Draft): Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts)
    if (Array.isArray(part.value))
      for (const item of part.value as readonly Json[])
        pieces.push({ pod: isObject(item) ? textOf(item.pod) : '', part: { ...part, value: [item] }, step: null });
    else if (isObject(part.value))
      for (const [key, value] of Object.entries(part.value))
        pieces.push({ pod: '', part: { ...part, value: { [key]: value } as Json }, step: null });
    else pieces.push({ pod: '', part, step: null });
  for (const step of steps) pieces.push({ pod: shortName(step.pod ?? ''), part: null, step });
  return pieces;
}

/** Makes a draft of these pieces: items and fields of one part are joined again. */
function drafted(draft: Draft, pieces: readonly Piece[]): Draft {
  const parts = new Map<string, { readonly part: Part; readonly values: Json[] }>();
  const steps: TimedStep[] = [];
  for (const { part, step } of pieces) {
    if (step) steps.push(step);
    if (!part) continue;
    const of = parts.get(part.key);
    if (of) of.values.push(part.value);
    else parts.set(part.key, { part, values: [part.value] });
  }
  const whole = ({ part, values }: { readonly part: Part; readonly values: readonly Json[] }): Part => {
    if (Array.isArray(part.value)) return { ...part, value: values.flat(1) as Json };
    return isObject(part.value) ? { ...part, value: Object.assign({}, ...values) as Json } : part;
  };
  return { ...draft, parts: [...parts.values()].map(whole), steps };
}

/** The pieces that cannot be read by themselves, found by bisection, as few of many are wrong. */
function wrongOf(pieces: readonly Piece[], problemWith: (some: readonly Piece[]) => string | null): Set<Piece> {
  if (pieces.length === 0 || problemWith(pieces) === null) return new Set();
  if (pieces.length === 1) return new Set(pieces);
  const middle = pieces.length >> 1;
  const found = [pieces.slice(0, middle), pieces.slice(middle)].map((half) => wrongOf(half, problemWith));
  return new Set(found.flatMap((half) => [...half]));
}
