import { ApiServer, inProcessTransport } from '@syncloop/core/apiserver';
import { Kernel, Millisecond, Second } from '@syncloop/core/kernel';
import { defaultKubeletConfig, newKubelet } from '@syncloop/core/kubelet';
import { newMockRuntime } from '@syncloop/core/mock';
import { redactKnown, redactRecord } from '@syncloop/core/redaction';
import { bytesSource, formatKlog, openRecording, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseYAML } from '../base/yaml.js';
import { defaultAgentConfig } from '../config/agent-config.js';
import { parseKubeletConfiguration } from '../config/kubelet-configuration.js';
import { effectiveConfiguration } from '../kubelet-server/configz.js';
import { KnownSecrets } from '../redaction/known-secrets.js';
import { learningTransport } from '../redaction/learning-transport.js';
import { blankHeader } from '../testing/blank-header.js';

/** A secret of its own for each way that one might take. */
const names = [
  'envLiteral',
  'envSecret',
  'envConfigMap',
  'secretVolume',
  'configMapVolume',
  'annotation',
  'pullSecret',
  'probeHeader',
  'probeBody',
  'execOutput',
  'hookOutput',
  'logLine',
  'terminationMessage',
  'urlPassword',
] as const;
type Name = (typeof names)[number];
const canary = Object.fromEntries(names.map((name, i) => [name, `Cnry${i}q7Zx${name}`])) as Record<Name, string>;
/**
 * Returns the command in two halves: the command itself is in the manifest for everybody to read, its output is not.
 */
const inHalves = (name: Name) => `${canary[name].slice(0, 6)}""${canary[name].slice(6)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const secret = `apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
data: {env: ${base64(canary.envSecret)}, file: ${base64(canary.secretVolume)}}
`;
const pullSecret = `apiVersion: v1
kind: Secret
metadata: {name: pull, namespace: default}
type: kubernetes.io/dockerconfigjson
data:
  .dockerconfigjson: ${base64(JSON.stringify({ auths: { 'registry.test': { username: 'u', password: canary.pullSecret } } }))}
`;
const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default}
data: {env: ${canary.envConfigMap}, file: ${canary.configMapVolume}}
`;
const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"password":"${canary.annotation}"}'
    example.test/source: https://me:${canary.urlPassword}@git.test/x
spec:
  terminationGracePeriodSeconds: 1
  imagePullSecrets: [{name: pull}]
  volumes:
  - {name: secret, secret: {secretName: s}}
  - {name: config, configMap: {name: c}}
  containers:
  - name: app
    image: registry.test/app:1
    command: [sh, -c, 'echo ${inHalves('logLine')}; sleep 1000', '--literal=$(LITERAL)']
    args: ['--secret=$(SECRET)', '--config=$(CONFIG)']
    env:
    - {name: LITERAL, value: ${canary.envLiteral}}
    - {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: env}}}
    - {name: CONFIG, valueFrom: {configMapKeyRef: {name: c, key: env}}}
    volumeMounts:
    - {name: secret, mountPath: /secret}
    - {name: config, mountPath: /config}
    readinessProbe:
      exec: {command: [sh, -c, 'echo ${inHalves('execOutput')} $SECRET; cat /secret/file; false']}
      periodSeconds: 1
    livenessProbe:
      httpGet: {port: 80, httpHeaders: [{name: X-Token, value: ${canary.probeHeader}}]}
      periodSeconds: 1
      failureThreshold: 1000
  - name: hook
    image: localhost/busybox:dev
    command: [sh, -c, 'sleep 1000']
    lifecycle: {postStart: {exec: {command: [sh, -c, 'echo ${inHalves('hookOutput')}; exit 3']}}}
  - name: ends
    image: localhost/busybox:dev
    command: [sh, -c, 'echo ${inHalves('terminationMessage')}; exit 1']
    terminationMessagePolicy: FallbackToLogsOnError
