import { Second } from '../../kernel/index.js';
import {
  about,
  anyText,
  custom,
  duration,
  flag,
  list,
  map,
  matching,
  object,
  oneOf,
  optional,
  type Reader,
  readFields,
  refine,
  type Schema,
  type Shape,
  show,
  suggest,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import { signalNames } from './fault-names.js';
import { devicePluginChange, devicePluginText } from './parse-devices.js';
import { expectationSchema, expectationText, expectedList, readExpectation } from './parse-expectation.js';
import { fault, faultText, podName } from './parse-fault.js';
import { image, imageDoes, registryEntry } from './parse-image.js';
import type { Action, ActionOf, ChoiceWanted, Step, Verb } from './scenario.js';

const noArguments = [
  'stopKubelet',
  'startKubelet',
  'restartKubelet',
  'stopRuntime',
  'startRuntime',
  'shutdown',
  'cancelShutdown',
] as const;
/** Verbs whose argument may be left out. */
const maybeNoArgument: readonly Verb[] = ['clearFaults'];
export const defaultTimeout = 60 * Second;

const fileNameWords = "a plain file name such as 'web.yaml', without a folder";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file name
const fileName = refine(matching(/^[^/\\\u0000-\u001f]{1,255}$/, fileNameWords), (name, r) => {
  if (/^\.+$/.test(name)) throw r.mustBe(fileNameWords);
});
const command: Shape<string[]> = custom({ anyOf: [text.schema, { ...texts.schema, minItems: 1 }] }, (r) => {
  const argv = typeof r.value === 'string' ? ['sh', '-c', r.string()] : texts.read(r);
  if (argv.length === 0) throw r.error('it is empty', 'it must have at least the name of a program');
  return argv;
});
const ofContainer = { pod: podName, container: text };
const to = optional(
  about('Where pods go. Default: node, as a manifest; api needs node.apiServer.', oneOf('node', 'api')),
);
const anObject: Shape<object> = custom({ type: 'object' }, (r) => {
  if (typeof r.value !== 'object' || r.value === null || Array.isArray(r.value))
    throw r.mustBe('an object: the fields that change, null for those to remove');
  return r.value;
});

const wrappedFields = {
  file: optional(fileName),
  to,
  manifest: custom({ type: ['object', 'string'] }, (r) => r.value),
};
const deleteFields = { pod: podName, to, gracePeriodSeconds: optional(whole(0, 1_000_000)) };
const waitFields = {
  timeout: optional(about('Default: 60s.', duration)),
  fresh: optional(about('Only events and records from this step on count. Default: from the start of the run.', flag)),
};
const restartFields = {
  kubelet: optional(about('stop: it stops cleanly; crash: it is killed.', oneOf('stop', 'crash'))),
  runtime: optional(oneOf('stop')),
  down: optional(about('How long it is away. Default: 0.', duration)),
};
const restartObject = object(restartFields);
const rawObject = object({ file: fileName, text: anyText });
const killObject = object({ ...ofContainer, signal: optional(oneOf(...signalNames)) });
const oomObject = object(ofContainer);
const systemOOMObject = object({ process: text, pid: optional(about('Default: 4242.', whole(1, 2 ** 22))) });
const configChObject = object({
  op: about('An operation such as SET or RESTORE, or close, which closes the channel.', text),
  source: optional(about('Default: file.', oneOf('file', 'http', 'api'))),
  manifest: optional(about('A Pod that comes with it.', anObject)),
});
const manifestURLObject = object({
  pods: optional(about('Default: none.', list(anObject))),
  status: optional(about('The status of its answer. Default: 200.', whole(200, 599))),
});
const execObject = object({ ...ofContainer, command });
const editObject = object({
  pod: podName,
  to,
  subresource: optional(
    about('With to: api: what others write into a status, by a strategic merge patch.', oneOf('status')),
  ),
  patch: anObject,
});
const waitObject = object({ until: about("The time since the run's start.", duration) });
const chooseSelect = object({ select: about('The name of a channel, such as plegCh.', text) });
const chooseGoroutine = object({ goroutine: about('The name of a goroutine.', text) });

/** The shape of each verb's argument. */
const readers: {
  readonly [V in Exclude<Verb, (typeof noArguments)[number]>]: { about: string } & Shape<ActionOf<V>>;
} = {
  apply: verb(
    'Writes a manifest: a Pod, or its text. To set file or to as well: {file, to, manifest}.',
    custom({ anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }] }, readApply),
  ),
  delete: verb(
    'Removes a manifest by the name of its pod or file; {pod, to: api} deletes a pod of the API server.',
    custom({ anyOf: [podName.schema, object(deleteFields).schema] }, readDelete),
  ),
  edit: verb(
    'Changes a manifest, or with to: api a pod of the API server, by a merge patch: null removes a field. With subresource: status it changes the status, as controllers do.',
    custom(editObject.schema, (r) => {
      const { pod, to: where, subresource, patch } = editObject.read(r);
      if (subresource && where !== 'api')
        throw r.error('a manifest has no status that is read', 'add to: api, or leave out subresource');
      const api = where === 'api' && { api: true as const };
      return { verb: 'edit' as const, name: pod, patch, ...api, ...(subresource && { subresource }) };
    }),
  ),
  raw: verb(
    'Writes any text as a manifest file.',
    map(rawObject, (f) => ({ verb: 'raw' as const, ...f })),
  ),
  rmraw: verb(
    'Removes a file by its name.',
    map(fileName, (file) => ({ verb: 'rmraw' as const, file })),
  ),
  wait: verb(
    "Lets time pass: a duration, or {until} a time of the run's clock. A time that is past ends it at once.",
    custom({ anyOf: [duration.schema, waitObject.schema] }, (r) =>
      typeof r.value === 'object' && r.value !== null
        ? { verb: 'wait' as const, until: waitObject.read(r).until }
        : { verb: 'wait' as const, duration: duration.read(r) },
    ),
  ),
  waitFor: verb(
    'Lets time pass until an expectation holds.',
    custom(expectationSchema({ timeout: waitFields.timeout.schema, fresh: waitFields.fresh.schema }), readWaitFor),
  ),
  assert: verb(
    'Fails unless all of this holds now: an expectation, or a list of them.',
    map(expectedList, (expected) => ({ verb: 'assert' as const, expected })),
  ),
  kill: verb(
    "Sends a container's first process a signal; default KILL.",
    map(killObject, (f) => ({ verb: 'kill' as const, signal: 'KILL', ...f })),
  ),
  killSandbox: verb(
    "Ends the sandbox's process.",
    map(podName, (pod) => ({ verb: 'killSandbox' as const, pod })),
  ),
  oom: verb(
    'The OOM killer ends the container.',
    map(oomObject, (f) => ({ verb: 'oom' as const, ...f })),
  ),
  systemOOM: verb(
    'The machine has no memory left, and the kernel ends a process of its own.',
    map(systemOOMObject, (f) => ({ verb: 'systemOOM' as const, pid: 4242, ...f })),
  ),
  configCh: verb(
    'Puts on configCh what no source puts there, or closes it.',
    map(configChObject, ({ op, source = 'file', manifest }) => ({
      verb: 'configCh' as const,
      op,
      source,
      ...(manifest && { text: JSON.stringify(manifest) }),
    })),
  ),
  manifestURL: verb(
    'Sets what node.staticPodURL serves: pods, or another status than 200.',
    map(manifestURLObject, ({ pods = [], status = 200 }) => ({ verb: 'manifestURL' as const, pods, status })),
  ),
  exec: verb(
    'Runs a command in a container: a list of words, or a text for its shell.',
    map(execObject, (f) => ({ verb: 'exec' as const, ...f })),
  ),
  fault: verb(
    'Something goes wrong from now on.',
    map(fault, (f) => ({ verb: 'fault' as const, fault: f })),
  ),
  clearFaults: verb(
    'Ends all faults, or those of a name.',
    custom({ type: ['string', 'null', 'object'] }, (r) =>
      r.missing || (typeof r.value === 'object' && Object.keys(r.fields([])).length === 0)
        ? { verb: 'clearFaults' as const }
        : { verb: 'clearFaults' as const, name: r.string() },
    ),
  ),
  choose: verb(
    'The next select with several ready cases takes this channel, or the next time that it could run this goroutine goes first.',
    map(
      custom({ anyOf: [chooseSelect.schema, chooseGoroutine.schema] }, (r): ChoiceWanted => {
        r.fields(['select', 'goroutine']);
        return r.at('goroutine').missing ? chooseSelect.read(r) : chooseGoroutine.read(r);
      }),
      (want) => ({ verb: 'choose' as const, want }),
    ),
  ),
  network: verb(
    'The pod network.',
    map(oneOf('ready', 'notReady'), (state) => ({ verb: 'network' as const, ready: state === 'ready' })),
  ),
  addImage: verb(
    'An image is on the node.',
    map(image, (i) => ({ verb: 'addImage' as const, image: i })),
  ),
  removeImage: verb(
    'An image is no longer on the node.',
    map(text, (ref) => ({ verb: 'removeImage' as const, ref })),
  ),
  registry: verb(
    'How the registry answers.',
    map(registryEntry, (e) => ({ verb: 'registry' as const, ...e })),
  ),
  imageDoes: verb(
    'What containers of an image do from their next start on; does: missing where there is no such image.',
    imageDoes,
  ),
  devicePlugin: verb(
    'A device plug-in starts, stops or restarts, its devices come, go or change their health, or its answers change.',
    map(devicePluginChange, (change) => ({ verb: 'devicePlugin' as const, change })),
  ),
  restart: verb(
    'kubelet or runtime, or with details {kubelet: stop or crash, down} and {runtime: stop, down}.',
    custom({ anyOf: [{ enum: ['kubelet', 'runtime'] }, { ...restartObject.schema, minProperties: 1 }] }, readRestart),
  ),
};

