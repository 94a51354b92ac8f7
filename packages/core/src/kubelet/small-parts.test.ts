import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../api/types.js';
import { fnv128a } from '../base/index.js';
import { CRIError, unimplementedServices } from '../cri/index.js';
import { background, type Go, Kernel, Second, sleep } from '../kernel/index.js';
import type { TraceRecord } from '../trace/index.js';
import { ActiveDeadlineHandler } from './active-deadline.js';
import { RuntimeCache } from './container/runtime-cache.js';
import { PodSyncResult, ReasonError } from './container/sync-result.js';
import type { RuntimePodStatus, State, Status } from './container/types.js';
import { newInstrumentedServices } from './cri-instrumented.js';
import { EventRecorder } from './events.js';
import { PodContainerDeletor } from './pod-container-deletor.js';
import { isMirrorPodOf, newBasicPodManager } from './podmanager/pod-manager.js';
import { maxReasonCacheEntries, ReasonCache } from './reason-cache.js';
import { RuntimeState } from './runtime-state.js';
import { WorkQueue } from './util/queue/work-queue.js';

const pod = (uid: string, annotations: Record<string, string> = {}, name = 'web'): Pod => ({
  metadata: { uid, name, namespace: 'default', annotations },
  spec: { containers: [] },
  status: {},
});

describe('WorkQueue', () => {
  it('[1:R01] a later enqueue overwrites, also with a later time; due is strictly before now', () => {
    const k = new Kernel();
    const q = new WorkQueue(k);
    q.enqueue('a', 0);
    expect(q.getWork()).toEqual([]);
    q.enqueue('a', 5 * Second);
    q.enqueue('b', Second);
    k.addTimer(2 * Second, () => {});
    k.run();
    expect(q.getWork().map((i) => i.uid)).toEqual(['b']);
    expect(q.getWork()).toEqual([]);
    expect(q.snapshot()).toMatchObject([{ uid: 'a', due: 5 * Second }]);
  });
});

describe('ReasonCache', () => {
  it('[1:R07] keeps the last start failure of each container', () => {
    const c = new ReasonCache();
    const result = new PodSyncResult();
    const failed = result.add('StartContainer', 'app');
    failed.error = new ReasonError('CrashLoopBackOff');
    failed.message = 'back-off';
    result.add('KillContainer', 'side').error = new ReasonError('X');
    c.update('u', result);
    expect(c.get('u', 'app')).toEqual({ reason: 'CrashLoopBackOff', message: 'back-off' });
    expect(c.get('u', 'side')).toBeUndefined();
    const good = new PodSyncResult();
    good.add('StartContainer', 'app');
    c.update('u', good);
    expect(c.get('u', 'app')).toBeUndefined();
  });

  it('[1:R07] forgets the least recently used beyond 1000', () => {
    const c = new ReasonCache();
    const add = (uid: string) => {
      const r = new PodSyncResult();
      r.add('StartContainer', 'app').error = new ReasonError('E');
      c.update(uid, r);
    };
    for (let i = 0; i < maxReasonCacheEntries; i++) add(`u${i}`);
    c.get('u0', 'app');
    add('new');
    expect(c.get('u0', 'app')).toBeDefined();
    expect(c.get('u1', 'app')).toBeUndefined();
  });
});

describe('RuntimeState', () => {
  it('[1:R03] [1:R04] names everything that is wrong, but not the network', () => {
    const k = new Kernel();
    const s = new RuntimeState(k, 30 * Second);
    expect(s.networkErrors()?.message).toBe('network state unknown');
    expect(s.runtimeErrors()?.message).toBe('container runtime status check may not have completed yet');
    s.setRuntimeSync(0);
    expect(s.runtimeErrors()).toBeNull();
    let healthy: Error | null = null;
    s.addHealthCheck('PLEG', () => healthy);
    k.addTimer(30 * Second - 1, () => {});
    k.run();
    expect(s.runtimeErrors()).toBeNull();
    k.addTimer(30 * Second, () => {});
    k.run();
    healthy = new Error('pleg was last seen active 3m1s ago; threshold is 3m0s');
    s.setRuntimeState(new Error('container runtime not ready: x'));
    expect(s.runtimeErrors()?.message).toBe(
      '[container runtime is down, PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s, container runtime not ready: x]',
    );
  });
});

