/**
 * Flags as Kubernetes' tools take them: `--flag value`, `--flag=value`, `--bool`, `--bool=false`, `-v 4`, `-v=4`,
 * `-v4`; `_` counts as `-`. upstream: github.com/spf13/pflag
 */

import { isQuantity, parseDuration, parseQuantity, quantityValue } from '@syncloop/core/base';
import { formatDuration } from '@syncloop/core/kernel';
import { UsageError } from '../base/errors.js';
import { irregular } from '../base/read-file.js';
import { sizeText } from '../base/size-text.js';
import { suggestion } from '../base/suggestion.js';

/**
 * `file`: the path of a regular file, which need not be there, or `-`. What is there and is something else is refused
 * before anybody opens it. `size`: bytes, as a quantity of Kubernetes (1Gi).
 */
export type FlagType = 'string' | 'file' | 'bool' | 'int' | 'duration' | 'size';

/** One flag that a command takes. */
export interface FlagSpec {
  readonly type: FlagType;
  readonly help: string;
  /** The placeholder of the value in help: `PORT`. */
  readonly value?: string;
  /** One letter: `v` for -v. */
  readonly short?: string;
  /** The value if the flag is given without one; a value then needs `=`. upstream: pflag NoOptDefVal */
  readonly alone?: string;
  /** Smallest and largest, for `int`. */
  readonly min?: number;
  readonly max?: number;
  /** May be given several times; the values are a list. */
  readonly many?: boolean;
  readonly hidden?: boolean;
}

export type FlagSpecs = { readonly [name: string]: FlagSpec };

type ValueOf<S extends FlagSpec> = S['type'] extends 'bool'
  ? boolean
  : S['type'] extends 'string' | 'file'
    ? string
    : number;

/** The flags on the command line; a flag that was not given is missing. Durations are Micros. */
export type Flags<S extends FlagSpecs> = {
  [K in keyof S]?: S[K] extends { many: true } ? ValueOf<S[K]>[] : ValueOf<S[K]>;
};

/** A parsed command line. */
export interface Parsed<S extends FlagSpecs> {
  readonly flags: Flags<S>;
  readonly positionals: string[];
}

/** Parses the words after the command's name. Throws a UsageError that names the flag and the value it needs. */
export function parseArgs<S extends FlagSpecs>(
  command: string,
  argv: readonly string[],
  specs: S,
  helpCommand = `syncloop help ${command}`,
): Parsed<S> {
  const flags: Record<string, unknown> = {};
  const positionals: string[] = [];
  const help = `see: ${helpCommand}`;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (word === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const found = split(word, specs);
    if (!found) {
      positionals.push(word);
      continue;
    }
    const { shown, name } = found;
    const spec = name === undefined ? undefined : specs[name];
    if (name === undefined || !spec) {
      throw new UsageError(
        `unknown flag ${shown}${suggestion(shown.replace(/^-+/, ''), Object.keys(specs), '--')}; ${help}`,
      );
    }
    let text = found.value;
    if (text === undefined) text = spec.alone ?? (spec.type === 'bool' ? 'true' : undefined);
    if (text === undefined) {
      text = argv[++i];
      if (text === undefined)
        throw new UsageError(`${shown} needs a value: ${shown}=${spec.value ?? 'VALUE'}; ${help}`);
    }
    const value = parseValue(shown, spec, text);
    if (spec.many) flags[name] = [...((flags[name] as unknown[] | undefined) ?? []), value];
    else flags[name] = value;
  }
  return { flags: flags as Flags<S>, positionals };
}

/**
 * Returns the values of some flags on a command line whose other flags are not known. Wrong values are left out: the
 * parser of all flags reports them.
 */
export function peekFlags<S extends FlagSpecs>(argv: readonly string[], specs: S): Flags<S> {
  const flags: Record<string, unknown> = {};
  for (const [i, word] of argv.entries()) {
    if (word === '--') break;
    const { name, value = argv[i + 1], shown } = split(word, specs) ?? { shown: word };
    const spec = name === undefined ? undefined : specs[name];
    if (name === undefined || !spec || value === undefined) continue;
    try {
      flags[name] = parseValue(shown, spec, value);
    } catch {
      // The command itself reports the error.
    }
  }
  return flags as Flags<S>;
}

/** Splits a word into a flag and its value; undefined if it is not a flag. `name` is missing for an unknown flag. */
function split(word: string, specs: FlagSpecs): { shown: string; name?: string; value?: string } | undefined {
  const long = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word);
  if (long) {
    const name = (long[1] as string).replaceAll('_', '-');
    return { shown: `--${long[1]}`, ...(specs[name] && { name }), ...(long[2] !== undefined && { value: long[2] }) };
  }
  const short = /^-([A-Za-z])(?:=?([\s\S]+))?$/.exec(word);
  if (!short) return undefined;
  const letter = short[1] as string;
  const name = Object.keys(specs).find((n) => n === letter || specs[n]?.short === letter);
  if (name === undefined && short[2] !== undefined) return { shown: word };
  return {
    shown: `-${letter}`,
    ...(name !== undefined && { name }),
    ...(short[2] !== undefined && { value: short[2] }),
  };
}

function parseValue(shown: string, spec: FlagSpec, text: string): string | number | boolean {
  const wrong = (want: string) => new UsageError(`${shown} is ${JSON.stringify(text)}, but must be ${want}`);
  switch (spec.type) {
    case 'string':
      return text;
    case 'file': {
      const problem = text === '-' ? null : irregular(text);
      if (problem) throw new UsageError(`${shown} ${problem.message}`);
      return text;
    }
    case 'bool':
      if (/^(true|t|1)$/i.test(text)) return true;
      if (/^(false|f|0)$/i.test(text)) return false;
      throw wrong('true or false');
    case 'int': {
      const n = Number(text);
      const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = spec;
      if (/^[+-]?\d+$/.test(text) && n >= min && n <= max) return n;
      const range =
        spec.max !== undefined ? ` from ${min} to ${max}` : spec.min !== undefined ? ` of at least ${min}` : '';
      throw wrong(`a whole number${range}`);
    }
    case 'size': {
      const { min = 0 } = spec;
      const bytes = isQuantity(text) ? quantityValue(parseQuantity(text)) : Number.NaN;
      if (bytes >= min && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
      throw wrong(`a size such as 512Mi or 2Gi${min > 0 ? `, at least ${sizeText(min)}` : ''}`);
    }
    case 'duration': {
      const d = parseDuration(text);
      if (d === null || d < 0) throw wrong(`a duration such as 500ms, 20s or ${formatDuration(90_000_000)}`);
      return d;
    }
  }
}

/** The flags as a table for help. */
export function flagHelp(specs: FlagSpecs): string {
  const rows = Object.entries(specs)
    .filter(([, spec]) => !spec.hidden)
    .map(([name, spec]) => {
      const shown = spec.value ?? spec.type.toUpperCase();
      const value = spec.type === 'bool' ? '' : spec.alone === undefined ? ` ${shown}` : `[=${shown}]`;
      const long = name.length === 1 ? `-${name}${value}` : `--${name}${value}`;
      return [`  ${spec.short ? `-${spec.short}, ` : ''}${long}`, spec.help] as const;
    });
  const width = Math.min(42, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows
    .map(([left, text]) => (left.length < width ? left.padEnd(width) + text : `${left}\n${' '.repeat(width)}${text}`))
    .join('\n');
}
