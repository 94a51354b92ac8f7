/** Sentences for actions and faults: the tables that each language fills, and how they are read. */
import type { Json, RecordOf } from '../records.js';
import { duration, type InputAction, type Names, quote, type Sentence, say } from './parts.js';

/** An object of a record whose fields may be missing or of another type: it may come from an old recording. */
export type Loose = { readonly [key: string]: Json | undefined };
export const loose = (value: Json | undefined): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
export const text = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? quote(String(value), 80) : '';
export const length = (value: Json | undefined): string => (typeof value === 'number' ? duration(value) : '');

/** Arguments of an `input` record, by position. */
export class Arguments {
  constructor(
    private readonly all: readonly Json[],
    readonly names: Names,
  ) {}
  text(i: number): string {
    return text(this.all[i]);
  }
  has(i: number): boolean {
    return this.text(i) !== '';
  }
  object(i: number): Loose {
    return loose(this.all[i]);
  }
  /** A pod by its uid or by a name that people write. */
  pod(i: number): Sentence {
    return say`${this.names.podBy(this.text(i))}`;
  }
  /** Returns all from `i` on as one command line. */
  line(i: number): string {
    return quote(
      this.all
        .slice(i)
        .map((a) => text(a))
        .join(' '),
      80,
    );
  }
}

/** The forms of a `fault` record's effect. */
export const effectShapes = {
  over: /^over$/,
  kill: /^kill (?:sandbox of )?(.+)$/,
  oom: /^OOM kill (.+)$/,
  nothing: /^nothing to strike: (.*)$/s,
  runtime: /^the runtime is stopped$/,
  network: /^the network is not ready$/,
  pressure: /^the node is short of (\w+)(?:: (.+) is left)?$/,
  kubeletKilled: /^the kubelet is killed$/,
  kubeletStopped: /^the kubelet is stopped$/,
  clock: /^the wall clock jumps by (.+)$/,
  api: /^the API server cannot be reached$/,
  apiStopped: /^the API server is stopped$/,
  apiSilent: /^the API server is silent$/,
  registry: /^the registry answers: (.+)$/,
  delay: /^delay (\S+)/,
  hang: /^no answer$/,
  doneHang: /^done, but no answer$/,
  fails: /^fails$/,
  succeeds: /^succeeds$/,
  hangs: /^hangs$/,
  error: /^([A-Z]\w+): (.*)$/s,
} as const;
export type EffectShape = keyof typeof effectShapes;

/**
 * Clauses of one language: they begin in lower case and have no full stop, so that they can be names, too. The English
 * table says which verbs of `input` records and which kinds of faults there are.
 */
export interface OutsideWords<V extends string = string, F extends string = string> {
  readonly inputs: { readonly [K in V]: (a: Arguments) => Sentence };
  readonly faults: { readonly [K in F]: (fault: Loose, names: Names) => Sentence };
  /** `call`: what was hit (StartContainer, a probe), '' for the node itself. `rest`: what the shape captured. */
  readonly effects: { readonly [S in EffectShape]: (call: string, rest: readonly string[], rule: string) => Sentence };
  /** Says a verb or an effect that the table does not have. */
  readonly other: (what: string) => Sentence;
}

type Clause = OutsideWords['inputs'][string];

/** Says what an `input` record did. */
export function inputWords(words: OutsideWords, { verb, args }: InputAction, names: Names): Sentence {
  return Object.hasOwn(words.inputs, verb)
    ? (words.inputs[verb] as Clause)(new Arguments(args, names))
    : words.other(verb);
}

/** Says what a `fault` record broke. */
export function effectWords(words: OutsideWords, r: Pick<RecordOf<'fault'>, 'rule' | 'method' | 'effect'>): Sentence {
  for (const [shape, pattern] of Object.entries(effectShapes)) {
    const found = pattern.exec(r.effect);
    if (found)
      return words.effects[shape as EffectShape](
        r.method,
        found.slice(1).map((s) => quote(s ?? '')),
        r.rule,
      );
  }
  return words.other(quote([r.method, r.effect].filter(Boolean).join(' ')));
}

/** A fault that begins, by its kind. */
export function faultIn(
  { faults, other }: Pick<OutsideWords, 'faults' | 'other'>,
  fault: Loose,
  names: Names,
): Sentence {
  const kind = text(fault.kind);
  return Object.hasOwn(faults, kind) ? (faults[kind] as OutsideWords['faults'][string])(fault, names) : other(kind);
}

/**
 * Returns `Kubelet` for `kubelet`: the first letter of a clause that becomes a sentence. A name that is a link stays.
 */
export function capital(sentence: Sentence): Sentence {
  const [first, ...rest] = sentence;
  return typeof first === 'string' && first !== ''
    ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest]
    : sentence;
}

/** A method of the CRI as it is called on the wire. */
export const methodName = (method: Json | undefined): string => {
  const name = text(method);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** Splits `default/web/app` or `web/app` into the pod and the container. */
export function ofContainer(path: string): { readonly pod: string; readonly container: string } {
  const at = path.lastIndexOf('/');
  return at < 0 ? { pod: path, container: '' } : { pod: path.slice(0, at), container: path.slice(at + 1) };
}
