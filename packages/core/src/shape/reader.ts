import { own } from '../base/index.js';
import { nearest } from '../words/index.js';
import { MAX_PROBLEMS, type Path, type Problem, pathText, ShapeError, show } from './problem.js';

/** The source of values: it knows the place of each part, and can give a part as a text of its own. */
export interface Source {
  /** The name of the text in messages; empty if there is no text. */
  readonly file: string;
  /** The name of the whole value in paths: `breakpoint`; empty if paths begin with a field. */
  readonly root: string;
  /** True if null stands for a field that is left out, as an empty field of YAML does. */
  readonly nullIsMissing: boolean;
  /** The place of a part (of its key with `ofKey`), from 1; undefined if there is no text. */
  position(path: Path, ofKey: boolean): { readonly line: number; readonly column: number } | undefined;
  /** The text of a part. */
  textOf(path: Path, value: unknown): string;
}

/** A value without a text, such as a message: places are paths. */
export const plainSource = (root: string): Source => ({
  file: '',
  root,
  nullIsMissing: false,
  position: () => undefined,
  textOf: (_path, value) => `${JSON.stringify(value, null, 2)}\n`,
});

/** Suggests `did you mean "x"?` if a candidate is near, else all that there are. */
export function suggest(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === null ? `there are: ${candidates.join(', ') || 'none'}` : `did you mean "${near}"?`;
}

/** A value together with its place: what shapes read from. */
export class Reader {
  private constructor(
    readonly value: unknown,
    readonly source: Source,
    /** Collects what is odd, but does not keep the value from being read. */
    readonly warnings: Problem[],
    private readonly parent: Reader | null,
    private readonly key: string | number,
  ) {}

  /** A reader of a whole value. */
  static of(value: unknown, source: Source, warnings: Problem[] = []): Reader {
    return new Reader(value, source, warnings, null, '');
  }

  /** The own field of that name, or the item at that place of a list. */
  at(key: string | number): Reader {
    const { value } = this;
    const part = typeof value === 'object' && value !== null ? own(value, key) : undefined;
    return new Reader(part, this.source, this.warnings, this, key);
  }

  /** Returns a reader of another value at the same place. */
  with(value: unknown): Reader {
    return new Reader(value, this.source, this.warnings, this.parent, this.key);
  }

  get path(): Path {
    return this.parent === null ? [] : [...this.parent.path, this.key];
  }
  /** The line of the value, from 1; 0 if there is no text. */
  get line(): number {
    return this.source.position(this.path, false)?.line ?? 0;
  }
  get missing(): boolean {
    return this.value === undefined || (this.value === null && this.source.nullIsMissing);
  }

  /** Returns a problem at this place. With `ofKey` the place is that of the field's name. */
  problem(message: string, remedy: string, ofKey = false): Problem {
    const at = this.source.position(this.path, ofKey);
    return { path: pathText(this.path, this.source.root), message, remedy, ...at };
  }
  /** The same as an error, to be thrown. */
  error(message: string, remedy: string, ofKey = false): ShapeError {
    return new ShapeError([this.problem(message, remedy, ofKey)], this.source.file);
  }
  /** Returns several problems as one error. */
  all(problems: readonly Problem[]): ShapeError {
    return new ShapeError(problems, this.source.file);
  }
  /** Returns the error of a value that is something else than `what`, such as `a whole number`. */
  mustBe(what: string): ShapeError {
    return this.error(`it is ${this.missing ? 'missing' : show(this.value)}`, `it must be ${what}`);
  }

  string(what = 'a text'): string {
    const { value } = this;
    // YAML reads 1, true and the like as something else.
    if (typeof value === 'number' || typeof value === 'boolean') throw this.mustBe(`${what}: put it in quotes`);
    if (typeof value !== 'string') throw this.mustBe(what);
    if (value === '') throw this.error('it is empty', `it must be ${what}`);
    return value;
  }
  oneOf<T extends string>(words: readonly T[]): T {
    const { value } = this;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const near = typeof value === 'string' && value !== '' ? nearest(value, words) : null;
    if (near !== null) throw this.error(`it is ${show(value)}`, `did you mean "${near}"?`);
    throw this.mustBe(words.length === 1 ? `"${words[0]}"` : `one of ${words.join(', ')}`);
  }
  /** Returns the object; its fields are not known yet. */
  object(what = 'an object'): { readonly [key: string]: unknown } {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.mustBe(what);
    return value as { readonly [key: string]: unknown };
  }
  /** The items of a list. */
  list(what = 'a list'): Reader[] {
    if (!Array.isArray(this.value)) throw this.mustBe(what);
    return Array.from(this.value, (_, i) => this.at(i));
  }
  /** An object that has no fields but these. */
  fields(names: readonly string[]): { readonly [key: string]: unknown } {
    const object = this.object(`an object with ${names.join(', ') || 'no fields'}`);
    const problems: Problem[] = [];
    for (const key of Object.keys(object))
      if (!names.includes(key) && !attempt(problems, () => this.unknown(key, names))) break;
    if (problems.length > 0) throw this.all(problems);
    return object;
  }
  /** Throws for a field that there is not. */
  unknown(key: string, names: readonly string[]): never {
    throw this.at(key).error('there is no such field', suggest(key, names), true);
  }
}

/** Returns the result of `work`. A wrong shape of a value is thrown as an error of the caller's own kind. */
export function rethrowing<T>(Kind: new (message: string) => Error, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ShapeError ? new Kind(error.message) : error;
  }
}

/**
 * Runs `part` and adds what is wrong with it to `problems`, so that the parts after it are read, too. Returns false
 * when there are so many problems that reading on is of no use.
 */
export function attempt(problems: Problem[], part: () => void): boolean {
  try {
    part();
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    problems.push(...error.problems.slice(0, MAX_PROBLEMS - problems.length));
  }
  return problems.length < MAX_PROBLEMS;
}
