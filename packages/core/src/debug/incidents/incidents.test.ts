import { describe, expect, it } from 'vitest';
import type { RecordBody, SymptomCode, TraceRecord } from '../../trace/index.js';
import { symptomCodes } from '../../trace/symptoms.js';
import { simulationSource } from '../run/scenario-source.js';
import { answerQuery } from '../session/queries.js';
import { SimulationSession } from '../session/simulation-session.js';
import {
  Incidents,
  type IncidentsAnswer,
  incidentKinds,
  incidentSentence,
  kindRows,
  nextCommands,
  utcClock,
  verdictOf,
  wrongOf,
} from './index.js';

type Said = RecordBody & { readonly at?: number };
/** Records of an observed kubelet, at the second that each says. */
function foldOf(...bodies: readonly Said[]): IncidentsAnswer {
  const fold = new Incidents();
  const source: RecordBody = {
    kind: 'evidence-source',
    id: 'log',
    source: 'log',
    name: 'kubelet.log',
    state: 'opened',
  };
  [source, ...bodies].forEach((body, i) => {
    const { at = i * 10, ...own } = body as Said;
    fold.take({ seq: i + 1, time: at * 1e6, g: 0, span: 0, cause: 0, ...own } as unknown as TraceRecord);
  });
  return fold.list();
}
const symptom = (code: SymptomCode, at: number, facts: object = {}, about: object = {}): Said =>
  ({ kind: 'symptom', code, state: 'failing', program: 'kubelet', facts, ...about, at }) as Said;
const tick = (at: number): Said => ({ kind: 'metrics', values: {}, at });
const web = { pod: 'default/web', uid: 'u1' };
const clock = utcClock(Date.UTC(2026, 0, 5, 10) * 1000);
const english = (answer: IncidentsAnswer) => wrongOf(answer).map((i) => incidentSentence(i, clock).en);

