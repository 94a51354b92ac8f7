import type { RecordBody, RecordKind, RecordOf, TraceRecord } from '../records.js';

const web = { pod: 'default/web', uid: 'uid-web' };

/** One or more bodies of every kind, so that tests can hold that each is handled. */
export const samples: { readonly [K in RecordKind]: readonly Extract<RecordBody, { kind: K }>[] } = {
  'goroutine-start': [{ kind: 'goroutine-start', id: 7, name: 'syncLoop', parent: 1, process: 'kubelet' }],
  'goroutine-end': [
    { kind: 'goroutine-end', id: 7 },
    { kind: 'goroutine-end', id: 7, killed: true },
    { kind: 'goroutine-end', id: 7, panic: { error: 'nil map', stack: ['SyncPod'] } },
  ],
  wait: [
    { kind: 'wait', on: { op: 'send', chans: [1], item: 'x' } },
    { kind: 'wait', on: { op: 'receive', chans: [1] } },
    { kind: 'wait', on: { op: 'select', chans: [1, 2, 0], sends: [1] } },
    { kind: 'wait', on: { op: 'sleep', until: 12_345_678 } },
    { kind: 'wait', on: { op: 'lock', name: 'podLock' } },
    { kind: 'wait', on: { op: 'rlock', name: 'podLock' } },
    { kind: 'wait', on: { op: 'cond', name: 'cond' } },
    { kind: 'wait', on: { op: 'waitgroup', name: 'pods' } },
    { kind: 'wait', on: { op: 'once', name: 'setup' } },
    { kind: 'wait', on: { op: 'call', name: 'RunPodSandbox' } },
  ],
  'chan-make': [
    { kind: 'chan-make', chan: 3, name: 'plegCh', cap: 1000 },
    { kind: 'chan-make', chan: 4, name: 'handover', cap: 0 },
  ],
  send: [
    { kind: 'send', chan: 1, item: { op: 'ADD' }, len: 1 },
    { kind: 'send', chan: 1, item: null, len: 0 },
  ],
  receive: [
    { kind: 'receive', chan: 1, item: 'x', ok: true, len: 2 },
    { kind: 'receive', chan: 1, item: null, ok: false, len: 0 },
    { kind: 'receive', chan: 1, item: 5, ok: true, len: 0, discarded: true },
  ],
  close: [{ kind: 'close', chan: 1 }],
  select: [
    { kind: 'select', cases: [1, 2], ready: [0, 1], chosen: 1 },
    { kind: 'select', cases: [1, 2], ready: [0], chosen: 0 },
    { kind: 'select', cases: [1, 2], ready: [], chosen: -1 },
  ],
  enter: [
    { kind: 'enter', fn: 'SyncPod', args: { pod: 'default/web' } },
    { kind: 'enter', fn: 'someHelper' },
  ],
  exit: [
    { kind: 'exit', of: 3, fn: 'SyncPod' },
    { kind: 'exit', of: 3, fn: 'SyncPod', error: 'no sandbox' },
  ],
  deadlock: [{ kind: 'deadlock', waits: [{ g: 7, name: 'syncLoop', on: { op: 'receive', chans: [1] } }] }],
  log: [
    {
      kind: 'log',
      severity: 'I',
      v: 2,
      msg: 'SyncLoop ADD',
      kv: { source: 'file', pods: ['default/web'] },
      file: 'kubelet.go',
    },
  ],
  'kube-event': [
    {
      kind: 'kube-event',
      object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-web', fieldPath: 'spec.containers{app}' },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container app',
    },
  ],
  source: [
    { kind: 'source', source: 'file', origin: 'list', pods: [web] },
    { kind: 'source', source: 'file', origin: 'list', pods: [] },
    { kind: 'source', source: 'file', origin: 'watch', pods: [], errors: ['web.yaml: line 3: bad indentation'] },
  ],
  'pod-config': [
    { kind: 'pod-config', source: 'file', op: 'ADD', pods: [web] },
    { kind: 'pod-config', source: 'file', op: 'ADD', pods: [] },
    { kind: 'pod-config', source: 'api', op: 'DELETE', pods: [web] },
  ],
  decision: [
    {
      kind: 'decision',
      rule: 'shouldRestartOnFailure',
      verdict: 'restart',
      values: { restartPolicy: 'Always', exitCode: 1 },
      container: 'app',
      ...web,
    },
    { kind: 'decision', rule: 'podSandboxChanged', verdict: 'no sandbox', values: {}, ...web },
    { kind: 'decision', rule: 'sourcesReady', verdict: 'wait', values: { seen: ['file'] } },
  ],
  'pod-update': [
    { kind: 'pod-update', updateType: 'sync', ...web },
    { kind: 'pod-update', updateType: 'sync', overwrote: true, ...web },
    { kind: 'pod-update', updateType: 'update', dropped: 'the pod is terminating', ...web },
  ],
  worker: [
    { kind: 'worker', state: 'sync', reason: 'first update', ...web },
    { kind: 'worker', state: 'terminating', from: 'sync', reason: 'deleted', ...web },
    { kind: 'worker', state: 'removed', from: 'finished', reason: 'not desired', ...web },
  ],
  'cache-wait': [{ kind: 'cache-wait', newerThan: 12_300_000, ...web }],
  'work-start': [{ kind: 'work-start', workType: 'sync', updateType: 'create', ...web }],
  'work-done': [
    { kind: 'work-done', workType: 'sync', ...web },
    { kind: 'work-done', workType: 'terminating', error: 'StopContainer: timeout', ...web },
  ],
  step: [
    { kind: 'step', fn: 'SyncPod', n: 4, name: 'create the sandbox', ...web },
    { kind: 'step', fn: 'startContainer', n: 1, name: 'pull the image', container: 'app', ...web },
  ],
  'pod-actions': [{ kind: 'pod-actions', actions: { createSandbox: true, containersToStart: ['app'] }, ...web }],
  queue: [{ kind: 'queue', due: 60_000_000, why: 'resync', ...web }],
  'cri-call': [
    { kind: 'cri-call', method: 'RunPodSandbox', request: { config: { metadata: { name: 'web' } } }, uid: 'uid-web' },
    { kind: 'cri-call', method: 'Version', request: {} },
  ],
  'cri-return': [
    { kind: 'cri-return', call: 9, method: 'StartContainer', took: 61_000, container: 'c1' },
    {
      kind: 'cri-return',
      call: 9,
      method: 'RunPodSandbox',
      took: 61_000,
      sandbox: 's1',
      error: { code: 2, details: 'cni: no address' },
    },
  ],
  relist: [
    { kind: 'relist', pods: 1, changed: 0, scope: 'global' },
    { kind: 'relist', pods: 3, changed: 2, scope: 'global' },
    { kind: 'relist', pods: 1, changed: 1, scope: 'pod' },
  ],
  'pleg-transition': [
    {
      kind: 'pleg-transition',
      id: 'c1',
      name: 'app',
      sandbox: false,
      old: 'running',
      new: 'exited',
      exitCode: 137,
      ...web,
    },
    { kind: 'pleg-transition', id: 's1', name: '', sandbox: true, old: 'non-existent', new: 'running', ...web },
  ],
  'pleg-event': [
    { kind: 'pleg-event', type: 'ContainerDied', data: 'c1', name: 'app', ...web },
    { kind: 'pleg-event', type: 'ContainerStarted', data: 's1', name: '', dropped: true, ...web },
  ],
  cache: [
    {
      kind: 'cache',
      op: 'set',
      modified: 12_300_000,
      sandboxes: [{ id: 's1', name: '', state: 'running', ip: '10.88.0.2' }],
      containers: [{ id: 'c1', name: 'app', state: 'running' }],
      ...web,
    },
    { kind: 'cache', op: 'delete', modified: 0, sandboxes: [], containers: [], ...web },
    { kind: 'cache', op: 'set', modified: 5, sandboxes: [], containers: [], error: 'deadline exceeded', ...web },
  ],
  probe: [
    {
      kind: 'probe',
      container: 'app',
      probeType: 'liveness',
      outcome: 'failure',
      output: 'HTTP 500',
      run: 1,
      threshold: 3,
      ...web,
    },
  ],
  'probe-result': [
    { kind: 'probe-result', container: 'app', probeType: 'liveness', result: 'Failure', ...web },
    { kind: 'probe-result', container: 'app', probeType: 'readiness', result: 'Success', ...web },
    { kind: 'probe-result', container: 'app', probeType: 'startup', result: 'Success', ...web },
  ],
  kill: [
    { kind: 'kill', container: 'app', id: 'c1', gracePeriod: 30, reason: 'LivenessProbe', ...web },
    { kind: 'kill', container: 'app', id: 'c1', gracePeriod: 2, ...web },
    { kind: 'kill', container: 'app', ...web },
  ],
  backoff: [
    { kind: 'backoff', of: 'crash-loop', container: 'app', delay: 20_000_000, until: 40_000_000, active: true, ...web },
    { kind: 'backoff', of: 'image-pull', container: 'app', delay: 10_000_000, until: 0, active: false, ...web },
  ],
  volume: [
    { kind: 'volume', volume: 'cfg', plugin: 'kubernetes.io/configmap', op: 'volume_mount', phase: 'start', ...web },
    {
      kind: 'volume',
      volume: 'cfg',
      plugin: 'kubernetes.io/configmap',
      op: 'volume_mount',
      phase: 'done',
      took: 1000,
      error: 'configmap "cfg" not found',
      ...web,
    },
    {
      kind: 'volume',
      volume: 'cfg',
      plugin: 'kubernetes.io/configmap',
      op: 'volume_mount',
      phase: 'done',
      remount: true,
      took: 1000,
      ...web,
    },
    {
      kind: 'volume',
      volume: 'd',
      plugin: 'kubernetes.io/empty-dir',
      op: 'verify_controller_attached_volume',
      phase: 'done',
      took: 0,
      ...web,
    },
    { kind: 'volume', volume: 'd', plugin: 'kubernetes.io/empty-dir', op: 'reconstruct', phase: 'done', ...web },
    { kind: 'volume', volume: 'd', plugin: 'kubernetes.io/empty-dir', op: 'volume_unmount', phase: 'start', ...web },
    {
      kind: 'volume',
      volume: 'd',
      plugin: 'kubernetes.io/empty-dir',
      op: 'volume_unmount',
      phase: 'done',
      took: 1,
      ...web,
    },
  ],
  status: [{ kind: 'status', version: 3, status: { phase: 'Running', reason: '' }, ...web }],
  'status-removed': [{ kind: 'status-removed', ...web }],
  eviction: [
    {
      kind: 'eviction',
      phase: 'signals',
      signals: [
        { signal: 'memory.available', available: 41943040, capacity: 8589934592, threshold: 104857600, met: true },
        { signal: 'nodefs.available', available: 900, capacity: 1000, threshold: 100, met: false, graceSeconds: 30 },
      ],
    },
    { kind: 'eviction', phase: 'signals', signals: [] },
    { kind: 'eviction', phase: 'conditions', conditions: ['MemoryPressure'] },
    { kind: 'eviction', phase: 'conditions', conditions: [] },
    { kind: 'eviction', phase: 'reclaim', signal: 'nodefs.available', resource: 'ephemeral-storage', what: 'images' },
    {
      kind: 'eviction',
      phase: 'reclaim',
      signal: 'nodefs.available',
      resource: 'ephemeral-storage',
      what: 'containers',
    },
    { kind: 'eviction', phase: 'reclaimed', signal: 'nodefs.available', resource: 'ephemeral-storage' },
    {
      kind: 'eviction',
      phase: 'rank',
      signal: 'memory.available',
      resource: 'memory',
      ranked: [{ ...web, priority: 0, usage: 67108864, request: 33554432 }],
    },
    {
      kind: 'eviction',
      phase: 'evict',
      signal: 'memory.available',
      resource: 'memory',
      gracePeriodSeconds: 1,
      message: 'The node was low on resource: memory. ',
      ...web,
    },
    { kind: 'eviction', phase: 'evicted', ...web },
    { kind: 'eviction', phase: 'evicted', error: 'timeout waiting to kill pod', ...web },
    { kind: 'eviction', phase: 'cleaned', ...web },
    { kind: 'eviction', phase: 'cleaned', error: 'timed out waiting for pods to be cleaned up', ...web },
  ],
  api: [
    {
      kind: 'api',
      id: 1,
      phase: 'request',
      verb: 'patch',
      resource: 'pods',
      subresource: 'status',
      namespace: 'default',
      name: 'web',
    },
    {
      kind: 'api',
      id: 1,
      phase: 'response',
      verb: 'patch',
      resource: 'pods',
      subresource: 'status',
      namespace: 'default',
      name: 'web',
      code: 200,
      took: 4000,
    },
    { kind: 'api', id: 2, phase: 'request', verb: 'watch', resource: 'pods' },
    { kind: 'api', id: 2, phase: 'response', verb: 'watch', resource: 'pods', code: 200, took: 2000 },
    { kind: 'api', id: 2, phase: 'end', verb: 'watch', resource: 'pods' },
    {
      kind: 'api',
      id: 3,
      phase: 'response',
      verb: 'get',
      resource: 'nodes',
      name: 'node1',
      code: 404,
      took: 2000,
      error: 'nodes "node1" not found',
    },
    {
      kind: 'api',
      id: 4,
      phase: 'response',
      verb: 'get',
      resource: 'nodes',
      name: 'node1',
      took: 9,
      error: 'connection refused',
    },
  ],
  cgroup: [
    {
      kind: 'cgroup',
      op: 'create',
      path: '/kubepods/burstable/poduid-web',
      config: { cpuShares: 512, memory: 67108864 },
    },
    { kind: 'cgroup', op: 'update', path: '/kubepods/burstable', config: { cpuShares: 512 } },
    { kind: 'cgroup', op: 'destroy', path: '/kubepods/burstable/poduid-web' },
  ],
  devices: [
    {
      kind: 'devices',
      resource: 'example.com/gpu',
      endpoint: 'connected',
      devices: [
        { id: 'gpu-0', healthy: false, allocated: true, uid: 'uid-web' },
        { id: 'gpu-1', healthy: true, allocated: false },
      ],
    },
    { kind: 'devices', resource: 'example.com/gpu', endpoint: 'stopped', devices: [] },
    { kind: 'devices', resource: 'example.com/gpu', endpoint: 'removed', devices: [] },
  ],
  manager: [
    { kind: 'manager', name: 'statusManager', state: 'started' },
    { kind: 'manager', name: 'statusManager', state: 'stopped', detail: 'no API server' },
    { kind: 'manager', name: 'shutdownManager', state: 'failed', detail: 'nobody tells of shutdowns' },
  ],
  'node-condition': [
    {
      kind: 'node-condition',
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'container runtime is down',
    },
  ],
  'node-status': [
    {
      kind: 'node-status',
      op: 'set',
      node: 'node1',
      addresses: [{ type: 'Hostname', address: 'node1' }],
      capacity: { cpu: '4' },
      allocatable: { cpu: '4' },
    },
    { kind: 'node-status', op: 'registered', node: 'node1' },
    { kind: 'node-status', op: 'reported', node: 'node1' },
    { kind: 'node-status', op: 'failed', node: 'node1', error: 'connection refused' },
  ],
  'node-lease': [
    { kind: 'node-lease', op: 'created', name: 'node1' },
    { kind: 'node-lease', op: 'renewed', name: 'node1' },
    { kind: 'node-lease', op: 'failed', name: 'node1', error: 'connection refused' },
  ],
  'runtime-state': [
    { kind: 'runtime-state', errors: ['container runtime is down'], backoff: 100_000 },
    { kind: 'runtime-state', errors: [], networkError: 'cni config uninitialized' },
    { kind: 'runtime-state', errors: [] },
  ],
  'sources-ready': [
    { kind: 'sources-ready', source: 'file', all: true },
    { kind: 'sources-ready', source: 'file', all: false },
  ],
  'actual-sandbox': [
    {
      kind: 'actual-sandbox',
      id: 's1',
      uid: 'uid-web',
      pod: 'default/web',
      attempt: 0,
      state: 'ready',
      ip: '10.88.0.2',
    },
    { kind: 'actual-sandbox', id: 's1', uid: 'uid-web', pod: 'default/web', attempt: 0, state: 'notready' },
    { kind: 'actual-sandbox', id: 's1', uid: 'uid-web', pod: 'default/web', attempt: 0, state: 'removed' },
  ],
  'actual-container': [
    { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: 'uid-web', name: 'app', attempt: 0, state: 'created' },
    { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: 'uid-web', name: 'app', attempt: 0, state: 'running' },
    {
      kind: 'actual-container',
      id: 'c1',
      sandbox: 's1',
      uid: 'uid-web',
      name: 'app',
      attempt: 0,
      state: 'exited',
      exitCode: 137,
      reason: 'OOMKilled',
    },
    { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: 'uid-web', name: 'app', attempt: 0, state: 'removed' },
  ],
  'actual-image': [
    { kind: 'actual-image', image: 'docker.io/library/busybox:1.36', state: 'pulling' },
    { kind: 'actual-image', image: 'docker.io/library/busybox:1.36', state: 'present' },
    { kind: 'actual-image', image: 'docker.io/library/nosuch:1', state: 'failed', error: 'not found' },
    { kind: 'actual-image', image: 'docker.io/library/busybox:1.36', state: 'removed' },
  ],
  input: [
    { kind: 'input', verb: 'kill', args: ['uid-web', 'app'] },
    { kind: 'input', verb: 'kill', args: ['web'] },
    { kind: 'input', verb: 'apply', args: ['hello.yaml'] },
    { kind: 'input', verb: 'fault', args: [{ kind: 'pull', answer: 'not-found', image: 'nginx', for: 30_000_000 }] },
    { kind: 'input', verb: 'failed', args: ['expect (event web BackOff atLeast=2), line 12: there was none'] },
    { kind: 'input', verb: 'from-the-future', args: [] },
  ],
  fault: [
    { kind: 'fault', rule: 'first pull fails', method: 'PullImage', effect: 'Unavailable: no route to host' },
    { kind: 'fault', rule: 'runtime', method: '', effect: 'the runtime is stopped' },
    { kind: 'fault', rule: 'runtime', method: '', effect: 'over' },
    { kind: 'fault', rule: 'odd', method: 'PullImage', effect: 'unheard of' },
  ],
  process: [
    { kind: 'process', process: 'kubelet', state: 'started' },
    { kind: 'process', process: 'kubelet', state: 'killed' },
    { kind: 'process', process: 'kubelet', state: 'stopped' },
  ],
  gap: [{ kind: 'gap', from: 5, to: 9 }],
  'evidence-source': [
    {
      kind: 'evidence-source',
      id: 'log',
      source: 'log',
      name: 'kubelet.log',
      state: 'opened',
      details: 'A log of v1.36.2.',
    },
    { kind: 'evidence-source', id: 'log', source: 'log', name: 'kubelet.log', state: 'ended' },
    { kind: 'evidence-source', id: 'cri', source: 'cri', name: 'containerd.sock', state: 'lost' },
  ],
  'evidence-gap': [{ kind: 'evidence-gap', source: 'cri', why: 'The connection was seen from its middle.', bytes: 12 }],
  symptom: [
    {
      kind: 'symptom',
      code: 'kubelet-exited',
      state: 'failing',
      program: 'systemd',
      facts: { exitCode: 255 },
    },
    {
      kind: 'symptom',
      code: 'network-setup-failed',
      state: 'failing',
      program: 'kubelet',
      ...web,
      facts: { error: 'failed to find plugin "portmap" in path [/opt/cni/bin]' },
    },
    { kind: 'symptom', code: 'node-not-ready', state: 'healed', program: 'kubelet', facts: {} },
  ],
  'clock-offset': [
    { kind: 'clock-offset', source: 'spans', against: 'log', offset: -1500, uncertainty: 200, samples: 12 },
    { kind: 'clock-offset', source: 'cri', against: 'log', offset: 0, uncertainty: 90, samples: 3 },
  ],
  disagreement: [
    {
      kind: 'disagreement',
      about: 'ListContainers',
      sides: [
        { source: 'metrics', value: 114 },
        { source: 'cri', value: 113 },
      ],
    },
  ],
  'telemetry-span': [
    {
      kind: 'telemetry-span',
      name: 'syncPod',
      service: 'kubelet',
      traceId: 'a1',
      spanId: 'b2',
      parent: '',
      took: 1200,
      attributes: { 'k8s.pod': 'default/web' },
    },
    {
      kind: 'telemetry-span',
      name: 'runtime.v1.RuntimeService/StopContainer',
      service: 'kubelet',
      traceId: 'a1',
      spanId: 'b3',
      parent: 'b2',
      took: 7,
      attributes: {},
      error: 'deadline exceeded',
    },
  ],
  'pod-list': [
    { kind: 'pod-list', scope: 'all', pods: [web], objects: [{ kind: 'Pod' }] },
    { kind: 'pod-list', scope: 'one', pods: [web] },
    { kind: 'pod-list', scope: 'one', pods: [web], removed: true },
  ],
  metrics: [{ kind: 'metrics', values: { 'kubelet_runtime_operations_total{operation_type="version"}': 3 } }],
  'runtime-answer': [
    { kind: 'runtime-answer', method: 'ListContainers', response: { count: 3 } },
    { kind: 'runtime-answer', method: 'Status', error: { code: 14, details: 'connection refused' } },
  ],
  'metrics-check': [
    {
      kind: 'metrics-check',
      rows: [
        {
          name: 'kubelet_runtime_operations_total{operation_type="list_containers"}',
          told: 114,
          seen: 114,
          agrees: true,
        },
      ],
      whole: true,
    },
  ],
  'container-event': [
    { kind: 'container-event', event: { containerId: 'c1', containerEventType: 'CONTAINER_STOPPED_EVENT' } },
  ],
  'call-step': [
    {
      kind: 'call-step',
      fn: 'HandlePodCleanups',
      n: 2,
      name: 'GetPodsAndMirrorPods',
      found: { pods: 2, mirrorPods: 1 },
    },
    {
      kind: 'call-step',
      fn: 'HandlePodCleanups',
      n: 6,
      name: 'removeOrphanedPodStatuses',
      found: { removed: ['uid-web'] },
    },
    { kind: 'call-step', fn: 'HandlePodAdditions', n: 2, name: 'podManager.AddPod', found: { pods: 3 }, ...web },
    {
      kind: 'call-step',
      fn: 'startContainer',
      n: 3,
      name: 'generateContainerConfig',
      found: { restartCount: 0 },
      container: 'app',
      ...web,
    },
  ],
};

export const allKinds = Object.keys(samples) as RecordKind[];
export const allSamples: readonly RecordBody[] = allKinds.flatMap((k) => samples[k] as readonly RecordBody[]);

/** Makes records of bodies: one microsecond apart, of goroutine `g` unless the body's head says otherwise. */
export class Tape {
  readonly records: TraceRecord[] = [];
  g = 1;
  time = 0;
  add<B extends RecordBody>(
    body: B,
    head: Partial<{ g: number; time: number; span: number; cause: number }> = {},
  ): RecordOf<B['kind']> {
    this.time = head.time ?? this.time + 1;
    const record = {
      seq: this.records.length + 1,
      time: this.time,
      g: head.g ?? this.g,
      span: head.span ?? 0,
      cause: head.cause ?? 0,
      ...body,
    } as unknown as TraceRecord;
    this.records.push(record);
    return record as RecordOf<B['kind']>;
  }
}
