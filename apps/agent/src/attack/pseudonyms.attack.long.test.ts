/** A recording that is shared with pseudonyms has no name of its owner's node, in any form. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesSource, openRecording, type TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../main.js';

/** Names that must not be found, by what they are the name of. Some are parts of others. */
const names = {
  node: 'acme-fra-17.corp.acme.example',
  namespace: 'acmebilling',
  pod: 'acmebilling-ledger-7d9f6c-x2zzt',
  staticPod: 'acmewatch',
  container: 'acmeledger',
  init: 'acmemigrate',
  registry: 'registry.acme.example:5000',
  repository: 'payments/acmeledger-api',
  configMap: 'acmesettings',
  secret: 'acmevault-login',
  volume: 'acmedata',
  account: 'acmerobot',
  labelKey: 'acme.example/costcenter',
  labelValue: 'acmefinance4711',
};
/** A text that all of them have, so that a part of one is found, too. */
const canary = /acme/i;

const pod = `
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: ConfigMap
          metadata: { name: ${names.configMap}, namespace: ${names.namespace} }
          data: { a: b }
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: ${names.pod}
            namespace: ${names.namespace}
            labels: { app: ${names.container}, '${names.labelKey}': ${names.labelValue} }
            annotations: { '${names.labelKey}': ${names.labelValue} }
          spec:
            serviceAccountName: ${names.account}
            imagePullSecrets: [{ name: ${names.secret} }]
            terminationGracePeriodSeconds: 1
            volumes:
              - { name: ${names.volume}, configMap: { name: ${names.configMap} } }
              - { name: other, emptyDir: {} }
            initContainers:
              - { name: ${names.init}, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sh, -c, "sleep 1"] }
            containers:
              - name: ${names.container}
                image: "localhost/busybox:dev"
                imagePullPolicy: Never
                command: [sh, -c, "sleep 2; exit 1"]
                volumeMounts: [{ name: ${names.volume}, mountPath: /data }]
                readinessProbe: { httpGet: { port: 80, path: /health }, periodSeconds: 1 }
              - { name: pulled, image: "${names.registry}/${names.repository}:v1.2", imagePullPolicy: Always }
`;
const scenario = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: canary, title: A canary }
spec:
  node: { nodeName: ${names.node}, apiServer: true, fileCheckFrequency: 1s }
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: ServiceAccount
          metadata: { name: ${names.account}, namespace: ${names.namespace} }
${pod}
    - wait: 30s
    - delete: { pod: ${names.namespace}/${names.pod}, to: api }
    - wait: 10s
`;
const onlyStatic = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: canary-static, title: A canary }
spec:
  node: { nodeName: ${names.node}, fileCheckFrequency: 1s }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: ${names.staticPod}, namespace: ${names.namespace} }
        spec:
          containers:
            - { name: ${names.container}, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sh, -c, "sleep 3; exit 1"] }
    - wait: 20s
`;

async function syncloop(...argv: string[]) {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  };
  const code = await main(argv, io);
  return { code, out, err };
}

