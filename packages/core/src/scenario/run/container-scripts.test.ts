import { describe, expect, it } from 'vitest';
import { GrpcCode } from '../../cri/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from './start.js';

const second = 1_000_000;

const pod = (name: string, more = '', spec = '') => `
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: ${name} }
        spec:
          terminationGracePeriodSeconds: 5
          ${spec}
          containers:
            - name: app
              image: "registry.example/real:1.0"
              imagePullPolicy: Never
              ${more}`;
const text = (spec: string, steps: string) => `
apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: twin }
spec:
  node: { fileCheckFrequency: 100ms }
  images: [{ ref: "registry.example/real:1.0", entrypoint: [/real] }]
${spec}
  steps:${steps}
`;
function run(source: string) {
  const records: TraceRecord[] = [];
  const r = startScenario(parseScenario(source), { sink: (x) => records.push(x) });
  r.run();
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((x): x is RecordOf<K> => x.kind === kind);
  return { r, records, of, messages: r.failures.map((f) => f.message) };
}
const facts = (of: ReturnType<typeof run>['of']) =>
  of('actual-container').map((c) => ({
    time: c.time,
    name: c.name,
    state: c.state,
    code: c.exitCode,
    reason: c.reason,
  }));

describe('lives of containers', () => {
  const lives = `
  lives:
    - { pod: web, container: app, attempt: 0, runs: 2.5s, exits: 3, message: no disk }
    - { pod: web, container: app, attempt: 1, runs: 1s, oom: true }
    - { pod: web, container: app, attempt: 2, runs: 1s, signal: SEGV }
    - { pod: web, container: app, attempt: 3, stops: { after: 1.5s, exits: 7 } }`;
  const steps = `${pod('web')}
    - waitFor: { pod: web, container: app, restarts: 3, timeout: 300s }
    - wait: 5s
    - delete: web
    - waitFor: { pod: web, gone: true }`;

  it('end as the scenario says, each attempt in its way, whatever the image is', () => {
    const { of, messages } = run(text(lives, steps));
    expect(messages).toEqual([]);
    const all = facts(of);
    const ran = all.filter((c) => c.state === 'running').map((c) => c.time);
    const ended = all.filter((c) => c.state === 'exited');
    expect(ended.map((c) => [c.code, c.reason])).toEqual([
      [3, 'Error'],
      [137, 'OOMKilled'],
      [139, 'Error'],
      [7, 'Error'],
    ]);
    for (const [i, runs] of [2.5 * second, second, second].entries()) {
      const lived = (ended[i]?.time ?? 0) - (ran[i] ?? 0);
      expect(lived - runs).toBeGreaterThanOrEqual(0);
      expect(lived - runs).toBeLessThan(1000);
    }
    expect(JSON.stringify(of('status'))).toContain('no disk');
  });

  it('are the cause of their ends', () => {
    const { of, records } = run(text(lives, steps));
    const causes = of('actual-container')
      .filter((c) => c.state === 'exited')
      .map((c) => records.find((x) => x.seq === c.cause));
    expect(causes.slice(0, 3)).toMatchObject([
      { kind: 'input', verb: 'life', args: ['web', 'app', 0, 'code 3'] },
      { kind: 'input', verb: 'life', args: ['web', 'app', 1, 'oom'] },
      { kind: 'input', verb: 'life', args: ['web', 'app', 2, 'signal SEGV'] },
    ]);
    expect(causes[3]).not.toMatchObject({ verb: 'life' });
  });

  it('that do not heed the stop signal are killed when their grace period is over', () => {
    const { of, messages } = run(
      text(
        '  lives: [{ pod: web, container: app, stops: {} }]',
        `${pod('web')}
    - waitFor: { pod: web, phase: Running }
    - delete: web
    - waitFor: { pod: web, gone: true }`,
      ),
    );
    expect(messages).toEqual([]);
    expect(facts(of).filter((c) => c.state === 'exited')).toMatchObject([{ code: 137 }]);
    const stop = of('cri-return').find((r) => r.method === 'StopContainer');
    expect(stop?.took).toBeGreaterThan(5 * second);
    expect(stop?.took).toBeLessThan(5.2 * second);
  });

  it('count on over pods of the same name, and leave others to their images', () => {
    const { of, messages } = run(
      text(
        `  lives:
    - { pod: web, container: app, attempt: 1, runs: 1s, exits: 9 }
    - { pod: web, container: app, attempt: 0 }`,
        `${pod('web', '', 'restartPolicy: Never')}
    - waitFor: { pod: web, phase: Running }
    - delete: web
    - waitFor: { pod: web, gone: true }${pod('web', 'args: [again]', 'restartPolicy: Never')}
    - waitFor: { pod: web, container: app, exitCode: 9 }${pod('other')}
    - waitFor: { event: { pod: other, reason: Failed }, timeout: 30s }`,
      ),
    );
    expect(messages).toEqual([]);
    // The image of the other one has no such program.
    expect(facts(of).at(-1)).toMatchObject({ state: 'exited', code: 128, reason: 'StartError' });
  });

  it('can be edited: what if the container had not died', () => {
    const scenario = (runs: string) =>
      text(
        `  lives: [{ pod: web, container: app, attempt: 0, ${runs} }, { pod: web, container: app }]`,
        `${pod('web')}
    - wait: { until: 20s }`,
      );
    const restarts = (source: string) => {
      const { of, messages } = run(source);
      expect(messages).toEqual([]);
      return facts(of).filter((c) => c.state === 'running').length - 1;
    };
    expect(restarts(scenario('runs: 3s, exits: 1'))).toBe(1);
    expect(restarts(scenario('runs: 1h, exits: 1'))).toBe(0);
  });
});

