import { describe, expect, it } from 'vitest';
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
});
