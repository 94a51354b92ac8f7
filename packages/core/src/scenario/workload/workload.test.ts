import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../api/yaml.js';
import { imageQuestions, type KnownImages, noteText, portsOf, readWorkload } from './index.js';

const options = { nodeName: 'node1', api: false };
const read = (text: string, api = false) => readWorkload(text, { ...options, api });
const pod = (image: string, more = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: ${image}\n${more}`;
const guess = (image: string, more = '', known: KnownImages = { images: [] }) =>
  imageQuestions(read(pod(image, more)).pods, known)[0];

describe('what a text comes to', () => {
  it('a plain pod is applied as it is written, comments and all', () => {
    const text = `# mine\n${pod('nginx')}`;
    expect(read(text)).toMatchObject({ kind: 'pod', notes: [], problems: [] });
  });
  it('the same controller gives the same name, whatever its template says', () => {
    const deployment = (image: string) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec: {containers: [{name: a, image: ${image}}]}\n`;
    const [one] = read(deployment('a:1')).pods;
    expect(one?.name).toMatch(/^web-[2456789bcdf]{7,10}-[2456789bcdfghjklmnpqrstvwxz]{5}$/);
    expect(one?.file).toBe(`${one?.name}.yaml`);
    expect(read(deployment('b:2')).pods[0]?.name).toBe(one?.name);
    expect(read(deployment('b:2').replace('name: web', 'name: api')).pods[0]?.name).not.toBe(one?.name);
  });
  it('values of ConfigMaps and Secrets of the text are written into a static pod, and its files are there', () => {
    const text = `${pod(
      'busybox',
      `      env:
        - {name: OWN, value: mine}
        - name: PASSWORD
          valueFrom: {secretKeyRef: {name: keys, key: password}}
      envFrom: [{configMapRef: {name: settings}, prefix: P_}]
      volumeMounts: [{name: files, mountPath: /etc/app}]
  volumes: [{name: files, configMap: {name: settings}}]
`,
    )}---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {OWN: theirs, app.conf: "a=1\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
data: {password: aHVudGVyMg==}
`;
    const { pods, objects, notes } = read(text);
    expect(objects.map((o) => `${o.kind} ${o.name}`)).toEqual(['ConfigMap settings', 'Secret keys']);
    expect(notes.map((n) => n.code)).toEqual(['inline', 'object', 'object']);
    expect(parseManifest(pods[0]?.text ?? '')).toMatchObject({
      metadata: { annotations: { 'config.syncloop.dev/files.app.conf': 'a=1\n' } },
      spec: {
        containers: [
          {
            env: [
              { name: 'P_OWN', value: 'theirs' },
              { name: 'P_app.conf', value: 'a=1\n' },
              { name: 'OWN', value: 'mine' },
              { name: 'PASSWORD', value: 'hunter2' },
            ],
          },
        ],
      },
    });
    const [kept] = read(text, true).pods;
    expect(kept?.api).toBe(true);
    expect(kept?.text).toContain('configMapRef');
    expect(kept?.text).toContain('secretKeyRef');
  });
  it.each([
    ['', 'There is nothing in it.'],
    ['hello there\n', 'This is not a manifest: "hello there".'],
    ['a: 1\n', 'This has no kind: a manifest begins with apiVersion and kind.'],
    [
      'FROM node:22\nCOPY . .\nCMD node .\n',
      'This is a Dockerfile: it makes an image. A pod that runs the image is what belongs here.',
    ],
    [
      'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\n',
      'This is a scenario of this program: open it as a file instead.',
    ],
  ])('%j is told', (text, sentence) => {
    const { kind, notes } = read(text);
    expect(kind).toBe('nothing');
    expect(notes.map((n) => noteText(n, 'en'))).toEqual([sentence]);
  });
  it('what cannot be read is told at every place, in every document', () => {
    const text = 'a: [1\n---\nkind: Pod\nb: {\n---\nc: "\n';
    const lines = read(text).problems.map((p) => text.slice(0, p.from).split('\n').length);
    expect(new Set(lines).size).toBeGreaterThanOrEqual(3);
    expect(read('{"kind": "Pod",').problems).toMatchObject([{ code: 'syntax', params: { rule: 'json' } }]);
  });
  it('what is said of an item of a list stands at its line', () => {
    const text =
      'kind: List\nitems:\n  - kind: Service\n    metadata: {name: a}\n  - kind: Ingress\n    metadata: {name: b}\n';
    expect(read(text).notes.map((n) => text.slice(0, n.from).split('\n').length)).toEqual([3, 5]);
  });
  it('braces of other programs are no templates of Helm', () => {
    const rule = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\ndata:\n  a: "{{ range .Alerts }}{{ end }}"\n---\n${pod('nginx')}`;
    expect(read(rule).pods).toHaveLength(1);
  });
  it('throws nothing, whatever the text is', () => {
    const texts = [
      'null',
      '[]',
      '[[',
      '- 1\n- {kind: Deployment}',
      'kind: List\nitems: [1, null, {kind: Pod}]',
      'kind: {}',
      'kind: Deployment\nmetadata: {name: x}\nspec: 3',
      'kind: Deployment\nmetadata: 7\nspec: {template: []}',
      'kind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: 1}',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: "%%"}',
      'kind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: x}}}',
      '\u0000',
      '*a',
      `${'['.repeat(500)}`,
      'kind: Pod\nmetadata: {name: a}\nspec: {containers: [null, {name: a, env: [null], envFrom: [1], volumeMounts: {}}], volumes: [null, {configMap: 1}]}',
    ];
    for (const text of texts)
      for (const api of [false, true]) {
        const { pods, notes, problems } = read(text, api);
        expect(imageQuestions(pods, { images: [] })).toBeInstanceOf(Array);
        expect(notes.length + problems.length, text).toBeGreaterThan(0);
      }
  });
});