describe.each([
  ['a pod of an API server', scenario, 'pod-1'],
  ['a static pod', onlyStatic, 'pod-1-node-1'],
])('names in a recording of %s', (_, text, podName) => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-pseudonyms-'));
  const file = (name: string) => join(folder, name);
  const read = (name: string) => openRecording(bytesSource(readFileSync(file(name))));
  let before: readonly TraceRecord[] = [];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    writeFileSync(file('canary.yaml'), text);
    const ran = await syncloop('simulate', file('canary.yaml'), '--record', file('as-it-is.syncloop'));
    expect(ran.code, ran.err).toBe(0);
    before = [...read('as-it-is.syncloop')];
  });

  /** Returns the places where a canary is still found. */
  const leaks = (texts: readonly string[]) =>
    texts.flatMap((one) => {
      const at = one.search(canary);
      return at < 0 ? [] : [one.slice(Math.max(0, at - 100), at + 60)];
    });

  it('were there', () => {
    const all = JSON.stringify(before);
    const there = Object.values(text === scenario ? names : { ...names, pod: '' }).filter((name) => all.includes(name));
    expect(there.length).toBeGreaterThan(text === scenario ? 11 : 4);
  });

  it('are in no recording with pseudonyms, which opens, and whose questions are answered as before', async () => {
    const made = await syncloop('import', file('as-it-is.syncloop'), '-o', file('shared.syncloop'), '--pseudonyms');
    expect(made.code, made.err).toBe(0);
    expect(statSync(file('shared.syncloop')).mode & 0o777).toBe(0o600);
    const recording = read('shared.syncloop');
    const records = [...recording];
    expect(leaks([JSON.stringify(recording.header)])).toEqual([]);
    expect(leaks(records.map((record) => JSON.stringify(record)))).toEqual([]);
    expect(leaks([readFileSync(file('shared.syncloop'), 'latin1')])).toEqual([]);
    // The run would have them, and cannot be run without.
    expect(recording.header).not.toHaveProperty('run');
    expect(recording.header.node).toBe('node-1');
    const shape = (all: readonly TraceRecord[]) =>
      all.map(({ seq, time, kind, g, cause }) => [seq, time, kind, g, cause]);
    expect(shape(records)).toEqual(shape(before));
    const why = (name: string, ...of: string[]) =>
      syncloop('why', file(name), '--json', ...of).then(({ out, err, code }) => {
        expect(code, err).toBe(0);
        return (JSON.parse(out) as { links: { seq: number }[] }).links.map(({ seq }) => seq);
      });
    const original = text === scenario ? names.pod : `${names.staticPod}-${names.node}`;
    const containers = new Map(records.flatMap((r) => (r.kind === 'step' && r.container ? [[r.container, r]] : [])));
    expect(containers.size).toBeGreaterThan(0);
    const old = before.find((r) => r.kind === 'step' && r.container === names.container);
    const now = records.find((r) => r.seq === old?.seq) as { container?: string; pod?: string };
    expect(now.pod).toMatch(new RegExp(`^namespace-1/${podName}$`));
    const asked = await why('as-it-is.syncloop', '--container', `${original}/${names.container}`);
    expect(asked.length).toBeGreaterThan(2);
    expect(await why('shared.syncloop', '--container', `${podName}/${now.container}`)).toEqual(asked);
  });

  it.each(['ndjson', 'klog', 'chrome', 'otlp'])('are in no export as %s', async (format) => {
    const plain = await syncloop('export', file('as-it-is.syncloop'), '--format', format);
    const shared = await syncloop('export', file('as-it-is.syncloop'), '--format', format, '--pseudonyms');
    expect(leaks(plain.out.split('\n')).length).toBeGreaterThan(0);
    expect(leaks(shared.out.split('\n'))).toEqual([]);
    expect(shared.out.split('\n')).toHaveLength(plain.out.split('\n').length);
  });

  it('are in no recording that is made of its log', async () => {
    await syncloop('export', file('as-it-is.syncloop'), '--format', 'klog', '-o', file(`${names.node}-kubelet.log`));
    const made = await syncloop(
      'import',
      file(`${names.node}-kubelet.log`),
      '-o',
      file('log.syncloop'),
      '--pseudonyms',
    );
    expect(made.code, made.err).toBe(0);
    const recording = read('log.syncloop');
    expect(recording.last).toBeGreaterThan(200);
    expect(
      leaks([JSON.stringify(recording.header), ...[...recording].map((record) => JSON.stringify(record))]),
    ).toEqual([]);
  });

  it('are the same in two parts of one recording', async () => {
    const part = async (...of: string[]) => {
      const { out } = await syncloop('export', file('as-it-is.syncloop'), '--format', 'ndjson', '--pseudonyms', ...of);
      return out.trimEnd().split('\n').slice(1);
    };
    const whole = await part();
    const middle = Math.floor(before.length / 2);
    const from = before[middle]?.seq as number;
    expect(await part('--from', String(from))).toEqual(whole.slice(middle));
  });
});