describe('an incident', () => {
  it('is a clock that was ahead when a container started, for as long as that keeps the probes away', () => {
    const waits = (at: number, ageSeconds: number): Said =>
      ({
        kind: 'decision',
        rule: 'doProbe',
        verdict: 'wait',
        values: { ageSeconds, initialDelaySeconds: 0 },
        ...web,
        container: 'app',
        at,
      }) as unknown as Said;
    expect(english(foldOf(waits(10, 1)))).toEqual([]);
    expect(english(foldOf(waits(10, -299), waits(11, -298), tick(12)))).toEqual([
      "At 10:00:10 the node's clock jumped or is wrong: app of default/web started 299 s in the future. It was still so at the end.",
    ]);
  });

  it('is one outage of the runtime, whatever followed from it', () => {
    const answer = foldOf(
      symptom('runtime-down', 10, {
        error: 'dial unix /run/containerd/containerd.sock: connect: no such file or directory',
      }),
      symptom('pleg-unhealthy', 12, { elapsed: '3m5s' }),
      symptom('node-not-ready', 13, { reason: 'KubeletNotReady' }),
      ...['a', 'b', 'c'].map((n) =>
        symptom('sandbox-failed', 15, { error: 'rpc error' }, { pod: `default/${n}`, uid: n }),
      ),
      symptom('gc-failed', 16),
      { ...symptom('runtime-down', 40), state: 'healed' } as Said,
      tick(300),
    );
    expect(answer.incidents.map((i) => i.kind)).toEqual(['runtime-down']);
    const [one] = answer.incidents;
    expect(one?.consequences.map((c) => [c.kind, c.count])).toEqual([
      ['pleg-unhealthy', 1],
      ['node-not-ready', 1],
      ['sandbox', 3],
      ['gc', 1],
    ]);
    expect(one).toMatchObject({ confidence: 'seen', expected: false, end: { how: 'healed', time: 40e6 } });
    expect(one?.pods.map((p) => p.pod)).toEqual(['default/a', 'default/b', 'default/c']);
    expect(english(answer)[0]).toBe(
      'At 10:00:10 the container runtime could not be reached: dial unix /run/containerd/containerd.sock: connect: no such file or directory. It was over at 10:00:40.',
    );
  });

  it('ends with silence if no source reports its end, and goes on if there was none', () => {
    const down = symptom('runtime-down', 10, { error: 'gone' });
    expect(foldOf(down, tick(25)).incidents[0]?.end).toBeNull();
    expect(foldOf(down, tick(600)).incidents[0]?.end).toEqual({ time: 10e6, how: 'quiet' });
  });

  it('of a kubelet that does not start has its reason and how often it was started', () => {
    const answer = foldOf(
      symptom('kubelet-cannot-start', 10, { reason: 'swap', error: 'running with swap on is not supported' }),
      symptom('kubelet-exited', 10, { exitCode: 1, unit: 'kubelet.service' }, { program: 'systemd' }),
      symptom('kubelet-restart-scheduled', 20, { counter: 213, unit: 'kubelet.service' }, { program: 'systemd' }),
    );
    expect(english(answer)).toEqual([
      'At 10:00:10 the kubelet does not start: swap is on (running with swap on is not supported); it exited and was started again 213 times. It was still so at the end.',
    ]);
    expect(
      nextCommands(answer.incidents[0] as never, { clock, node: 'n1', runtime: '' }).map((c) => c.command),
    ).toContain('swapoff -a');
  });

  it('of a container that the kubelet kills for its probe is the probe’s', () => {
    const answer = foldOf(
      symptom(
        'probe-failed',
        10,
        { probe: 'liveness', output: 'HTTP probe failed with statuscode: 500' },
        { ...web, container: 'app' },
      ),
      { kind: 'kill', container: 'app', reason: 'LivenessProbe', ...web, at: 12 } as Said,
      {
        kind: 'pleg-transition',
        id: 'c1',
        name: 'app',
        sandbox: false,
        new: 'exited',
        exitCode: 137,
        ...web,
        at: 14,
      } as Said,
      symptom('crash-loop', 15, { delay: '10s' }, { ...web, container: 'app' }),
    );
    expect(answer.incidents.map((i) => [i.kind, i.consequences.map((c) => c.kind)])).toEqual([
      ['probe-liveness', ['crash-loop']],
    ]);
  });

  it('is no trouble if a pod was deleted, and its containers ended with it', () => {
    const answer = foldOf(
      { kind: 'pod-config', source: 'api', op: 'DELETE', pods: [web], at: 10 } as Said,
      {
        kind: 'pleg-transition',
        id: 'c1',
        name: 'app',
        sandbox: false,
        new: 'exited',
        exitCode: 143,
        ...web,
        at: 12,
      } as Said,
      { kind: 'pod-config', source: 'api', op: 'REMOVE', pods: [web], at: 13 } as Said,
    );
    expect(answer.incidents.map((i) => [i.kind, i.expected])).toEqual([['pod-deleted', true]]);
  });

  it('of a deletion is one that goes on, if the pod is still there minutes later', () => {
    const deleted = { kind: 'pod-config', source: 'api', op: 'DELETE', pods: [web], at: 10 } as Said;
    const unmounts = symptom('volume-not-released', 60, { volume: 'data', error: 'device or resource busy' }, web);
    expect(foldOf(deleted, unmounts, tick(100)).incidents.map((i) => i.kind)).toEqual([
      'volume-release',
      'pod-deleted',
    ]);
    const late = foldOf(
      deleted,
      unmounts,
      symptom('volume-not-released', 500, { error: 'device or resource busy' }, web),
    );
    expect(late.incidents.map((i) => [i.kind, i.consequences.map((c) => c.kind)])).toContainEqual([
      'volume-release',
      ['stuck-terminating'],
    ]);
  });

  it('puts a control plane that crashes on this node above an API server that is away', () => {
    const etcd = { pod: 'kube-system/etcd-n1', uid: 'e', container: 'etcd' };
    const answer = foldOf(
      symptom('crash-loop', 10, { delay: '5m0s' }, etcd),
      symptom('api-unreachable', 12, { error: 'dial tcp 10.0.0.1:6443: connect: connection refused' }),
      symptom('node-not-registered', 13, { error: 'node "n1" not found' }),
    );
    expect(answer.incidents.map((i) => [i.kind, i.consequences.map((c) => c.kind)])).toEqual([
      ['control-plane', ['api-unreachable', 'node-not-registered']],
    ]);
  });

  it('blames no cause that came later, or was over long before', () => {
    const answer = foldOf(
      symptom('runtime-down', 10, { error: 'gone' }),
      { ...symptom('runtime-down', 20), state: 'healed' } as Said,
      symptom('sandbox-failed', 400, { error: 'pause image' }, web),
      symptom('runtime-down', 900, { error: 'gone' }),
    );
    expect(answer.incidents.map((i) => [i.kind, i.consequences.length])).toEqual([
      ['runtime-down', 0],
      ['sandbox', 0],
    ]);
  });

  it('is no outage if a kubelet of old reports at its start what it has not asked yet', () => {
    const down = (at: number) => symptom('runtime-down', at, { error: '[container runtime is down]' });
    expect(wrongOf(foldOf(down(1), tick(300)))).toEqual([]);
    expect(wrongOf(foldOf(tick(0), down(200), tick(600))).map((i) => i.kind)).toEqual(['runtime-down']);
    const asked = symptom('runtime-down', 1, { error: 'dial unix /run/docker.sock: connect: connection refused' });
    expect(wrongOf(foldOf(asked, tick(300))).map((i) => i.kind)).toEqual(['runtime-down']);
  });

  it('of an API server that answers once in between is one', () => {
    const away = (at: number) => symptom('api-unreachable', at, { error: 'dial tcp 10.0.0.1:6443: no route to host' });
    const answers = (at: number) => ({ ...away(at), state: 'healed' }) as Said;
    const [one, ...more] = wrongOf(foldOf(away(600), answers(601), away(603), away(900), answers(901), tick(2000)));
    expect(more).toEqual([]);
    expect(one).toMatchObject({ kind: 'api-unreachable', count: 3, begin: { time: 600e6 }, end: { time: 901e6 } });
  });

  it('of the same error at several pods is one', () => {
    const pull = (n: string, at: number) =>
      symptom(
        'image-pull-failed',
        at,
        { image: 'reg/x:1', reason: 'ErrImagePull', error: 'pull access denied' },
        { pod: `default/${n}`, uid: n, container: 'app' },
      );
    const answer = foldOf(pull('a', 10), pull('b', 11), pull('c', 12));
    expect(answer.incidents).toHaveLength(1);
    expect(answer.incidents[0]?.text.en).toBe(
      'the image reg/x:1 of default/a, default/b and default/c could not be pulled, because it does not exist, or the registry did not accept the credentials: pull access denied',
    );
  });

  it('is asked about in the words of its runtime', () => {
    const down = foldOf(symptom('runtime-down', 10, { error: 'text' }));
    const run = (runtime: string) =>
      nextCommands(wrongOf(down)[0] as never, { clock, node: 'n1', runtime }).map(({ command }) =>
        command.slice(0, 38),
      );
    expect(run('')).toEqual(run('containerd 2.0.1'));
    expect(run('').slice(0, 2)).toEqual(['crictl info', "journalctl -u containerd --since '2026"]);
    expect(run('cri-o 1.30').slice(0, 2)).toEqual(['crictl info', "journalctl -u crio --since '2026-01-05"]);
    expect(run('docker 19.3.1').slice(0, 2)).toEqual(['docker info', "journalctl -u docker --since '2026-01-"]);
    expect(run('cri-dockerd')[1]).toBe('journalctl -u cri-docker -u docker --s');
  });

  it('is over although it came back once, after longer than a kubelet waits', () => {
    const lease = (at: number) => symptom('lease-failed', at, { error: 'text' });
    const [one] = wrongOf(foldOf(lease(10), lease(1000), tick(2500)));
    expect(one?.end).toEqual({ time: 1000e6, how: 'quiet' });
  });

  it('has no time if no source has one', () => {
    const [one] = wrongOf(foldOf(symptom('orphaned-pod', 10, { error: 'text' })));
    expect(incidentSentence(one as never, utcClock(null)).en).toMatch(/^Volumes or folders of .*: text\.$/);
    expect(
      nextCommands(one as never, { clock: utcClock(null), node: '', runtime: '' })
        .map((c) => c.command)
        .join(),
    ).not.toContain('--since');
  });

  it('of another program’s panic is not the kubelet’s', () => {
    const [own] = foldOf(symptom('panic', 10, { error: 'nil map' })).incidents;
    const [other] = foldOf(symptom('panic', 10, { error: 'nil map' }, { program: 'kube-proxy' })).incidents;
    expect([own?.text.en, other?.text.en]).toEqual([
      'the kubelet panicked: nil map',
      'kube-proxy panicked (not the kubelet): nil map',
    ]);
  });

  it('exists for every symptom, with a sentence in both languages', () => {
    for (const code of symptomCodes) {
      const { incidents } = foldOf(
        symptom(code, 10, { error: 'text', reason: 'Sandbox for pod has changed' }, { ...web, container: 'app' }),
      );
      expect(incidents, code).toHaveLength(1);
      const { en, zh } = incidentSentence(incidents[0] as never, clock);
      expect(en, code).toMatch(/^At 10:00:10 [a-z].*\.$/);
      expect(zh, code).toMatch(/^10:00:10，.*[\u4e00-\u9fff].*。$/);
      expect(`${en}${zh}`, code).not.toMatch(/undefined|\bNaN\b|\$|: :|：：/);
    }
  });
});

