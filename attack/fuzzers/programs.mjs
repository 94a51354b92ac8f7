/** Shell programs by their grammar, and the pods and scenarios that run them. */
import { mutated, mutatedText } from '../values.mjs';

const names = ['x', 'y', 'HOME', 'PATH', 'IFS', '1', '@', '*', '#', '?', '!', '$', 'RANDOM'];
const files = [
  '/tmp/f',
  '/tmp/d/f',
  '/dev/null',
  '/dev/zero',
  '/dev/stdout',
  '/proc/self/environ',
  '/',
  '.',
  '',
  '/tmp/*',
];
/** Numbers that are sizes, counts and times; some of them absurd. */
const numbers = ['0', '1', '-1', '3', '007', '0x10', '1e3', '100000', '99999999999', '9223372036854775807', 'x', ''];
/** Patterns that need much work with backtracking. */
const patterns = [
  '*',
  'a*',
  '(a+)+$',
  '(a|a)*b',
  '*a*a*a*a*a*b',
  '[!a-z]',
  '[',
  '\\(a*\\)*b',
  '.*.*.*x',
  '^(([a-z])+.)+[A-Z]$',
  '?'.repeat(40),
];

/** A program of a few lines. */
export function shell(random) {
  const text = random.list(1, 5, () => statement(random, 0)).join(random.pick(['\n', '; ', '\n']));
  return random.chance(0.15) ? mutatedText(random, text) : text;
}

function statement(random, depth) {
  const inner = () => statement(random, depth + 1);
  if (depth > 4) return simple(random, depth);
  return random.weighted([
    [8, () => simple(random, depth)],
    [2, () => `${simple(random, depth)} | ${simple(random, depth)}`],
    [1, () => `${inner()} ${random.pick(['&&', '||', ';', '&'])} ${inner()}`],
    [1, () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`],
    [1, () => `for x in ${random.list(0, 3, () => word(random, depth)).join(' ')}; do ${inner()}; done`],
    [
      1,
      () => `${random.pick(['while', 'until'])} ${random.pick(['true', 'false', ':', inner()])}; do ${inner()}; done`,
    ],
    [1, () => `case ${word(random, depth)} in ${random.pick(patterns)}) ${inner()} ;; *) ${inner()} ;; esac`],
    [1, () => `f() { ${inner()}; }; f ${word(random, depth)}`],
    [1, () => `(${inner()})`],
    [1, () => `{ ${inner()}; } ${redirect(random)}`],
    [0.5, () => `trap '${inner().replaceAll("'", '')}' ${random.pick(['TERM', 'EXIT', 'INT', 'KILL', '0'])}`],
    [0.5, () => `cat <<${random.pick(['E', '"E"', '-E'])}\n${word(random, depth)}\nE\n`],
  ]);
}

const redirect = (random) => `${random.pick(['>', '>>', '<', '2>&1 >', '2>', '<>', '>&9'])} ${random.pick(files)}`;

