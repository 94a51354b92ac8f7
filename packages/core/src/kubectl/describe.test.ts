import { describe, expect, it } from 'vitest';
import type { RecordOf } from '../trace/index.js';
import { describePod } from './describe.js';
import { describeProbe } from './describe-containers.js';
import { foldEvents } from './events.js';
import { before, container, ended, NOON, pod, running, waiting } from './testing/pods.js';

const at = { now: NOON, time: 300e6 };
const event = (seq: number, seconds: number, reason: string, message: string): RecordOf<'kube-event'> => ({
  ...{ seq, time: seconds * 1e6, g: 1, span: 0, cause: 0, kind: 'kube-event', reason, message },
  object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1', fieldPath: '' },
  type: reason === 'BackOff' ? 'Warning' : 'Normal',
});
/** Trailing blanks are kubectl's own. */
const lines = (text: string) => text.split('\n');

describe('kubectl describe pod', () => {
  it('lays out a pod with all that it has', () => {
    const text = describePod(
      pod({
        metadata: {
          labels: { app: 'web', a: 'b' },
          annotations: { 'kubernetes.io/config.source': 'file', long: 'x'.repeat(150) },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'n', controller: true }],
        },
        spec: {
          priority: 0,
          serviceAccountName: 'default',
          containers: [
            {
              name: 'app',
              image: 'busybox:1.36',
              command: ['sh', '-c', 'one\ntwo'],
              args: ['x'],
              ports: [
                { containerPort: 80, name: 'http', protocol: 'TCP' },
                { containerPort: 53, protocol: 'UDP', hostPort: 5353 },
              ],
              resources: { limits: { memory: '64Mi', cpu: '1' }, requests: { cpu: '100m' } },
              livenessProbe: { httpGet: { path: 'healthz', port: 8080 }, periodSeconds: 5 },
              env: [
                { name: 'PLAIN', value: 'one\ntwo' },
                { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
                { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
              ],
              volumeMounts: [
                { name: 'data', mountPath: '/z', readOnly: true, subPath: 'sub' },
                { name: 'data', mountPath: '/a' },
              ],
            },
          ],
          volumes: [
            { name: 'data', emptyDir: {} },
            { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
          ],
          tolerations: [
            { effect: 'NoExecute', operator: 'Exists' },
            { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule', tolerationSeconds: 300 },
            { operator: 'Exists' },
          ],
          nodeSelector: { disk: 'ssd' },
          readinessGates: [{ conditionType: 'www.example.com/gate' }],
        },
        status: {
          hostIP: '192.168.0.2',
          startTime: before(300),
          qosClass: 'Burstable',
          conditions: [{ type: 'Ready', status: 'False' }],
          containerStatuses: [
            container('app', waiting('CrashLoopBackOff'), {
              restartCount: 3,
              ready: false,
              lastState: ended(137, 'OOMKilled', { signal: 9 }),
            }),
          ],
        },
      }),
      foldEvents([
        event(1, 10, 'Pulled', 'there'),
        event(2, 60, 'BackOff', 'later '),
        event(3, 290, 'BackOff', 'later '),
      ]),
      at,
    );
    expect(lines(text)).toEqual([
      'Name:             web',
      'Namespace:        default',
      'Priority:         0',
      'Service Account:  default',
      'Node:             node1/192.168.0.2',
      'Start Time:       Thu, 01 Jan 2026 11:55:00 +0000',
      'Labels:           a=b',
      '                  app=web',
      'Annotations:      kubernetes.io/config.source: file',
      '                  long:',
      `                    ${'x'.repeat(138)}...`,
      'Status:           Running',
      'IP:               10.0.0.5',
      'IPs:',
      '  IP:           10.0.0.5',
      'Controlled By:  Node/node1',
      'Containers:',
      '  app:',
      '    Container ID:  containerd://app',
      '    Image:         busybox:1.36',
      '    Image ID:      sha256:1',
      '    Ports:         80/TCP (http), 53/UDP',
      '    Host Ports:    0/TCP (http), 5353/UDP',
      '    Command:',
      '      sh',
      '      -c',
      '      one',
      '      two',
      '    Args:',
      '      x',
      '    State:          Waiting',
      '      Reason:       CrashLoopBackOff',
      '    Last State:     Terminated',
      '      Reason:       OOMKilled',
      '      Exit Code:    137',
      '      Signal:       9',
      '      Started:      Thu, 01 Jan 2026 11:58:30 +0000',
      '      Finished:     Thu, 01 Jan 2026 11:59:30 +0000',
      '    Ready:          False',
      '    Restart Count:  3',
      '    Limits:',
      '      cpu:     1',
      '      memory:  64Mi',
      '    Requests:',
      '      cpu:     100m',
      '    Liveness:  http-get http://:8080/healthz delay=0s timeout=1s period=5s #success=1 #failure=3',
      '    Environment:',
      '      PLAIN:  one',
      '              two',
      '      NODE:    (v1:spec.nodeName)',
      "      KEY:    <set to the key 'k' in secret 's'>  Optional: false",
      '    Mounts:',
      '      /a from data (rw)',
      '      /z from data (ro,path="sub")',
      'Readiness Gates:',
      '  Type                   Status',
      '  www.example.com/gate   <none> ',
      'Conditions:',
      '  Type    Status',
      '  Ready   False ',
      'Volumes:',
      '  data:',
      "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)",
      '    Medium:     ',
      '    SizeLimit:  <unset>',
      '  host:',
      '    Type:          HostPath (bare host directory volume)',
      '    Path:          /var/log',
      '    HostPathType:  Directory',
      'QoS Class:         Burstable',
      'Node-Selectors:    disk=ssd',
      'Tolerations:       :NoExecute op=Exists',
      '                   k=v:NoSchedule for 300s',
      '                   op=Exists',
      'Events:',
      '  Type     Reason   Age               From     Message',
      '  ----     ------   ----              ----     -------',
      '  Normal   Pulled   4m50s             kubelet  there',
      '  Warning  BackOff  10s (x2 over 4m)  kubelet  later',
      '',
    ]);
  });
  it('says <none> of what a pod has not, and how it ends', () => {
    const bare = pod({
      metadata: { deletionTimestamp: before(5), deletionGracePeriodSeconds: 30 },
      spec: { nodeName: '', containers: [{ name: 'app', image: 'x' }] },
      status: { phase: 'Running', podIP: '', podIPs: [], containerStatuses: [], reason: 'Why', message: 'so' },
    });
    const text = describePod(bare, [], at);
    for (const line of [
      'Node:                      <none>',
      'Labels:                    <none>',
      'Annotations:               <none>',
      'Status:                    Terminating (lasts 5s)',
      'Termination Grace Period:  30s',
      'Reason:                    Why',
      'Message:                   so',
      'IPs:                       <none>',
      '    Image:        x',
      '    Port:         <none>',
      '    Environment:  <none>',
      '    Mounts:       <none>',
      'Volumes:          <none>',
      'Tolerations:      <none>',
      'Events:           <none>',
    ])
      expect(lines(text)).toContain(line);
    expect(text).not.toContain('Conditions:');
  });
  it('has init containers before the others, and their states', () => {
    const text = describePod(
      pod({
        status: {
          initContainerStatuses: [container('i', ended(0, 'Completed'), { ready: true })],
          containerStatuses: [container('app', running(60))],
        },
      }),
      [],
      at,
    );
    expect(text.indexOf('Init Containers:\n  i:')).toBeLessThan(text.indexOf('\nContainers:\n  app:'));
    expect(lines(text)).toContain('    State:          Running');
    expect(lines(text)).toContain('      Started:      Thu, 01 Jan 2026 11:59:00 +0000');
  });
});

describe('probes', () => {
  it.each([
    [{ exec: { command: ['cat', '/x'] } }, 'exec [cat /x]'],
    [{ httpGet: { path: '/a', port: 'http', scheme: 'HTTPS' as const, host: 'h' } }, 'http-get https://h:http/a'],
    [{ tcpSocket: { port: 80 } }, 'tcp-socket :80'],
    [{ grpc: { port: 9, service: 's' } }, 'grpc <pod>:9 s'],
    [{}, 'unknown'],
  ])('%j', (probe, text) => {
    expect(describeProbe({ ...probe, timeoutSeconds: 2 })).toBe(
      `${text} delay=0s timeout=2s period=10s #success=1 #failure=3`,
    );
  });
});