describe('kinds', () => {
  it('name kinds as their causes, without a circle', () => {
    const causes = (kind: string) => {
      const row = kindRows[kind as keyof typeof kindRows];
      return [...(row.node ?? []), ...(row.pod ?? []), ...(row.container ?? [])];
    };
    const visit = (kind: string, path: readonly string[]): void => {
      expect(incidentKinds, path.join(' < ')).toContain(kind);
      expect(path, path.join(' < ')).not.toContain(kind);
      for (const cause of causes(kind)) visit(cause, [...path, kind]);
    };
    for (const kind of incidentKinds) visit(kind, []);
  });
});

describe('what to run next', () => {
  it('quotes names that a log may have made up', () => {
    const evil = { pod: "default/x';reboot;'", uid: 'u', container: 'a b' };
    const [one] = foldOf(symptom('container-exited', 10, { exitCode: 1, containerID: 'rm -rf' }, evil)).incidents;
    const commands = nextCommands(one as never, { clock, node: '', runtime: 'cri-o 1.30' }).map((c) => c.command);
    expect(commands[0]).toBe(`kubectl logs --previous -n default 'x'\\'';reboot;'\\''' -c 'a b'`);
    expect(commands.join('\n')).not.toContain('rm -rf');
  });
  it('has the times and the unit of the runtime', () => {
    const [one] = foldOf(symptom('runtime-down', 70, { error: 'gone' })).incidents;
    const commands = nextCommands(one as never, { clock, node: 'n1', runtime: 'cri-o 1.30' }).map((c) => c.command);
    expect(commands).toContain(
      "journalctl -u crio --since '2026-01-05 10:00:10 UTC' --until '2026-01-05 10:02:10 UTC'",
    );
  });
});

