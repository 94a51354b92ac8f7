import { describe, expect, it } from 'vitest';
import type { Json, TraceRecord } from '../trace/index.js';
import { redactRecord } from './redact.js';

/** Processor time that `act` takes, milliseconds: a busy machine does not change it. */
function cpuMillis(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 };
const record = (body: object) => ({ ...head, ...body }) as unknown as TraceRecord;
const canary = 'canary9c1f';

/** Every string in a value. */
const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

describe('redactRecord', () => {
  it.each<[string, object]>([
    [
      'the environment in CreateContainer',
      { kind: 'cri-call', method: 'CreateContainer', request: { config: { envs: [{ key: 'A', value: canary }] } } },
    ],
    [
      'registry credentials',
      {
        kind: 'cri-call',
        method: 'PullImage',
        request: {
          auth: { username: canary, password: canary, auth: canary, identityToken: canary, registryToken: canary },
        },
      },
    ],
    [
      'what a command printed',
      { kind: 'cri-return', call: 1, method: 'ExecSync', took: 1, response: { stdout: canary, stderr: canary } },
    ],
    [
      "the runtime's own dump",
      {
        kind: 'cri-return',
        call: 1,
        method: 'ContainerStatus',
        took: 1,
        response: { info: { info: `{"env":"${canary}"}` } },
      },
    ],
    [
      'a pod in arguments',
      {
        kind: 'enter',
        fn: 'SyncPod',
        args: { pod: { spec: { containers: [{ env: [{ name: 'A', value: canary }] }] } } },
      },
    ],
    [
      'a pod in a channel',
      {
        kind: 'send',
        chan: 1,
        len: 1,
        item: [{ spec: { initContainers: [{ env: [{ name: 'A', value: canary }] }] } }],
      },
    ],
    [
      'arguments that have values of the environment in them',
      {
        kind: 'cri-call',
        method: 'CreateContainer',
        request: {
          config: {
            envs: [{ key: 'A', value: Buffer.from(canary).toString('base64') }],
            command: ['sh', `--password=${canary}`],
            args: [canary],
            mounts: [{ hostPath: `/pods/u/${canary}` }],
          },
        },
      },
    ],
    [
      'annotations but for a kubelet’s own',
      {
        kind: 'cri-call',
        method: 'RunPodSandbox',
        request: { config: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary } } },
      },
    ],
    [
      'headers of a probe',
      { kind: 'enter', fn: 'f', args: { httpGet: { httpHeaders: [{ name: 'X', value: canary }] } } },
    ],
    ['data of a secret', { kind: 'send', chan: 1, len: 1, item: { kind: 'Secret', data: { a: canary } } }],
    ['data of a config map', { kind: 'send', chan: 1, len: 1, item: { kind: 'ConfigMap', binaryData: { a: canary } } }],
    ['what a probe’s command printed', { kind: 'probe', probeType: 'liveness', outcome: 'success', output: canary }],
    [
      'and the event of it',
      { kind: 'kube-event', reason: 'Unhealthy', message: `Liveness probe failed: ${canary}\n${canary}` },
    ],
    [
      'and the log line of it',
      { kind: 'log', severity: 'I', v: 1, msg: 'Probe failed', kv: { output: canary }, file: 'x.go' },
    ],
    [
      'what a hook printed',
      {
        kind: 'kube-event',
        reason: 'FailedPostStartHook',
        message: `Exec lifecycle hook ([sh]) for Container "c" in Pod "p" failed - error: x, message: "${canary}"`,
      },
    ],
    ...[
      { msg: 'Add env', kv: { envKey: 'LICENCE', envValue: canary } },
      { msg: 'Add annotation', kv: { annotationKey: 'a', annotationValue: canary } },
      { msg: 'Environment variable has conflicting setting', kv: { envKey: 'A', expected: canary, got: `x${canary}` } },
      { msg: 'Get checkpoint entry', kv: { podUID: 'u', allocated: `\n\x05${canary}` } },
    ].map((line): [string, object] => [
      `what a device plug-in gives (${line.msg})`,
      { kind: 'log', severity: 'I', v: 4, file: 'pod_devices.go', ...line },
    ]),
    [
      'a termination message',
      {
        kind: 'status',
        status: { containerStatuses: [{ state: { terminated: { exitCode: 1, reason: 'Error', message: canary } } }] },
      },
    ],
    ['a token of a service account', { kind: 'enter', fn: 'f', args: { status: { token: canary } } }],
    [
      'a bearer token in a text',
      { kind: 'log', severity: 'E', v: 0, msg: `Authorization: Bearer ${canary}`, kv: {}, file: '' },
    ],
    ['a password in a URL', { kind: 'enter', fn: 'f', args: { url: `https://me:${canary}@example.test/` } }],
    [
      'a private key',
      {
        kind: 'log',
        severity: 'E',
        v: 0,
        msg: 'x',
        kv: { err: `-----BEGIN EC PRIVATE KEY-----\n${canary}` },
        file: '',
      },
    ],
    ['an environment of an odd shape', { kind: 'enter', fn: 'x', args: { envs: [`A=${canary}`] } }],
  ])('takes out %s', (_what, body) => {
    const before = JSON.stringify(body);
    const after = redactRecord(record(body));
    expect(strings(after).filter((s) => s.includes(canary))).toEqual([]);
    expect(JSON.stringify(after)).toContain('[REDACTED]');
    expect(JSON.stringify(body)).toBe(before);
  });

  it('keeps the rest: names, registry addresses, empty values, other fields called value', () => {
    const request: Json = {
      config: {
        envs: [{ key: 'A', value: '' }],
        labels: { value: 'x' },
        annotations: { 'kubernetes.io/config.hash': 'x' },
      },
      auth: { serverAddress: 'r' },
    };
    const original = record({ kind: 'cri-call', method: 'CreateContainer', request });
    expect(redactRecord(original)).toBe(original);
    const one = redactRecord(
      record({
        kind: 'enter',
        fn: 'f',
        args: {
          env: [
            { name: 'A', value: 'x' },
            { name: 'B', valueFrom: {} },
          ],
        },
      }),
    );
    expect(one).toMatchObject({
      args: {
        env: [
          { name: 'A', value: '[REDACTED]' },
          { name: 'B', valueFrom: {} },
        ],
      },
    });
  });

  it.each<object>([
    { kind: 'probe', output: 'HTTP probe failed with statuscode: 500' },
    { kind: 'kube-event', message: 'Readiness probe failed: dial tcp 10.0.0.1:80: connect: connection refused' },
    { kind: 'kube-event', message: 'Back-off restarting failed container web in pod web_default(u)' },
    {
      kind: 'status',
      status: { state: { terminated: { exitCode: 128, reason: 'StartError', message: 'no such file' } } },
    },
    { kind: 'status', status: { state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } } },
    { kind: 'log', msg: 'x', kv: { err: 'Get "https://10.0.0.1:6443/api": connection refused' } },
  ])('keeps the kubelet’s own words: %j', (body) => {
    const original = record(body.constructor === Object ? { kv: {}, ...body } : body);
    expect(redactRecord(original)).toBe(original);
  });

  it.each<[string, string]>([
    [
      'a container as Go prints it',
      `&Container{Name:app,Command:[sh -c run],Env:[]EnvVar{EnvVar{Name:A,Value:${canary},x}y,ValueFrom:nil,},EnvVar{Name:B,Value:,ValueFrom:nil,},},Resources:ResourceRequirements{}}`,
    ],
    ['one that is cut', `Env:[]EnvVar{EnvVar{Name:A,Value:${canary} and on`],
    ['headers of a probe as Go prints them', `HTTPHeaders:[]HTTPHeader{HTTPHeader{Name:X-Key,Value:${canary},},},`],
    ['credentials as Go prints them', `&AuthConfig{Username:${canary},Password:${canary},Auth:,ServerAddress:r.io,}`],
    ['a container as protobuf prints it', `envs:{key:"A" value:"${canary}"} labels:{key:"a" value:"b"}`],
    ['a flag', `FLAG: --storage-driver-password="${canary}"`],
    ['a query', `Get "https://h/x?token=${canary}&a=b": EOF`],
    ['JSON in a text', `config {\\"auths\\":{\\"r.io\\":{\\"auth\\":\\"${canary}\\"}}}`],
    ['a name and a value', `client_secret=${canary}, ACCESS_KEY: '${canary}'`],
    ['a token of a service', `pull with ghp_${canary.repeat(4)}`],
    ["what a probe's command printed", `Exec probe response: "${canary}"`],
    [
      'what a pod answered',
      `Probe failed for http://10.0.0.1/x with request headers map[X:[${canary}]], response body: ${canary}`,
    ],
  ])('takes %s out of a line of a log', (_, text) => {
    for (const line of [
      { kind: 'log', severity: 'I', v: 4, msg: text, kv: {}, file: '' },
      ...(/^(Exec|Probe)/.test(text) ? [] : [{ kind: 'log', msg: 'm', kv: { container: text } }]),
    ])
      expect(strings(redactRecord(record(line))).join()).not.toContain(canary);
  });

  it('takes out the headers that a probe sends, and leaves their names', () => {
    for (const headers of [
      `[{"name":"X-Key","value":"${canary}"}]`,
      `{"X-Key":["${canary}"]}`,
      { 'X-Key': [canary] },
    ]) {
      const shown = JSON.stringify(redactRecord(record({ kind: 'log', msg: 'HTTP-Probe', kv: { headers } })));
      expect(shown).not.toContain(canary);
      expect(shown).toContain('X-Key');
    }
  });

  it.each([
    'MountVolume.SetUp failed for volume "token" : references non-existent secret key: password',
    'secret "registry-password" not found',
    'Failed to fetch token: serviceaccounts "default" not found',
    'Exec probe response: ""',
    '&Container{Name:app,Env:[]EnvVar{},Resources:ResourceRequirements{}}',
    'FLAG: --token-file="/etc/tokens"',
  ])('leaves %j as it is', (msg) => {
    const line = record({ kind: 'log', msg, kv: {} });
    expect(redactRecord(line)).toBe(line);
  });

  it('takes a time that grows with the text only', () => {
    for (const text of [
      'eyJ'.repeat(300_000),
      '-----BEGIN PRIVATE KEY'.repeat(50_000),
      `://${'a'.repeat(1_000_000)}`,
      'Bearer '.repeat(150_000),
      '://a:'.repeat(200_000),
      'EnvVar{Name:a,Value:'.repeat(50_000),
      'HTTPHeader{Name:'.repeat(50_000),
      'AuthConfig{Password:'.repeat(50_000),
      'envs:{key:"'.repeat(50_000),
      'password='.repeat(100_000),
      '"auth":"'.repeat(100_000),
      'access_key_access_'.repeat(50_000),
      'password=['.repeat(20_000),
      'password={'.repeat(20_000),
      'token=['.repeat(25_000),
      'secrets={"a'.repeat(20_000),
      'secrets=map['.repeat(20_000),
      'token="'.repeat(30_000),
      'key='.repeat(50_000),
      'token: '.repeat(30_000),
      'key: x,'.repeat(30_000),
      'token=\\"a" '.repeat(20_000),
      `"${"command 'x' exited with 1: a\n".repeat(7_000)}`,
      `"command 'x' exited with 1: a" `.repeat(7_000),
      'lifecycle hook (, message: \\"'.repeat(7_000),
      'Reason:Error,Message:'.repeat(10_000),
      '"terminated":{"message":"'.repeat(10_000),
      'Liveness probe failed: '.repeat(10_000),
      '{Name:a Value:b'.repeat(15_000),
      '"name":"a","value":"'.repeat(10_000),
      '"kind":"Secret","data":{'.repeat(10_000),
      'Data:map[string][]byte{'.repeat(10_000),
      'Env:[A='.repeat(25_000),
      'datadog'.repeat(30_000),
      'ghp_'.repeat(50_000),
      'curl -u a '.repeat(20_000),
      'a.'.repeat(75_000).concat('://@tcp('),
      'password is '.repeat(20_000),
      'Cookie: '.repeat(25_000),
      '--password '.repeat(20_000),
    ]) {
      expect(cpuMillis(() => redactRecord(record({ kind: 'log', msg: text, kv: {} })))).toBeLessThan(1000);
    }
  });
});

it('takes out what another kubelet’s calls have in fields that nobody knows', () => {
  const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 };
  const call = redactRecord({
    ...head,
    kind: 'cri-call',
    method: '(unknown)',
    request: { 1: 'PASSWORD=hunter22', config: { 99: ['x'], image: { image: 'busybox' } } },
  });
  expect(call).toMatchObject({
    request: { 1: '[REDACTED]', config: { 99: '[REDACTED]', image: { image: 'busybox' } } },
  });
  const known = { ...head, kind: 'cri-call', method: 'Version', request: { version: '0.1.0' } } as const;
  expect(redactRecord(known)).toBe(known);
});
