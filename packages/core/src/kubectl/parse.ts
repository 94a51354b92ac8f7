/** Parses a line of the console. */
import { nearest } from '../words/index.js';
import { ConsoleError } from './errors.js';
import { type Args, flagsOf } from './flags.js';
import type { Output } from './get.js';
import {
  findVerb,
  type Resource,
  resources,
  type StepWord,
  stepWords,
  toolOf,
  type Verb,
  verbs,
  verbsOf,
} from './grammar.js';
import {
  eventFields,
  parseFieldSelector,
  parseLabelSelector,
  plainFields,
  podFields,
  type Requirement,
} from './selectors.js';
import { splitWords } from './words.js';

/** null: in all namespaces. */
export type Namespace = string | null;

export type ConsoleCommand =
  | {
      readonly do: 'get';
      readonly resource: Resource;
      readonly names: readonly string[];
      readonly namespace: Namespace;
      readonly output: Output;
      readonly labels: readonly Requirement[];
      readonly fields: readonly Requirement[];
      readonly noHeaders: boolean;
      readonly showLabels: boolean;
      readonly watch: false | 'list' | 'only';
    }
  | {
      readonly do: 'describe';
      readonly resource: 'pods' | 'nodes';
      readonly names: readonly string[];
      readonly namespace: Namespace;
      readonly labels: readonly Requirement[];
    }
  | {
      readonly do: 'logs';
      readonly pod: string;
      readonly namespace: string;
      readonly container: string | null;
      readonly previous: boolean;
      readonly follow: boolean;
      /** null: all lines. */
      readonly tail: number | null;
      readonly timestamps: boolean;
    }
  | {
      readonly do: 'exec';
      readonly pod: string;
      readonly namespace: string;
      readonly container: string | null;
      readonly command: readonly string[];
      readonly interactive: boolean;
    }
  /** `-` is what follows in the input. */
  | { readonly do: 'apply'; readonly file: string; readonly stdin: string | null }
  | {
      readonly do: 'delete';
      readonly names: readonly string[];
      readonly file: string | null;
      readonly namespace: string;
      /** Seconds; null: as in the pod. */
      readonly grace: number | null;
      readonly force: boolean;
    }
  | { readonly do: 'edit'; readonly pod: string; readonly namespace: string }
  | { readonly do: 'explain'; readonly path: string; readonly recursive: boolean }
  | { readonly do: 'crictl'; readonly what: 'ps'; readonly all: boolean }
  | { readonly do: 'crictl'; readonly what: 'pods' | 'images' }
  | { readonly do: 'crictl'; readonly what: 'inspect' | 'inspectp'; readonly id: string }
  | {
      readonly do: 'crictl';
      readonly what: 'logs';
      readonly id: string;
      readonly tail: number | null;
      readonly follow: boolean;
      readonly timestamps: boolean;
    }
  | { readonly do: 'step'; readonly unit: StepWord; readonly count: number; readonly back: boolean }
  | { readonly do: 'continue' | 'pause' | 'ls' | 'clear' | 'nothing' }
  | { readonly do: 'go'; readonly to: GoPlace }
  | { readonly do: 'why' | 'break'; readonly pod: string | null; readonly namespace: string }
  | { readonly do: 'cat' | 'rm'; readonly file: string }
  | { readonly do: 'help'; readonly topic: string | null };

export type GoPlace =
  | { readonly seq: number }
  | { readonly step: number }
  | { readonly iteration: number }
  /** Micros. */
  | { readonly time: number }
  | 'end'
  | 'start';

/**
 * Reads what was typed: a line, and behind it what belongs to its `-f -`. Throws a ConsoleError that says what to
 * write instead.
 */