describe('the verdict', () => {
  const level = (answer: IncidentsAnswer, lines: number, unread: number) =>
    verdictOf({ ...answer, read: { lines, unread, texts: [] } }, clock).level;
  it('is calm only if enough was read and no error is unknown', () => {
    const none = foldOf(tick(10));
    expect([level(none, 5000, 100), level(none, 5000, 4900), level(none, 9, 0), level(none, 400, 400)]).toEqual([
      'calm',
      'little',
      'little',
      'nothing',
    ]);
    const error = {
      kind: 'log',
      severity: 'E',
      v: 0,
      msg: 'The frobnicator is unhappy',
      kv: {},
      file: 'x.go:1',
      at: 10,
    } as Said;
    const odd = foldOf(error);
    expect(level(odd, 5000, 1)).toBe('little');
    expect(odd.unknown).toMatchObject({ count: 1, some: [{ what: 'The frobnicator is unhappy' }] });
  });
  it('names the first incident, and how many more there are', () => {
    const answer = foldOf(
      symptom('orphaned-pod', 10, {}, web),
      symptom('runtime-down', 20, { error: 'gone' }),
      tick(21),
    );
    expect(verdictOf(answer, clock).text.en).toBe(
      'At 10:00:20 the container runtime could not be reached: gone. One more incident.',
    );
  });
  it('names what was asked for if nothing is wrong', () => {
    const answer = foldOf(symptom('deadline-exceeded', 10, {}, web));
    expect(verdictOf({ ...answer, read: { lines: 500, unread: 0, texts: [] } }, clock).text.en).toBe(
      'At 10:00:10 default/web passed its activeDeadlineSeconds and was stopped: Failed, DeadlineExceeded. As asked. Nothing went wrong, as far as this was seen.',
    );
  });
});

describe('a run of ours', () => {
  const ofRun = (scenario: string, micros: number) => {
    const session = new SimulationSession(simulationSource(), { scenario, seed: 3 });
    session.execute({ do: 'go', to: { time: micros } }, () => {});
    for (let i = 0; i < 10_000 && session.runState().time < micros; i++) session.pump(16, () => false);
    return answerQuery(session.store, { do: 'incidents' }) as unknown as IncidentsAnswer;
  };
  it('has a crash loop as one incident', () => {
    const answer = ofRun('crash-loop', 25e6);
    expect(wrongOf(answer).map((i) => [i.kind, i.pod, i.container, i.facts.exitCode])).toEqual([
      ['crash-loop', 'default/crash-node1', 'app', 1],
    ]);
  });
  it('in which all is well is calm', () => {
    const answer = ofRun('hello', 8e6);
    expect(wrongOf(answer)).toEqual([]);
    expect(verdictOf(answer, clock)).toMatchObject({ level: 'calm', read: null });
  });
});
