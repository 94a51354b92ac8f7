import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { type ImageQuestion, imageQuestions, imageStep } from '../../scenario/workload/index.js';
import type { RecordOf } from '../../trace/index.js';
import { type Command, type CommandResult, type ContainerLog, type NodeObjects, SimulationSession } from '../index.js';
import { simulationSource } from '../run/scenario-source.js';

const scenario = (node: string, apply: string) => `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: given, title: {en: t, zh: t}, summary: {en: s, zh: s}}
spec:
  node: {${node}}
  steps:
    - apply: ${apply}
`;
const pod = (name: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, labels: {app: ${name}}}, spec: {containers: [{name: app, image: 'localhost/busybox:dev', command: [sh, -c, 'echo one; echo two; sleep 3600']}]}}`;

function open(text: string) {
  const session = new SimulationSession(simulationSource(), { scenario: 'given', text, speed: { mode: 'max' } });
  const run = (command: Command): CommandResult => {
    const results: CommandResult[] = [];
    session.execute(command, (r) => results.push(r));
    for (let n = 0; results.length === 0 && n < 20_000; n++) session.pump(16, () => false);
    return results[0] ?? { ok: false, error: 'not answered' };
  };
  const value = <T>(command: Command): T => {
    const result = run(command);
    if (!result.ok) throw new Error(result.error);
    return JSON.parse(JSON.stringify(result.value ?? null)) as T;
  };
  return { session, run, value };
}

describe('objects', () => {
  it("are the kubelet's pods with the status that it gives them, at the place where the session stands", () => {
    const { value, session } = open(scenario('fileCheckFrequency: 1s', pod('web')));
    expect(value<NodeObjects>({ do: 'objects' })).toMatchObject({ pods: [], api: null });
    value({ do: 'go', to: { time: 5 * Second } });
    const objects = value<NodeObjects>({ do: 'objects' });
    expect(objects).toMatchObject({
      pods: [
        {
          metadata: { name: 'web-node1', labels: { app: 'web' } },
          spec: { containers: [{ name: 'app' }] },
          status: { phase: 'Running' },
        },
      ],
      api: null,
    });
    expect(objects.cluster).toBeNull();
    expect(objects.images.flatMap((i) => i.tags)).toContain('localhost/busybox:dev');
    // In the past it was not there yet, and having looked changes nothing.
    const { seq } = session.runState();
    value({ do: 'go', to: { time: Second / 2 } });
    expect(value<NodeObjects>({ do: 'objects' }).pods).toEqual([]);
    value({ do: 'go', to: { seq } });
    expect(value<NodeObjects>({ do: 'objects' })).toEqual(objects);
  });

  it('tell a guess about an image from an answer', () => {
    const { value } = open(scenario('', pod('web')));
    const ref = 'acme/api:1';
    const made = { name: 'api', pod: { spec: { containers: [{ name: 'api', image: ref }] } } };
    const asked = () => imageQuestions([made], value<NodeObjects>({ do: 'objects' }))[0];
    const guess = asked();
    expect(guess).toMatchObject({ does: { kind: 'runs' }, because: 'default', settled: false, assumed: true });
    value({ do: 'act', action: imageStep(guess as ImageQuestion) as never });
    expect(asked()).toMatchObject({ does: { kind: 'runs' }, because: 'default', settled: true, assumed: true });
    value({ do: 'act', action: imageStep({ ref, does: { kind: 'runs' } }) as never });
    expect(asked()).toMatchObject({ does: { kind: 'runs' }, because: 'set', settled: true });
    expect(asked()).not.toHaveProperty('assumed');
  });

  it('say what images do by what the run was told, which is repeated with the run', () => {
    const { value, session } = open(scenario('fileCheckFrequency: 1s', pod('web')));
    value({ do: 'go', to: { time: 2 * Second } });
    const ref = 'acme/api:1';
    value({ do: 'act', action: { imageDoes: { ref, does: { exits: 3, after: '2s' } } } });
    const manifest = `apiVersion: v1\nkind: Pod\nmetadata: {name: api}\nspec: {containers: [{name: api, image: '${ref}'}]}\n`;
    value({ do: 'apply', manifest, file: 'api.yaml' });
    value({ do: 'go', to: { time: 12 * Second } });
    const answers = [
      { ref: 'docker.io/acme/api:1', kind: 'serve', does: { kind: 'exits', code: 3, after: 2 * Second } },
    ];
    const before = value<NodeObjects>({ do: 'objects' });
    expect(before.answers).toEqual(answers);
    expect(JSON.stringify(before.pods)).toContain('"exitCode":3');
    // As when a link has it, and somebody else opens it.
    const spec = value<Omit<Extract<Command, { do: 'load' }>, 'do'>>({ do: 'spec' });
    const other = open(scenario('', pod('other')));
    other.value({ do: 'load', ...spec });
    expect(other.session.runState().seq).toBe(session.runState().seq);
    expect(other.value<NodeObjects>({ do: 'objects' })).toEqual(before);
    // Before it was told, nothing was.
    value({ do: 'go', to: { time: Second } });
    expect(value<NodeObjects>({ do: 'objects' }).answers).toEqual([]);
  });

  it('of the API server stand beside them, where there is one', () => {
    const { value } = open(scenario('apiServer: true', `{to: api, manifest: ${pod('web')}}`));
    value({ do: 'go', to: { time: 5 * Second } });
    const objects = value<NodeObjects>({ do: 'objects' });
    expect(objects.api).toMatchObject([{ metadata: { name: 'web' }, status: { phase: 'Running' } }]);
    expect(objects.pods).toMatchObject([{ metadata: { name: 'web' }, status: { phase: 'Running' } }]);
  });

  it('all else that the API server has comes as it prints it, and having looked changes nothing', () => {
    const { value, session } = open(scenario('apiServer: true', `{to: api, manifest: ${pod('web')}}`));
    expect(value<NodeObjects>({ do: 'objects' }).cluster).toBeInstanceOf(Array);
    value({ do: 'go', to: { time: 25 * Second } });
    const { seq } = session.runState();
    const { cluster } = value<NodeObjects>({ do: 'objects' });
    const of = (resource: string) => cluster?.find((r) => r.resource === resource);
    const [node] = of('nodes')?.rows ?? [];
    expect(node?.cells.slice(0, 3)).toEqual(['node1', 'Ready', '<none>']);
    expect(node?.object.metadata).not.toHaveProperty('managedFields');
    expect(node?.fields['metadata.name']).toBe('node1');
    expect(of('leases')?.rows.map((r) => r.cells.slice(0, 2))).toEqual([['node1', 'node1']]);
    expect(of('events')?.rows.map((r) => r.object.reason)).toContain('Started');
    expect(of('pods')).toBeUndefined();
    expect(session.runState().seq).toBe(seq);
    expect(value<NodeObjects>({ do: 'objects' }).cluster).toEqual(cluster);
  });
});
describe('what containers write', () => {
  const running = () => {
    const { value, run, session } = open(scenario('fileCheckFrequency: 1s', pod('web')));
    value({ do: 'go', to: { time: 5 * Second } });
    const id = Object.values(session.store.state.containers)[0]?.id as string;
    return { value, run, session, id };
  };
  it('is read by the id of the container, from a line on', () => {
    const { value, run, id } = running();
    const text = (log: ContainerLog) => log.lines.map((l) => l.replace(/^\S+ /, ''));
    const log = value<ContainerLog>({ do: 'logs', container: id });
    expect([log.from, text(log)]).toEqual([0, ['stdout F one', 'stdout F two']]);
    expect(log.path).toMatch(/^\/var\/log\/pods\/default_web-node1_.*\/app\/0\.log$/);
    expect(text(value({ do: 'logs', container: id, from: 1 }))).toEqual(['stdout F two']);
    expect(value<ContainerLog>({ do: 'logs', container: id, from: 2 }).lines).toEqual([]);
    // Shorter than what was known: it is another file.
    expect(value<ContainerLog>({ do: 'logs', container: id, from: 9 })).toMatchObject({
      from: 0,
      lines: { length: 2 },
    });
    expect(run({ do: 'logs', container: 'nope' })).toEqual({
      ok: false,
      error: 'unable to retrieve container logs for containerd://nope',
    });
  });
  it('and what a command in one comes to is a record', () => {
    const { value, session } = running();
    const exec = { pod: 'web', container: 'app', command: ['sh', '-c', 'echo out; echo err >&2; exit 3'] };
    value({ do: 'act', action: { exec } });
    value({ do: 'go', to: { time: 10 * Second } });
    const inputs = [...session.store.from(1)].filter((r): r is RecordOf<'input'> => r.kind === 'input');
    expect(inputs.at(-1)).toMatchObject({ verb: 'execDone', args: ['web', 'app', 3, 'out\n', 'err\n'] });
    value({ do: 'act', action: { exec: { ...exec, command: ['no-such-program'] } } });
    value({ do: 'go', to: { time: 20 * Second } });
    const last = [...session.store.from(1)].filter((r): r is RecordOf<'input'> => r.kind === 'input').at(-1);
    expect(last).toMatchObject({ verb: 'failed', args: [expect.stringContaining('"no-such-program"')] });
  });
});