describe('podContainerDeletor', () => {
  const status = (id: string, name: string, state: State, createdAt: bigint): Status => ({
    id: { type: 'c', id },
    name,
    state,
    createdAt,
    startedAt: 0n,
    finishedAt: 0n,
    exitCode: 0,
    image: '',
    imageID: '',
    imageRef: '',
    hash: 0,
    restartCount: 0,
    reason: '',
    message: '',
  });
  const podStatus = (containerStatuses: Status[]): RuntimePodStatus => ({
    id: 'u',
    name: 'web',
    namespace: 'default',
    ips: [],
    containerStatuses,
    activeContainerStatuses: [],
    sandboxStatuses: [],
    timestamp: 0,
  });
  const run = (filter: string, removeAll: boolean) => {
    const k = new Kernel();
    const deleted: string[] = [];
    const d = new PodContainerDeletor(
      k,
      {
        *deleteContainer(_ctx, id) {
          deleted.push(id.id);
        },
      },
      1,
    );
    d.start();
    d.deleteContainersInPod(
      filter,
      podStatus([
        status('a1', 'a', 'exited', 1n),
        status('a3', 'a', 'running', 3n),
        status('a2', 'a', 'exited', 2n),
        status('b1', 'b', 'exited', 1n),
        status('b2', 'b', 'exited', 2n),
      ]),
      removeAll,
    );
    k.run();
    return deleted.sort();
  };
  it('[1:R05] [3:GC-04] keeps the newest dead one of the name', () => {
    expect(run('a2', false)).toEqual(['a1']);
    expect(run('sandbox', false)).toEqual([]);
    expect(run('a2', true)).toEqual(['a1', 'a2', 'b1', 'b2']);
  });
});

describe('RuntimeCache', () => {
  it('[1:D02] lists again after 3 s, or when asked for newer', () => {
    const k = new Kernel();
    let lists = 0;
    const c = new RuntimeCache(
      k,
      {
        *getPods() {
          lists++;
          return [];
        },
      },
      3 * Second,
    );
    const counts: number[] = [];
    k.go('t', function* (): Go<void> {
      yield* c.getPods(background);
      yield* sleep(2 * Second);
      yield* c.getPods(background);
      counts.push(lists);
      yield* c.forceUpdateIfOlder(background, k.now());
      counts.push(lists);
      yield* sleep(4 * Second);
      yield* c.getPods(background);
      counts.push(lists);
    });
    k.run();
    expect(counts).toEqual([1, 2, 3]);
  });
});

