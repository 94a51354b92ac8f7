import { describe, expect, it } from 'vitest';
import { find, flaws, linkWith, rootOf, rootRoles, ruleLink, runOf, runText, seqAt, storeOf } from './testing/runs.js';
import { WhyError } from './types.js';
import { why } from './why.js';

const text = (a: { links: readonly { text: { en: string } }[] }) => a.links.map((l) => l.text.en).join('\n');

describe('why', () => {
  it('says why a container of crash-loop was restarted: exit code, PLEG event, sync, rule and back-off window', () => {
    const store = runOf('crash-loop');
    const a = why(store, { about: 'container', uid: 'crash', container: 'app', what: 'restart' });
    expect(flaws(store, a)).toEqual([]);
    expect(a.links.length).toBeGreaterThanOrEqual(5);
    expect(a.links.length).toBeLessThanOrEqual(12);
    const root = rootOf(a);
    expect(root).toMatchObject({ role: 'fact', kind: 'actual-container', values: { exitCode: 1 } });
    expect(linkWith(a, (l) => l.kind === 'pleg-event')?.text.en).toContain('ContainerDied');
    expect(linkWith(a, (l) => l.kind === 'work-start')?.main).toBe(true);
    expect(ruleLink(a, 'ShouldContainerBeRestarted')).toMatchObject({
      verdict: 'start',
      values: { why: 'it exited 1, restartPolicy Always' },
      upstream: 'pkg/kubelet/container/helpers.go ShouldContainerBeRestarted',
    });
    // The window that it had to wait for, and its end.
    const held = a.links.find((l) => l.kind === 'backoff' && l.values?.active === true);
    expect(held).toMatchObject({ rule: 'doBackOff', verdict: 'back off', values: { delay: 20_000_000 } });
    expect(held?.values?.until).toBe(root.time + 20_000_000);
    expect(ruleLink(a, 'doBackOff')).toMatchObject({ verdict: 'start', main: true });
    expect(linkWith(a, (l) => l.kind === 'queue')?.values?.why).toBe('back-off expires');
    const last = a.links.at(-1);
    expect(last).toMatchObject({ kind: 'cri-call', seq: a.subject });
    expect(a.summary.en).toContain('ShouldContainerBeRestarted');
    expect(a.summary.zh).toMatch(/[一-鿿]/);
  });

  it('says why a container was killed: the liveness probe that failed three times', () => {
    const store = runOf('liveness');
    const killed = find(store, 'decision', (d) => d.rule === 'livenessManager');
    const a = why(store, { about: 'container', uid: 'live', container: 'app', what: 'kill', at: killed.seq + 200 });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a).role).toBe('timer');
    expect(ruleLink(a, 'livenessManager')?.values).toMatchObject({ liveness: 'Failure' });
    expect(a.links.filter((l) => l.kind === 'probe').map((l) => l.values?.run)).toEqual([1, 2, 3]);
    expect(linkWith(a, (l) => l.kind === 'probe-result')?.main).toBe(true);
    expect(ruleLink(a, 'setTerminationGracePeriod')?.verdict).toBe('3');
    expect(linkWith(a, (l) => l.kind === 'receive')?.text.en).toContain('livenessManager');
  });

  it('says why a container waits: its image is not there, and what the runtime answered', () => {
    const store = runOf('image-missing');
    const reason = 'containerStatuses[0].state.waiting.reason';
    const a = why(store, { about: 'field', uid: 'app', path: reason, at: seqAt(store, 3) });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'input', kind: 'input' });
    expect(linkWith(a, (l) => l.kind === 'cri-return')?.text.en).toContain('not found');
    expect(ruleLink(a, 'imagePullPrecheck')?.verdict).toBe('absent');
    const later = why(store, { about: 'field', uid: 'app', path: reason, at: seqAt(store, 9), detail: 'full' });
    expect(flaws(store, later)).toEqual([]);
    expect(rootRoles(later)).toContain('fact');
  });

  it('says why a second sandbox was made: the first was killed', () => {
    const store = runOf('sandbox-killed');
    const call = find(store, 'cri-call', (c) => c.method === 'RunPodSandbox', 1);
    const a = why(store, { about: 'cri', seq: call.seq });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'input' });
    expect(rootOf(a).text.en).toBe('The sandbox of shop is killed.');
    expect(ruleLink(a, 'PodSandboxChanged')?.values).toMatchObject({
      why: 'the newest sandbox is not ready',
      attempt: 1,
    });
    expect(linkWith(a, (l) => l.kind === 'actual-sandbox')?.text.en).toContain('has stopped');
  });

  it('says why a container was stopped gracefully: its manifest was deleted', () => {
    const store = runOf('graceful-delete');
    const a = why(store, { about: 'container', uid: 'deaf', container: 'app', what: 'kill' });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a).text.en).toBe('The manifest deaf.yaml is deleted.');
    expect(linkWith(a, (l) => l.kind === 'pod-config')?.text.en).toContain('REMOVE');
    expect(linkWith(a, (l) => l.kind === 'worker')?.text.en).toContain('being removed by the kubelet');
    expect(ruleLink(a, 'calculateEffectiveGracePeriod')?.values).toMatchObject({ terminationGracePeriodSeconds: 8 });
  });

  it('says why a pod failed: an init container did, for good', () => {
    const store = runOf('init-failing');
    const a = why(store, { about: 'field', uid: 'strict', path: 'phase', at: seqAt(store, 3.5) });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'fact', values: { exitCode: 7 } });
    expect(ruleLink(a, 'getPhase')).toMatchObject({ verdict: 'Failed', values: { failedInitNotRestartable: 1 } });
  });

  it('says why the old version of a static pod was killed: its file was edited', () => {
    const store = runOf('static-pod-edited');
    const stop = find(store, 'cri-call', (c) => c.method === 'StopContainer');
    const a = why(store, { about: 'cri', seq: stop.seq });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'input' });
    expect(rootOf(a).text.en).toBe('The manifest web.yaml is changed.');
    const next = find(store, 'work-start', (w) => w.workType === 'sync' && w.uid !== find(store, 'work-start').uid);
    const second = why(store, { about: 'record', seq: next.seq });
    expect(flaws(store, second)).toEqual([]);
    expect(rootOf(second).role).toBe('input');
  });

  it('says why a pod was synced again: the kubelet was restarted', () => {
    const store = runOf('kubelet-restart');
    const restarted = find(store, 'process', (p) => p.process === 'kubelet' && p.state === 'started', -1);
    const first = find(store, 'work-start', (w) => w.seq > restarted.seq);
    const a = why(store, { about: 'record', seq: first.seq });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a).text.en).toContain('The kubelet is restarted.');
    expect(linkWith(a, (l) => l.seq === restarted.seq)?.main).toBe(true);
    // Containers that ran before are news to the new kubelet.
    const cache = find(store, 'cache', (c) => c.seq > restarted.seq);
    expect(rootOf(why(store, { about: 'record', seq: cache.seq })).text.en).toBe('The kubelet is restarted.');
  });

  it('says why a call failed: a fault that the scenario put in', () => {
    const store = runOf('start-error');
    const failed = find(
      store,
      'cri-return',
      (r) => r.method === 'StartContainer' && r.error?.details === 'connection refused',
    );
    const a = why(store, { about: 'cri', seq: failed.seq });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a).text.en).toContain('The manifest left.yaml is applied.');
    const fault = linkWith(a, (l) => l.role === 'fault');
    expect(fault?.text.en).toContain('StartContainer is made to fail');
    const input = a.links.find((l) => fault?.causes.includes(l.seq) && l.root);
    expect(input?.text.en).toMatch(/StartContainer .*fail/);
  });

  it('says why a pod is not ready any more: the readiness probe', () => {
    const store = runOf('readiness');
    const flipped = find(store, 'probe-result', (p) => p.result === 'Failure', 1);
    const a = why(store, { about: 'field', uid: 'web', path: 'conditions.Ready.status', at: flipped.seq + 30 });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a).role).toBe('timer');
    expect(linkWith(a, (l) => l.seq === flipped.seq)?.main).toBe(true);
    expect(a.links.filter((l) => l.kind === 'probe').map((l) => l.values?.outcome)).toEqual(['failure', 'failure']);
    expect(text(a)).toContain('from readinessManager');
  });

  it('says why a container was restarted after it had used too much memory', () => {
    const store = runOf('oom');
    const a = why(store, { about: 'container', uid: 'hungry', container: 'app', what: 'restart' });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'fact', values: { exitCode: 137, reason: 'OOMKilled' } });
    expect(ruleLink(a, 'ShouldContainerBeRestarted')?.values?.why).toContain('exited 137');
  });

  it('goes back to the user who killed a process', () => {
    const store = runOf('container-killed');
    const a = why(store, { about: 'container', uid: 'pair', container: 'app', what: 'restart', at: seqAt(store, 6) });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'input' });
    expect(rootOf(a).text.en).toContain('Container app of pair is killed.');
    expect(linkWith(a, (l) => l.kind === 'actual-container')?.values?.exitCode).toBe(137);
  });

  it('finds what lies beside the way: a deadline, a hook that failed, a request put off, a manifest removed meanwhile', () => {
    const seqs = (a: ReturnType<typeof why>) => a.links.map((l) => l.seq);
    const deadline = runOf('deadline');
    const failed = why(deadline, { about: 'field', uid: 'hurry', path: 'reason' });
    expect(flaws(deadline, failed)).toEqual([]);
    expect(ruleLink(failed, 'pastActiveDeadline')?.values).toMatchObject({ activeDeadlineSeconds: 8 });
    expect(rootOf(failed).role).toBe('timer');

    const hooked = runOf('post-start-fails');
    const stop = find(hooked, 'cri-call', (c) => c.method === 'StopContainer');
    const killed = why(hooked, { about: 'record', seq: stop.seq });
    expect(linkWith(killed, (l) => l.kind === 'kube-event')?.text.en).toContain('FailedPostStartHook');

    const again = runOf('same-uid-again');
    const applied = find(again, 'input', (i) => i.verb === 'apply', 1);
    expect(seqs(why(again, { about: 'container', uid: 'web', container: 'app', what: 'start' }))).toContain(
      applied.seq,
    );

    const crash = runOf('kubelet-crash');
    const removed = find(crash, 'input', (i) => i.verb === 'delete');
    const orphan = why(crash, { about: 'container', uid: 'orphan', container: 'app', what: 'kill' });
    expect(seqs(orphan)).toContain(removed.seq);
    expect(orphan.roots).toContain(removed.seq);
  });

  it('says what a goroutine and a worker wait for', () => {
    const store = runOf('crash-loop');
    const loop = why(store, { about: 'wait', goroutine: 'syncLoop' });
    expect(flaws(store, loop)).toEqual([]);
    expect(loop.summary.en).toContain('waits for something on configCh, plegCh');
    const waiting = find(store, 'backoff', (b) => b.active && b.of === 'crash-loop');
    const worker = why(store, { about: 'worker', uid: 'crash', at: waiting.seq + 60 });
    expect(flaws(store, worker)).toEqual([]);
    expect(worker.links.at(-1)).toMatchObject({ kind: 'queue', values: { why: 'back-off expires' } });
    expect(rootOf(worker).role).toBe('fact');
  });

  it('goes over the data: a decision read an entry of the cache, which came of what PLEG saw, which had happened', () => {
    const store = runOf('crash-loop');
    const decision = find(store, 'decision', (d) => d.rule === 'ShouldContainerBeRestarted', 1);
    const a = why(store, { about: 'record', seq: decision.seq, detail: 'full' });
    expect(flaws(store, a)).toEqual([]);
    const id = (decision.values.status as { id: string }).id.replace('containerd://', '');
    const cache = a.links.find((l) => l.kind === 'cache');
    const entry = find(store, 'cache', (c) => c.seq === cache?.seq);
    expect(entry.containers.find((c) => c.id === id)?.state).toBe('exited');
    expect(a.links.find((l) => l.seq === decision.seq)?.causes).toContain(entry.seq);
    const seen = find(store, 'pleg-transition', (t) => t.id === id && t.new === 'exited');
    expect(a.links.map((l) => l.seq)).toContain(seen.seq);
    const fact = find(store, 'actual-container', (f) => f.id === id && f.state === 'exited');
    expect(a.roots).toContain(fact.seq);
  });

  it('goes back to a death that a worker learns of while it waits for the cache, not to what it began for', () => {
    // The start is slow: the relist that sees it is older than the sync, and the next sync waits for a newer one.
    const store = runText(
      `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: waits, group: dying, order: 1, title: {en: Waits, zh: 等待}, summary: {en: Waits., zh: 等待。}}
spec:
  seed: 1
  node: {fileCheckFrequency: 1s}
  steps:
    - fault: {method: StartContainer, delay: 901ms, times: 1}
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: {name: web}
        spec: {containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, sleep 1000]}]}
    - waitFor: {pod: web, phase: Running, timeout: 20s}
    - kill: {pod: web, container: app}
    - waitFor: {pod: web, container: app, restarts: 1, timeout: 10s}
`,
      20e6,
    );
    const { uid } = find(store, 'work-start', () => true);
    const a = why(store, { about: 'container', uid, container: 'app', what: 'restart' });
    expect(flaws(store, a)).toEqual([]);
    const begun = find(store, 'work-start', (w) => w.seq < a.subject, -1);
    const died = find(store, 'pleg-event', (e) => e.type === 'ContainerDied');
    expect(died.seq).toBeGreaterThan(begun.seq);
    expect(linkWith(a, (l) => l.seq === died.seq)).toBeUndefined();
    expect(linkWith(a, (l) => l.seq === begun.seq)?.main).toBe(false);
    expect(rootOf(a)).toMatchObject({ kind: 'input', main: true });
    expect(text(a)).toContain('exited with code 137');
  });

  it('does without facts: a real runtime tells only what PLEG sees', () => {
    const store = storeOf(runOf('crash-loop').from(1), (r) =>
      r.kind.startsWith('actual-')
        ? {
            seq: r.seq,
            time: r.time,
            g: r.g,
            span: r.span,
            cause: r.cause,
            kind: 'log',
            severity: 'I',
            v: 0,
            msg: '-',
            kv: {},
            file: 'x.go',
          }
        : r,
    );
    const a = why(store, { about: 'container', uid: 'crash', container: 'app', what: 'restart' });
    expect(flaws(store, a)).toEqual([]);
    expect(rootOf(a)).toMatchObject({ role: 'fact', kind: 'pleg-transition' });
    expect(ruleLink(a, 'ShouldContainerBeRestarted')?.values?.status).toMatchObject({ exitCode: 1 });
    // An effect of the kubelet's own call is not taken for a fact of its own.
    const started = find(store, 'pleg-transition', (t) => !t.sandbox && t.new === 'running', 1);
    const b = why(store, { about: 'record', seq: started.seq });
    expect(linkWith(b, (l) => l.kind === 'cri-call')?.text.en).toContain('StartContainer');
  });

  it('says where the chain is cut off, in a trace whose beginning is missing', () => {
    const whole = runOf('crash-loop');
    const restart = why(whole, { about: 'container', uid: 'crash', container: 'app', what: 'restart' });
    const sync = find(whole, 'work-start', (w) => restart.links.some((l) => l.seq === w.seq), 0);
    const store = storeOf(whole.from(sync.seq));
    const a = why(store, { about: 'record', seq: restart.subject });
    expect(flaws(store, a)).toEqual([]);
    expect(a.links[0]?.missing).toBe(a.cutOff);
    expect(a.cutOff).toBeLessThan(store.first);
    expect(a.cutOff).toBeGreaterThan(0);
    expect(a.roots).not.toContain(a.links.find((l) => l.missing)?.seq);
    expect(a.summary.en).toContain('cut off');
    expect(a.summary.zh).toContain('中断');
    // With a gap in its middle.
    const records = [...whole.from(1)];
    const gap = {
      seq: sync.seq + 3,
      time: sync.time,
      g: 0,
      span: 0,
      cause: 0,
      kind: 'gap' as const,
      from: sync.seq,
      to: sync.seq + 3,
    };
    const torn = storeOf([...records.slice(0, sync.seq - 1), gap, ...records.slice(gap.seq)]);
    const b = why(torn, { about: 'record', seq: restart.subject });
    expect(flaws(torn, b)).toEqual([]);
    expect(b.cutOff).toBe(sync.seq);
  });

  it('sees what came since it was last asked', () => {
    const whole = runOf('crash-loop');
    const store = storeOf([...whole.from(1)].slice(0, 1200));
    const q = { about: 'container', uid: 'crash', container: 'app', what: 'restart' } as const;
    const before = why(store, q);
    for (const r of whole.from(1201)) store.push(r);
    const after = why(store, q);
    expect(after.subject).toBeGreaterThan(before.subject);
    expect(after.links).toEqual(why(whole, q).links);
  });

  it('says what it does not know', () => {
    const store = runOf('hello');
    const pod = store.state.pods[Object.keys(store.state.pods)[0] as string]?.pod as string;
    const container = find(store, 'actual-container').name;
    const none = why(store, { about: 'container', uid: pod, container, what: 'restart' });
    expect(none).toMatchObject({ subject: 0, links: [], roots: [] });
    expect(none.summary.en).toContain('has not been started again');
    expect(why(store, { about: 'field', uid: pod, path: 'nominatedNodeName' }).summary.en).toContain('it has phase');
    const bad: [() => unknown, RegExp][] = [
      [
        () => why(store, { about: 'record', seq: store.last + 1 }),
        new RegExp(`record ${store.last + 1} is not in memory, which has 1 to ${store.last}`),
      ],
      [() => why(store, { about: 'cri', seq: 1 }), /record 1 is a process, not a cri-call/],
      [() => why(store, { about: 'worker', uid: 'nobody' }), /there is no pod "nobody"; known are: default\//],
      [() => why(store, { about: 'worker', uid: '__proto__' }), /there is no pod "__proto__"/],
      [
        () => why(store, { about: 'container', uid: pod, container: 'nix', what: 'start' }),
        /no container "nix"; there are: /,
      ],
      [() => why(store, { about: 'wait', goroutine: 'nobody' }), /there is no goroutine "nobody"; there are: kubelet/],
      [() => why(store, { about: 'field', uid: pod, path: 'a..b' }), /path "a..b", position 2/],
      [() => why(store, { about: 'ready', uid: pod }), /question of why not/],
    ];
    for (const [ask, message] of bad) {
      expect(ask).toThrow(message);
      expect(ask).toThrow(WhyError);
    }
  });
});
