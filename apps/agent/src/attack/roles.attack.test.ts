import { type Command, type CommandResult, isLooking, RecordStore, type SessionBackend } from '@syncloop/core/debug';
import { describe, expect, it, onTestFinished } from 'vitest';
import { liveHalves } from '../debugger/testing/live.js';
import { madeAt } from '../links/link-code.js';
import { serveSession } from '../server/session-host.js';
import { RawClient } from '../testing/raw-socket.js';

/** One valid command of each kind; a kind that is missing here fails the test. */
const examples: Record<Command['do'], object> = {
  pause: {},
  resume: {},
  step: { unit: 'decision' },
  go: { to: { step: 1 } },
  until: { where: 'true' },
  speed: { speed: { mode: 'max' } },
  choose: { index: 0 },
  ask: { select: true },
  apply: { manifest: 'apiVersion: v1\nkind: Pod\nspec: {hostPID: true}' },
  delete: { file: 'x.yaml' },
  manifests: {},
  objects: {},
  logs: { container: 'c' },
  kill: { uid: 'u' },
  act: { action: { restartKubelet: {} } },
  load: { scenario: 'hello' },
  restart: {},
  rewind: { unit: 'decision', to: 1 },
  breakpoints: { set: [] },
  take: { seq: 1, case: 0 },
  pick: { goroutine: 1 },
  runnable: {},
  branches: {},
  branch: {},
  switch: { branch: 1 },
  rename: { branch: 1, name: 'x' },
  drop: { branch: 1 },
  compare: { branch: 1 },
  explore: {},
  branchTo: { name: 'x', deviations: [], to: { step: 1, seq: 1 } },
  era: { version: 'v1.21' },
  fleet: {},
  node: { name: 'node-1' },
  compareEras: { with: 'v1.21' },
  spec: {},
  why: { question: { about: 'pod', pod: 'x' } },
  whyNot: { question: { about: 'pod', pod: 'x' } },
  search: { breakpoint: { on: 'cri', method: 'x' } },
  history: { path: 'pods' },
  lastWriter: { path: 'pods' },
  diff: { from: 0, to: 0 },
  findings: {},
  incidents: {},
  overview: {},
  density: {},
  find: { text: 'x' },
  window: { from: 1, to: 1 },
  scenarios: {},
  reenact: {},
  twin: {},
  side: { side: 'twin' },
  counterpart: {},
  hold: {},
  chance: {},
  causes: {},
  prevent: {},
  prevented: {},
};
/** The commands that only look, once more: one that becomes harmless by mistake shows. */
const looking = [
  'manifests',
  'objects',
  'logs',
  'runnable',
  'branches',
  'compare',
  'compareEras',
  'spec',
  'scenarios',
  'prevented',
  'twin',
  'counterpart',
  'hold',
  'fleet',
];
const questions = [
  ...['why', 'whyNot', 'search', 'history', 'lastWriter', 'diff', 'findings', 'overview'],
  ...['incidents', 'density', 'find', 'window'],
];

/** Wraps `backend`, with a list of the commands that got to it. */
function watched(backend: SessionBackend) {
  const reached: string[] = [];
  const execute = (command: Command, reply: (result: CommandResult) => void) => {
    reached.push(command.do);
    backend.execute(command, reply);
  };
  return { reached, backend: Object.assign(Object.create(backend) as SessionBackend, { execute }) };
}

async function joined(control: boolean, role: 'token' | 'observer') {
  const { brake, backend: session } = liveHalves();
  const { reached, backend } = watched(session);
  const host = await serveSession(backend, {
    host: '127.0.0.1',
    port: 0,
    webRoot: '/nonexistent',
    control,
    remedy: '',
    // The same as in `syncloop kubelet`.
    onControllers: (count) => {
      if (count === 0) brake.release();
    },
  });
  onTestFinished(() => host.close());
  const client = await RawClient.connect(host.port, { token: host[role] });
  onTestFinished(() => client.close());
  client.send({ type: 'hello', protocol: 1 });
  await client.until(() => client.messages.length > 0);
  let id = 0;
  const say = async (command: object) => {
    const mine = ++id;
    client.send({ type: 'command', id: mine, command });
    const answer = () => client.messages.find((m) => m.type === 'result' && m.id === mine);
    await client.until(() => answer() !== undefined);
    return answer() as { ok: boolean; error?: string };
  };
  return { host, client, say, reached, session };
}