describe('probes and hooks of such containers', () => {
  const probes = (handler: string, timeout = 1) => `
              readinessProbe: { ${handler}, periodSeconds: 1, timeoutSeconds: ${timeout}, failureThreshold: 1 }`;
  const steps = (handler: string, timeout = 1) => `${pod('web', probes(handler, timeout))}
    - wait: { until: 12s }`;
  const lives = `  lives:
    - pod: web
      container: app
      probes:
        readiness:
          - { result: success, took: 40ms, times: 2 }
          - { result: failure, output: bad news, took: 200ms }
          - { result: success, took: 1500ms }
          - hang
          - success`;

  it.each([
    ['exec: { command: [check] }', 'bad news'],
    ['httpGet: { port: 80 }', 'bad news'],
    ['tcpSocket: { port: 80 }', 'bad news'],
    ['grpc: { port: 80 }', 'bad news'],
  ])('come out as listed, in their order: %s', (handler, output) => {
    const { of, messages } = run(text(lives, steps(handler)));
    expect(messages).toEqual([]);
    const all = of('probe');
    expect(all.slice(0, 6).map((p) => p.outcome)).toEqual([
      'success',
      'success',
      'failure',
      'failure',
      'failure',
      'success',
    ]);
    expect(new Set(all.slice(6).map((p) => p.outcome))).toEqual(new Set(['success']));
    expect(all[2]?.output).toContain(output);
    expect(of('fault').map((f) => [f.rule, f.effect])).toEqual([
      ['lives', 'fails'],
      ['lives', 'hangs'],
    ]);
  });

  it('may go by the age of the container, so that another period does not change what they look at', () => {
    const source = (period: number) =>
      text(
        `  lives:
    - pod: web
      container: app
      probes: { readiness: [{ from: 0s, result: failure }, { from: 4s, result: success }, { from: 9s, result: failure }] }`,
        steps('exec: { command: [check] }').replace('periodSeconds: 1', `periodSeconds: ${period}`),
      );
    for (const period of [1, 2, 3]) {
      const { of, messages } = run(source(period));
      expect(messages).toEqual([]);
      const began = facts(of).find((c) => c.state === 'running')?.time ?? 0;
      const all = of('probe').map((p) => [p.time - began, p.outcome] as const);
      expect(all.length).toBeGreaterThan(2);
      for (const [age, outcome] of all) {
        const asked = age - 30_000;
        if ([4, 9].some((edge) => Math.abs(asked - edge * second) < 50_000)) continue;
        expect(outcome, `at ${asked}`).toBe(asked >= 4 * second && asked < 9 * second ? 'success' : 'failure');
      }
    }
  });

  it('can be given more time: what if the probe had waited', () => {
    const outcomes = (timeout: number) => {
      const { of } = run(text(lives, steps('exec: { command: [check] }', timeout)));
      return of('probe')
        .slice(0, 4)
        .map((p) => p.outcome);
    };
    expect(outcomes(1)[3]).toBe('failure');
    expect(outcomes(2)[3]).toBe('success');
  });

  it('take as long as they are said to', () => {
    const { of } = run(text(lives, steps('exec: { command: [check] }')));
    const took = of('cri-return')
      .filter((r) => r.method === 'ExecSync')
      .map((r) => (r.took ?? 0) / 1000);
    expect(took[0]).toBeCloseTo(40, -1);
    expect(took[2]).toBeCloseTo(200, -1);
    expect(took[3]).toBeCloseTo(1000, -1);
  });

  it('run hooks that fail, hang and take time', () => {
    const hooks = `
              lifecycle: { postStart: { exec: { command: [up] } }, preStop: { exec: { command: [down] } } }`;
    const { of, messages } = run(
      text(
        `  lives:
    - pod: web
      container: app
      attempt: 0
      hooks: { postStart: { result: failure, took: 1s, code: 3, output: not yet } }
    - { pod: web, container: app, attempt: 1, hooks: { postStart: { result: success, took: 2s }, preStop: hang } }`,
        `${pod('web', hooks)}
    - waitFor: { pod: web, phase: Running, timeout: 120s }
    - delete: web
    - waitFor: { pod: web, gone: true }`,
      ),
    );
    expect(messages).toEqual([]);
    const execs = of('cri-return').filter((r) => r.method === 'ExecSync');
    // A container that could not be started in full is stopped, with its preStop hook.
    expect(execs.map((r) => Math.round((r.took ?? 0) / second))).toEqual([1, 0, 2, 5]);
    expect(of('kube-event').map((e) => e.reason)).toContain('FailedPostStartHook');
  });
});