const verbs: readonly string[] = [...Object.keys(readers), ...noArguments];

/** A list item of `steps`, as a schema. */
export const stepSchema: Schema = {
  anyOf: [
    { enum: [...noArguments, ...maybeNoArgument] },
    {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          Object.entries(readers).map(([name, { about: description, schema }]) => [name, { ...schema, description }]),
        ),
        ...Object.fromEntries(noArguments.map((name) => [name, { type: ['null', 'object'], maxProperties: 0 }])),
      },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
    },
  ],
};

/** One item of `steps`: a map of one verb, or the name of a verb that takes nothing. */
export function parseStep(r: Reader): Step {
  const action = readAction(r);
  return { action, text: describe(action), line: r.line };
}

/** The action of a step. */
export function readAction(r: Reader): Action {
  let name: string;
  let argument: Reader | null = null;
  if (typeof r.value === 'string') {
    name = r.value;
    if (!verbs.includes(name)) throw r.error(`there is no verb ${show(name)}`, suggest(name, verbs));
    if (Object.hasOwn(readers, name) && !(maybeNoArgument as readonly string[]).includes(name))
      throw r.error(`${name} needs an argument`, `write "${name}: ..."`);
  } else {
    if (typeof r.value !== 'object' || r.value === null || Array.isArray(r.value))
      throw r.mustBe(`a step with one of ${verbs.join(', ')}`);
    const keys = Object.keys(r.value);
    for (const key of keys)
      if (!verbs.includes(key)) throw r.at(key).error(`there is no verb ${show(key)}`, suggest(key, verbs), true);
    if (keys.length !== 1)
      throw r.error(`it has ${keys.length} verbs`, 'it must have one; begin each step with its own "-"');
    name = keys[0] as string;
    argument = r.at(name);
  }
  if (!Object.hasOwn(readers, name)) {
    if (argument && !argument.missing && Object.keys(argument.fields([])).length > 0)
      throw argument.error(`${name} takes nothing`, 'leave it out');
    return { verb: name } as Action;
  }
  return readers[name as keyof typeof readers].read(argument ?? r.at(name));
}

