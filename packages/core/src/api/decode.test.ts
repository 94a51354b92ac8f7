import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePod } from './decode.js';
import { computePodQOS } from './pod/qos.js';
import { validatePod } from './validation.js';
import { parseManifest, resolvePlain } from './yaml.js';
import { maxDepth } from './yaml-limits.js';

const manifest = (extra = '', container = '') => `
apiVersion: v1
kind: Pod
metadata:
  name: web
${extra}
spec:
  containers:
  - name: app
    image: nginx:1.27
${container}
`;

describe('parseManifest', () => {
  it.each([
    ['n', false],
    ['Yes', true],
    ['on', true],
    ['~', null],
    ['', null],
    ['0644', 420],
    ['0o644', 420],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['08', 8],
    ['-5', -5],
    ['1.5', 1.5],
    ['1e3', '1e3'],
    ['1.0e3', 1000],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['1.2.3', '1.2.3'],
    ['100m', '100m'],
    ['yEs', 'yEs'],
  ])('reads %j as go-yaml does', (text, value) => {
    expect(resolvePlain(text)).toEqual(value);
  });

  it('keeps quoted scalars and tagged strings as text, and takes JSON', () => {
    expect(parseManifest('a: "n"\nb: \'0644\'\nc: !!str 5\nd: |\n  no\n')).toEqual({
      a: 'n',
      b: '0644',
      c: '5',
      d: 'no\n',
    });
    expect(parseManifest(' {"a": 1, "b": [true]}')).toEqual({ a: 1, b: [true] });
    expect(parseManifest('')).toBeNull();
  });

  it('takes the first document, the last of equal keys, anchors and merges', () => {
    expect(parseManifest('a: 1\na: 2\n---\nb: 3\n')).toEqual({ a: 2 });
    expect(parseManifest('x: &x {p: 1, q: 2}\nw:\n  <<: *x\n  q: 3\nz: *x\n')).toEqual({
      x: { p: 1, q: 2 },
      w: { p: 1, q: 3 },
      z: { p: 1, q: 2 },
    });
    expect(parseManifest('n: 1\n5: 2\n')).toEqual({ false: 1, 5: 2 });
    expect(Object.keys(parseManifest('__proto__: {a: 1}\n') as object)).toEqual(['__proto__']);
  });

  it('refuses what nests too deep, before any parser sees it', () => {
    const deep = 1000;
    for (const text of [
      '['.repeat(deep),
      `a: ${'{a: '.repeat(deep)}`,
      '- '.repeat(deep),
      Array.from({ length: deep }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      `{"a":${'['.repeat(deep)}`,
    ])
      expect(() => parseManifest(text)).toThrow(`exceeded max depth of ${maxDepth}`);
    expect(() => parseManifest('x'.repeat(11 * 1024 * 1024))).toThrow('the read limit is reached');
    const ok = maxDepth - 2;
    expect(() => parseManifest(`${'['.repeat(ok)}1${']'.repeat(ok)}`)).not.toThrow();
    expect(parseManifest(`a: |\n  ${'['.repeat(deep)}\n`)).toEqual({ a: `${'['.repeat(deep)}\n` });
  });

  it('refuses an alias bomb and an anchor within itself', () => {
    const bomb = ['a0: &a0 [1,1,1,1,1,1,1,1,1,1]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(() => parseManifest(bomb.join('\n'))).toThrow('excessive aliasing');
    expect(() => parseManifest('a: &a [*a]')).toThrow('contains itself');
  });

  it('never throws anything but an Error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        try {
          parseManifest(text);
        } catch (err) {
          expect(err).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('gives back what JSON says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 4 })), (value) => {
        const json = JSON.stringify(value);
        expect(parseManifest(json)).toEqual(JSON.parse(json));
      }),
      { numRuns: 200, seed: 2 },
    );
  });
});