describe('scripted calls', () => {
  it('take exactly as long and fail as they are said to, by attempt', () => {
    const { of, messages } = run(
      text(
        `  machine: { latencies: { read: 1ms, jitter: 0 } }
  lives: [{ pod: web, container: app, stops: { after: 300ms } }]
  calls:
    - { method: RunPodSandbox, pod: web, took: 1.5s }
    - { method: CreateContainer, pod: web, container: app, took: 210ms }
    - { method: StartContainer, pod: web, container: app, attempt: 0, took: 700ms, error: { code: Unknown, message: no shim } }
    - { method: StartContainer, pod: web, container: app, attempt: 1, took: 800ms }
    - { method: StopContainer, pod: web, took: 900ms }
    - { method: StopPodSandbox, pod: web, took: 120ms }
    - { method: ListContainers, took: 4ms }`,
        `${pod('web')}
    - waitFor: { pod: web, phase: Running, timeout: 60s }
    - delete: web
    - waitFor: { pod: web, gone: true }`,
      ),
    );
    expect(messages).toEqual([]);
    const took = (method: string) =>
      of('cri-return')
        .filter((r) => r.method === method)
        .map((r) => Math.round((r.took ?? 0) / 1000));
    expect(took('RunPodSandbox')).toEqual([1500]);
    expect(took('CreateContainer')).toEqual([210, 210]);
    expect(took('StartContainer')).toEqual([700, 800]);
    expect(took('StopContainer')).toEqual([900]);
    expect(took('StopPodSandbox')[0]).toBe(120);
    expect(new Set(took('ListContainers'))).toEqual(new Set([4]));
    const [failed] = of('cri-return').filter((r) => r.error && r.method === 'StartContainer');
    expect(failed?.error).toMatchObject({ details: 'no shim' });
    expect(of('fault')).toMatchObject([{ rule: 'calls', method: 'StartContainer', effect: 'Unknown: no shim' }]);
  });

  it('come to nothing where their caller does not wait so long, and hold their name until then', () => {
    const source = text(
      `  lives: [{ pod: web, container: app }]
  calls:
    - { method: CreateContainer, pod: web, attempt: 0, took: 3s }
    - { method: CreateContainer, pod: web, took: 20ms }`,
      `${pod('web')}
    - waitFor: { pod: web, phase: Running, timeout: 60s }`,
    ).replace('fileCheckFrequency: 100ms', 'fileCheckFrequency: 100ms, runtimeRequestTimeout: 2s');
    const { of, messages } = run(source);
    expect(messages).toEqual([]);
    const errors = of('cri-return').flatMap((r) => (r.method === 'CreateContainer' && r.error ? [r.error.code] : []));
    expect(errors[0]).toBe(GrpcCode.DeadlineExceeded);
    expect(facts(of).filter((c) => c.state === 'created')).toHaveLength(1);
  });

  it('may be done although they fail', () => {
    const { of } = run(
      text(
        `  lives: [{ pod: web, container: app }]
  calls:
    - { method: StartContainer, pod: web, attempt: 0, error: { code: DeadlineExceeded, message: late, when: after } }
    - { method: StartContainer, pod: web, took: 50ms }`,
        `${pod('web')}
    - wait: { until: 5s }`,
      ),
    );
    expect(facts(of).filter((c) => c.state === 'running')[0]).toBeDefined();
  });
});