describe('the roles of a live session', () => {
  it('have an example of each verb here', async () => {
    const { say } = await joined(true, 'token');
    const { error = '' } = await say({ do: 'no such verb' });
    const verbs = error.slice(error.indexOf('one of ') + 'one of '.length).split(', ');
    expect(verbs.toSorted()).toEqual(Object.keys(examples).toSorted());
  });

  it.each([
    ['the observer’s token', true, 'observer'],
    ['any token where control is not allowed', false, 'token'],
  ] as const)('%s moves nothing, whatever it says', async (_what, control, role) => {
    const refused: string[] = [];
    const verbs = Object.entries(examples);
    // A client may send 50 commands in a second.
    for (const some of [verbs.slice(0, 30), verbs.slice(30)]) {
      const { say, reached, client } = await joined(control, role);
      for (const [verb, fields] of some) {
        const { ok, error = '' } = await say({ do: verb, ...fields });
        if (/may only watch/.test(error)) refused.push(verb);
        else expect(ok || /live node|branch|pod|no |not /.test(error), `${verb}: ${error}`).toBe(true);
      }
      for (const verb of reached) expect(isLooking({ do: verb } as Command), verb).toBe(true);
      const { info } = client.messages[0] as { info: { capabilities: Record<string, boolean> } };
      expect(new Set(Object.values(info.capabilities))).toEqual(new Set([false]));
    }
    const rest = Object.keys(examples).filter((verb) => !looking.includes(verb) && !questions.includes(verb));
    expect(refused.toSorted()).toEqual(rest.toSorted());
  });

  it('control pauses and steps, and still starts, ends and changes no pod', async () => {
    const { say, client } = await joined(true, 'token');
    const { info } = client.messages[0] as { info: { capabilities: Record<string, boolean> } };
    expect(info.capabilities).toMatchObject({ control: true, apply: false, intervene: false });
    expect(await say({ do: 'pause' })).toMatchObject({ ok: true });
    expect(await say({ do: 'resume' })).toMatchObject({ ok: true });
    for (const verb of ['apply', 'delete', 'kill', 'act', 'load', 'restart', 'logs', 'objects'] as const) {
      const { ok, error } = await say({ do: verb, ...examples[verb] });
      expect({ verb, ok, error }).toEqual({
        verb,
        ok: false,
        error: `${verb} is not possible on a live node: it is for simulations`,
      });
    }
  });

  it('let the node go on when the last who may pause it has gone, though others look on', async () => {
    const { say, host, client, session } = await joined(true, 'token');
    const observer = await RawClient.connect(host.port, { token: host.observer });
    onTestFinished(() => observer.close());
    observer.send({ type: 'hello', protocol: 1 });
    await say({ do: 'pause' });
    expect(session.runState().running).toBe(false);
    client.close();
    const told = () => observer.messages.findLast((m) => m.type === 'run') as { run: { running: boolean } } | undefined;
    await observer.until(() => told()?.run.running === true);
    expect(session.runState().running).toBe(true);
  });

  it('are told by the token alone: two different ones, in two links', async () => {
    const { host } = await joined(true, 'token');
    expect(host.token).not.toBe(host.observer);
    for (const link of [host.link(), host.observerLink()]) {
      expect(link).not.toContain(host.token);
      expect(link).not.toContain(host.observer);
    }
    const codeOf = (link: string) => new URL(link).hash.slice('#code='.length);
    expect(madeAt(codeOf(host.link()), host.token)).not.toBeNull();
    expect(madeAt(codeOf(host.observerLink()), host.observer)).not.toBeNull();
    expect(madeAt(codeOf(host.observerLink()), host.token)).toBeNull();
    const forged = await RawClient.connect(host.port, { token: host.observer, control: true, role: 'control' });
    onTestFinished(() => forged.close());
    forged.send({ type: 'hello', protocol: 1, control: true });
    forged.send({ type: 'command', id: 1, control: true, command: { do: 'pause', control: true } });
    await forged.until(() => forged.messages.some((m) => m.type === 'result'));
    expect(forged.messages.find((m) => m.type === 'result')).toMatchObject({ ok: false });
  });
});

describe('questions to a live node', () => {
  it('leave its debugger half of the time, and do not pile up', async () => {
    const { backend: session } = liveHalves();
    // The time of a question must not depend on the machine here.
    Object.assign(session, { store: new SlowStore({ capacity: 10 }) });
    const ends: number[] = [];
    const answers: CommandResult[] = [];
    const ask = () =>
      session.execute({ do: 'lastWriter', path: 'x' }, (result) => {
        answers.push(result);
        ends.push(performance.now());
      });
    const begun = performance.now();
    for (let i = 0; i < 4; i++) ask();
    for (let i = 0; i < 100; i++) ask();
    expect(answers.filter((a) => !a.ok && /questions wait already/.test(a.error)).length).toBeGreaterThanOrEqual(39);
    const done = () => answers.filter((a) => a.ok || !/wait already/.test(a.error)).length;
    while (done() < 4) await new Promise((resolve) => setImmediate(resolve));
    // Three rests of 20 ms.
    expect(performance.now() - begun).toBeGreaterThan(4 * 20 + 3 * 18);
  });
});

class SlowStore extends RecordStore {
  override get last(): number {
    const until = performance.now() + 20;
    while (performance.now() < until);
    return 0;
  }
}