/** The words of an action, for messages and `input` records. */
export function describe(a: Action): string {
  switch (a.verb) {
    case 'apply':
    case 'raw':
    case 'rmraw':
      return `${a.verb} ${a.file}`;
    case 'delete':
    case 'edit':
      return `${a.verb} ${a.name}`;
    case 'wait':
      return 'until' in a ? `wait until ${a.until / Second}s` : `wait ${a.duration / Second}s`;
    case 'waitFor':
      return `waitFor ${expectationText(a.expectation)}`;
    case 'assert':
      return `assert ${a.expected.map((e) => e.text).join('; ')}`;
    case 'kill':
    case 'oom':
      return `${a.verb} ${a.pod}/${a.container}`;
    case 'systemOOM':
      return `systemOOM ${a.process}`;
    case 'configCh':
      return `configCh ${a.op}`;
    case 'manifestURL':
      return `manifestURL ${a.status === 200 ? a.pods.length : a.status}`;
    case 'killSandbox':
      return `killSandbox ${a.pod}`;
    case 'exec':
      return `exec ${a.pod}/${a.container} ${a.command.join(' ')}`;
    case 'fault':
      return faultText(a.fault);
    case 'clearFaults':
      return a.name === undefined ? a.verb : `${a.verb} ${a.name}`;
    case 'choose':
      return 'select' in a.want ? `choose ${a.want.select}` : `choose goroutine ${a.want.goroutine}`;
    case 'network':
      return `network ${a.ready ? 'ready' : 'notReady'}`;
    case 'addImage':
      return `addImage ${a.image.ref}`;
    case 'removeImage':
    case 'registry':
    case 'imageDoes':
      return `${a.verb} ${a.ref}`;
    case 'devicePlugin':
      return `devicePlugin ${devicePluginText(a.change)}`;
    case 'restart':
      return `restart ${a.what}`;
    default:
      return a.verb;
  }
}

