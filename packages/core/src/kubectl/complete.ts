/** Completes a line of the console. */
import {
  type ArgKind,
  crictlWords,
  findVerb,
  resources,
  stepWords,
  toolOf,
  type Verb,
  verbs,
  verbsOf,
} from './grammar.js';
import { splitWords } from './words.js';

/** The names of a session that completion offers. */
export interface Known {
  readonly pods: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly containers: readonly string[];
  }[];
  readonly manifests: readonly string[];
  /** Ids of the runtime's containers and sandboxes, short. */
  readonly containers: readonly string[];
  readonly sandboxes: readonly string[];
  /** Fields below a path, for explain: `pod.spec.` gives `pod.spec.containers`… */
  fields(path: string): readonly string[];
}

export interface Completion {
  /** The part of the line that a candidate takes the place of. */
  readonly from: number;
  readonly to: number;
  /** In the order in which they are offered. */
  readonly candidates: readonly string[];
}

/** Candidates for the word at the end of `line`. */
export function complete(line: string, known: Known): Completion {
  const words = splitWords(line, true);
  const last = words.at(-1);
  const current = last && last.to === line.length && !/\s$/.test(line) ? last : null;
  const before = (current ? words.slice(0, -1) : words).map((w) => w.text);
  const typed = current?.text ?? '';
  const from = current?.from ?? line.length;
  const offer = (all: readonly string[], start = 0): Completion => ({
    from: from + start,
    to: line.length,
    candidates: [...new Set(all)].filter((c) => c.startsWith(typed.slice(start)) && c !== typed.slice(start)),
  });

  const { tool, skip } = toolOf(before);
  if (before.length === 0)
    return offer(
      [...verbsOf('own').map((v) => v.name), ...verbsOf('kubectl').map((v) => v.name), 'kubectl', 'crictl'].sort(),
    );
  const word = before[skip];
  if (word === undefined) return offer(tool === 'crictl' ? crictlWords : verbsOf(tool).map((v) => v.name));
  const verb = findVerb(tool, word);
  if (!verb) return offer([]);
  return afterVerb(verb, before.slice(skip + 1), typed, known, offer);
}

function afterVerb(
  verb: Verb,
  args: readonly string[],
  typed: string,
  known: Known,
  offer: (all: readonly string[], start?: number) => Completion,
): Completion {
  // Behind -- it is the container's business.
  if (args.includes('--')) return offer([]);
  const values = (kind: ArgKind) => valuesOf(kind, verb, args, known, typed);

  const equals = /^--([\w-]+)=/.exec(typed);
  if (equals) {
    const flag = verb.flags.find((f) => f.name === equals[1]);
    return offer(flag?.takes ? values(flag.takes) : [], equals[0].length);
  }
  const previous = args.at(-1) ?? '';
  const waiting = verb.flags.find(
    (f) =>
      f.takes !== undefined && (previous === `--${f.name}` || (f.short !== undefined && previous === `-${f.short}`)),
  );
  if (waiting?.takes) return offer(values(waiting.takes));
  if (typed.startsWith('-')) {
    const used = new Set(args.map((a) => a.replace(/=.*/, '')));
    const free = verb.flags.filter((f) => !used.has(`--${f.name}`) && !(f.short && used.has(`-${f.short}`)));
    return offer(free.map((f) => `--${f.name}${f.takes === 'number' ? '=' : ''}`));
  }
  const plain = plainWords(verb, args);
  const place = Math.min(plain.length, verb.args.length - 1);
  const kind = verb.args[place];
  if (kind === undefined) return offer([]);
  // Names are offered for pods only.
  if (kind === 'pod' && verb.args[0] === 'resource' && !(resources.pods as readonly string[]).includes(plain[0] ?? ''))
    return offer([]);
  return offer(values(kind));
}

/** Arguments that are not flags and no values of flags. */
function plainWords(verb: Verb, args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    if (!word.startsWith('-')) out.push(word);
    else if (verb.flags.some((f) => f.takes !== undefined && (word === `--${f.name}` || word === `-${f.short}`))) i++;
  }
  return out;
}

function valuesOf(kind: ArgKind, verb: Verb, args: readonly string[], known: Known, typed: string): readonly string[] {
  if (typeof kind !== 'string') return kind;
  const at = args.findIndex((a) => a === '-n' || a === '--namespace');
  const namespace = at < 0 ? null : args[at + 1];
  const pods = known.pods.filter((p) => namespace === null || p.namespace === namespace);
  switch (kind) {
    case 'resource': {
      const names =
        verb.name === 'get'
          ? Object.values(resources).flat()
          : verb.name === 'describe'
            ? [...resources.pods, ...resources.nodes]
            : [...resources.pods];
      return typed.startsWith('pod/') ? pods.map((p) => `pod/${p.name}`) : names;
    }
    case 'pod': {
      const names = pods.map((p) => p.name);
      const slash = /^(pods?|po)\//.exec(typed)?.[0] ?? '';
      const used = new Set(args);
      return slash ? names.map((n) => slash + n) : names.filter((n) => !used.has(n));
    }
    case 'container': {
      const plain = plainWords(verb, args).map((w) => w.replace(/^.*\//, ''));
      const named = pods.filter((p) => plain.includes(p.name));
      return (named.length > 0 ? named : pods).flatMap((p) => p.containers);
    }
    case 'namespace':
      return [...new Set(['default', ...known.pods.map((p) => p.namespace)])];
    case 'manifest':
      return verb.name === 'apply' ? [...known.manifests, '-'] : known.manifests;
    case 'field':
      return known.fields(typed);
    case 'runtime':
      return verb.name === 'inspectp' ? known.sandboxes : known.containers;
    case 'unit':
      return stepWords;
    case 'topic':
      return verbs.map((v) => v.name);
    default:
      return [];
  }
}

/** Returns the text that all candidates begin with: Tab goes as far as that. */
export function commonStart(candidates: readonly string[]): string {
  let start = candidates[0] ?? '';
  for (const c of candidates) while (!c.startsWith(start)) start = start.slice(0, -1);
  return start;
}
