import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import { redactRecord } from './redact.js';
import { nameKind } from './secret-names.js';

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0, kind: 'log', severity: 'I', v: 0, file: 'a.go' };
const uid = '0f3d8e5c-7a41-4c9b-8d26-51e0b7a9c3f4';
const id = '4f1c9a7be2d04853a6c1b97e05d8f32c6a9b4e17d0c83f52a1b6e9d47c20f835';

describe('a line without a secret stays as it is', () => {
  it.each([
    // Names of objects, which say which Secret it is about.
    'Couldn\'t get secret" secret="kube-system/regcred',
    'MountVolume.SetUp failed for volume "db" : secret "db-password" not found',
    "couldn't find key password in Secret default/db",
    'secrets "default-token-x7k2p" is forbidden: User "system:node:n1" cannot get resource "secrets"',
    `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~secret/default-token-x7k2p`,
    'Volumes:[]Volume{Volume{Name:a,VolumeSource:VolumeSource{Secret:&SecretVolumeSource{SecretName:default-token-x7k2p,Items:[]KeyToPath{},},},}',
    'ValueFrom:&EnvVarSource{SecretKeyRef:&SecretKeySelector{LocalObjectReference:LocalObjectReference{Name:db,},Key:password,Optional:nil,},}',
    'ServiceAccountToken:&ServiceAccountTokenProjection{Audience:,ExpirationSeconds:*3607,Path:token,}',
    'ImagePullSecrets:[]LocalObjectReference{LocalObjectReference{Name:regcred,},},AutomountServiceAccountToken:nil,',
    '{"secretName":"db","items":[{"key":"password","path":"p"}],"imagePullSecrets":[{"name":"regcred"}]}',
    'Tolerations:[]Toleration{Toleration{Key:node.kubernetes.io/not-ready,Operator:Exists,Value:,Effect:NoExecute,},}',
    'key="kube-system/coredns-5d78c9869d-abcde" topologyKey:kubernetes.io/hostname',
    '"sysctls":[{"name":"net.core.somaxconn","value":"1024"}]',
    // Flags and their values.
    'FLAG: --authentication-token-webhook="true"',
    'FLAG: --authentication-token-webhook-cache-ttl="2m0s"',
    'FLAG: --anonymous-auth="false"',
    'FLAG: --tls-private-key-file="/var/lib/kubelet/pki/kubelet.key"',
    'FLAG: --image-credential-provider-bin-dir=""',
    'FLAG: --azure-container-registry-config=""',
    // Ids and values of the subject.
    `containerID="containerd://${id}" podUID="${uid}" exitCode=137 took="1.5s"`,
    `RunPodSandbox from runtime service failed" podSandboxID="${id}"`,
    'image="registry.k8s.io/pause@sha256:7031c1b283388d2c2e09b57badb803c05ebed362dc88d84b480cc47f72a21097"',
    'Pulling image "datadog/agent:7" failed: unexpected status code 401 Unauthorized',
    'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    'x509: certificate has expired or is not yet valid: current time 2026-06-24T10:00:00Z is after 2026-06-01T00:00:00Z',
    'Unable to authenticate the request" err="[invalid bearer token, Token has expired.]"',
    'Basic authentication is disabled; Bearer tokens are used',
    'the server has asked for the client to provide credentials',
    'Failed to fetch token: serviceaccounts "default" not found',
    'back-off 5m0s restarting failed container=app pod=web-5d78c9869d-abcde_default',
    'State:{Waiting:&ContainerStateWaiting{Reason:CrashLoopBackOff,Message:back-off 10s restarting failed,},}',
    'Conditions:[]PodCondition{PodCondition{Type:Ready,Reason:ContainersNotReady,Message:containers with unready status: [app],},}',
    '{"terminated":{"exitCode":128,"message":"no such file","reason":"StartError"}}',
    "command 'sh -c x' exited with 126: OCI runtime exec failed: exec failed: no such file",
    'Liveness probe failed: HTTP probe failed with statuscode: 500',
    'Readiness probe errored: rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state',
    'labels:{key:"app" value:"web"} annotations:{}',
    'pods=["kube-system/keycloak-0","default/token-server-0"] passed=3 bypass=x',
    'Get "https://10.0.0.1:6443/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dregcred&limit=500&resourceVersion=0": EOF',
    'Pulled "example.test/edge-auth:v1.2.3" and "example.test/web-token:1.4.0-alpine" and x/secret:latest',
    'Plugins:{Network:[bridge] Authorization:<nil> Log:[json-file local]}',
    'ExecStart=',
    'PWD=/ OLDPWD=/root',
    'Password=$(DB_PASSWORD) password=$DB_PASSWORD password=<nil> token="" secret=nil password=********',
    'cookie=0xc000123456 token=0xc0004a2b40',
  ])('%s', (text) => {
    for (const [msg, kv] of [
      [text, {}],
      ['m', { err: text }],
    ] as const) {
      const record = { ...head, msg, kv } as unknown as TraceRecord;
      expect(redactRecord(record)).toBe(record);
    }
  });

  it('and fields of records that are named like secrets and are none', () => {
    const record = {
      ...head,
      msg: 'm',
      kv: {
        secret: 'kube-system/regcred',
        key: 'default/web',
        secretName: 'db',
        tokenExpirationSeconds: 3607,
        node: 'n',
      },
    } as unknown as TraceRecord;
    expect(redactRecord(record)).toBe(record);
  });
});

it.each([
  ['password', 'secret'],
  ['DB_PASSWORD_PROD', 'secret'],
  ['clientSecret', 'secret'],
  ['X-Api-Key', 'header'],
  ['token', 'likely'],
  ['imagePullSecrets', 'none'],
  ['tokenExpirationSeconds', 'none'],
  ['topologyKey', 'none'],
  ['secretName', 'none'],
  ['compass', 'none'],
  ['key', 'random'],
])('the name %s says: %s', (name, kind) => {
  expect(nameKind(name)).toBe(kind);
});
