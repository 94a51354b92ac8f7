/** The way from the whole value to one of its parts: names of fields and places in lists. */
export type Path = readonly (string | number)[];

/** One thing that is wrong with a value from outside. */
export interface Problem {
  /** The place: `spec.steps[2].kill`; empty for the whole value. */
  readonly path: string;
  /** The mistake: `it is "mile"`. */
  readonly message: string;
  /** The remedy: `it must be one of decision, record, iteration`. */
  readonly remedy: string;
  /** The place in the text, from 1; only if the value was read from a text. */
  readonly line?: number;
  readonly column?: number;
}

/** The most problems that one reading collects. Whoever sends nonsense learns enough from these. */
export const MAX_PROBLEMS = 20;
/** The longest message in characters, because the values quoted in it come from outside. */
const MAX_MESSAGE = 4000;

/** A value that does not have the shape it must have. The message holds one line for each problem. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  constructor(
    readonly problems: readonly Problem[],
    /** The name of the text in places: `hello.yaml`. */
    readonly file = '',
  ) {
    super(problemsText(problems, file));
  }
}

/** Writes one line for each problem: `hello.yaml:3:7: spec.seed: it is "x"; it must be a whole number from 0 to 5`. */
export function problemsText(problems: readonly Problem[], file = ''): string {
  const text = problems.map((p) => problemText(p, file)).join('\n');
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}...` : text;
}

/** One problem as a line of text. */
export function problemText({ path, message, remedy, line, column }: Problem, file = ''): string {
  const place = line === undefined ? '' : `${file}:${line}:${column ?? 1}: `;
  return `${place}${path === '' ? '' : `${path}: `}${message}${remedy === '' ? '' : `; ${remedy}`}`;
}

/** A path as people write it: `spec.steps[2].kill`. `root` is what the whole value is called. */
export const pathText = (path: Path, root = ''): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return `${text}${text === '' ? '' : '.'}${part.slice(0, 80)}`;
  }, root);

/** A value in a message: short, and never with a prototype's own words. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