function verb<T>(about: string, shape: Shape<T>): { about: string } & Shape<T> {
  return { about, ...shape };
}

/**
 * A Pod, as object or as text; `{file, to, manifest}` if the file is to have another name than the pod, or it goes
 * elsewhere.
 */
function readApply(r: Reader): ActionOf<'apply'> {
  const { value } = r;
  const wrapped = typeof value === 'object' && value !== null && Object.hasOwn(value, 'manifest');
  if (wrapped) r.fields(Object.keys(wrappedFields));
  const manifest = wrapped ? r.at('manifest') : r;
  let name: unknown;
  let written: string;
  if (typeof manifest.value === 'string') {
    written = manifest.string();
    name = /^\s{0,8}["']?name["']?\s*:\s*["']?([a-z0-9][-a-z0-9.]*)["']?\s*,?\s*(?:#.*)?$/m.exec(written)?.[1];
  } else {
    if (typeof manifest.value !== 'object' || manifest.value === null || Array.isArray(manifest.value))
      throw manifest.mustBe('a Pod: write apiVersion, kind, metadata and spec below it');
    written = manifest.source.textOf(manifest.path, manifest.value);
    name = (manifest.value as { metadata?: { name?: unknown } | null }).metadata?.name;
  }
  const { file, to: where } = wrapped ? readFields(r, { file: wrappedFields.file, to }) : {};
  const rest = { text: written, ...(where === 'api' && { api: true as const }) };
  if (file !== undefined) return { verb: 'apply', file, ...rest };
  if (typeof name !== 'string' || !/^[a-z0-9][-a-z0-9.]{0,250}$/.test(name))
    throw manifest.error('the pod has no name', 'give it metadata.name');
  return { verb: 'apply', file: `${name}.yaml`, ...rest };
}

function readDelete(r: Reader): ActionOf<'delete'> {
  if (typeof r.value !== 'object' || r.value === null) return { verb: 'delete', name: podName.read(r) };
  const { pod, to: where, gracePeriodSeconds } = object(deleteFields).read(r);
  if (gracePeriodSeconds !== undefined && where !== 'api')
    throw r
      .at('gracePeriodSeconds')
      .error('a manifest is removed without a grace period', 'add to: api, or leave it out');
  return {
    verb: 'delete',
    name: pod,
    ...(where === 'api' && { api: true }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

function readWaitFor(r: Reader): ActionOf<'waitFor'> {
  const expectation = readExpectation(r, Object.keys(waitFields));
  if ('never' in expectation)
    throw r.at('never').error('a step cannot wait for something that never happens', 'put it into expect');
  const { timeout = defaultTimeout, fresh } = readFields(r, waitFields);
  if (fresh && 'condition' in expectation)
    throw r.at('fresh').error('fresh has no meaning here: a condition is about the present state', 'leave it out');
  return { verb: 'waitFor', expectation, timeout, ...(fresh && { fresh }) };
}

function readRestart(r: Reader): ActionOf<'restart'> {
  if (typeof r.value === 'string') return { verb: 'restart', what: r.oneOf(['kubelet', 'runtime']) };
  const { kubelet, runtime, down } = restartObject.read(r);
  if ((kubelet === undefined) === (runtime === undefined))
    throw r.error(
      'it must have exactly one of kubelet and runtime',
      'write "restart: kubelet" or "restart: {kubelet: crash}"',
    );
  return {
    verb: 'restart',
    what: kubelet === undefined ? 'runtime' : 'kubelet',
    ...(kubelet === 'crash' && { crash: true }),
    ...(down !== undefined && { down }),
  };
}
