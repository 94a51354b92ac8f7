import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tryDecodeSinglePod } from '../kubelet/index.js';
import { checkManifest, type Problem, placeOfError } from '../manifest/index.js';

const options = { file: 'web.yaml', nodeName: 'node1' };
const check = (text: string) => checkManifest(text, options);
const pod = (containers: string, rest = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n${rest}  containers:\n${containers}`;
const app = '    - name: app\n      image: busybox:1.36\n';
/** The marked parts of a text, with their codes. */
const marks = (text: string) => check(text).map((p) => [p.code, text.slice(p.from, p.to), p.severity]);

describe('checkManifest', () => {
  it('has nothing to say to a good manifest', () => {
    expect(check(pod(app))).toEqual([]);
    expect(
      check(
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'a' },
          spec: { containers: [{ name: 'a', image: 'b' }] },
        }),
      ),
    ).toEqual([]);
  });
  it('names the nearest field for one that nobody knows', () => {
    expect(marks(pod(`${app}      imagePullPolcy: Always\n`))).toEqual([['unknownNear', 'imagePullPolcy', 'warning']]);
    expect(check(pod(`${app}      imagePullPolcy: Always\n`))[0]?.params).toEqual({
      field: 'imagePullPolcy',
      near: 'imagePullPolicy',
    });
    expect(marks(pod(`${app}      banana: 1\n`))).toEqual([['unknown', 'banana', 'warning']]);
  });
  it('marks a value of the wrong type', () => {
    expect(marks(pod(`${app}      tty: "yes"\n`))).toEqual([['type', '"yes"', 'error']]);
    expect(check(pod(`${app}      tty: "yes"\n`))[0]?.params).toEqual({ want: 'boolean', got: 'string' });
    // go-yaml reads it as a bool.
    expect(check(pod(`${app}      tty: yes\n`))).toEqual([]);
    expect(marks('apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers: app\n')).toEqual([
      ['type', 'app', 'error'],
    ]);
  });
  it('marks what is required where it should be', () => {
    expect(marks(pod('    - name: app\n'))).toEqual([['required', 'name', 'error']]);
    expect(check(pod('    - name: app\n'))[0]).toMatchObject({
      params: { field: 'image' },
      path: 'spec.containers[0].image',
      kubelet: 'spec.containers[0].image: Required value',
    });
    expect(check('apiVersion: v1\nmetadata:\n  name: a\n').map((p) => [p.path, p.severity])).toEqual([
      ['kind', 'error'],
      ['spec', 'warning'],
    ]);
    expect(marks('apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\nspec: {}\n')).toContainEqual([
      'required',
      'metadata',
      'error',
    ]);
  });
  it("places the errors of the kubelet's validation by their path", () => {
    const text = pod(
      '    - name: app\n      image: a\n      imagePullPolicy: Sometimes\n    - name: app\n      image: b\n      volumeMounts:\n        - name: gone\n          mountPath: /x\n',
    );
    expect(marks(text)).toEqual([
      ['enum', 'Sometimes', 'error'],
      ['duplicate', 'app', 'error'],
      ['notFound', 'gone', 'error'],
    ]);
  });
  it('says that a static pod may not refer to what the API server has, at the place', () => {
    expect(marks(pod(app, '  serviceAccountName: robot\n'))).toEqual([['reference', 'serviceAccountName', 'error']]);
    expect(marks(pod(app, '  volumes:\n    - name: s\n      secret:\n        secretName: x\n'))).toEqual([
      ['reference', 'secret', 'error'],
    ]);
  });
  it('is quiet about what Kubernetes knows and this kubelet ignores', () => {
    expect(marks(pod(app, '  schedulerName: mine\n  topologySpreadConstraints: []\n'))).toEqual([
      ['ignored', 'schedulerName', 'info'],
      ['ignored', 'topologySpreadConstraints', 'info'],
    ]);
    expect(marks(`${pod(app)}status:\n  phase: Running\n`)).toEqual([['readOnly', 'status', 'info']]);
    expect(marks(pod(app, '  volumes:\n    - name: data\n      nfs: {server: a, path: /}\n'))).toEqual([
      ['noPlugin', 'nfs', 'warning'],
    ]);
  });
  it('gives the place of broken YAML and JSON', () => {
    for (const text of [
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: [\n',
      'a: b: c\n',
      'a:\n\t- b\n',
      '{"kind": "Pod",}',
    ]) {
      const [problem] = check(text);
      expect(problem, text).toMatchObject({ severity: 'error', code: 'syntax' });
      expect(problem?.params.rule, text).not.toBe('');
    }
    const tab = 'kind: Pod\nspec:\n\tcontainers: []\n';
    expect(tab.slice(0, check(tab)[0]?.from).split('\n')).toHaveLength(3);
  });
  it('says what is not a pod, and that other documents do not count', () => {
    expect(marks('apiVersion: apps/v1\nkind: Deployment\n')).toEqual([['notPod', 'Deployment', 'error']]);
    expect(marks('')).toMatchObject([['notPod', '', 'error']]);
    expect(marks('hello')).toMatchObject([['notPod', 'hello', 'error']]);
    expect(check(`${pod(app)}---\n${pod(app)}`).map((p) => p.code)).toEqual(['secondDocument']);
  });
  it('tells of keys given twice, and of two sources where one can be', () => {
    expect(marks(pod(`${app}      image: other\n`))).toEqual([['twice', 'image', 'warning']]);
    expect(
      marks(pod(`${app}      readinessProbe:\n        exec: {command: [a]}\n        tcpSocket: {port: 1}\n`)),
    ).toEqual([['kubelet', 'tcpSocket', 'error']]);
  });
  it('is silent about anchors and merges that are in order', () => {
    expect(check(pod('    - &a\n      name: app\n      image: x:1\n    - <<: *a\n      name: two\n'))).toEqual([]);
  });
  it('has an error exactly where the kubelet refuses, survives any text, and marks what is there', () => {
    const base = pod(
      `${app}      env:\n        - name: A\n          value: b\n      ports:\n        - containerPort: 80\n`,
    );
    const cut = fc.record({ at: fc.nat(base.length), drop: fc.nat(12), put: fc.string({ maxLength: 6 }) });
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), (cuts) => {
        let text = base;
        for (const c of cuts) text = text.slice(0, c.at) + c.put + text.slice(c.at + c.drop);
        const problems: Problem[] = check(text);
        const refused = 'error' in tryDecodeSinglePod(text, { source: 'web.yaml', isFile: true, nodeName: 'node1' });
        expect(
          problems.some((p) => p.severity === 'error'),
          text,
        ).toBe(refused);
        for (const p of problems) {
          expect(p.from, text).toBeGreaterThanOrEqual(0);
          expect(p.to, text).toBeGreaterThanOrEqual(p.from);
          expect(p.to, text).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 400, seed: 7 },
    );
  });
});

describe('placeOfError', () => {
  it("finds the field that a session's refusal names", () => {
    const text = pod(`${app}      tty: 3\n`);
    const at = (message: string) => {
      const range = placeOfError(text, message);
      return range && text.slice(range.from, range.to);
    };
    expect(at('web.yaml: spec.containers[0].tty: want boolean, got number 3')).toBe('3');
    expect(at('web.yaml: invalid pod: spec.containers[0].workingDir: Invalid value: "x"')).toBe('name');
    expect(at('web.yaml: nothing with a path')).toBeNull();
    expect(placeOfError('a: [', 'spec.x: y')).not.toBeUndefined();
  });
});
