import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonStart, complete, type Known } from './complete.js';
import { defaultContainer, logTarget, readLog } from './container-log.js';
import { ConsoleError } from './errors.js';
import { explain, fieldPaths, type PodSchema } from './explain.js';
import { verbs } from './grammar.js';
import { parseConsole, takeHeredoc, wantsMore } from './parse.js';
import { container, ended, pod, running, waiting } from './testing/pods.js';
import { splitWords } from './words.js';

const failure = (line: string): ConsoleError => {
  try {
    parseConsole(line);
  } catch (error) {
    if (error instanceof ConsoleError) return error;
    throw error;
  }
  throw new Error(`"${line}" was understood`);
};

describe('words', () => {
  it.each([
    [`a  'b c' "d 'e'" f\\ g`, ['a', 'b c', "d 'e'", 'f g']],
    [`x="y z"w`, ['x=y zw']],
    [`"a\\"b\\n"`, ['a"b\\n']],
    [`''`, ['']],
    ['', []],
  ])('%s', (line, expected) => {
    expect(splitWords(line).map((w) => w.text)).toEqual(expected);
  });
  it('know where they stand, and want their quotes closed', () => {
    expect(splitWords(' ab "c d"')).toMatchObject([
      { from: 1, to: 3 },
      { from: 4, to: 9 },
    ]);
    expect(() => splitWords(`a 'b`)).toThrow("a closing ' is missing");
    expect(splitWords(`a 'b c`, true)[1]?.text).toBe('b c');
  });
});

