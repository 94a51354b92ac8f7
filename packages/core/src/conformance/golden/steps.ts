import { ScenarioError } from '../../scenario/document/errors.js';
import { suggest } from '../../shape/index.js';

/** A verb and its arguments, as the golden recordings have them. Times in seconds. */
export type GoldenStep = readonly [verb: string, ...args: unknown[]];

/** The recorder's own folder on the simulated node, and its name in recordings. */
export const work = '/srv/recorder';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is not a template, it is called so
export const workName = '${WORK}';

/** Number of arguments of each verb, least and most. */
const verbs: Readonly<Record<string, readonly [number, number]>> = {
  put: [1, 1],
  rm: [1, 1],
  raw: [2, 2],
  rmraw: [1, 1],
  wait: [1, 1],
  phase: [3, 3],
  gone: [2, 2],
  kill: [2, 2],
  killSandbox: [1, 1],
  exec: [3, 1000],
  sh: [1, 1],
  stopKubelet: [0, 0],
  startKubelet: [0, 0],
  stopRuntime: [0, 0],
  startRuntime: [0, 0],
  create: [1, 1],
  patch: [3, 4],
  del: [2, 3],
  nodeReady: [1, 1],
  apiPhase: [3, 3],
  apiGone: [2, 2],
  stopApi: [0, 0],
  startApi: [0, 0],
};
/** Those that only an API server can do. */
export const needsServer: ReadonlySet<string> = new Set([
  'create',
  'patch',
  'del',
  'nodeReady',
  'apiPhase',
  'apiGone',
  'stopApi',
  'startApi',
]);

/** The index of the seconds among a verb's arguments. */
const secondsAt: Readonly<Record<string, number>> = {
  wait: 0,
  gone: 1,
  phase: 2,
  nodeReady: 0,
  apiPhase: 2,
  apiGone: 1,
};

/** The step with `${WORK}` filled in. */
export function checkStep(step: unknown, index: number): GoldenStep {
  const fail = (what: string) =>
    new ScenarioError(`step ${index + 1} (${JSON.stringify(step)?.slice(0, 200)}): ${what}`);
  if (!Array.isArray(step) || typeof step[0] !== 'string') throw fail('want a list of a verb and its arguments');
  const [verb, ...args] = step as [string, ...unknown[]];
  const count = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!count) throw fail(`unknown verb "${verb}"; ${suggest(verb, Object.keys(verbs))}`);
  if (args.length < count[0] || args.length > count[1])
    throw fail(`${verb} takes ${count[0]} arguments, got ${args.length}`);
  const at = secondsAt[verb];
  const seconds = at === undefined ? 0 : args[at];
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= 86_400))
    throw fail('want a number of seconds from 0 to 86400');
  if (verb === 'put') {
    if (typeof podNameOf(args[0]) !== 'string') throw fail('the pod has no name; give it metadata.name');
  } else if (verb === 'exec') {
    const command = args.length > 3 ? args.slice(2) : args[2];
    if (
      !(
        typeof command === 'string' ||
        (Array.isArray(command) && command.length > 0 && command.every((c) => typeof c === 'string'))
      )
    )
      throw fail('want a command: a text or a list of texts');
  }
  if (verb === 'create' && typeof podNameOf(args[0]) !== 'string')
    throw fail('the object has no name; give it metadata.name');
  if (verb === 'patch' && (typeof args[2] !== 'object' || args[2] === null)) throw fail('want an object as the patch');
  if (verb === 'del' && args[2] !== undefined && !(typeof args[2] === 'number' && args[2] >= 0))
    throw fail('want a number of seconds as the grace period');
  const notText = ['put', 'wait', 'create', 'nodeReady'].includes(verb);
  const texts = notText ? [] : verb === 'gone' || verb === 'apiGone' ? args.slice(0, 1) : args.slice(0, 2);
  for (const text of texts) if (typeof text !== 'string') throw fail(`want texts, got ${JSON.stringify(text)}`);
  return JSON.parse(JSON.stringify(step), (_, v: unknown) =>
    typeof v === 'string' ? v.replaceAll(workName, work) : v,
  ) as GoldenStep;
}

export const podNameOf = (pod: unknown): unknown => (pod as { metadata?: { name?: unknown } } | null)?.metadata?.name;