function simple(random, depth) {
  const w = () => word(random, depth + 1);
  const n = () => random.pick(numbers);
  const file = () => random.pick(files);
  const line = random.weighted([
    [3, () => `echo ${random.pick(['', '-n ', '-e '])}${w()} ${w()}`],
    [2, () => `${random.pick(['x', 'y'])}=${w()}`],
    [1, () => `x=$x$x$x`],
    [1, () => `export x=${w()}`],
    [
      1,
      () => `printf ${quoted(`%${n()}${random.pick(['s', 'd', 'x', 'c', '%', 'q', '.9s', '*d'])}\\n`)} ${w()} ${n()}`,
    ],
    [1, () => `seq ${n()} ${n()} ${random.chance(0.3) ? n() : ''}`],
    [1, () => `sleep ${random.pick(['0', '0.01', '1', '99999999999', '-1', '1h', 'inf'])}`],
    [1, () => `head ${random.pick(['-c', '-n'])} ${n()} ${file()}`],
    [1, () => `dd if=${file()} of=${file()} bs=${n()} count=${n()}`],
    [1, () => `grep ${random.pick(['', '-E ', '-v ', '-c ', '-o '])}${quoted(random.pick(patterns))} ${file()}`],
    [1, () => `echo ${'a'.repeat(random.pick([3, 40]))} | grep -E ${quoted(random.pick(patterns))}`],
    [
      1,
      () =>
        `echo ${w()} | sed ${quoted(`s/${random.pick(patterns)}/${random.pick(['&&', '\\1', 'x'])}/${random.pick(['', 'g', '3'])}`)}`,
    ],
    [
      1,
      () =>
        `${random.pick(['cat', 'wc', 'sort', 'uniq', 'tail -f', 'tail -n 1', 'cut -c 1', 'tr a b', 'tee', 'od', 'base64'])} ${file()}`,
    ],
    [
      1,
      () =>
        `${random.pick(['mkdir -p', 'rm -rf', 'touch', 'ls -la', 'find', 'stat', 'ln -s /tmp', 'cp /tmp/f', 'mv /tmp/f', 'du', 'df'])} ${file()}`,
    ],
    [1, () => `test ${w()} ${random.pick(['=', '-eq', '-lt', '-nt', '!='])} ${w()}`],
    [
      1,
      () => `kill ${random.pick(['-9', '-TERM', '-0', '-99'])} ${random.pick(['1', '$$', '$!', '-1', '0', '99999'])}`,
    ],
    [1, () => `${random.pick(['exit', 'return', 'break', 'continue', 'shift'])} ${n()}`],
    [1, () => `set -- ${w()} ${w()}; echo "$@"`],
    [1, () => `eval ${quoted(w())}`],
    [1, () => `read ${random.pick(['x', '-r x', ''])} ${redirect(random)}`],
    [
      1,
      () =>
        random.pick([
          'wait',
          'date',
          'hostname',
          'id',
          'env',
          'pwd',
          'ps',
          'top',
          'uptime',
          'umask',
          'cd /',
          'times',
          'yes',
          'exec sh',
        ]),
    ],
    [0.5, () => `${random.pick(['nc -l -p', 'httpd -p', 'wget', 'nslookup', 'ping'])} ${n()}`],
    [0.5, () => `sh -c ${quoted(`${simple(random, depth + 3)}`)}`],
  ]);
  return random.chance(0.1) ? `${line} ${redirect(random)}` : line;
}

const quoted = (text) => `'${text.replaceAll("'", '')}'`;

function word(random, depth) {
  if (depth > 6) return 'a';
  const inner = () => word(random, depth + 2);
  const name = () => random.pick(names);
  return random.weighted([
    [4, () => random.pick(['a', 'b c', '*', '~', '-', '/tmp/*', '{a,b}{c,d}', "'", '"'].slice(0, 7))],
    [3, () => `$${name()}`],
    [2, () => `"${inner().replaceAll('"', '')}"`],
    [
      2,
      () =>
        `\${${name()}${random.pick([':-', ':=', ':+', ':?', '-', '#', '##', '%', '%%'])}${random.pick([inner(), random.pick(patterns)])}}`,
    ],
    [1, () => `\${#${name()}}`],
    [1, () => `$(${simple(random, depth + 2)})`],
    [1, () => `$((${arithmetic(random, depth)}))`],
    [0.5, () => 'a'.repeat(random.pick([100, 3000]))],
    [0.2, () => '$('.repeat(random.pick([10, 500]))],
    [0.2, () => `$((${'('.repeat(random.pick([10, 3000]))}`],
  ]);
}

const arithmetic = (random, depth) =>
  depth > 6
    ? '1'
    : random.weighted([
        [3, () => random.pick([...numbers.slice(0, 10), 'x', 'y', '$x'])],
        [
          3,
          () =>
            `${arithmetic(random, depth + 1)} ${random.pick(['+', '-', '*', '/', '%', '**', '<<', '>>', '&&', '?', '=', '=='])} ${arithmetic(random, depth + 1)}`,
        ],
        [1, () => `(${arithmetic(random, depth + 1)})`],
        [1, () => `x${random.pick(['++', '=', '+=', '<<='])}${random.pick(numbers)}`],
      ]);