describe('what is typed', () => {
  const get = { do: 'get', resource: 'pods', names: [], namespace: 'default', output: 'table', watch: false };
  it.each([
    ['kubectl get pods', get],
    ['k get po', get],
    ['get pod', get],
    ['$ kubectl get pods', get],
    ['get pods -A -owide -w', { ...get, namespace: null, output: 'wide', watch: 'list' }],
    [
      'get po web db -n kube-system -o=yaml',
      { ...get, names: ['web', 'db'], namespace: 'kube-system', output: 'yaml' },
    ],
    ['get pod/web pods/db', { ...get, names: ['web', 'db'] }],
    ['get pods --watch-only --no-headers', { ...get, watch: 'only', noHeaders: true }],
    ['get pods --watch=false', get],
    ['get pods -l app=web', { ...get, labels: [{ key: 'app', op: 'in', values: ['web'] }] }],
    ['get ev --field-selector type=Warning', { do: 'get', resource: 'events', fields: [{ key: 'type' }] }],
    [
      'events --for pod/web --types Warning',
      { do: 'get', resource: 'events', fields: [{ values: ['web'] }, { values: ['Warning'] }] },
    ],
    ['get all', get],
    ['describe po web', { do: 'describe', names: ['web'], namespace: 'default' }],
    ['describe pod', { do: 'describe', names: [] }],
    ['kubectl logs web -c app -p --tail 5', { do: 'logs', pod: 'web', container: 'app', previous: true, tail: 5 }],
    ['logs pod/web side -f --tail=-1', { pod: 'web', container: 'side', follow: true, tail: -1 }],
    [
      'exec web -c app -- sh -c "echo hi"',
      { do: 'exec', container: 'app', command: ['sh', '-c', 'echo hi'], interactive: false },
    ],
    ['exec -it web -- sh', { command: ['sh'], interactive: true }],
    ['delete pod web --grace-period=5', { do: 'delete', names: ['web'], grace: 5, force: false }],
    ['delete pod web --now', { grace: 1 }],
    ['delete pod web --force', { grace: 0, force: true }],
    ['delete pod web --grace-period=0 --force', { grace: 0, force: true }],
    ['delete -f web.yaml', { names: [], file: 'web.yaml' }],
    ['apply -f web.yaml', { do: 'apply', file: 'web.yaml', stdin: null }],
    ['edit pod web', { do: 'edit', pod: 'web' }],
    ['explain pod.spec --recursive', { do: 'explain', path: 'pod.spec', recursive: true }],
    ['crictl ps -a', { do: 'crictl', what: 'ps', all: true }],
    ['crictl inspectp abc', { do: 'crictl', what: 'inspectp', id: 'abc' }],
    ['crictl logs abc --tail 3', { do: 'crictl', what: 'logs', id: 'abc', tail: 3 }],
    ['step', { do: 'step', unit: 'decision', count: 1, back: false }],
    ['step 5 iterations', { unit: 'iteration', count: 5 }],
    ['back cri', { do: 'step', unit: 'cri', back: true }],
    ['c', { do: 'continue' }],
    ['go 123', { do: 'go', to: { seq: 123 } }],
    ['go #123', { to: { seq: 123 } }],
    ['go 12.5s', { to: { time: 12_500_000 } }],
    ['go 2m', { to: { time: 120_000_000 } }],
    ['go iteration 7', { to: { iteration: 7 } }],
    ['go step 0', { to: { step: 0 } }],
    ['go end', { to: 'end' }],
    ['why pod/web', { do: 'why', pod: 'web' }],
    ['break', { do: 'break', pod: null }],
    ['rm web.yaml', { do: 'rm', file: 'web.yaml' }],
    ['help get', { do: 'help', topic: 'get' }],
    ['kubectl', { do: 'help', topic: 'kubectl' }],
    ['get --help', { do: 'help', topic: 'get' }],
    ['  ', { do: 'nothing' }],
  ])('%s', (line, expected) => {
    expect(parseConsole(line)).toMatchObject(expected);
  });

  it.each([
    ['kubctl get pods', 'unknown command "kubctl"; did you mean "kubectl"?'],
    ['gte pods', 'did you mean "get"?'],
    ['kubectl descrbe pod x', 'did you mean "kubectl describe"?'],
    ['xyzzy', 'there are: '],
    ['get', 'write: kubectl get pods|events|nodes'],
    ['get pds', 'the server doesn\'t have a resource type "pds"; did you mean "pods"?'],
    ['get deployments', 'here are: pods, events, nodes'],
    ['get pods -z', 'get has no flag -z; there are: -n/--namespace'],
    ['get pods --outptu wide', 'did you mean "--output"?'],
    ['get pods -o wdie', '-o cannot be "wdie"; did you mean "wide"?'],
    ['get pods -o', 'flag needs an argument: -o'],
    ['get pods --watch=yes', '--watch is true or false'],
    ['get pods web -l a=b', 'name cannot be provided when a selector is specified'],
    ['get leases -w', 'only pods and events can be watched here'],
    ['describe cm x', 'describe is for pods and nodes'],
    ['get nodes --field-selector status.phase=x', 'there are: metadata.name, metadata.namespace'],
    ['get pods -w -o json', 'here a watch prints only tables'],
    ['get pod/web node/n1', 'must be of one kind'],
    ['logs', 'write: kubectl logs POD'],
    ['logs web --tail x', '--tail takes a whole number, not "x"'],
    ['exec web', 'after --'],
    ['exec web ls', 'after --'],
    ['delete pod web --grace-period=0', 'must be used with --force'],
    ['delete pod', 'write: kubectl delete pod'],
    ['delete node n1', 'delete is for pods'],
    ['apply', 'write: kubectl apply -f'],
    ['step iteratoin', 'did you mean "iteration"?'],
    ['go nowhere', 'write: go 123'],
    ['crictl', ''],
    ['crictl pss', 'did you mean "crictl'],
    ["logs 'web", "a closing ' is missing"],
  ])('%s is told what is wrong', (line, message) => {
    if (message === '') expect(parseConsole(line)).toMatchObject({ do: 'help' });
    else {
      const error = failure(line);
      expect(error.message).toContain(message);
      expect(error.zh).toMatch(/[\u4e00-\u9fff]/);
    }
  });
  it('is read or refused, whatever it is', () => {
    const words = fc.constantFrom(
      ...verbs.flatMap((v) => [v.name, ...v.flags.map((f) => `--${f.name}`)]),
      'kubectl',
      '--',
      '-',
      'pods',
      '"',
      '5',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 6 }), (line) => {
        try {
          expect(parseConsole(line.join(' ')).do).toBeTypeOf('string');
        } catch (error) {
          expect(error).toBeInstanceOf(ConsoleError);
        }
      }),
      { numRuns: 500 },
    );
  });
  it('every usage is one of its verb', () => {
    for (const v of verbs) expect(v.usage).toContain(v.name);
  });
});

