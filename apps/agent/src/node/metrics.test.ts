import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { KubeletMetrics, operationType } from './metrics.js';
import { exponentialBuckets, Registry } from './prometheus.js';

function metrics() {
  const m = new KubeletMetrics(
    {
      nodeName: 'node1',
      cgroupVersion: 1,
      desired: () => [true, true],
      active: () => [true],
      workers: () => [{ lifecycle: 'sync', config: 'desired', static: 'true' }],
      isInitContainer: (_uid, container) => container === 'first',
    },
    1_000_000,
  );
  let seq = 0;
  const feed = (time: number, body: RecordBody) =>
    m.sink({ seq: ++seq, time, g: 1, span: 0, cause: 0, ...body } as TraceRecord);
  return { m, feed, lines: () => m.text().split('\n') };
}

describe('KubeletMetrics', () => {
  it('counts calls to the runtime', () => {
    const { feed, lines } = metrics();
    const call = { kind: 'cri-call', method: 'RunPodSandbox', request: {} } as const;
    const done = { kind: 'cri-return', call: 1, method: 'RunPodSandbox', took: 100_000 } as const;
    feed(0, call);
    feed(0, done);
    feed(0, call);
    feed(0, { ...done, error: { code: 14, details: 'away' } });
    expect(lines()).toEqual(
      expect.arrayContaining([
        '# TYPE kubelet_runtime_operations_total counter',
        'kubelet_runtime_operations_total{operation_type="run_podsandbox"} 2',
        'kubelet_runtime_operations_errors_total{operation_type="run_podsandbox"} 1',
        'kubelet_runtime_operations_duration_seconds_bucket{operation_type="run_podsandbox",le="0.078125"} 0',
        'kubelet_runtime_operations_duration_seconds_bucket{operation_type="run_podsandbox",le="+Inf"} 2',
        'kubelet_runtime_operations_duration_seconds_count{operation_type="run_podsandbox"} 2',
        'kubelet_started_pods_total 2',
        'kubelet_started_pods_errors_total 1',
      ]),
    );
  });

  it('leaves out the log rotation, as upstream, but not from all calls', () => {
    const { feed, lines } = metrics();
    const call = { kind: 'cri-call', method: 'ContainerStatus', request: {} } as const;
    const done = { kind: 'cri-return', call: 1, method: 'ContainerStatus', took: 1 } as const;
    feed(0, { kind: 'enter', fn: 'rotateLogs' });
    feed(0, call);
    feed(0, done);
    feed(0, { kind: 'exit', of: 1, fn: 'rotateLogs' });
    feed(0, call);
    feed(0, done);
    expect(lines()).toEqual(
      expect.arrayContaining([
        'kubelet_runtime_operations_total{operation_type="container_status"} 1',
        'kubelet_runtime_operations_duration_seconds_count{operation_type="container_status"} 1',
        'syncloop_cri_calls_total{method="ContainerStatus"} 2',
      ]),
    );
  });

  it('tells init containers from others, and why one did not start', () => {
    const { feed, lines } = metrics();
    for (const container of ['first', 'app']) {
      feed(0, { kind: 'cri-call', method: 'CreateContainer', request: {}, uid: 'u', container });
      feed(0, { kind: 'cri-return', call: 1, method: 'CreateContainer', took: 1, uid: 'u', container });
    }
    const error = { code: 2, details: 'no such command' };
    feed(0, { kind: 'cri-return', call: 1, method: 'StartContainer', took: 1, uid: 'u', container: 'app', error });
    expect(lines()).toEqual(
      expect.arrayContaining([
        'kubelet_started_containers_total{container_type="init_container"} 1',
        'kubelet_started_containers_total{container_type="container"} 1',
        'kubelet_started_containers_errors_total{container_type="container",code="RunContainerError"} 1',
      ]),
    );
  });

  it('counts probes until their pod is gone', () => {
    const { m, feed } = metrics();
    const of = (uid: string) => ({ pod: 'default/web', uid, container: 'app', run: 1, threshold: 3, output: '' });
    feed(0, { kind: 'probe', probeType: 'liveness', outcome: 'success', ...of('u') });
    feed(0, { kind: 'probe', probeType: 'liveness', outcome: 'failure', ...of('u') });
    feed(0, { kind: 'probe', probeType: 'readiness', outcome: 'failure', ...of('v') });
    const kept =
      'prober_probe_total{probe_type="Readiness",result="failed",container="app",pod="web",namespace="default",pod_uid="v"} 1';
    expect(m.probeText().split('\n')).toEqual(
      expect.arrayContaining([
        'prober_probe_total{probe_type="Liveness",result="successful",container="app",pod="web",namespace="default",pod_uid="u"} 1',
        'prober_probe_total{probe_type="Liveness",result="failed",container="app",pod="web",namespace="default",pod_uid="u"} 1',
        kept,
      ]),
    );
    feed(1, { kind: 'worker', state: 'removed', reason: '', pod: 'default/web', uid: 'u' });
    expect(
      m
        .probeText()
        .split('\n')
        .filter((line) => line.startsWith('prober')),
    ).toEqual([kept]);
  });

  it('times the PLEG', () => {
    const { feed, lines } = metrics();
    for (const at of [1_000_000, 3_000_000]) {
      feed(at, { kind: 'enter', fn: 'Relist' });
      feed(at + 250_000, { kind: 'exit', of: at === 1_000_000 ? 1 : 3, fn: 'Relist' });
    }
    expect(lines()).toEqual(
      expect.arrayContaining([
        'kubelet_pleg_relist_duration_seconds_bucket{le="0.25"} 2',
        'kubelet_pleg_relist_duration_seconds_sum 0.5',
        'kubelet_pleg_relist_interval_seconds_sum 2',
        'kubelet_pleg_last_seen_seconds 1003',
      ]),
    );
  });

  it('follows pods from first sight to running, and forgets them', () => {
    const { feed, lines } = metrics();
    const pod = { pod: 'default/web', uid: 'u' };
    feed(0, { kind: 'pod-update', updateType: 'create', ...pod });
    feed(10_000, { kind: 'work-start', workType: 'sync', updateType: 'create', ...pod });
    feed(210_000, { kind: 'work-done', workType: 'sync', ...pod });
    const running = { id: 'c', name: 'app', state: 'running' } as const;
    feed(300_000, {
      kind: 'cache',
      op: 'set',
      modified: 1,
      sandboxes: [running],
      containers: [running, { ...running, state: 'exited' }],
      ...pod,
    });
    feed(400_000, { kind: 'status', version: 1, status: { phase: 'Running' }, ...pod });
    expect(lines()).toEqual(
      expect.arrayContaining([
        'kubelet_pod_worker_duration_seconds_sum{operation_type="create"} 0.2',
        'kubelet_pod_worker_start_duration_seconds_sum 0.01',
        'kubelet_pod_start_duration_seconds_sum 0.4',
        'kubelet_running_pods 1',
        'kubelet_running_containers{container_state="running"} 1',
        'kubelet_running_containers{container_state="exited"} 1',
        'kubelet_working_pods{lifecycle="sync",config="desired",static="true"} 1',
        'kubelet_desired_pods{static="true"} 2',
        'kubelet_active_pods{static="true"} 1',
      ]),
    );
    feed(500_000, { kind: 'worker', state: 'removed', reason: '', ...pod });
    expect(lines()).toContain('kubelet_running_pods 0');
  });

  it('is text that Prometheus takes', () => {
    const { m, feed } = metrics();
    feed(0, {
      kind: 'kube-event',
      object: { kind: 'Pod', namespace: '', name: '', uid: '', fieldPath: '' },
      type: 'Normal',
      reason: 'a"b\\c\nd',
      message: '',
    });
    const text = m.text();
    expect(text.endsWith('\n')).toBe(true);
    const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\\\|\\"|\\n)*",?)+\})? (\+Inf|-?[\d.e+-]+)$/;
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(line.startsWith('#') ? /^# (HELP|TYPE) [a-z_]+ / : sample);
    expect(text).toContain('reason="a\\"b\\\\c\\nd"');
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((m) => m[1]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('operationType', () => {
  it.each([
    ['RunPodSandbox', 'run_podsandbox'],
    ['ListContainers', 'list_containers'],
    ['PodSandboxStatus', 'podsandbox_status'],
    ['ExecSync', 'exec_sync'],
    ['ImageFsInfo', 'image_fs_info'],
    ['RuntimeConfig', 'runtime_config'],
    ['GetContainerEvents', 'get_container_events'],
    ['PortForward', 'port_forward'],
  ])('%s is %s', (method, type) => {
    expect(operationType(method)).toBe(type);
  });
});

describe('prometheus', () => {
  it('makes cumulative buckets', () => {
    const registry = new Registry();
    const h = registry.histogram('h', 'help', [1, 2]);
    for (const v of [0.5, 1, 1.5, 9]) h.observe(v);
    expect(registry.text()).toBe(
      '# HELP h help\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="2"} 3\nh_bucket{le="+Inf"} 4\nh_sum 12\nh_count 4\n',
    );
    expect(exponentialBuckets(0.005, 2.5, 4)).toEqual([0.005, 0.0125, 0.03125, 0.078125]);
  });
});
