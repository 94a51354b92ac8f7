import { quantityValue, readQuantity } from '@syncloop/core/base';
import type { ImageBehaviour } from '@syncloop/core/scenario';
import type { ImageAnswerOf, ImageQuestion } from '@syncloop/core/scenario/workload';

/** The behaviours of an image, as people choose them; a crash is an end with a code that is not 0. */
export const CHOICES = ['serves', 'runs', 'exits', 'crashes', 'needs', 'command', 'missing'] as const;
export type Choice = (typeof CHOICES)[number];

const SECOND = 1_000_000;
/** Longest that can be asked for, in seconds: a week. */
const LONGEST = 7 * 24 * 3600;
/** Most memory that a scenario takes. */
const MOST_MEMORY = 2 ** 50;

export function choiceOf(does: ImageBehaviour | null): Choice {
  if (does === null) return 'missing';
  return does.kind === 'exits' && does.code !== 0 ? 'crashes' : does.kind;
}
/** Returns the usual behaviour for a choice. `ports`: those of the manifest. */
export function behaviourFor(choice: Choice, ports: readonly number[]): ImageBehaviour | null {
  switch (choice) {
    case 'missing':
      return null;
    case 'serves':
      return { kind: 'serves', ports: ports.length > 0 ? ports : [8080] };
    case 'needs':
      return { kind: 'needs', memory: 250 * 2 ** 20 };
    case 'exits':
      return { kind: 'exits', code: 0, after: 5 * SECOND };
    case 'crashes':
      return { kind: 'exits', code: 1, after: 5 * SECOND };
    default:
      return { kind: choice };
  }
}

/** Reads typed ports: numbers with anything between them. Null if there is none, or one that is not a port. */
export function portsIn(text: string): number[] | null {
  const ports = [...new Set((text.match(/\d+/g) ?? []).map(Number))];
  return ports.length > 0 && ports.length <= 20 && ports.every((p) => p > 0 && p < 65_536) ? ports : null;
}
/** Parses typed seconds, as Micros; null if the text is not a valid number of seconds. */
export function afterIn(text: string): number | null {
  const n = Number(text.replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(n) && n >= 0 && n <= LONGEST ? Math.round(n * SECOND) : null;
}
export const secondsOf = (after: number): string => String(after / SECOND);
export function codeIn(text: string): number | null {
  const n = Number(text);
  return /^\d{1,3}$/.test(text.trim()) && n <= 255 ? n : null;
}

/** Returns a question with the chosen answer in place of its own. */
export function answered(question: ImageQuestion, chosen: ImageAnswerOf | undefined): ImageQuestion {
  if (!chosen) return question;
  const { doesIn: _, assumed: _assumed, ...rest } = question;
  return { ...rest, does: chosen.does, ...(chosen.doesIn && { doesIn: chosen.doesIn }) };
}

/** Returns the answer by which one container does something else; other containers of the image do what they did. */
export function answerFor(
  { ref, does, doesIn }: ImageQuestion,
  container: string,
  chosen: ImageBehaviour | null,
): ImageAnswerOf {
  if (chosen === null) return { ref, does: null };
  if (!doesIn || !Object.hasOwn(doesIn, container)) return { ref, does: chosen, ...(doesIn && { doesIn }) };
  return { ref, does: does ?? chosen, doesIn: { ...doesIn, [container]: chosen } };
}

/** Parses a typed amount of memory, as bytes: 250Mi, 1Gi; null if the text is not one, or none of a machine. */
export function memoryIn(text: string): number | null {
  try {
    const bytes = quantityValue(readQuantity(text.trim()).nano);
    return bytes > 0 && bytes <= MOST_MEMORY ? bytes : null;
  } catch {
    return null;
  }
}
/** Parses a typed status of HTTP answers; null if the text is not one. */
export function statusIn(text: string): number | null {
  return /^[1-5]\d\d$/.test(text.trim()) ? Number(text) : null;
}