/** Makes a pod with such programs; `$(NAME)` in its environment may refer to one another. */
export function pod(random, name = 'p') {
  const container = (i) => ({
    name: `c${i}`,
    image: 'localhost/busybox:dev',
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', shell(random)],
    ...(random.chance(0.2) && { args: random.list(0, 3, () => word(random, 3)) }),
    ...(random.chance(0.2) && { env: environment(random) }),
    ...(random.chance(0.15) && {
      [random.pick(['livenessProbe', 'readinessProbe', 'startupProbe'])]: {
        exec: { command: ['sh', '-c', shell(random)] },
        periodSeconds: random.pick([1, 10]),
        timeoutSeconds: random.pick([1, 3600]),
      },
    }),
    ...(random.chance(0.1) && {
      lifecycle: { [random.pick(['postStart', 'preStop'])]: { exec: { command: ['sh', '-c', shell(random)] } } },
    }),
    ...(random.chance(0.1) && { resources: { limits: { memory: random.pick(['1Mi', '10Mi', '1e30', '-1', '1']) } } }),
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(random.chance(0.1) && { annotations: { a: 'x'.repeat(random.pick([10, 1000])) } }) },
    spec: {
      ...(random.chance(0.3) && { restartPolicy: random.pick(['Always', 'Never', 'OnFailure']) }),
      ...(random.chance(0.2) && { terminationGracePeriodSeconds: random.pick([0, 1, 30]) }),
      ...(random.chance(0.2) && { initContainers: [container('i')] }),
      containers: random.list(1, 2, container),
    },
  };
}

/** Some double themselves: each refers to the one before it, twice. */
function environment(random) {
  if (random.chance(0.3))
    return random.list(2, 8, (i) => ({ name: `V${i}`, value: i === 0 ? 'x' : `$(V${i - 1})$(V${i - 1})` }));
  return random.list(0, 4, (i) => ({
    name: random.pick(['A', 'PATH', `V${i}`, '=', '']),
    value: random.pick(['$(A)', '$$(A)', '$(', 'x']),
  }));
}

const steps = (random) =>
  random.list(0, 4, () =>
    random.pick([
      { wait: random.pick(['1s', '1m', '1h', '168h']) },
      { waitFor: { pod: 'p', phase: 'Running', timeout: '5s' } },
      { kill: { pod: 'p', container: 'c0' } },
      { oom: { pod: 'p', container: 'c0' } },
      { exec: { pod: 'p', container: 'c0', command: shell(random) } },
      { restart: random.pick(['kubelet', 'runtime']) },
      { delete: 'p' },
      { fault: { method: '*', probability: 0.5, error: { code: 'Unknown', message: 'x' } } },
      { fault: { kill: { pod: 'p', container: 'c0' }, every: random.pick(['1ms', '1s']) } },
      { raw: { file: 'x.yaml', text: random.pick(['[[[', 'a: &a [*a]', '']) } },
      { assert: { records: { kind: 'log', where: 'matches(message, "*a*a*")' } } },
      { addImage: { ref: 'x', size: random.pick([1, 1e18]) } },
      { fault: { clock: random.pick(['1h', '-1h']) } },
    ]),
  );

/** Makes a scenario; `jsonOf` makes a text of it, which is YAML, too. */
export function scenario(random) {
  const document = {
    apiVersion: 'syncloop.dev/v1alpha1',
    kind: 'Scenario',
    metadata: { name: 'attack' },
    spec: {
      ...(random.chance(0.3) && {
        node: random.pick([{ apiServer: true }, { fileCheckFrequency: '1s' }, { maxPods: 1 }]),
      }),
      steps: [{ apply: pod(random) }, ...steps(random)],
    },
  };
  return random.chance(0.3) ? mutated(random, document, 0.05) : document;
}
