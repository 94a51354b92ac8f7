/** The session's own protocol: each message and each command, with values of any kind in their fields. */
import { speak } from '../speak.mjs';
import { anyValue, deep, jsonText, long, mutated, mutatedText, ODD_NUMBERS } from '../values.mjs';
import { scenario, shell } from './programs.mjs';

export default {
  name: 'session',
  targets: ['serve', 'kubelet'],
  packet: 'a message of the session',
  perform: speak,
  make(random) {
    const message = () => ({ op: 'message', value: mutated(random, oneMessage(random), random.pick([0, 0.05, 0.2])) });
    return [
      { op: 'upgrade' },
      { op: 'connect', as: random.pick(['control', 'look']) },
      ...(random.chance(0.9) ? [{ op: 'message', value: { type: 'hello', protocol: 1 } }] : []),
      ...random.list(1, 40, message),
      ...(random.chance(0.3) ? [{ op: 'wait', ms: random.pick([1, 20, 100]) }] : []),
    ];
  },
};

const count = (random) =>
  random.weighted([
    [4, () => random.int(50)],
    [2, () => random.pick(ODD_NUMBERS)],
    [1, () => 1_000_000],
  ]);
const maybe = (random, fields) => Object.fromEntries(Object.entries(fields).filter(() => random.chance(0.5)));

function oneMessage(random) {
  return random.weighted([
    [
      1,
      () => ({ type: 'hello', protocol: 1, ...maybe(random, { session: 'x', branch: 1, resumeFrom: count(random) }) }),
    ],
    [2, () => ({ type: 'ack', seq: count(random) })],
    [12, () => ({ type: 'command', id: random.int(1000), command: command(random) })],
  ]);
}

const units = ['decision', 'record', 'iteration', 'into', 'over', 'out', 'channel', 'dispatch', 'cri', 'status', 'x'];

/** Expressions grow by their own grammar. */
export function expression(random, depth = 0) {
  const again = () => expression(random, depth + 1);
  if (depth > 5) return random.pick(['1', 'time', 'pod.name', '"x"', 'seq']);
  return random.weighted([
    [
      3,
      () => random.pick(['kind', 'seq', 'time', 'pod', 'pods', 'verb', 'state', '1', '"x"', 'true', '1e999', 'null']),
    ],
    [2, () => `${again()} ${random.pick(['==', '!=', '<', '&&', '||', '+', '-', '*', '/', '%', 'in'])} ${again()}`],
    [1, () => `(${again()})`],
    [1, () => `!${again()}`],
    [1, () => `${again()}.${random.pick(['name', '__proto__', 'constructor', 'status', 'length'])}`],
    [1, () => `${again()}[${again()}]`],
    [1, () => `${random.pick(['matches', 'count', 'any', 'all', 'size', 'has', 'changed'])}(${again()}, ${again()})`],
    [0.3, () => `matches("${'a'.repeat(300)}", "${'*a'.repeat(60)}")`],
    [0.3, () => `${'('.repeat(random.pick([50, 400]))}1`],
    [0.3, () => mutatedText(random, again())],
  ]);
}

function breakpoint(random) {
  return {
    id: `b${random.int(5)}`,
    on: random.pick([
      'record',
      'cri',
      'channel',
      'select',
      'worker',
      'step',
      'phase',
      'kube-event',
      'log',
      'wait',
      'x',
    ]),
    ...maybe(random, {
      pod: random.pick(['hello', '*'.repeat(30), 'x']),
      condition: expression(random),
      log: `{${expression(random)}}`.repeat(random.pick([1, 40])),
      hitCount: { [random.pick(['at', 'every'])]: count(random) },
      once: true,
      enabled: true,
    }),
  };
}