describe('what images probably do', () => {
  it.each([
    ['nginx', '', undefined],
    ['localhost/busybox:dev', '', undefined],
    ['nginx:1.999', '', [null, 'noTag']],
    ['registry.invalid/no-such-image:1.0', '', [null, 'name']],
    ['postgers:16', '', [null, 'typo']],
    ['acme/web:1', '      ports: [{containerPort: 80}]\n', [{ kind: 'serves', ports: [80] }, 'ports']],
    ['acme/tool', '      command: [sh, -c, "echo hello; sleep 3600"]\n', [{ kind: 'command' }, 'command']],
    ['acme/tool', '      command: [sh, -c, "exec /app/run"]\n', [{ kind: 'runs' }, 'default']],
    ['acme/batch', '  restartPolicy: Never\n', [{ kind: 'exits', code: 0, after: 5_000_000 }, 'job']],
  ] as const)('%s %j', (image, more, expected) => {
    const found = guess(image, more, { images: [{ tags: ['localhost/busybox:dev'] }] });
    expect(found && [found.does, found.because]).toEqual(expected);
  });
  it('what was said before counts', () => {
    const answers = [{ ref: 'docker.io/acme/web:1', kind: 'serve', does: { kind: 'runs' } }] as const;
    expect(guess('acme/web:1', '', { images: [], answers })).toMatchObject({ settled: true, does: { kind: 'runs' } });
    const missing = [{ ref: 'docker.io/acme/web:1', kind: 'not-found' }];
    expect(guess('acme/web:1', '', { images: [], answers: missing })).toMatchObject({ settled: true, does: null });
    const served = [{ ref: 'docker.io/acme/web:1', kind: 'serve' }];
    expect(guess('acme/web:1', '', { images: [], answers: served })).toBeUndefined();
  });
  it('ports come from ports, probes and hooks, by number and by name', () => {
    const ports = portsOf({
      ports: [
        { name: 'http', containerPort: 80 },
        { containerPort: 53, protocol: 'UDP' },
      ],
      livenessProbe: { httpGet: { port: 'http' } },
      readinessProbe: { tcpSocket: { port: 81 } },
      startupProbe: { grpc: { port: 82 } },
      lifecycle: { postStart: { httpGet: { port: '83' } } },
    });
    expect(ports).toEqual([80, 81, 82, 83]);
  });
});