export function parseConsole(input: string): ConsoleCommand {
  const { line, stdin } = takeHeredoc(input);
  const words = splitWords(line.replace(/^\s*[$#]\s+/, '')).map((w) => w.text);
  if (words.length === 0) return { do: 'nothing' };
  const { tool, skip } = toolOf(words);
  const word = words[skip];
  if (word === undefined || word === '--help' || word === '-h') return { do: 'help', topic: tool };
  const verb = findVerb(tool, word);
  if (!verb) throw unknownWord(word, tool, skip === 0);
  const args = flagsOf(verb, words.slice(skip + 1));
  if (args.help) return { do: 'help', topic: verb.tool === 'crictl' ? `crictl ${verb.name}` : verb.name };
  return read[tool](verb, args, stdin);
}

/** Takes `<<EOF` and the lines up to EOF from the input, or everything after the first line. */
export function takeHeredoc(input: string): { readonly line: string; readonly stdin: string | null } {
  const [first = '', ...rest] = input.replace(/\r/g, '').split('\n');
  const mark = /<<-?\s*(["']?)([\w-]+)\1\s*$/.exec(first);
  const line = mark ? first.slice(0, mark.index) : first;
  if (!mark) {
    if (rest.every((l) => l.trim() === '')) return { line, stdin: null };
    return { line, stdin: `${rest.join('\n').trimEnd()}\n` };
  }
  const end = rest.findIndex((l) => l.trim() === mark[2]);
  const body = end < 0 ? rest : rest.slice(0, end);
  return { line, stdin: body.length > 0 ? `${body.join('\n').trimEnd()}\n` : null };
}

/** Returns true if the input is not done: more lines are to come. */
export function wantsMore(input: string): boolean {
  const [first = '', ...rest] = input.split('\n');
  const mark = /<<-?\s*(["']?)([\w-]+)\1\s*$/.exec(first);
  if (mark) return !rest.some((l) => l.trim() === mark[2]);
  return /^\s*(?:(?:kubectl|k)\s+)?apply\s.*-f\s*-\s*$/.test(first) && !rest.some((l) => l.trim() !== '');
}

function unknownWord(word: string, tool: Verb['tool'], bare: boolean): ConsoleError {
  const known = (bare ? verbs.filter((v) => v.tool !== 'crictl') : verbsOf(tool)).map((v) => v.name);
  const near = nearest(word, bare ? [...known, 'kubectl', 'crictl'] : known);
  const what = bare ? word : `${tool} ${word}`;
  return near === null
    ? new ConsoleError(
        `unknown command "${what}"; there are: ${known.join(', ')}${bare ? ', crictl' : ''}`,
        `没有命令 "${what}"；可用的有：${known.join('、')}${bare ? '、crictl' : ''}`,
      )
    : new ConsoleError(
        `unknown command "${what}"; did you mean "${bare ? near : `${tool} ${near}`}"?`,
        `没有命令 "${what}"；是否想输入 "${bare ? near : `${tool} ${near}`}"？`,
      );
}

const usage = (verb: Verb): ConsoleError =>
  new ConsoleError(`something is missing; write: ${verb.usage}`, `缺少参数；请写成：${verb.usage}`);

/** A resource and names, also as `pod/web`. */
function resourceAndNames(verb: Verb, args: Args): { resource: Resource; names: string[] } {
  const [first, ...rest] = args.words;
  if (first === undefined) throw usage(verb);
  if (args.words.every((w) => w.includes('/'))) {
    const parts = args.words.map((w) => [w.slice(0, w.indexOf('/')), w.slice(w.indexOf('/') + 1)] as const);
    const kinds = new Set(parts.map(([kind]) => resourceOf(kind)));
    const [resource] = kinds;
    if (kinds.size > 1 || resource === undefined)
      throw new ConsoleError('all names must be of one kind', '所有名称必须属于同一种资源');
    return { resource, names: parts.map(([, name]) => name) };
  }
  return { resource: resourceOf(first), names: rest };
}

function resourceOf(word: string): Resource {
  const bare = word.toLowerCase().replace(/\.v1$/, '');
  for (const [name, words] of Object.entries(resources))
    if ((words as readonly string[]).includes(bare)) return name as Resource;
  if (bare === 'all') return 'pods';
  const near = nearest(bare, Object.values(resources).flat());
  throw new ConsoleError(
    `the server doesn't have a resource type "${word}"; ${near ? `did you mean "${near}"?` : `there are: ${Object.keys(resources).join(', ')}`}`,
    `没有资源类型 "${word}"；${near ? `是否想输入 "${near}"？` : `这里有：${Object.keys(resources).join('、')}`}`,
  );
}

/** Returns the names, which must be those of pods. */
function podNames(verb: Verb, args: Args): string[] {
  const { resource, names } = resourceAndNames(verb, args);
  if (resource !== 'pods')
    throw new ConsoleError(
      `${verb.name} is for pods; write: ${verb.usage}`,
      `${verb.name} 只用于 Pod；请写成：${verb.usage}`,
    );
  return names;
}

/** Reads the name of a pod: `web`, `pod/web`. */
function podName(verb: Verb, word: string | undefined): string {
  if (word === undefined) throw usage(verb);
  const at = word.indexOf('/');
  if (at >= 0 && resourceOf(word.slice(0, at)) !== 'pods') throw usage(verb);
  return word.slice(at + 1);
}

const space = (args: Args): string => args.text('namespace') ?? 'default';
const spaces = (args: Args): Namespace => (args.on('all-namespaces') ? null : space(args));

type Reader = (verb: Verb, args: Args, stdin: string | null) => ConsoleCommand;
const read: Readonly<Record<Verb['tool'], Reader>> = {
  kubectl: (verb, args, stdin) => (kubectl[verb.name] as Reader)(verb, args, stdin),
  crictl: (verb, args) => {
    const [id] = args.words;
    switch (verb.name) {
      case 'ps':
        return { do: 'crictl', what: 'ps', all: args.on('all') };
      case 'pods':
      case 'images':
        return { do: 'crictl', what: verb.name };
    }
    if (id === undefined) throw usage(verb);
    if (verb.name !== 'logs') return { do: 'crictl', what: verb.name as 'inspect' | 'inspectp', id };
    const [tail, follow, timestamps] = [args.number('tail'), args.on('follow'), args.on('timestamps')];
    return { do: 'crictl', what: 'logs', id, tail, follow, timestamps };
  },
  own: (verb, args) => readOwn(verb, args),
};

const kubectl: Readonly<Record<string, Reader>> = {
  get(verb, args) {
    const { resource, names } = resourceAndNames(verb, args);
    const output = (args.text('output') ?? 'table') as Output;
    const labels = parseLabelSelector(args.text('selector') ?? '');
    const fields = parseFieldSelector(
      args.text('field-selector') ?? '',
      resource === 'events' ? eventFields : resource === 'pods' ? podFields : plainFields,
    );
    if (names.length > 0 && labels.length + fields.length > 0)
      throw new ConsoleError('name cannot be provided when a selector is specified', '给出名称时不能再用选择器');
    const watch = args.on('watch-only') ? 'only' : args.on('watch') ? 'list' : false;
    if (watch && (output === 'yaml' || output === 'json'))
      throw new ConsoleError(
        `here a watch prints only tables; leave out -o ${output}`,
        `这里的 watch 只输出表格；请去掉 -o ${output}`,
      );
    if (watch && resource !== 'pods' && resource !== 'events')
      throw new ConsoleError(
        `only pods and events can be watched here; leave out --watch`,
        `这里只能 watch pod 和事件；请去掉 --watch`,
      );
    const [noHeaders, showLabels] = [args.on('no-headers'), args.on('show-labels')];
    return {
      do: 'get',
      resource,
      names,
      namespace: spaces(args),
      output,
      labels,
      fields,
      noHeaders,
      showLabels,
      watch,
    };
  },
  describe(verb, args) {
    const labels = parseLabelSelector(args.text('selector') ?? '');
    const { resource, names } = resourceAndNames(verb, args);
    if (resource !== 'pods' && resource !== 'nodes')
      throw new ConsoleError(
        `${verb.name} is for pods and nodes; write: ${verb.usage}, or kubectl get ${resource} -o yaml`,
        `${verb.name} 只用于 Pod 和节点；请写成：${verb.usage}，或 kubectl get ${resource} -o yaml`,
      );
    return { do: 'describe', resource, names, namespace: spaces(args), labels };
  },
  events(verb, args) {
    const on = args.text('for');
    const types = (args.text('types') ?? '').split(',').filter(Boolean);
    const fields: Requirement[] = [
      ...(on === null ? [] : [{ key: 'involvedObject.name', op: 'in' as const, values: [podName(verb, on)] }]),
      ...(types.length === 0 ? [] : [{ key: 'type', op: 'in' as const, values: types }]),
    ];
    return {
      do: 'get',
      resource: 'events',
      names: [],
      namespace: spaces(args),
      output: 'table',
      labels: [],
      fields,
      noHeaders: args.on('no-headers'),
      showLabels: false,
      watch: args.on('watch') ? 'list' : false,
    };
  },
  logs(verb, args) {
    const [pod, container] = args.words;
    return {
      do: 'logs',
      pod: podName(verb, pod),
      namespace: space(args),
      container: args.text('container') ?? container ?? null,
      previous: args.on('previous'),
      follow: args.on('follow'),
      tail: args.number('tail'),
      timestamps: args.on('timestamps'),
    };
  },
  exec(verb, args) {
    const [pod, ...rest] = args.words;
    if (rest.length > 0 || args.rest === null || args.rest.length === 0)
      throw new ConsoleError(
        `you must specify at least one command for the container, after --: ${verb.usage}`,
        `请在 -- 之后写出要在容器中运行的命令：${verb.usage}`,
      );
    return {
      do: 'exec',
      pod: podName(verb, pod),
      namespace: space(args),
      container: args.text('container'),
      command: args.rest,
      interactive: args.on('stdin') || args.on('tty'),
    };
  },
  apply(verb, args, stdin) {
    const file = args.text('filename') ?? args.words[0];
    if (file === undefined) throw usage(verb);
    return { do: 'apply', file, stdin };
  },
  delete(verb, args) {
    const file = args.text('filename');
    const names = file === null ? podNames(verb, args) : [];
    if (file === null && names.length === 0) throw usage(verb);
    const grace = args.on('now') ? 1 : args.number('grace-period');
    const force = args.on('force');
    if (grace === 0 && !force)
      throw new ConsoleError(
        '--grace-period=0 deletes at once and must be used with --force',
        '--grace-period=0 会立即删除，必须与 --force 一起使用',
      );
    return { do: 'delete', names, file, namespace: space(args), grace: force ? (grace ?? 0) : grace, force };
  },
  edit(verb, args) {
    const [first] = args.words;
    const pod = args.words.length === 1 && first?.endsWith('.yaml') ? first : podNames(verb, args)[0];
    if (pod === undefined) throw usage(verb);
    return { do: 'edit', pod, namespace: space(args) };
  },
  explain(verb, args) {
    const [path] = args.words;
    if (path === undefined) throw usage(verb);
    return { do: 'explain', path, recursive: args.on('recursive') };
  },
};

function readOwn(verb: Verb, args: Args): ConsoleCommand {
  const [first] = args.words;
  switch (verb.name) {
    case 'step':
    case 'back':
      return readStep(verb, args);
    case 'go':
      return { do: 'go', to: readPlace(verb, args) };
    case 'why':
    case 'break':
      return { do: verb.name, pod: first === undefined ? null : podName(verb, first), namespace: space(args) };
    case 'cat':
    case 'rm':
      if (first === undefined) throw usage(verb);
      return { do: verb.name, file: first };
    case 'help':
      return { do: 'help', topic: first === undefined ? null : args.words.join(' ') };
    default:
      return { do: verb.name as 'continue' | 'pause' | 'ls' | 'clear' };
  }
}

function readStep(verb: Verb, { words }: Args): ConsoleCommand {
  let unit: StepWord = 'decision';
  let count = 1;
  for (const word of words) {
    const known = stepWords.find((u) => u === word || `${u}s` === word);
    if (known) unit = known;
    else if (/^\d{1,6}$/.test(word) && Number(word) > 0) count = Number(word);
    else {
      const near = nearest(word, stepWords);
      throw new ConsoleError(
        `${verb.name} by "${word}" is not possible; ${near ? `did you mean "${near}"?` : `there are: ${stepWords.join(', ')}, and a count`}`,
        `不能按 "${word}" ${verb.name}；${near ? `是否想输入 "${near}"？` : `可用的有：${stepWords.join('、')}，以及次数`}`,
      );
    }
  }
  return { do: 'step', unit, count, back: verb.name === 'back' };
}

function readPlace(verb: Verb, { words: [first, second] }: Args): GoPlace {
  if (first === 'end' || first === 'start') return first;
  const number = (word: string | undefined) =>
    word && /^#?\d{1,12}$/.test(word) ? Number(word.replace('#', '')) : null;
  const seq = number(first);
  if (seq !== null) return { seq };
  const time = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)$/.exec(first ?? '');
  if (time) {
    const unit = { us: 1, ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9 }[time[2] as 's'];
    return { time: Math.round(Number(time[1]) * unit) };
  }
  const n = number(second);
  if (n !== null && (first === 'record' || first === 'step' || first === 'decision' || first === 'iteration'))
    return first === 'record' ? { seq: n } : first === 'iteration' ? { iteration: n } : { step: n };
  throw usage(verb);
}