const commands = {
  pause: () => ({}),
  resume: () => ({}),
  manifests: () => ({}),
  objects: () => ({}),
  scenarios: () => ({}),
  runnable: () => ({}),
  branches: () => ({}),
  spec: () => ({}),
  restart: () => ({}),
  logs: (r) => ({ container: r.pick(['app', 'x', '']), from: count(r) }),
  step: (r) => ({
    unit: r.pick(units),
    ...maybe(r, { count: count(r), back: r.chance(0.3), goroutine: r.int(60), pod: 'hello' }),
  }),
  go: (r) => ({ to: { [r.pick(['seq', 'step', 'iteration', 'time'])]: count(r) } }),
  until: (r) => ({ where: expression(r), ...maybe(r, { within: count(r), pace: 'max' }) }),
  rewind: (r) => ({ unit: r.pick(units), to: count(r) }),
  speed: (r) => ({
    speed: r.pick([{ mode: 'max' }, { mode: 'time', factor: count(r) || 1 }, { mode: 'steps', perSecond: 1e9 }]),
  }),
  choose: (r) => ({ index: r.int(10) }),
  ask: (r) => ({ select: r.chance(0.3) }),
  breakpoints: (r) => ({ set: r.list(0, r.pick([2, 2, 50]), () => breakpoint(r)) }),
  take: (r) => ({ seq: count(r), case: r.int(4) }),
  pick: (r) => ({ goroutine: r.int(60) }),
  apply: (r) => ({ manifest: shellPod(r), ...maybe(r, { file: `p${r.int(4)}.yaml`, force: true }) }),
  delete: (r) => ({ file: `p${r.int(4)}.yaml` }),
  kill: (r) => ({ uid: r.pick(['hello', 'hello-node1', 'x']), container: 'app' }),
  act: (r) => ({
    action: r.pick([
      { wait: '1s' },
      { nodeShell: shell(r) },
      { fault: anyValue(r) },
      { registry: anyValue(r) },
      anyValue(r),
    ]),
  }),
  load: (r) => ({
    scenario: r.pick(['hello', 'many-pods', 'crash-loop', 'x', 'oom', 'full-node']),
    ...maybe(r, { seed: r.int(2 ** 32), to: { step: r.int(3000), seq: r.int(3000) } }),
    ...(r.chance(0.3) && { text: jsonText(scenario(r)) }),
    ...(r.chance(0.1) && { era: r.pick(['v1.12', 'v1.21', 'v1.36', 'v2']) }),
    ...(r.chance(0.2) && {
      deviations: r.list(0, 20, () => ({ decision: count(r), goroutine: r.int(60), case: r.int(3) })),
    }),
    ...(r.chance(0.2) && {
      interventions: r.list(0, 4, () => ({
        step: r.int(3000),
        after: r.int(3000),
        time: r.int(9),
        command: { do: 'kill', uid: 'hello' },
      })),
    }),
  }),
  branch: (r) => maybe(r, { name: 'b' }),
  switch: (r) => ({ branch: r.between(1, 6), ...maybe(r, { to: { step: r.int(3000), seq: r.int(3000) } }) }),
  rename: (r) => ({ branch: r.between(1, 6), name: r.pick(['', 'b', long('n', 400)]) }),
  drop: (r) => ({ branch: r.between(1, 6) }),
  compare: (r) => ({ branch: r.between(1, 6), ...maybe(r, { with: r.between(1, 6) }) }),
  explore: (r) => ({
    ...maybe(r, {
      schedules: r.pick([1, 5, 100_000]),
      strategy: r.pick(['random', 'pct', 'exhaustive']),
      until: count(r),
    }),
    ...maybe(r, { never: r.list(0, 3, () => expression(r)), finally: r.list(0, 3, () => expression(r)) }),
  }),
  why: (r) => ({ question: question(r) }),
  whyNot: (r) => ({ question: question(r) }),
  search: (r) => ({
    breakpoint: breakpoint(r),
    ...maybe(r, { from: count(r), to: count(r), limit: count(r), backwards: true }),
  }),
  history: (r) => ({
    path: r.pick(['pods', 'pods.*', '*.*.*.*.*', 'a.'.repeat(200), '__proto__.x']),
    ...maybe(r, { limit: count(r) }),
  }),
  lastWriter: (r) => ({ path: r.pick(['pods', 'counts.iterations', '*']), ...maybe(r, { seq: count(r) }) }),
  diff: (r) => ({ from: count(r), to: count(r) }),
};

const question = (random) => ({
  about: random.pick(['record', 'cri', 'container', 'field', 'wait', 'worker', 'pending', 'ready', 'restart', 'probe']),
  ...maybe(random, {
    seq: count(random),
    uid: 'hello',
    container: 'app',
    what: 'start',
    path: 'phase',
    goroutine: 3,
    at: count(random),
    detail: 'full',
  }),
});

function command(random) {
  const name = random.pick(Object.keys(commands));
  return { do: name, ...commands[name](random), ...(random.chance(0.02) && { more: deep(500) }) };
}

const shellPod = (random) =>
  jsonText({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${random.int(4)}` },
    spec: { containers: [{ name: 'app', image: 'localhost/busybox:dev', command: ['sh', '-c', shell(random)] }] },
  });