describe('activeDeadlineHandler', () => {
  it('[1:R06] counts from the start time, and says so each time', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    let status: PodStatus | undefined;
    const h = new ActiveDeadlineHandler(k, { getPodStatus: () => status }, new EventRecorder(k));
    const p = pod('u');
    k.addTimer(10 * Second, () => {});
    k.run();
    expect(h.shouldSync(p)).toBe(false);
    p.spec.activeDeadlineSeconds = 10;
    expect(h.shouldSync(p)).toBe(false);
    status = { startTime: '2026-01-01T00:00:00Z' };
    expect(h.shouldSync(p)).toBe(true);
    expect(h.shouldEvict(p)).toEqual({
      evict: true,
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    h.shouldEvict(p);
    expect(records.filter((r) => r.kind === 'kube-event')).toHaveLength(2);
  });
});

describe('podManager', () => {
  const staticPod = () => pod('static', { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'h' });
  const mirror = (uid = 'mirror', hash = 'h') =>
    pod(uid, { 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.mirror': hash });

  it('[1:F01] keeps pods and mirrors apart', () => {
    const m = newBasicPodManager();
    for (const p of [staticPod(), mirror()]) m.addPod(p);
    expect(m.getPods().map((p) => p.metadata.uid)).toEqual(['static']);
    expect(m.getPodByUID('mirror')).toBeUndefined();
    expect(m.getPodByFullName('web_default')?.metadata.uid).toBe('static');
    expect(m.getMirrorPodByPod(staticPod())?.metadata.uid).toBe('mirror');
    expect(m.getPodAndMirrorPod(mirror())).toMatchObject({ pod: { metadata: { uid: 'static' } }, wasMirror: true });
  });

  it('[1:F02] translates uids whichever comes first', () => {
    for (const order of [
      [staticPod(), mirror()],
      [mirror(), staticPod()],
    ]) {
      const m = newBasicPodManager();
      for (const p of order) m.addPod(p);
      expect(m.translatePodUID('mirror')).toBe('static');
      expect(m.translatePodUID('else')).toBe('else');
      m.removePod(staticPod());
      expect(m.translatePodUID('mirror')).toBe('static');
      expect(m.getPodsAndMirrorPods().orphanedMirrorPodFullNames).toEqual(['web_default']);
      m.removePod(mirror());
      expect(m.translatePodUID('mirror')).toBe('mirror');
    }
    const m = newBasicPodManager();
    m.addPod(staticPod());
    expect([...m.getUIDTranslations().podToMirror]).toEqual([['static', '']]);
  });

  it('[1:F03] a mirror belongs to a static pod by name and hash', () => {
    expect(isMirrorPodOf(mirror(), staticPod())).toBe(true);
    expect(isMirrorPodOf(mirror('m', 'other'), staticPod())).toBe(false);
    expect(isMirrorPodOf(pod('m', { 'kubernetes.io/config.mirror': 'h' }, 'other'), staticPod())).toBe(false);
  });
});

describe('instrumented services', () => {
  it('leaves a call and a return, lists only counted, credentials covered', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    const s = newInstrumentedServices(k, {
      ...unimplementedServices(),
      *listContainers() {
        return { containers: [{ id: 'a' }, { id: 'b' }] };
      },
      *createContainer() {
        yield* sleep(Second);
        return { containerId: 'c1' };
      },
      *pullImage() {
        throw new CRIError(5, 'no such image');
      },
    });
    let error = '';
    k.go('t', function* (): Go<void> {
      yield* s.listContainers(background, { filter: { id: 'x' } });
      yield* s.createContainer(background, { podSandboxId: 's1', sandboxConfig: { metadata: { uid: 'u' } } });
      try {
        yield* s.pullImage(background, { image: { image: 'i' }, auth: { username: 'me', password: 'secret' } });
      } catch (err) {
        error = (err as Error).message;
      }
    });
    k.run();
    const cri = records.filter((r) => r.kind === 'cri-call' || r.kind === 'cri-return');
    expect(cri).toMatchObject([
      { kind: 'cri-call', method: 'ListContainers', request: { filter: { id: 'x' } } },
      { kind: 'cri-return', method: 'ListContainers', response: { count: 2 } },
      { kind: 'cri-call', method: 'CreateContainer', uid: 'u', sandbox: 's1' },
      { kind: 'cri-return', uid: 'u', sandbox: 's1', container: 'c1', took: expect.any(Number) },
      { kind: 'cri-call', method: 'PullImage' },
      { kind: 'cri-return', error: { code: 5, details: 'no such image' } },
    ]);
    expect(cri[1]).toMatchObject({ call: cri[0]?.seq, cause: cri[0]?.seq });
    expect(cri[2]?.cause).toBe(cri[1]?.seq);
    expect(JSON.stringify(records)).not.toContain('secret');
    expect(error).toBe('rpc error: code = NotFound desc = no such image');
  });
});

describe('fnv128a', () => {
  it('agrees with the published values', () => {
    expect(fnv128a('')).toBe('6c62272e07bb014262b821756295c58d');
    expect(fnv128a('a')).toBe('d228cb696f1a8caf78912b704e4a8964');
  });
  it('agrees with its definition', () => {
    const bytes = [...new TextEncoder().encode('ein längerer Text, 文字 and 😀'.repeat(20))];
    const mask = (1n << 128n) - 1n;
    const h = bytes.reduce(
      (sum, byte) => ((sum ^ BigInt(byte)) * ((1n << 88n) + 0x13bn)) & mask,
      0x6c62272e07bb014262b821756295c58dn,
    );
    expect(fnv128a('ein längerer Text, 文字 and 😀'.repeat(20))).toBe(h.toString(16).padStart(32, '0'));
  });
});