`;

describe('secrets on a node', () => {
  const records: TraceRecord[] = [];
  const known = new KnownSecrets();
  let bodies = '';
  let metrics = '';
  beforeAll(() => {
    const kernel = new Kernel({ seed: 5, sink: (record) => records.push(record) });
    kernel.addSink((record) => known.learnRecord(record));
    const server = new ApiServer(kernel, {});
    const mock = newMockRuntime(kernel, {
      nodeName: 'node1',
      registry: { 'registry.test/app:1': { kind: 'serve', image: { cmd: ['sh'], programs: 'busybox' } } as never },
    });
    const probeTransport = {
      ...mock.probeTransport,
      *httpGet() {
        return { status: 200, body: canary.probeBody };
      },
    };
    const inProcess = inProcessTransport(kernel, server, {
      user: { name: 'system:node:node1', groups: ['system:nodes', 'system:authenticated'] },
      latency: Millisecond,
    });
    const transport = learningTransport(inProcess, known);
    const kubelet = newKubelet({
      kernel,
      config: {
        ...defaultKubeletConfig(),
        failCgroupV1: false,
        cgroupsPerQOS: false,
        enforceNodeAllocatable: [],
        nodeName: 'node1',
      },
      runtimeService: mock.runtime,
      imageService: mock.image,
      os: mock.fs,
      probeTransport,
      nodeInfo: mock.nodeInfo,
      transport,
    });
    kernel.post(() => kubelet.run());
    kernel.run({ until: 2 * Second });
    const post = (path: string, text: string) => {
      const body = JSON.stringify(parseYAML('x', text).value);
      const user = { name: 'admin', groups: ['system:masters'] };
      const answer = server.handle({ method: 'POST', path, body, user } as never) as { code: number; body: unknown };
      expect(answer.code, JSON.stringify(answer.body)).toBe(201);
    };
    kernel.post(() => {
      post('/api/v1/namespaces/default/serviceaccounts', 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\n');
      post('/api/v1/namespaces/default/secrets', secret);
      post('/api/v1/namespaces/default/secrets', pullSecret);
      post('/api/v1/namespaces/default/configmaps', configMap);
      post('/api/v1/namespaces/default/pods', pod.replace('spec:\n', 'spec:\n  nodeName: node1\n'));
    });
    kernel.run({ until: 60 * Second });
    metrics = kubelet.metrics.registry.text();
    bodies = JSON.stringify(records);
  });

  /** Places in which a text still has a canary, as it is or in base64. */
  const leaks = (texts: Iterable<string>) => {
    const found: string[] = [];
    for (const text of texts)
      for (const one of Object.values(canary).flatMap((c) => [c, base64(c).replace(/=*$/, '')])) {
        const at = text.indexOf(one);
        if (at >= 0) found.push(text.slice(Math.max(0, at - 200), at + one.length + 20));
      }
    return found;
  };

  it('were there, in what is not redacted', () => {
    const there = names.filter((name) => bodies.includes(canary[name]));
    expect(there).toEqual([
      'envLiteral',
      'envSecret',
      'envConfigMap',
      'secretVolume',
      'annotation',
      'probeHeader',
      'probeBody',
      'execOutput',
      'hookOutput',
      'terminationMessage',
      'urlPassword',
    ]);
  });

  it('are in no record that leaves the process', () => {
    const out = records.map((record) => redactRecord(record));
    expect(leaks(out.map((r) => JSON.stringify(r)))).toEqual([]);
    expect(out.length).toBeGreaterThan(1000);
  });

  it('are in no recording', () => {
    const chunks: Uint8Array[] = [];
    const writer = new RecordingWriter((chunk) => chunks.push(chunk), blankHeader);
    for (const record of records) writer.push(redactRecord(record));
    writer.close();
    const recording = openRecording(bytesSource(Buffer.concat(chunks)));
    const read = [...recording];
    expect(read).toHaveLength(records.length);
    expect(leaks(read.map((r) => JSON.stringify(r)))).toEqual([]);
  });

  it('are in no line of the log, however much it says, but for what containers print', () => {
    const options = { epochMillis: 0, pid: 1 };
    const lines = records.flatMap((r) =>
      r.kind === 'log' ? [formatKlog(redactKnown(r, known) as typeof r, options)] : [],
    );
    expect(lines.length).toBeGreaterThan(100);
    const there = names.filter((name) => leaks(lines).some((leak) => leak.includes(canary[name])));
    expect(there).toEqual(['execOutput', 'hookOutput', 'terminationMessage']);
    // Known secrets are taken out of that, too.
    expect(lines.some((line) => line.includes(`${canary.execOutput} [REDACTED]`))).toBe(true);
  });

  it('are in no record where outputs are wanted, but for what containers print', () => {
    const out = records.map((record) => JSON.stringify(redactKnown(record, known)));
    const there = names.filter((name) => leaks(out).some((leak) => leak.includes(canary[name])));
    expect(there).toEqual(['probeBody', 'execOutput', 'hookOutput', 'terminationMessage']);
  });

  it('are in no metric', () => {
    expect(leaks([metrics])).toEqual([]);
  });

  it('are not in /configz, where a configuration had them', () => {
    const file = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodURL: https://example.test/pods
staticPodURLHeader: {Authorization: [${canary.probeHeader}]}
`;
    const config = parseKubeletConfiguration('x', file, () => {});
    expect(leaks([JSON.stringify(effectiveConfiguration(config, false))])).toEqual([]);
    expect(JSON.stringify(effectiveConfiguration(config, false))).toContain('<masked>');
    expect(defaultAgentConfig()).toBeDefined();
  });
});