describe('decodePod', () => {
  it('fills in the defaults', () => {
    const pod = decodePod(manifest('', '    ports: [{containerPort: 80}]\n    livenessProbe: {httpGet: {port: 80}}\n'));
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
      securityContext: {},
    });
    expect(pod.spec.containers[0]).toEqual({
      name: 'app',
      image: 'nginx:1.27',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      resources: {},
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      livenessProbe: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    });
    expect(validatePod({ ...pod, metadata: { ...pod.metadata, namespace: 'default' } })).toEqual([]);
  });

  it('fills in the defaults of what volumes are made of', () => {
    const field = '{path: p, fieldRef: {fieldPath: metadata.name}}';
    const { spec } = decodePod(
      manifest(
        '',
        `  volumes:
    - {name: a, downwardAPI: {items: [${field}]}}
    - {name: b, projected: {sources: [{downwardAPI: {items: [${field}]}}, {serviceAccountToken: {path: t}}]}}
`,
      ),
    );
    const item = { path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } };
    expect(spec.volumes).toEqual([
      { name: 'a', downwardAPI: { items: [item], defaultMode: 0o644 } },
      {
        name: 'b',
        projected: {
          sources: [
            { downwardAPI: { items: [item] } },
            { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
          ],
          defaultMode: 0o644,
        },
      },
    ]);
  });

  it('what is limited is requested; a pod with limits of its own requests what its containers do', () => {
    const of = (pod: string, container: string) => {
      const { spec } = decodePod(
        manifest('', `    resources: ${container}\n  resources: ${pod}\n  initContainers: [{name: i, image: a:1}]`),
      );
      return [spec.resources?.requests, spec.containers[0]?.resources?.requests];
    };
    expect(of('{limits: {cpu: 2, memory: 1Gi}}', '{limits: {cpu: 500m}}')).toEqual([
      { cpu: '500m', memory: '1Gi' },
      { cpu: '500m' },
    ]);
    expect(of('{limits: {memory: 1Gi}}', '{requests: {memory: 64Mi, cpu: 1}}')).toEqual([
      { cpu: '1', memory: '64Mi' },
      { memory: '64Mi', cpu: '1' },
    ]);
    expect(of('{requests: {cpu: 1}}', '{requests: {memory: 64Mi}}')[0]).toEqual({ cpu: '1' });
    const pod = decodePod(manifest('', '  resources: {limits: {cpu: 1, memory: 1Gi}}'));
    expect(computePodQOS(pod)).toBe('Guaranteed');
  });

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1', 'IfNotPresent'],
    ['host:5000/nginx', 'Always'],
    ['host:5000/nginx:2', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    const pod = decodePod(manifest().replace('nginx:1.27', image));
    expect(pod.spec.containers[0]?.imagePullPolicy).toBe(policy);
  });

  it.each([
    [manifest().replace('name: web', 'name: n'), 'metadata.name: want string, got boolean false'],
    [manifest().replace('nginx:1.27', '5'), 'spec.containers[0].image: want string, got number 5'],
    [manifest().replace('image: nginx:1.27', 'command: sh'), 'spec.containers[0].command: want array, got string'],
    [manifest('  labels: {a: 1}'), 'metadata.labels[a]: want string, got number 1'],
    [manifest('', '    tty: "yes"'), 'spec.containers[0].tty: want boolean, got string'],
    [
      manifest('', '    resources: {limits: {cpu: lots}}'),
      'spec.containers[0].resources.limits[cpu]: quantities must match',
    ],
    [
      manifest('', '  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: heavy}]}}'),
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: want integer, got string',
    ],
    ['apiVersion: v1\nmetadata: {name: a}', "Object 'Kind' is missing in '"],
    ['kind: Pod', "Object 'apiVersion' is missing in '"],
    ['apiVersion: v1\nkind: Service', 'no kind "Service" is registered for version "v1"'],
    ['just text', "couldn't get version/kind; json parse error: want object, got string"],
    ['kind: Pod\nmetadata: {name: [', 'error converting YAML to JSON: yaml: '],
  ])('refuses a wrong manifest by path: %#', (text, message) => {
    expect(() => decodePod(text)).toThrow(message);
  });

  it('leaves out what it does not know, and nulls', () => {
    const pod = decodePod(manifest('  color: red\n  labels: null', '    flavour: sweet'));
    expect(pod.metadata).toEqual({ name: 'web', namespace: '', uid: '' });
    expect(pod.spec.containers[0]).not.toHaveProperty('flavour');
    // A volume of a kind that is not there has no source.
    expect(decodePod(manifest('', '  volumes: [{name: v, cloud: {}}]')).spec.volumes).toEqual([
      { name: 'v', emptyDir: {} },
    ]);
    // Fields that only the cluster reads are not decoded.
    const held = decodePod(manifest('  managedFields: [{manager: me}]', '  schedulingGates: [{name: g}]'));
    expect([held.metadata.managedFields, held.spec.schedulingGates]).toEqual([undefined, undefined]);
  });
});

describe('validatePod', () => {
  const errors = (text: string) => {
    const pod = decodePod(text);
    pod.metadata.namespace = 'default';
    return validatePod(pod);
  };
  it.each([
    [
      manifest().replace('name: web', 'name: Web_1'),
      'metadata.name: Invalid value: "Web_1": a lowercase RFC 1123 subdomain',
    ],
    [manifest().replace('    image: nginx:1.27', ''), 'spec.containers[0].image: Required value'],
    [manifest('', '  - name: app\n    image: b'), 'spec.containers[1].name: Duplicate value: "app"'],
    [
      manifest('', '  restartPolicy: Sometimes'),
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      manifest('', '    volumeMounts: [{name: v, mountPath: /v}]'),
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      manifest('', '    livenessProbe: {periodSeconds: 3}'),
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
    ],
    [
      manifest('', '    livenessProbe: {exec: {command: [a]}, successThreshold: 2}'),
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ],
    ['apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}', 'spec.containers: Required value'],
    [
      manifest('', '    env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.nothing}}}]'),
      'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "status.nothing": error converting fieldPath: field label not supported: status.nothing',
    ],
    [
      manifest('', '    env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]'),
      'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", ',
    ],
    [
      manifest('', `    env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.name['x']"}}}]`),
      'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": does not support subscript',
    ],
  ])('says what is wrong and where: %#', (text, message) => {
    const list = errors(text);
    expect(list).toHaveLength(1);
    expect(list[0]).toContain(message);
  });
});
