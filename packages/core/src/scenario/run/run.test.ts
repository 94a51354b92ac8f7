import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from './start.js';

const head =
  'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec:\n  node: {fileCheckFrequency: 1s}\n  steps:\n';
const sleeper = (name: string) =>
  `  - apply: {apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {terminationGracePeriodSeconds: 2, containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 0.2; done"]}]}}\n`;
const running = (name: string) => `  - waitFor: {pod: ${name}, phase: Running, timeout: 20s}\n`;

function start(steps: string, seed?: number) {
  const records: TraceRecord[] = [];
  const run = startScenario(parseScenario(head + steps), {
    sink: (r) => records.push(r),
    ...(seed !== undefined && { seed }),
  });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return { run, records, of };
}

describe('startScenario', () => {
  it('gives the same records for the same seed, others for another', () => {
    const text = (seed: number) => {
      const { run, records } = start(sleeper('a') + running('a'), seed);
      run.run();
      return JSON.stringify(records);
    };
    expect(text(5)).toBe(text(5));
    expect(text(5)).not.toBe(text(6));
  });

  it('has other constants of the source where the scenario says so', () => {
    const text = (
      head +
      sleeper('a').replace(/command: \[sh, -c, [^\]]*\]/, "command: ['false']") +
      '  - wait: 30s\n'
    ).replace(
      'fileCheckFrequency: 1s',
      'fileCheckFrequency: 1s, constants: {genericPlegRelistPeriod: 3s, plegChannelCapacity: 7, initialCrashLoopBackOff: 2s}',
    );
    const records: TraceRecord[] = [];
    startScenario(parseScenario(text), { sink: (r) => records.push(r) }).run();
    const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
    expect(of('chan-make').find(({ name }) => name === 'plegCh')?.cap).toBe(7);
    expect([...new Set(of('backoff').map(({ delay }) => delay))].slice(0, 3)).toEqual([2e6, 4e6, 8e6]);
    const relists = of('relist').filter(({ scope }) => scope === 'global');
    expect(relists.length).toBeLessThan(14);
  });

  it('leaves an input record for each thing that it does, which causes what follows', () => {
    const { run, of } = start(
      `${sleeper('a') + running('a')}  - restartKubelet\n  - wait: 3s\n${running('a')}  - delete: a\n  - waitFor: {pod: a, gone: true}\n`,
    );
    run.run();
    expect(run.outcome).toBe('passed');
    expect(of('input').map((r) => [r.verb, ...r.args])).toEqual([
      ['apply', 'a.yaml'],
      ['restartKubelet'],
      ['delete', 'a.yaml'],
    ]);
    const restart = of('input')[1]?.seq;
    expect(
      of('process')
        .filter((p) => p.process === 'kubelet')
        .map((p) => [p.state, p.cause]),
    ).toEqual([
      ['started', 0],
      ['stopped', restart],
      ['started', restart],
    ]);
    expect(
      of('goroutine-start')
        .filter((g) => g.name === 'kubelet')
        .map((g) => g.parent),
    ).toEqual([0, 0]);
  });

  it('fails at the step that does not come true, and says how things are', () => {
    const { run } = start(`${sleeper('a')}  - waitFor: {pod: a, phase: Failed, timeout: 5s}\n  - delete: a\n`);
    run.run();
    expect(run.outcome).toBe('failed');
    expect(run.failures).toMatchObject([{ step: 1, line: 8, text: 'waitFor a Failed' }]);
    expect(run.failures[0]?.message).toBe(
      'step 2 (waitFor a Failed), line 8: not within 5s: the pod is Running; app running, 0 restarts',
    );
    expect(run.manifests().map((m) => m.file)).toEqual(['a.yaml']);
  });

  it('says what there is where a step names what is not there', () => {
    const wrong = (step: string) => {
      const { run } = start(`${sleeper('web') + running('web')}  - ${step}\n`);
      run.run();
      return run.failures[0]?.message;
    };
    expect(wrong('delete: wbe')).toBe(
      'step 3 (delete wbe), line 9: there is no manifest wbe.yaml; did you mean "web.yaml"?',
    );
    expect(wrong('kill: {pod: web, container: ap}')).toMatch(
      /pod "web" has no running container "ap"; did you mean "app"\?$/,
    );
    expect(wrong('killSandbox: other')).toMatch(/pod "other" has no sandbox that runs; there are: web-node1$/);
    expect(wrong('removeImage: "no:1"')).toMatch(/the node has no image no:1$/);
    expect(wrong('exec: {pod: web, container: x, command: ls}')).toMatch(/has no container 'x'$/);
  });

  it('kills, stops the runtime, breaks calls and the network', () => {
    const { run, of } = start(`${sleeper('a') + running('a')}  - kill: {pod: a, container: app}
  - waitFor: {pod: a, container: app, restarts: 1}
${running('a')}  - stopRuntime
  - wait: 5s
  - startRuntime
  - wait: 5s
  - killSandbox: a
  - wait: 5s
${running('a')}  - fault: {method: StartContainer, times: 1, error: {code: Internal, message: broken}}
${sleeper('b') + running('b')}  - clearFaults
  - network: notReady
  - wait: 6s
${sleeper('c')}  - waitFor: {pod: c, phase: Pending, timeout: 10s}
  - wait: 4s
  - network: ready
${running('c')}`);
    run.run();
    expect(run.failures).toEqual([]);
    expect(of('fault')).toHaveLength(1);
    expect(of('kube-event').map((e) => e.reason)).toEqual(
      expect.arrayContaining(['SandboxChanged', 'NetworkNotReady', 'Failed']),
    );
  });

  it('is driven from outside', () => {
    const { run } = start('  - wait: 1s\n');
    run.run();
    expect(run.done).toBe(true);
    run.apply(
      'apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec: {containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sleep, "60"]}]}\n',
      'mine.yaml',
    );
    run.run({ until: run.kernel.now() + 5 * Second });
    const pod = run.node.pods()[0];
    expect(pod?.status.phase).toBe('Running');
    run.kill(pod?.metadata.uid ?? '', 'app');
    run.run({ until: run.kernel.now() + 5 * Second });
    expect(run.node.pods()[0]?.status.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(() => run.kill('mine', 'web')).toThrow('pod "mine" has no running container "web"; there are: app');
    run.stopKubelet();
    run.deleteManifest('mine.yaml');
    run.startKubelet();
    run.run({ until: run.kernel.now() + 40 * Second });
    expect(run.node.pods()).toEqual([]);
    expect(run.mock.containers().filter((c) => c.state === 'running')).toEqual([]);
  });
});
