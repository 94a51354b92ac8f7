import { describe, expect, it } from 'vitest';
import {
  type Action,
  type FaultKind,
  findScenario,
  parseAction,
  startScenario,
  type Verb,
} from '../../scenario/index.js';
import { actionArgs } from '../../scenario/run/act.js';
import { initialState, type Json, type Lang, lookupOf, narrate, type TraceRecord } from '../../trace/index.js';
import { outsideEn } from '../../trace/narrator/outside-en.js';
import { SimulationSession } from '../index.js';
import type { BranchInfo } from '../protocol/branches.js';
import { interventions } from '../protocol/commands.js';
import { simulationSource } from './scenario-source.js';

const run = startScenario(findScenario('hello'), {});
run.run();
const lookup = lookupOf(initialState());
const tell = (body: object, lang: Lang): string =>
  narrate({ seq: 1, time: 1, g: 0, span: 0, cause: 0, ...body } as unknown as TraceRecord, lookup, lang).text;

/** A step of each verb as scenarios write it; the compiler asks for those that are missing. */
const steps: { readonly [V in Verb]: Json } = {
  apply: { apply: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec: {}\n' },
  delete: { delete: 'web' },
  edit: { edit: { pod: 'web', patch: { spec: { containers: [] } } } },
  raw: { raw: { file: 'odd.yaml', text: '{]' } },
  rmraw: { rmraw: 'odd.yaml' },
  wait: { wait: '5s' },
  waitFor: { waitFor: { pod: 'web', phase: 'Running' } },
  assert: { assert: [{ event: { pod: 'web', reason: 'BackOff', atLeast: 2 } }] },
  kill: { kill: { pod: 'web', container: 'app' } },
  killSandbox: { killSandbox: 'web' },
  oom: { oom: { pod: 'web', container: 'app' } },
  exec: { exec: { pod: 'web', container: 'app', command: ['ls', '-l'] } },
  fault: { fault: { method: 'StartContainer', error: { code: 'Unavailable', message: 'busy' } } },
  clearFaults: { clearFaults: 'slow' },
  choose: { choose: { select: 'plegCh' } },
  network: { network: 'notReady' },
  addImage: { addImage: { ref: 'nginx:1.27' } },
  imageDoes: { imageDoes: { ref: 'nginx:1.27', does: 'missing' } },
  removeImage: { removeImage: 'nginx:1.27' },
  registry: { registry: { ref: 'nginx:1.27', answer: 'not-found' } },
  restart: { restart: { kubelet: 'crash' } },
  devicePlugin: {
    devicePlugin: { resource: 'example.com/gpu', run: 'restart', unhealthy: ['gpu-0'], devices: ['gpu-0'] },
  },
  systemOOM: { systemOOM: { process: 'sshd' } },
  configCh: { configCh: { op: 'SET' } },
  manifestURL: { manifestURL: { status: 503 } },
  shutdown: 'shutdown',
  cancelShutdown: 'cancelShutdown',
  stopKubelet: 'stopKubelet',
  startKubelet: 'startKubelet',
  restartKubelet: 'restartKubelet',
  stopRuntime: 'stopRuntime',
  startRuntime: 'startRuntime',
};
/** A fault of each kind. */
const faults: { readonly [K in FaultKind]: Json } = {
  cri: { method: 'StartContainer', delay: '2s', for: '30s' },
  pull: { pull: 'not-found', image: 'nginx', times: 2 },
  kill: { kill: { pod: 'hello', container: 'app' }, every: '10s' },
  oom: { oom: { pod: 'hello', container: 'app' } },
  killSandbox: { killSandbox: 'hello', after: '5s' },
  runtime: { runtime: 'stopped', for: '30s' },
  relist: { relist: '3s' },
  probe: { probe: 'liveness', pod: 'hello', pattern: 'FFS' },
  network: { network: 'notReady' },
  pressure: { pressure: 'memory', available: '60Mi' },
  kubelet: { kubelet: 'crash' },
  clock: { clock: '-30s' },
  api: { api: 'restart', for: '5s' },
};

/** Checks that a sentence is for people: no JSON, no key=value, no verb of ours as such, nothing that is not known. */
function forPeople(text: string, lang: Lang, where: string): void {
  expect(text, where).not.toMatch(/[{}[\]=]|undefined|null|NaN|something is done|从外部做了/);
  expect(text, where).not.toMatch(
    /\b(clearFaults|killSandbox|rmraw|waitFor|systemOOM|addImage|imageDoes|removeImage|notReady|atLeast)\b/,
  );
  expect(text, where).not.toMatch(/[0-9a-f]{10}/);
  expect(text, where).toMatch(lang === 'zh' ? /[\u4e00-\u9fff].*。$/ : /^[A-Z“][^\u4e00-\u9fff]*\.$/);
}

const inputVerbs = Object.keys(outsideEn.inputs);
const faultWords = Object.keys(outsideEn.faults);

describe('what is done from outside', () => {
  const action = (step: Json): Action => parseAction(step);
  const inputOf = (a: Action) => ({ kind: 'input', verb: a.verb, args: actionArgs(a, run.node) });

  it('has words for each step of a scenario, each intervention, each fault and what is said of them', () => {
    for (const [verb, step] of Object.entries(steps))
      for (const lang of ['en', 'zh'] as const) forPeople(tell(inputOf(action(step)), lang), lang, `${lang} ${verb}`);
    for (const [kind, fault] of Object.entries(faults))
      for (const lang of ['en', 'zh'] as const)
        forPeople(tell(inputOf(action({ fault })), lang), lang, `${lang} fault ${kind}`);
    for (const kind of ['invariant', 'never', 'finally', 'step', 'panic', 'deadlock', 'stuck'])
      for (const lang of ['en', 'zh'] as const)
        forPeople(tell({ kind: 'input', verb: 'explored', args: [kind, 'loopNeverBlocks'] }, lang), lang, kind);
    for (const name of Object.keys(interventions)) if (name !== 'act') expect(inputVerbs).toContain(name);
    expect([...inputVerbs].filter((v) => !Object.hasOwn(steps, v))).toEqual([
      'life',
      'execDone',
      'sh',
      'explored',
      'failed',
    ]);
    expect([...faultWords].sort()).toEqual(Object.keys(faults).sort());
  });

  it('says what a fault did, whatever kind it is', () => {
    const effects = new Set<string>();
    for (const [kind, fault] of Object.entries(faults)) {
      const records: TraceRecord[] = [];
      const scenario = { ...findScenario('hello') };
      const struck = startScenario(scenario, { sink: (r) => records.push(r) });
      struck.run();
      try {
        struck.act(action({ fault }));
        for (let i = 0; i < 3000 && struck.kernel.step(); i++);
      } catch (error) {
        expect(kind, String(error)).toBe('api');
        continue;
      }
      for (const r of records.filter((x) => x.kind === 'fault' || x.kind === 'input'))
        for (const lang of ['en', 'zh'] as const) {
          const text = tell(r, lang);
          effects.add(r.kind === 'fault' ? r.effect : r.verb);
          forPeople(text, lang, `${kind} ${lang} ${JSON.stringify(r)}`);
        }
    }
    expect(effects.size).toBeGreaterThan(8);
  });

  it('gives its name to the branch that it begins, until somebody calls it otherwise', () => {
    const session = new SimulationSession(simulationSource(), {
      scenario: 'hello',
      speed: { mode: 'max' },
      running: true,
    });
    const pump = () => {
      let left = 400;
      while (session.store.last < 700) session.pump(16, () => left-- <= 0);
    };
    const send = <T>(command: object): T => {
      let value: unknown;
      session.execute(command as never, (r) => {
        expect(r).toMatchObject({ ok: true });
        value = (r as { value?: unknown }).value;
      });
      for (let i = 0; i < 1000 && value === undefined; i++) session.pump(16, () => false);
      return value as T;
    };
    pump();
    send({ do: 'pause' });
    const pod = Object.values(session.store.state.pods)[0];
    send({ do: 'go', to: { seq: 600 } });
    send({ do: 'kill', uid: pod?.uid, container: 'app' });
    send({ do: 'go', to: { seq: 500 } });
    send({ do: 'act', action: { fault: faults.pull } });
    send({ do: 'go', to: { seq: 450 } });
    send({ do: 'apply', manifest: findScenarioManifest(), file: 'more.yaml' });
    const list = send<BranchInfo[]>({ do: 'branches' });
    expect(list.map((b) => b.name)).toEqual([
      'main',
      'container app of hello-node1 is killed',
      'the registry of nginx says that it does not exist, 2 times',
      'the manifest more.yaml is applied',
    ]);
    expect(list[1]?.did).toEqual({ verb: 'kill', args: ['default/hello-node1', 'app'] });
    send({ do: 'rename', branch: 2, name: 'mine' });
    expect(send<BranchInfo[]>({ do: 'branches' })[1]).toMatchObject({ name: 'mine' });
    expect(send<BranchInfo[]>({ do: 'branches' })[1]?.did).toBeUndefined();
  });
});

const findScenarioManifest = (): string =>
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: more\nspec: {containers: [{name: app, image: busybox}]}\n';