describe('the clock and the start', () => {
  it('begin when and as the scenario says', () => {
    const records: TraceRecord[] = [];
    const scenario = parseScenario(
      text(
        `  startAt: 2026-11-21T04:00:00.317042Z
  startKubelet: false
  lives: [{ pod: web, container: app }]`,
        `${pod('web')}
    - startKubelet
    - wait: { until: 700ms }
    - raw: { file: x.txt, text: x }
    - wait: { until: 300ms }
    - wait: { until: 3s }`,
      ),
    );
    const r = startScenario(scenario, { sink: (x) => records.push(x) });
    expect(r.kubelet).toBeNull();
    r.run();
    expect(r.failures).toEqual([]);
    const inputs = records.filter((x): x is RecordOf<'input'> => x.kind === 'input');
    expect(inputs.map((x) => [x.verb, Math.floor(x.time / 1000)])).toEqual([
      ['apply', 0],
      ['startKubelet', 0],
      ['raw', 700],
    ]);
    // The manifest is there when the kubelet lists its folder for the first time.
    const added = records.find((x) => x.kind === 'pod-config' && x.pods.length > 0);
    expect(added?.time).toBeLessThan(100_000);
    const pods = r.node.pods();
    expect(pods[0]?.metadata.annotations?.['kubernetes.io/config.seen']).toMatch(/^2026-11-21T04:00:00\.(31|32|33|34)/);
    expect(pods[0]?.status.startTime).toBe('2026-11-21T04:00:00Z');
  });
});

describe('what is wrong with them', () => {
  const problem = (spec: string) => {
    try {
      parseScenario(text(spec, ' []'), 'x.yaml');
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  it.each([
    [
      '  lives: [{ pod: a, container: b, probes: { startup: [{ from: 1s, result: hang }, success] } }]',
      'spec.lives[0].probes.startup[1]: only some items have from; set from on every item, or on none',
    ],
    [
      '  lives: [{ pod: a, container: b, hooks: { preStop: { result: hang, times: 2 } } }]',
      'preStop.times: a hook runs once',
    ],
    ['  startAt: yesterday', 'x.yaml:8:12: spec.startAt: it is "yesterday"; it must be a time as RFC 3339 has it'],
    [
      '  lives: [{ pod: web, container: app, exits: 1 }]',
      'spec.lives[0].exits: the container does not end by itself; set runs',
    ],
    [
      '  lives: [{ pod: web, container: app, runs: 1s, exits: 1, oom: true }]',
      'spec.lives[0].oom: it cannot be combined with exits',
    ],
    [
      '  lives: [{ pod: web, container: app, stops: { exits: 1 } }]',
      'spec.lives[0].stops.exits: the container ignores',
    ],
    ['  lives: [{ pod: web, container: app, probes: { liveness: [] } }]', 'spec.lives[0].probes.liveness: it is empty'],
    [
      '  lives: [{ pod: a, container: b }, { pod: a, container: b }]',
      'spec.lives[1]: an earlier entry has the same subject and attempt; change',
    ],
    [
      '  calls: [{ method: StartContainer, pod: a }]',
      'spec.calls[0]: the entry changes nothing about the call; set took or error',
    ],
    ['  calls: [{ method: StartContainers, took: 1s }]', 'did you mean "StartContainer"?'],
    ['  machine: { memory: much }', 'spec.machine.memory: it is "much"; it must be an amount such as'],
    ['  machine: { cgroupVersion: 3 }', 'spec.machine.cgroupVersion: it is 3; it must be 1 or 2'],
  ])('is said with its place and the remedy: %s', (spec, message) => {
    expect(problem(spec)).toContain(message);
    expect(problem(spec)).toMatch(/^x\.yaml:8:\d+: /);
  });
});
