import { GrpcCode, type GrpcCodeName, rpcs } from '../cri/index.js';
import { Second } from '../kernel/index.js';
import type { FaultEffect, FaultRule, ImageSpecification, RegistryBehaviour } from '../mock/index.js';
import { suggest } from './errors.js';
import type { Reader } from './reader.js';
import type { Action, Condition, Step, Verb } from './scenario.js';

const noArguments = [
  'clearFaults',
  'stopKubelet',
  'startKubelet',
  'restartKubelet',
  'stopRuntime',
  'startRuntime',
] as const;
const defaultTimeout = 60 * Second;

/** What reads each verb's argument. */
const readers: {
  readonly [V in Exclude<Verb, (typeof noArguments)[number]>]: (r: Reader) => Extract<Action, { verb: V }>;
} = {
  apply,
  delete: (r) => ({ verb: 'delete', name: podName(r) }),
  raw: (r) => {
    r.fields(['file', 'text']);
    const text = r.at('text');
    if (typeof text.value !== 'string') throw text.error('want a text; write it as a block after "text: |"');
    return { verb: 'raw', file: fileName(r.at('file')), text: text.value };
  },
  rmraw: (r) => ({ verb: 'rmraw', file: fileName(r) }),
  wait: (r) => ({ verb: 'wait', duration: r.duration() }),
  waitFor: (r) => {
    const { timeout, ...condition } = readCondition(r);
    return { verb: 'waitFor', condition, timeout };
  },
  kill: (r) => {
    r.fields(['pod', 'container', 'signal']);
    const signal =
      r.maybe('signal', (s) => s.oneOf(['KILL', 'TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'SEGV', 'ABRT'])) ??
      'KILL';
    return { verb: 'kill', pod: r.at('pod').string(), container: r.at('container').string(), signal };
  },
  killSandbox: (r) => ({ verb: 'killSandbox', pod: podName(r) }),
  oom: (r) => {
    r.fields(['pod', 'container']);
    return { verb: 'oom', pod: r.at('pod').string(), container: r.at('container').string() };
  },
  exec: (r) => {
    r.fields(['pod', 'container', 'command']);
    const command = r.at('command');
    const argv = typeof command.value === 'string' ? ['sh', '-c', command.string()] : command.strings();
    if (argv.length === 0) throw command.error('want at least the name of a program');
    return { verb: 'exec', pod: r.at('pod').string(), container: r.at('container').string(), command: argv };
  },
  fault: (r) => ({ verb: 'fault', rule: readFault(r) }),
  network: (r) => ({ verb: 'network', ready: r.oneOf(['ready', 'notReady']) === 'ready' }),
  addImage: (r) => ({ verb: 'addImage', image: readImage(r) }),
  removeImage: (r) => ({ verb: 'removeImage', ref: r.string() }),
  registry: (r) => ({ verb: 'registry', ...readRegistry(r) }),
};

const verbs: readonly string[] = [...Object.keys(readers), ...noArguments];

/** One item of `steps`: a map of one verb, or the name of a verb that takes nothing. */
export function parseStep(r: Reader): Step {
  const line = r.doc.position(r.path).line;
  let verb: string;
  let argument: Reader | null = null;
  if (typeof r.value === 'string') {
    verb = r.value;
    if (!verbs.includes(verb)) throw r.error(`unknown verb; ${suggest(verb, verbs)}`);
    if (verb in readers) throw r.error(`${verb} needs an argument; write "${verb}: ..."`);
  } else {
    if (typeof r.value !== 'object' || r.value === null || Array.isArray(r.value))
      throw r.error(`want a step; ${suggest('', verbs)}`);
    const keys = Object.keys(r.value);
    for (const key of keys)
      if (!verbs.includes(key)) throw r.doc.error([...r.path, key], `unknown verb; ${suggest(key, verbs)}`, true);
    if (keys.length !== 1) throw r.error(`want one verb, got ${keys.length}; begin each step with its own "-"`);
    verb = keys[0] as string;
    argument = r.at(verb);
  }
  if (!(verb in readers)) {
    if (argument && !argument.missing && Object.keys(argument.fields([])).length > 0)
      throw argument.error(`${verb} takes nothing`);
    return { action: { verb } as Action, text: verb, line };
  }
  const action = readers[verb as keyof typeof readers](argument as Reader) as Action;
  return { action, text: describe(action), line };
}

/** The words of a step, for messages and `input` records. */
function describe(a: Action): string {
  switch (a.verb) {
    case 'apply':
    case 'raw':
    case 'rmraw':
      return `${a.verb} ${a.file}`;
    case 'delete':
      return `delete ${a.name}`;
    case 'wait':
      return `wait ${a.duration / Second}s`;
    case 'waitFor':
      return `waitFor ${conditionText(a.condition)}`;
    case 'kill':
    case 'oom':
      return `${a.verb} ${a.pod}/${a.container}`;
    case 'killSandbox':
      return `killSandbox ${a.pod}`;
    case 'exec':
      return `exec ${a.pod}/${a.container} ${a.command.join(' ')}`;
    case 'fault':
      return `fault ${a.rule.method}`;
    case 'network':
      return `network ${a.ready ? 'ready' : 'notReady'}`;
    case 'addImage':
      return `addImage ${a.image.ref}`;
    case 'removeImage':
    case 'registry':
      return `${a.verb} ${a.ref}`;
    default:
      return a.verb;
  }
}

export function conditionText(c: Condition): string {
  const { pod, container, ...rest } = c;
  const what = Object.entries(rest).map(([k, v]) => (k === 'phase' ? String(v) : v === true ? k : `${k}=${v}`));
  return [container === undefined ? pod : `${pod}/${container}`, ...what].join(' ');
}

function podName(r: Reader): string {
  const name = r.string();
  if (!/^[a-z0-9][-a-z0-9./]{0,252}$/.test(name)) throw r.error(`"${name}" is no name of a pod`);
  return name;
}

function fileName(r: Reader): string {
  const name = r.string();
  if (!/^[A-Za-z0-9._-]{1,200}$/.test(name) || /^\.+$/.test(name))
    throw r.error(`"${name}" is no file name; use letters, digits, '.', '_' and '-' only`);
  return name;
}

/** A Pod, as object or as text; `{file, manifest}` where the file is to have another name than the pod. */
function apply(r: Reader): Extract<Action, { verb: 'apply' }> {
  const { value } = r;
  const wrapped = typeof value === 'object' && value !== null && 'manifest' in value;
  if (wrapped) r.fields(['file', 'manifest']);
  const manifest = wrapped ? r.at('manifest') : r;
  let name: unknown;
  let text: string;
  if (typeof manifest.value === 'string') {
    text = manifest.string();
    name = /^\s{0,8}["']?name["']?\s*:\s*["']?([a-z0-9][-a-z0-9.]*)["']?\s*,?\s*(?:#.*)?$/m.exec(text)?.[1];
  } else {
    if (typeof manifest.value !== 'object' || manifest.value === null || Array.isArray(manifest.value))
      throw manifest.error('want a Pod; write apiVersion, kind, metadata and spec below it');
    text = manifest.doc.textOf(manifest.path, manifest.value);
    name = (manifest.value as { metadata?: { name?: unknown } }).metadata?.name;
  }
  const file = wrapped ? r.maybe('file', fileName) : undefined;
  if (file !== undefined) return { verb: 'apply', file, text };
  if (typeof name !== 'string' || !/^[a-z0-9][-a-z0-9.]*$/.test(name))
    throw manifest.error('the pod has no name; give it metadata.name');
  return { verb: 'apply', file: `${name}.yaml`, text };
}

function readCondition(r: Reader): Condition & { timeout: number } {
  r.fields(['pod', 'phase', 'gone', 'ready', 'container', 'waiting', 'terminated', 'restarts', 'timeout']);
  const gone = r.maybe('gone', (g) => g.boolean());
  if (gone === false) throw r.at('gone').error('false is not possible here; leave it out or wait for a phase');
  const condition: Condition = {
    pod: podName(r.at('pod')),
    ...(gone && { gone }),
    ...r.some<Condition>({
      phase: (p) => p.oneOf(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']),
      ready: (p) => p.boolean(),
      container: (p) => p.string(),
      waiting: (p) => p.string(),
      terminated: (p) => p.string(),
      restarts: (p) => p.integer(0, 1_000_000),
    }),
  };
  const { pod: _, container, ...rest } = condition;
  if (Object.keys(rest).length === 0)
    throw r.error('nothing to wait for; add phase, ready, gone, waiting, terminated or restarts');
  const ofContainer = (['waiting', 'terminated', 'restarts'] as const).find((k) => condition[k] !== undefined);
  if (ofContainer && container === undefined)
    throw r.at(ofContainer).error('it is a container that has this; name it with container');
  if (container !== undefined && !ofContainer)
    throw r.at('container').error('nothing to wait for; add waiting, terminated or restarts');
  if (gone && Object.keys(condition).length > 2) throw r.error('a pod that is gone has nothing else; keep only gone');
  return { ...condition, timeout: r.maybe('timeout', (t) => t.duration()) ?? defaultTimeout };
}

const methodNames: readonly string[] = Object.values(rpcs).map((rpc) => rpc.name);

function readFault(r: Reader): FaultRule {
  r.fields(['name', 'method', 'pod', 'container', 'image', 'nth', 'times', 'probability', 'error', 'delay', 'hang']);
  const effects = ['error', 'delay', 'hang'].filter((k) => !r.at(k).missing);
  if (effects.length !== 1) throw r.error(`want one of error, delay and hang, got ${effects.length}`);
  const method = r.at('method').string();
  if (method !== '*' && !methodNames.includes(method))
    throw r.at('method').error(`there is no such CRI method; ${suggest(method, methodNames)}`);
  return {
    method,
    ...r.some<FaultRule>({
      name: (x) => x.string(),
      pod: podName,
      container: (x) => x.string(),
      image: (x) => x.string(),
      nth: (x) => x.integer(1, 1_000_000),
      times: (x) => x.integer(1, 1_000_000),
      probability: (x) => x.number(0, 1),
    }),
    effect: readEffect(r, effects[0] as string),
  };
}

function readEffect(r: Reader, kind: string): FaultEffect {
  if (kind === 'delay') return { kind: 'delay', duration: r.at('delay').duration() };
  const when = (x: Reader) => x.oneOf(['before', 'after']);
  if (kind === 'hang')
    return r.at('hang').value === true ? { kind: 'hang' } : { kind: 'hang', when: when(r.at('hang')) };
  const error = r.at('error');
  error.fields(['code', 'message', 'when']);
  const codes = Object.keys(GrpcCode).filter((k) => !/^\d+$/.test(k)) as GrpcCodeName[];
  return {
    kind: 'error',
    code: error.maybe('code', (c) => c.oneOf(codes)) ?? ('Unknown' as GrpcCodeName),
    message: error.at('message').string(),
    ...(error.at('when').missing ? {} : { when: when(error.at('when')) }),
  };
}

const imageFields = [
  'ref',
  'id',
  'digest',
  'size',
  'user',
  'entrypoint',
  'cmd',
  'env',
  'workingDir',
  'programs',
  'pinned',
] as const;

export function readImage(r: Reader, more: readonly string[] = []): ImageSpecification {
  r.fields([...imageFields, ...more]);
  return {
    ref: r.at('ref').string(),
    ...r.some<ImageSpecification>({
      id: (x) => x.string(),
      digest: (x) => x.string(),
      size: (x) => x.integer(0, 2 ** 43),
      user: (x) => x.string(),
      entrypoint: (x) => x.strings(),
      cmd: (x) => x.strings(),
      env: (x) => x.strings(),
      workingDir: (x) => x.string(),
      programs: (x): readonly string[] | 'busybox' =>
        Array.isArray(x.value) ? x.strings() : x.oneOf(['busybox'] as const),
      pinned: (x) => x.boolean(),
    }),
  };
}

const answers = [
  'serve',
  'not-found',
  'unauthorized',
  'refused',
  'timeout',
  'too-many-requests',
  'no-such-host',
  'hang',
] as const;

/** How a registry answers for one image; fields of an image only where it serves it. */
export function readRegistry(r: Reader): { ref: string; behaviour: RegistryBehaviour } {
  const { bytesPerSecond, answer } = {
    bytesPerSecond: r.maybe('bytesPerSecond', (x) => x.integer(1, 2 ** 40)),
    answer: r.at('answer').oneOf(answers),
  };
  const image = readImage(r, ['answer', 'bytesPerSecond']);
  if (answer === 'serve')
    return {
      ref: image.ref,
      behaviour: { kind: 'serve', image, ...(bytesPerSecond !== undefined && { bytesPerSecond }) },
    };
  r.fields(['ref', 'answer']);
  return { ref: image.ref, behaviour: { kind: answer } };
}
