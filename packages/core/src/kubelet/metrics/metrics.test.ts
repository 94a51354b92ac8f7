import { describe, expect, it } from 'vitest';
import { CRIError, GrpcCode, inProcessClient } from '../../cri/index.js';
import { operationType } from '../../cri/operations.js';
import { Kernel, makeChan, Second, sleep } from '../../kernel/index.js';
import { newMockRuntime } from '../../mock/index.js';
import { emptyPodStatus, newCache } from '../container/cache.js';
import type { RuntimePod } from '../container/types.js';
import { newGenericPLEG } from '../pleg/generic.js';
import { recordAdmissionRejection } from './admission-rejections.js';
import { imageSizeBucket, metricsOf, newProcessMetrics } from './kubelet-metrics.js';
import { node, sleeper } from './testing/node.js';

describe('metrics of the loop, read from the text', () => {
  it('[3:MET-01] times relists, and says when the PLEG was seen as soon as somebody asked for its health', () => {
    const n = node();
    expect(n.value('kubelet_pleg_last_seen_seconds')).toBe(0);
    n.put('web', sleeper());
    n.run(10.5);
    const relists = n.value('kubelet_pleg_relist_duration_seconds_count') ?? 0;
    expect(relists).toBeGreaterThanOrEqual(9);
    // There is nothing before the first.
    expect(n.value('kubelet_pleg_relist_interval_seconds_count')).toBe(relists - 1);
    expect(n.value('kubelet_pleg_relist_interval_seconds_bucket{le="0.5"}')).toBe(0);
    expect(n.value('kubelet_pleg_relist_interval_seconds_bucket{le="2.5"}')).toBe(relists - 1);
    expect(n.value('kubelet_pleg_pod_relist_duration_seconds_count')).toBeGreaterThan(0);
    expect(n.value('kubelet_pleg_discard_events')).toBe(0);
    const seen = n.value('kubelet_pleg_last_seen_seconds') ?? 0;
    expect(seen).toBeGreaterThan(n.k.clock.epochMillis / 1000 + 5);
    expect(Number.isInteger(seen)).toBe(true);
    // Nobody has asked since: it stays, however late it is read.
    expect(n.value('kubelet_pleg_last_seen_seconds')).toBe(seen);
  });

  it('[3:MET-01] counts events that found no room', () => {
    const k = new Kernel();
    const metrics = newProcessMetrics(k);
    const pod: RuntimePod = {
      id: 'u',
      name: 'web',
      namespace: 'default',
      timestamp: 0,
      createdAt: 0n,
      containers: [],
      sandboxes: ['a', 'b'].map((id) => ({
        id: { type: 'mock', id },
        name: '',
        image: '',
        imageID: '',
        imageRef: '',
        hash: 0,
        state: 'running',
        createdAt: 0n,
        podSandboxID: '',
      })),
    };
    const pleg = newGenericPLEG({
      kernel: k,
      cache: newCache(k),
      config: { featureGates: {} },
      eventChannel: makeChan(k, 'full', 1),
      runtime: {
        *getPods() {
          return [pod];
        },
        *getPod() {
          return pod;
        },
        *getPodStatus() {
          return { ...emptyPodStatus('u', 'web', 'default'), timestamp: 0 };
        },
      },
    });
    k.go('relist', () => pleg.relist());
    k.run({ until: Second });
    // Two sandboxes came up, and there was room for one event.
    expect(metrics.registry.text()).toContain('\nkubelet_pleg_discard_events 1\n');
    expect(metrics.registry.text()).toContain('\nkubelet_running_pods 1\n');
  });

  it('[3:MET-02] times workers from the oldest request, by the operation; requests without a time are not timed', () => {
    const n = node();
    n.put('web', sleeper());
    n.run(5);
    const count = (operation: string) =>
      n.value(`kubelet_pod_worker_duration_seconds_count{operation_type="${operation}"}`);
    expect(count('create')).toBe(1);
    expect(n.value('kubelet_pod_worker_duration_seconds_sum{operation_type="create"}')).toBeGreaterThan(0);
    expect(count('sync')).toBeGreaterThan(0);
    // The wait for the cache is part of it: a sync after the start waits for a relist.
    const creates = n.records.find((r) => r.kind === 'work-start');
    expect(creates).toMatchObject({ updateType: 'create' });
    n.rm('web');
    n.run(20);
    // A removal has no time of its own, so neither kill nor terminated.
    expect(count('kill')).toBeNull();
    expect(count('terminated')).toBeNull();
    expect(n.lines()).toContain('# TYPE kubelet_pod_worker_duration_seconds histogram');
    expect(n.lines().some((l) => l.includes('operation_type="create",le="0.005"'))).toBe(true);
  });

  it('[3:MET-03] times the first sync and the start, the latter on a first sync without a status and on running', () => {
    const n = node();
    n.put('web', sleeper());
    while (n.value('kubelet_pod_worker_start_duration_seconds_count') === 0) n.run(0.01);
    expect(n.value('kubelet_pod_worker_start_duration_seconds_count')).toBe(1);
    expect(n.value('kubelet_pod_start_duration_seconds_count')).toBe(1);
    expect(n.value('kubelet_pod_start_duration_seconds_bucket{le="0.5"}')).toBe(1);
    n.run(10);
    // Once more when Pending became Running, and never again.
    expect(n.value('kubelet_pod_start_duration_seconds_count')).toBe(2);
    expect(n.value('kubelet_pod_worker_start_duration_seconds_count')).toBe(1);
    expect(n.value('kubelet_containers_per_pod_count_sum')).toBe(1);
    expect(n.lines().some((l) => l.startsWith('kubelet_pod_start_duration_seconds_bucket{le="3600"}'))).toBe(true);
  });

  it('[3:MET-05] counts sandboxes and containers at each relist; a state that vanishes keeps its figure', () => {
    const n = node();
    n.put('web', sleeper());
    n.put(
      'once',
      "  restartPolicy: Never\n  containers:\n  - name: app\n    image: busybox\n    command: [sh, -c, 'sleep 3']\n",
    );
    n.run(12);
    const state = (s: string) => n.value(`kubelet_running_containers{container_state="${s}"}`);
    expect(n.value('kubelet_running_pods')).toBe(1);
    expect(state('running')).toBe(1);
    expect(state('exited')).toBe(1);
    n.rm('once');
    n.run(90);
    expect(n.mock.containers().filter((c) => c.state === 'exited')).toEqual([]);
    expect(state('exited')).toBe(1);
    n.rm('web');
    n.run(5);
    expect(n.value('kubelet_running_pods')).toBe(0);
  });

  it('[3:MET-06] counts pods at housekeeping', () => {
    const n = node();
    n.put('web', sleeper());
    n.run(0.5);
    expect(n.value('kubelet_desired_pods{static="true"}')).toBeNull();
    n.run(5);
    expect(n.lines()).toEqual(
      expect.arrayContaining([
        'kubelet_desired_pods{static=""} 0',
        'kubelet_desired_pods{static="true"} 1',
        'kubelet_active_pods{static="true"} 1',
        'kubelet_mirror_pods 0',
        'kubelet_working_pods{config="desired",lifecycle="sync",static="true"} 1',
        'kubelet_working_pods{config="desired",lifecycle="terminating",static="true"} 0',
        'kubelet_working_pods{config="orphan",lifecycle="terminated",static=""} 0',
        'kubelet_working_pods{config="runtime_only",lifecycle="sync",static="unknown"} 0',
        'kubelet_orphaned_runtime_pods_total 0',
        'kubelet_restarted_pods_total{static="true"} 0',
        'kubelet_restarted_pods_total{static=""} 0',
      ]),
    );
    // Taken away and put back under the same name at once: it has the same UID and comes back.
    n.rm('web');
    n.run(1.5);
    n.put('web', sleeper());
    n.run(20);
    expect(n.value('kubelet_restarted_pods_total{static="true"}')).toBe(1);
  });

  it('[3:MET-07] counts calls to the runtime at their end, under their own names, but not the log rotation', () => {
    const n = node({ config: { containerLogMaxSizeBytes: 64 } });
    n.put(
      'web',
      "  containers:\n  - name: app\n    image: busybox\n    command: [sh, -c, 'while true; do echo a line of some length here; sleep 1; done']\n",
    );
    n.put('bad', '  containers:\n  - name: app\n    image: no.such.registry/image:1\n');
    n.run(25);
    const total = (operation: string) =>
      n.value(`kubelet_runtime_operations_total{operation_type="${operation}"}`) ?? 0;
    for (const operation of [
      'version',
      'status',
      'run_podsandbox',
      'podsandbox_status',
      'list_podsandbox',
      'create_container',
      'start_container',
      'list_containers',
      'container_status',
      'image_status',
      'pull_image',
      'image_fs_info',
      'runtime_config',
    ])
      expect(total(operation), operation).toBeGreaterThan(0);
    const ended = n.records.filter((r) => r.kind === 'cri-return');
    expect(total('run_podsandbox')).toBe(ended.filter((r) => r.method === 'RunPodSandbox').length);
    expect(n.value('kubelet_runtime_operations_errors_total{operation_type="pull_image"}')).toBeGreaterThan(0);
    expect(n.value('kubelet_runtime_operations_errors_total{operation_type="create_container"}')).toBeNull();
    expect(n.value('kubelet_runtime_operations_duration_seconds_count{operation_type="start_container"}')).toBe(1);
    expect(
      n
        .lines()
        .some((l) =>
          l.startsWith(
            'kubelet_runtime_operations_duration_seconds_bucket{operation_type="version",le="745.0580596923828"}',
          ),
        ),
    ).toBe(true);
    // The log was rotated through the same runtime.
    expect(ended.some((r) => r.method === 'ReopenContainerLog')).toBe(true);
    expect(total('reopen_container_log')).toBe(0);
    expect(total('container_status')).toBeLessThan(ended.filter((r) => r.method === 'ContainerStatus').length);
  });

  it.each([
    ['UpdateContainerResources', 'update_container'],
    ['ExecSync', 'exec_sync'],
    ['PortForward', 'port_forward'],
    ['StopPodSandbox', 'stop_podsandbox'],
    ['ListPodSandboxStats', 'list_podsandbox_stats'],
    ['UpdateRuntimeConfig', 'update_runtime_config'],
    ['GetContainerEvents', 'get_container_events'],
    ['CheckpointContainer', 'checkpoint_container'],
    ['StreamContainers', 'list_containers'],
  ])('[3:MET-07] %s is %s', (method, type) => {
    expect(operationType(method)).toBe(type);
  });

  it('[3:MET-08] counts what was started, what failed and why, and what ended', () => {
    const n = node();
    n.put(
      'job',
      "  restartPolicy: Never\n  initContainers:\n  - name: first\n    image: busybox\n    command: [sh, -c, 'exit 0']\n  containers:\n  - name: app\n    image: busybox\n    command: [sh, -c, 'exit 3']\n",
    );
    n.put('bad', '  containers:\n  - name: app\n    image: busybox\n    command: [/no/such/program]\n');
    n.put('pull', '  containers:\n  - name: app\n    image: no.such.registry/image:1\n');
    n.run(4);
    const lines = n.lines();
    expect(lines).toEqual(
      expect.arrayContaining([
        'kubelet_started_pods_total 3',
        'kubelet_started_pods_errors_total 0',
        'kubelet_started_containers_total{container_type="init_container"} 1',
        'kubelet_started_containers_errors_total{code="ErrImagePull",container_type="container"} 1',
        'kubelet_terminated_containers_total{container_type="init_container",exit_code="0",reason="Completed"} 1',
        'kubelet_terminated_containers_total{container_type="container",exit_code="3",reason="Error"} 1',
      ]),
    );
    const failed = 'kubelet_started_containers_errors_total{code="RunContainerError",container_type="container"}';
    expect(n.value(failed)).toBe(
      n.records.filter((r) => r.kind === 'cri-return' && r.method === 'StartContainer' && r.error).length,
    );
    // A container in back-off is not begun, a failed one is.
    const begun = n.records.filter((r) => r.kind === 'enter' && r.fn === 'startContainer').length;
    expect(n.value('kubelet_started_containers_total{container_type="container"}')).toBe(begun - 1);
  });

  it('[3:MET-08][3:MET-09] counts sandboxes that fail, by handler', () => {
    const n = node({
      deps: (k) => {
        const mock = newMockRuntime(k);
        const client = inProcessClient({
          ...mock.runtime,
          ...mock.image,
          *runPodSandbox() {
            yield* sleep(Second / 5);
            throw new CRIError(GrpcCode.Unknown, 'no network');
          },
        });
        return { runtimeService: client, imageService: client };
      },
    });
    n.put('web', sleeper());
    n.run(3);
    const errors = n.value('kubelet_run_podsandbox_errors_total{runtime_handler=""}') ?? 0;
    expect(errors).toBeGreaterThan(0);
    expect(n.value('kubelet_started_pods_errors_total')).toBe(errors);
    expect(n.value('kubelet_run_podsandbox_duration_seconds_count{runtime_handler=""}')).toBe(errors);
    expect(n.value('kubelet_run_podsandbox_duration_seconds_bucket{runtime_handler="",le="0.1"}')).toBe(0);
    expect(n.value('kubelet_run_podsandbox_duration_seconds_bucket{runtime_handler="",le="0.25"}')).toBe(errors);
  });

  it('[3:MET-09] times pulls by the size of the image', () => {
    const n = node();
    n.put('web', '  containers:\n  - name: app\n    image: nginx\n    imagePullPolicy: Always\n');
    n.run(60);
    const pulled = n.lines().filter((l) => l.startsWith('kubelet_image_pull_duration_seconds_count'));
    expect(pulled).toHaveLength(1);
    const pulls = n.records.filter((r) => r.kind === 'cri-return' && r.method === 'PullImage' && !r.error).length;
    expect(pulled).toEqual([`kubelet_image_pull_duration_seconds_count{image_size_in_bytes="10MB-100MB"} ${pulls}`]);
    expect(n.lines().some((l) => /^kubelet_image_pull_duration_seconds_bucket\{.*le="3600"\} /.test(l))).toBe(true);
    const Mi = 1024 * 1024;
    expect([0, 1, 10 * Mi, 10 * Mi + 1, 700 * Mi, 200 * 1024 * Mi].map(imageSizeBucket)).toEqual([
      'N/A',
      '0-10MB',
      '0-10MB',
      '10MB-100MB',
      '500MB-1GB',
      'GT100GB',
    ]);
  });

  it('counts what becomes of requests for images: there, to be pulled, and what was never known', () => {
    const n = node();
    n.put(
      'here',
      '  containers:\n  - name: app\n    image: localhost/busybox:dev\n    imagePullPolicy: IfNotPresent\n    command: [sleep, "100"]\n',
    );
    n.put('never', '  containers:\n  - name: app\n    image: no.such.registry/image:1\n    imagePullPolicy: Never\n');
    n.put('bad', '  containers:\n  - name: app\n    image: UPPER\n    imagePullPolicy: IfNotPresent\n');
    n.put('always', '  containers:\n  - name: app\n    image: nginx\n    imagePullPolicy: Always\n');
    n.run(2);
    const asked = (policy: string, present: string, pull: string) =>
      n.value(
        `kubelet_image_manager_ensure_image_requests_total{present_locally="${present}",pull_policy="${policy}",pull_required="${pull}"}`,
      ) ?? 0;
    expect(asked('ifnotpresent', 'true', 'false')).toBe(1);
    expect(asked('never', 'false', 'unknown')).toBeGreaterThan(0);
    expect(asked('ifnotpresent', 'unknown', 'unknown')).toBeGreaterThan(0);
    n.run(30);
    expect(asked('always', 'unknown', 'true')).toBeGreaterThan(0);
  });

  it('counts image volumes and user namespaces, and those of them that failed', () => {
    const n = node();
    const pod = (reference: string) =>
      `  hostUsers: false\n  volumes:\n  - name: data\n    image: { reference: ${reference}, pullPolicy: IfNotPresent }\n${sleeper()}    volumeMounts:\n    - { name: data, mountPath: /data }\n`;
    n.put('web', pod('busybox'));
    n.run(4);
    const total = (name: string) => n.value(`kubelet_${name}_total`);
    expect(total('started_user_namespaced_pods')).toBe(1);
    expect(total('image_volume_requested')).toBe(total('image_volume_mounted_succeed'));
    expect(total('image_volume_requested')).toBeGreaterThan(0);
    expect(total('image_volume_mounted_errors')).toBe(0);
    expect(total('started_user_namespaced_pods_errors')).toBe(0);
  });

  it('[3:MET-10] counts pods that were turned away, under a bounded set of reasons', () => {
    const n = node({ config: { maxPods: 1 } });
    n.put('a', sleeper());
    n.run(3);
    n.put('b', sleeper());
    n.run(3);
    // A static pod is critical: there must be somebody to make room, or that is the error.
    expect(n.value('kubelet_admission_rejections_total{reason="UnexpectedAdmissionError"}')).toBe(1);
    recordAdmissionRejection(n.k, 'OutOfpods');
    recordAdmissionRejection(n.k, 'OutOfexample.com/gpu');
    recordAdmissionRejection(n.k, 'Whatever');
    recordAdmissionRejection(n.k, 'NodeShutdown');
    expect(n.lines()).toEqual(
      expect.arrayContaining([
        'kubelet_admission_rejections_total{reason="OutOfpods"} 1',
        'kubelet_admission_rejections_total{reason="OutOfExtendedResources"} 1',
        'kubelet_admission_rejections_total{reason="Other"} 1',
        'kubelet_admission_rejections_total{reason="NodeShutdown"} 1',
        'kubelet_node_startup_registration_duration_seconds 0',
      ]),
    );
  });

  it('[3:MET-11] counts probes by kind, result and container, until the container is not probed any more', () => {
    const n = node();
    n.put(
      'web',
      sleeper(
        '    livenessProbe: {exec: {command: [sh, -c, "true"]}, periodSeconds: 1}\n    readinessProbe: {exec: {command: [sh, -c, "false"]}, periodSeconds: 1}\n',
      ),
    );
    n.run(8);
    const uid = n.kl.getPods()[0]?.metadata.uid;
    const of = (type: string, result: string) =>
      n
        .probes()
        .find((l) =>
          l.startsWith(
            `prober_probe_total{container="app",namespace="default",pod="web-node1",pod_uid="${uid}",probe_type="${type}",result="${result}"} `,
          ),
        );
    expect(of('Liveness', 'successful')).toBeDefined();
    expect(of('Readiness', 'failed')).toBeDefined();
    expect(of('Readiness', 'successful')).toBeUndefined();
    expect(n.probes()).toContain(
      '# HELP prober_probe_total [BETA] Probes of containers, by kind, result and container.',
    );
    // Only successes are timed.
    const timed = n.probes().filter((l) => l.startsWith('prober_probe_duration_seconds_count'));
    expect(timed).toHaveLength(1);
    expect(timed[0]).toContain('probe_type="Liveness"');
    n.rm('web');
    n.run(30);
    expect(n.probes().filter((l) => l.startsWith('prober_'))).toEqual([]);
  });

  it('[3:MET-11] times work on volumes, by plug-in and operation', () => {
    const n = node();
    n.put('web', sleeper('    volumeMounts: [{name: v, mountPath: /v}]\n  volumes:\n  - name: v\n    emptyDir: {}\n'));
    n.run(5);
    const mounted =
      'storage_operation_duration_seconds_count{migrated="false",operation_name="volume_mount",status="success",volume_plugin="kubernetes.io/empty-dir"}';
    expect(n.value(mounted)).toBeGreaterThan(0);
    expect(
      n.lines().some((l) => l.startsWith('storage_operation_duration_seconds_bucket') && l.includes('le="600"')),
    ).toBe(true);
  });

  it('counts anew with a new process', () => {
    const n = node();
    n.put('web', sleeper());
    n.run(3);
    expect(metricsOf(n.k)).toBe(n.kl.metrics);
    expect(newProcessMetrics(n.k).startedPods.get()).toBe(0);
  });

  it('is text of the format, every name once', () => {
    const n = node();
    n.put('web', sleeper());
    n.run(5);
    const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\\\|\\"|\\n)*",?)+\})? (\+Inf|-?[\d.e+-]+)$/;
    const text = n.lines().slice(0, -1);
    for (const line of text)
      expect(line).toMatch(line.startsWith('#') ? /^# (HELP [a-z_]+ \[[A-Z]+\]|TYPE [a-z_]+) / : sample);
    const names = text.flatMap((l) => /^# TYPE (\S+)/.exec(l)?.[1] ?? []);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
  });
});
