/** A verb's flags and arguments, as kubectl reads them: `-o wide`, `-owide`, `--tail=5`, `-it`, `--`. */
import { nearest } from '../words/index.js';
import { ConsoleError } from './errors.js';
import type { Flag, Verb } from './grammar.js';

export interface Args {
  readonly words: readonly string[];
  /** Behind `--`, null if there is none. */
  readonly rest: readonly string[] | null;
  readonly help: boolean;
  on(flag: string): boolean;
  text(flag: string): string | null;
  number(flag: string): number | null;
}

/** Throws a ConsoleError for a flag that the verb does not have, or that lacks its value. */
export function flagsOf(verb: Verb, input: readonly string[]): Args {
  const values = new Map<string, string>();
  const words: string[] = [];
  let rest: string[] | null = null;
  let help = false;
  for (let i = 0; i < input.length; i++) {
    const word = input[i] as string;
    if (word === '--') {
      rest = input.slice(i + 1);
      break;
    }
    if (word === '--help' || word === '-h') {
      help = true;
    } else if (word.startsWith('--')) {
      const at = word.indexOf('=');
      const name = at < 0 ? word.slice(2) : word.slice(2, at);
      const flag = verb.flags.find((f) => f.name === name);
      if (!flag) throw unknownFlag(verb, `--${name}`);
      if (at >= 0) values.set(name, checked(flag, word.slice(at + 1), `--${name}`));
      else if (flag.takes === undefined) values.set(name, 'true');
      else values.set(name, checked(flag, input[++i], `--${name}`));
    } else if (word.startsWith('-') && word !== '-') {
      // Several of one letter may stand together; what follows one that takes a value is its value.
      for (let j = 1; j < word.length; j++) {
        const letter = word[j] as string;
        const flag = verb.flags.find((f) => f.short === letter);
        if (!flag) throw unknownFlag(verb, `-${letter}`);
        if (flag.takes === undefined) {
          values.set(flag.name, 'true');
          continue;
        }
        const glued = word.slice(j + 1).replace(/^=/, '');
        values.set(flag.name, checked(flag, glued === '' ? input[++i] : glued, `-${letter}`));
        break;
      }
    } else words.push(word);
  }
  return {
    words,
    rest,
    help,
    on: (flag) => values.get(flag) === 'true',
    text: (flag) => values.get(flag) ?? null,
    number: (flag) => {
      const v = values.get(flag);
      return v === undefined ? null : Number(v);
    },
  };
}

function checked({ takes }: Flag, value: string | undefined, name: string): string {
  if (value === undefined) throw new ConsoleError(`flag needs an argument: ${name}`, `参数 ${name} 需要一个值`);
  if (takes === undefined && value !== 'true' && value !== 'false')
    throw new ConsoleError(
      `${name} is true or false, not "${value}"`,
      `${name} 只能是 true 或 false，不能是 "${value}"`,
    );
  if (takes === 'number' && !/^-?\d{1,9}$/.test(value))
    throw new ConsoleError(`${name} takes a whole number, not "${value}"`, `${name} 需要整数，而不是 "${value}"`);
  if (Array.isArray(takes)) {
    const known = takes as readonly string[];
    for (const one of value.split(',')) {
      if (known.includes(one)) continue;
      const near = nearest(one, known);
      throw new ConsoleError(
        `${name} cannot be "${one}"; ${near ? `did you mean "${near}"?` : `it is one of ${known.join(', ')}`}`,
        `${name} 不能是 "${one}"；${near ? `是否想输入 "${near}"？` : `可用的有：${known.join('、')}`}`,
      );
    }
  }
  return value;
}

function unknownFlag(verb: Verb, flag: string): ConsoleError {
  const known = verb.flags.map((f) => `--${f.name}`);
  const near = flag.startsWith('--') ? nearest(flag, known) : null;
  const all = verb.flags.map((f) => (f.short ? `-${f.short}/--${f.name}` : `--${f.name}`)).join(', ');
  const hint = near ? `did you mean "${near}"?` : all === '' ? 'it takes none' : `there are: ${all}`;
  const zh = near ? `是否想输入 "${near}"？` : all === '' ? '它没有参数' : `可用的有：${all}`;
  return new ConsoleError(`${verb.name} has no flag ${flag}; ${hint}`, `${verb.name} 没有参数 ${flag}；${zh}`);
}