describe('input of several lines', () => {
  it('belongs to -f -, with a mark or without', () => {
    expect(takeHeredoc('apply -f - <<EOF\na: 1\nEOF\n')).toEqual({ line: 'apply -f - ', stdin: 'a: 1\n' });
    expect(takeHeredoc("apply -f - <<'END'\na\n\nb")).toEqual({ line: 'apply -f - ', stdin: 'a\n\nb\n' });
    expect(takeHeredoc('apply -f -\na: 1\n\n')).toEqual({ line: 'apply -f -', stdin: 'a: 1\n' });
    expect(takeHeredoc('get pods\n')).toEqual({ line: 'get pods', stdin: null });
    expect(parseConsole('kubectl apply -f - <<EOF\nkind: Pod\nEOF')).toMatchObject({ file: '-', stdin: 'kind: Pod\n' });
  });
  it('is waited for', () => {
    expect(['apply -f -', 'k apply -f - <<EOF', 'apply -f - <<EOF\na'].map(wantsMore)).toEqual([true, true, true]);
    expect(['apply -f x.yaml', 'get pods', 'apply -f - <<EOF\na\nEOF', 'apply -f -\na'].map(wantsMore)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('completion', () => {
  const known: Known = {
    pods: [
      { namespace: 'default', name: 'web-node1', containers: ['app', 'side'] },
      { namespace: 'data', name: 'db-node1', containers: ['db'] },
    ],
    manifests: ['web.yaml'],
    containers: ['aa1'],
    sandboxes: ['bb2'],
    fields: () => ['pod.spec.containers'],
  };
  const offers = (line: string) => complete(line, known).candidates;
  it.each([
    ['kubectl g', ['get']],
    ['k', ['kubectl']],
    ['get po', ['pods', 'pod']],
    ['get pods ', ['web-node1', 'db-node1']],
    ['get pods w', ['web-node1']],
    ['get pods web-node1 ', ['db-node1']],
    ['get pods -n data ', ['db-node1']],
    ['get pods -n ', ['default', 'data']],
    ['get nodes ', []],
    ['get pods -o ', ['wide', 'yaml', 'json', 'name']],
    ['get pods --output=w', ['wide']],
    ['get pods --no', ['--no-headers']],
    ['describe ', ['pods', 'pod', 'po', 'nodes', 'node', 'no']],
    ['describe pod/w', ['pod/web-node1']],
    ['logs web-node1 -c ', ['app', 'side']],
    ['logs web-node1 --c', ['--container']],
    ['logs --tail', ['--tail=']],
    ['exec web-node1 -- s', []],
    ['rm ', ['web.yaml']],
    ['apply -f ', ['web.yaml', '-']],
    ['crictl ins', ['inspect', 'inspectp']],
    ['crictl inspectp ', ['bb2']],
    ['step it', ['iteration']],
    ['explain pod.spec.c', ['pod.spec.containers']],
    ['nonsense ', []],
  ])('%s', (line, expected) => {
    expect(offers(line)).toEqual(expected);
  });
  it('says which part it takes the place of', () => {
    expect(complete('get pods --output=w', known)).toMatchObject({ from: 18, to: 19 });
    expect(complete('get "po', known)).toMatchObject({ from: 4, to: 7 });
    expect(commonStart(['web-1', 'web-2'])).toBe('web-');
    expect(commonStart([])).toBe('');
  });
  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (line) => {
        const { from, to } = complete(line, known);
        expect(from).toBeLessThanOrEqual(to);
      }),
    );
  });
});

describe('logs', () => {
  const of = (status: ReturnType<typeof container>) => pod({ status: { containerStatuses: [status] } });
  it('are those of the container that runs, or ran last', () => {
    const target = (c: ReturnType<typeof container>, previous = false) => logTarget(of(c), 'app', previous);
    const dead = ended(1, 'Error', { containerID: 'containerd://old' });
    expect(target(container('app', running()))).toEqual({ id: 'app' });
    expect(target(container('app', running(), { lastState: dead }), true)).toEqual({ id: 'old' });
    expect(target(container('app', waiting('CrashLoopBackOff'), { lastState: dead }))).toEqual({ id: 'old' });
    expect(target(container('app', dead))).toEqual({ id: 'old' });
    expect(target(container('app', ended(128, 'StartError'), { lastState: dead }))).toEqual({ id: 'old' });
    expect(target(container('app', running()), true)).toEqual({
      error: 'previous terminated container "app" in pod "web" not found',
    });
    expect(target(container('app', waiting('ImagePullBackOff')))).toEqual({
      error: 'container "app" in pod "web" is waiting to start: trying and failing to pull image',
    });
    expect(target(container('app', waiting('ErrImagePull')))).toMatchObject({
      error: expect.stringMatching(/can't be pulled/),
    });
    expect(target(container('app', waiting('ContainerCreating')))).toMatchObject({
      error: /start: ContainerCreating$/,
    });
    expect(target(container('app', {}))).toMatchObject({ error: expect.stringMatching(/no logs yet$/) });
    expect(logTarget(pod(), 'nope', false)).toEqual({ error: 'container "nope" in pod "web" is not available' });
  });
  it('are put together from their parts, each stream for itself', () => {
    const lines = [
      'T1 stdout F one',
      'T2 stdout P two ',
      'T3 stderr F err',
      'T4 stdout F parts',
      'rubbish',
      'T5 stdout F ',
    ];
    expect(readLog(lines)).toEqual([
      { time: 'T1', text: 'one' },
      { time: 'T2', text: 'two parts' },
      { time: 'T3', text: 'err' },
      { time: 'T5', text: '' },
    ]);
  });
  it('have a default container', () => {
    const two = pod({ status: { containerStatuses: [container('a', running()), container('b', running())] } });
    expect(defaultContainer(two)).toEqual({ name: 'a', others: true });
    const annotated = { ...two.metadata, annotations: { 'kubectl.kubernetes.io/default-container': 'b' } };
    expect(defaultContainer({ ...two, metadata: annotated })).toEqual({ name: 'b', others: false });
    expect(defaultContainer(pod())).toEqual({ name: 'app', others: false });
  });
});

describe('explain', () => {
  const text = (en: string) => ({ en, zh: `${en}（中）` });
  const schema: PodSchema = {
    type: 'object',
    description: text('A pod.'),
    properties: {
      spec: {
        type: 'object',
        description: text('What is wanted.'),
        required: ['containers'],
        properties: {
          containers: {
            type: 'array',
            description: text('The containers.'),
            items: {
              type: 'object',
              description: text('One.'),
              properties: {
                name: { type: 'string', description: text('Its name.') },
                imagePullPolicy: {
                  type: 'string',
                  description: text('When it is pulled.'),
                  enum: ['Always', 'Never'],
                  default: 'Always',
                },
              },
            },
          },
          nodeSelector: {
            type: 'map',
            description: text('Labels.'),
            values: { type: 'string', description: text('') },
            unsupported: true,
          },
        },
      },
    },
  };
  it('a field with those below it', () => {
    expect(explain(schema, 'pod.spec', 'en')).toBe(`KIND:       Pod
VERSION:    v1

FIELD: spec <Object>

DESCRIPTION:
    What is wanted.

FIELDS:
  containers	<[]Object> -required-
    The containers.

  nodeSelector	<map[string]string>
    Labels. (The kubelet here ignores it.)
`);
  });
  it('through lists, with the values that there are, in the other language', () => {
    expect(explain(schema, 'pods.spec.containers.imagePullPolicy', 'zh')).toBe(`KIND:       Pod
VERSION:    v1

FIELD: imagePullPolicy <string>

ENUM:
    Always
    Never

DEFAULT:
    Always

DESCRIPTION:
    When it is pulled.（中）
`);
    expect(explain(schema, 'pod', 'en', true)).toContain(
      'FIELDS:\n  spec\t<Object>\n    containers\t<[]Object> -required-\n      imagePullPolicy\t<string>',
    );
  });
  it('says what there is instead', () => {
    expect(() => explain(schema, 'pod.spec.contaners', 'en')).toThrow('did you mean "containers"?');
    expect(() => explain(schema, 'pod.spec.containers.name.x', 'en')).toThrow('it has no fields');
    expect(() => explain(schema, 'service.spec', 'en')).toThrow('couldn\'t find resource for "service"');
    expect(fieldPaths(schema, 'pod.spec.co')).toEqual(['pod.spec.containers', 'pod.spec.nodeSelector']);
    expect(fieldPaths(schema, 'po')).toEqual(['pod']);
    expect(fieldPaths(schema, 'pod.x.y')).toEqual([]);
  });
});
