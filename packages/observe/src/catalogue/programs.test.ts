import { expect, it } from 'vitest';
import { programTrouble } from './programs.js';

const ask = (text: string, program?: string) =>
  programTrouble({ kind: 'other', line: 1, offset: 0, epochMicros: null, text, ...(program && { program }) });
const SANDBOX = 'b'.repeat(64);

it.each<readonly [string, string, object | null | undefined]>([
  [
    'systemd',
    'kubelet.service: Main process exited, code=exited, status=255/EXCEPTION',
    { code: 'kubelet-exited', facts: { exitCode: 255, unit: 'kubelet.service' } },
  ],
  [
    'systemd',
    'kubelet.service: main process exited, code=killed, status=9/KILL',
    { code: 'kubelet-exited', facts: { signal: 'KILL' } },
  ],
  [
    'systemd',
    "kubelet.service: Failed with result 'start-limit-hit'.",
    { code: 'unit-failed', facts: { result: 'start-limit-hit' } },
  ],
  ['systemd', 'Unit kubelet.service entered failed state.', { code: 'unit-failed' }],
  [
    'systemd',
    'k3s.service: Scheduled restart job, restart counter is at 213.',
    { code: 'kubelet-restart-scheduled', facts: { counter: 213 } },
  ],
  ['systemd', 'kubelet.service holdoff time over, scheduling restart.', { code: 'kubelet-restart-scheduled' }],
  ['systemd', 'containerd.service: Main process exited, code=killed, status=9/KILL', { code: 'runtime-down' }],
  ['systemd', 'Started kubelet: The Kubernetes Node Agent.', null],
  ['systemd', 'sshd.service: Main process exited, code=exited, status=255/EXCEPTION', undefined],
  ['', '  Main PID: 4711 (code=exited, status=255)', { code: 'kubelet-exited', facts: { exitCode: 255 } }],
  [
    '',
    '   Active: activating (auto-restart) (Result: exit-code) since Sun 2026-11-22 10:00:00 UTC; 3s ago',
    { code: 'unit-failed', facts: { result: 'exit-code' } },
  ],
  ['', '   Active: active (running) since Sun 2026-11-22 10:00:00 UTC; 3s ago', null],
  ['', '● kubelet.service - kubelet: The Kubernetes Node Agent', null],
  [
    'kernel',
    'Memory cgroup out of memory: Killed process 4711 (java) total-vm:1kB',
    { code: 'oom-kill', program: 'kernel', facts: { pid: 4711, process: 'java' } },
  ],
  [
    'kernel',
    'Out of memory: Kill process 12 (mysqld) score 900 or sacrifice child',
    { code: 'oom-kill', facts: { pid: 12 } },
  ],
  [
    'containerd',
    `time="2026-11-22T10:00:00Z" level=error msg="StopPodSandbox for \\"${SANDBOX}\\" failed" error="rpc error: code = Unknown desc = failed to destroy network for sandbox \\"${SANDBOX}\\": plugin type=\\"calico\\" failed (delete): boom"`,
    { code: 'network-teardown-failed', program: 'containerd', facts: { plugin: 'calico', sandboxID: SANDBOX } },
  ],
  [
    'containerd',
    'time="2026-11-22T10:00:00Z" level=error msg="RunPodSandbox for &PodSandboxMetadata{Name:web,Uid:u-1,Namespace:shop,Attempt:0,} failed, error" error="boom"',
    { code: 'sandbox-failed', pod: 'shop/web', uid: 'u-1' },
  ],
  [
    'dockerd',
    'time="2026-11-22T10:00:00Z" level=error msg="Handler for POST /v1.40/images/create returned error: manifest unknown"',
    { code: 'image-pull-failed', program: 'dockerd' },
  ],
  ['containerd', 'time="2026-11-22T10:00:00Z" level=info msg="StopPodSandbox for x"', null],
  // A program in a container logs like this, too.
  [
    '',
    'ts=2026-11-22T10:00:00Z level=error caller=main.go:1 msg="request failed" error="connection refused"',
    undefined,
  ],
  ['chronyd', 'System clock was stepped by -3600.1 seconds', { code: 'clock-jumped' }],
  ['kube-apiserver', 'panic: runtime error: index out of range', { code: 'panic', program: 'kube-apiserver' }],
  ['kubelet', 'Error: unknown flag: --network-plugin', { code: 'kubelet-cannot-start' }],
  ['kubelet', 'Flag --pod-infra-container-image has been deprecated, will be removed', null],
])('reads a line of %s: %s', (program, text, expected) => {
  const found = ask(text, program);
  if (expected === null || expected === undefined) expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});
