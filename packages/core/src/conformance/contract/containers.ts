import { containerState, int64 } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { absentImage, end, idle, loop, missing, script, until, whenReady } from './scripts.js';

/** The life of a container: created, running, exited, gone. */
export const containerCases: readonly ContractCase[] = [
  {
    name: 'is created, runs and completes',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, until(0));
      c.insist(/^[0-9a-f]{64}$/.test(id), 'an id is 64 hex digits');
      const created = yield* c.status(id);
      c.same(
        [containerState(created), created.startedAt ?? '0', created.finishedAt ?? '0', created.exitCode ?? 0],
        ['CONTAINER_CREATED', '0', '0', 0],
        'created',
      );
      yield* c.s.startContainer(background, { containerId: id });
      const running = yield* c.status(id);
      c.same(
        [containerState(running), running.finishedAt ?? '0', running.exitCode ?? 0, running.reason ?? ''],
        ['CONTAINER_RUNNING', '0', 0, ''],
        'running',
      );
      c.insist(int64(running.startedAt) > 0n, 'startedAt of a running one');
      yield* c.exec(id, ...end);
      const done = yield* c.exited(id);
      c.same(
        [done.exitCode ?? 0, done.reason, done.message ?? '', done.metadata?.name],
        [0, 'Completed', '', 'app'],
        'exited',
      );
      c.same([done.createdAt, done.startedAt], [running.createdAt, running.startedAt], 'times stay');
    },
  },
  {
    name: 'its times are in order',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const done = yield* c.exited(yield* c.start(sandbox, script('sleep 0.6')));
      const times = [
        (yield* c.sandboxStatus(sandbox.id)).createdAt,
        done.createdAt,
        done.startedAt,
        done.finishedAt,
      ].map(int64);
      c.same(
        times.map(String),
        times.toSorted((a, b) => (a < b ? -1 : 1)).map(String),
        'sandbox, created, started, finished',
      );
      const [, created = 0n, started = 0n, finished = 0n] = times;
      c.insist(finished - created >= 600_000_000n, 'it ran for as long as it slept');
      c.insist(finished - started < 60_000_000_000n, 'and not for much longer');
    },
  },
  {
    name: 'its status reports image, log and metadata',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop, { metadata: { name: 'app', attempt: 3 }, logPath: 'app/3.log' });
      const s = yield* c.status(id);
      const { image } = yield* c.s.imageStatus(background, { image: { image: c.subject.images.busybox } });
      c.same([s.image?.image, s.imageRef], [c.subject.images.busybox, image?.id], 'image');
      c.same(s.metadata, { name: 'app', attempt: 3 }, 'metadata');
      c.same(s.logPath, `${sandbox.config.logDirectory}/app/3.log`, 'logPath');
      const { containers = [] } = yield* c.s.listContainers(background, { filter: { id } });
      const [item] = containers;
      c.same(
        [item?.id, item?.podSandboxId, item?.metadata, item?.createdAt, item?.imageRef, item?.image?.image],
        [id, sandbox.id, s.metadata, s.createdAt, image?.id, c.subject.images.busybox],
        'the item of the list',
      );
      c.recent(item?.imageId === image?.id, 'the item of the list has imageId');
    },
  },
  {
    name: 'labels and annotations come back as they were',
    *run(c) {
      const labels = { plain: 'a', empty: '', 'ünïcode-标签': '值 🦊' };
      const annotations = { text: 'line one\nline two\t"quoted"', big: 'y'.repeat(20_000) };
      const id = yield* c.create(yield* c.sandbox(), loop, { labels, annotations });
      const s = yield* c.status(id);
      c.sameMap(s.labels, labels, 'labels');
      c.sameMap(s.annotations, annotations, 'annotations');
      const { containers = [] } = yield* c.s.listContainers(background, { filter: { id } });
      c.sameMap(containers[0]?.labels, labels, 'labels in the list');
      c.sameMap(containers[0]?.annotations, annotations, 'annotations in the list');
    },
  },
  {
    name: 'exit codes and reasons',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const table: [string, number, string][] = [
        ['exit 0', 0, 'Completed'],
        ['exit 1', 1, 'Error'],
        ['exit 7', 7, 'Error'],
        ['exit 255', 255, 'Error'],
        ['exit 256', 0, 'Completed'],
        ['nosuchcommand', 127, 'Error'],
        ['/etc/passwd', 126, 'Error'],
        ['false', 1, 'Error'],
        ["trap 'exit 143' TERM; kill -TERM $$; sleep 5", 143, 'Error'],
        ["sh -c 'kill -KILL $$'; exit $?", 137, 'Error'],
        ["sh -c 'kill -KILL $$'", 0, 'Completed'],
      ];
      const ids = [];
      for (const [i, [text]] of table.entries())
        ids.push(
          yield* c.start(sandbox, script(text), { metadata: { name: 'app', attempt: i }, logPath: `app/${i}.log` }),
        );
      const got = [];
      for (const [i, id] of ids.entries()) {
        const s = yield* c.exited(id);
        got.push([table[i]?.[0], s.exitCode ?? 0, s.reason]);
      }
      c.same(got, table, 'what each gives');
    },
  },
  {
    name: 'starts once',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      const start = () => c.s.startContainer(background, { containerId: id });
      const refused = (state: string) =>
        `failed to set starting state for container "${id}": container is in ${state} state`;
      c.same(yield* c.fails(start(), 'Unknown'), refused('CONTAINER_RUNNING'), 'running');
      c.same(containerState(yield* c.status(id)), 'CONTAINER_RUNNING', 'state after that');
      yield* c.s.stopContainer(background, { containerId: id });
      c.same(yield* c.fails(start(), 'Unknown'), refused('CONTAINER_EXITED'), 'exited');
      c.same((yield* c.status(id)).reason, 'Error', 'reason after that');
    },
  },
  {
    name: 'StartContainer and ContainerStatus of what does not exist: NotFound',
    *run(c) {
      const text = `an error occurred when try to find container "${missing}": not found`;
      c.same(
        yield* c.fails(c.s.startContainer(background, { containerId: missing }), 'NotFound'),
        text,
        'StartContainer',
      );
      c.same(
        yield* c.fails(c.s.containerStatus(background, { containerId: missing }), 'NotFound'),
        text,
        'ContainerStatus',
      );
      const id = yield* c.create(yield* c.sandbox(), loop);
      yield* c.s.removeContainer(background, { containerId: id });
      yield* c.fails(c.s.startContainer(background, { containerId: id }), 'NotFound', id);
    },
  },
  {
    name: 'a name is reserved in its sandbox until the container is removed',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop);
      const { name, namespace, uid } = sandbox.config.metadata ?? {};
      const full = `app_${name}_${namespace}_${uid}_0`;
      const text = yield* c.fails(c.create(sandbox, loop), 'Unknown');
      c.same(text, `failed to reserve container name "${full}": name "${full}" is reserved for "${id}"`, 'the text');
      yield* c.create(sandbox, loop, { metadata: { name: 'app', attempt: 1 } });
      yield* c.create(sandbox, loop, { metadata: { name: 'other' } });
      yield* c.create(yield* c.sandbox(), loop);
      yield* c.s.removeContainer(background, { containerId: id });
      yield* c.create(sandbox, loop);
    },
  },
  {
    name: 'CreateContainer wants a sandbox',
    *run(c) {
      const sandbox = yield* c.sandbox();
      yield* c.fails(c.create({ ...sandbox, id: missing }, loop), 'NotFound', `failed to find sandbox id "${missing}"`);
    },
  },
  {
    name: 'CreateContainer wants an image that is there; its name is free afterwards',
    *run(c) {
      const sandbox = yield* c.sandbox();
      yield* c.fails(
        c.create(sandbox, loop, { image: { image: absentImage } }),
        ['NotFound', 'Unknown'],
        `failed to resolve image "${absentImage}"`,
      );
      yield* c.create(sandbox, loop);
    },
  },
  {
    name: 'CreateContainer takes an image by its id',
    *run(c) {
      const { image } = yield* c.s.imageStatus(background, { image: { image: c.subject.images.busybox } });
      const id = yield* c.start(yield* c.sandbox(), script('exit 5'), { image: { image: image?.id ?? '' } });
      const s = yield* c.exited(id);
      c.same([s.exitCode, s.imageRef, s.image?.image], [5, image?.id, c.subject.images.busybox], 'status');
    },
  },
  {
    name: 'CreateContainer wants metadata',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const { metadata: _, ...config } = c.containerConfig(loop);
      const call = c.s.createContainer(background, { podSandboxId: sandbox.id, sandboxConfig: sandbox.config, config });
      c.same(yield* c.fails(call, 'Unknown'), 'container config must include metadata', 'the text');
    },
  },
  {
    name: 'RemoveContainer: created, exited, running, twice, never there',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const created = yield* c.create(sandbox, loop, { metadata: { name: 'created' } });
      const exited = yield* c.start(sandbox, ['true'], { metadata: { name: 'exited' } });
      const running = yield* c.start(sandbox, loop, { metadata: { name: 'running' } });
      yield* c.exited(exited);
      for (const containerId of [created, exited, running]) {
        yield* c.s.removeContainer(background, { containerId });
        yield* c.fails(c.s.containerStatus(background, { containerId }), 'NotFound');
        yield* c.s.removeContainer(background, { containerId });
      }
      yield* c.s.removeContainer(background, { containerId: missing });
      const { containers = [] } = yield* c.s.listContainers(background, { filter: { podSandboxId: sandbox.id } });
      c.same(containers, [], 'what is left');
    },
  },
  {
    name: 'an id may be shortened',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), loop);
      const containerId = id.slice(0, 13);
      c.same((yield* c.status(containerId)).id, id, 'ContainerStatus');
      c.same((yield* c.exec(containerId, 'echo', 'x')).out, 'x\n', 'ExecSync');
      yield* c.s.stopContainer(background, { containerId });
      c.same(containerState(yield* c.status(id)), 'CONTAINER_EXITED', 'after StopContainer');
      yield* c.s.removeContainer(background, { containerId });
      yield* c.fails(c.s.containerStatus(background, { containerId: id }), 'NotFound');
    },
  },
  {
    name: 'an id that several may mean, and no id',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const ids: string[] = [];
      // Ids are hexadecimal: of seventeen, two begin with the same digit.
      for (let i = 0; i < 17; i++) ids.push(yield* c.create(sandbox, loop, { metadata: { name: 'app', attempt: i } }));
      const digit = (id: string) => id.slice(0, 1);
      const shared = ids.map(digit).find((d, i, all) => all.indexOf(d) !== i) ?? '';
      const of = (containerId: string) => c.fails(c.s.containerStatus(background, { containerId }), 'Unknown');
      const text = (id: string, why: string) => `an error occurred when try to find container "${id}": ${why}`;
      c.same(yield* of(shared), text(shared, `Multiple IDs found with provided prefix: ${shared}`), 'several');
      c.same(yield* of(''), text('', "Prefix can't be empty"), 'none');
      const id = { containerId: '' };
      const none = text('', "Prefix can't be empty");
      c.same(yield* c.fails(c.s.startContainer(background, id), 'Unknown'), none, 'StartContainer without');
      c.same(yield* c.fails(c.s.stopContainer(background, id), 'Unknown'), none, 'StopContainer without');
      c.same(yield* c.fails(c.s.removeContainer(background, id), 'Unknown'), none, 'RemoveContainer without');
    },
  },
  {
    name: 'verbose status: info about the process',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), loop);
      const { info } = yield* c.s.containerStatus(background, { containerId: id, verbose: true });
      const parsed = JSON.parse(info?.info ?? '{}') as { pid?: number; sandboxID?: string };
      c.insist((parsed.pid ?? 0) > 0 && Boolean(parsed.sandboxID), 'it has pid and sandbox');
      c.same((yield* c.s.containerStatus(background, { containerId: id })).info ?? {}, {}, 'info when not verbose');
    },
  },
  {
    name: 'the first process: a signal from inside that it does not handle does nothing',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      for (const signal of ['TERM', 'KILL', 'INT']) yield* c.exec(id, 'kill', `-${signal}`, '1');
      c.same((yield* c.exec(id, 'echo', 'alive')).out, 'alive\n', 'afterwards');
      c.same(containerState(yield* c.status(id)), 'CONTAINER_RUNNING', 'state');
    },
  },
  {
    name: 'the first process: a signal from inside that it handles is handled',
    *run(c) {
      const id = yield* c.start(
        yield* c.sandbox(),
        script("trap 'exit 9' USR1; touch /tmp/ready; while true; do sleep 0.1; done"),
      );
      yield* c.exec(id, ...whenReady);
      yield* c.exec(id, 'kill', '-USR1', '1');
      c.same((yield* c.exited(id)).exitCode, 9, 'exit code');
    },
  },
  {
    name: 'in a shared PID namespace a signal from inside ends it',
    *run(c) {
      const sandbox = yield* c.sandbox({ ...c.sandboxConfig(), linux: { securityContext: { namespaceOptions: {} } } });
      const linux = { securityContext: { namespaceOptions: {} } };
      const killed = yield* c.start(sandbox, script('echo $$ > /tmp/pid; exec sleep 3600'), { linux });
      yield* c.eventually('it has written its pid', function* () {
        return (yield* c.exec(killed, 'cat', '/tmp/pid')).out !== '';
      });
      const pid = (yield* c.read(killed, '/tmp/pid')).trim();
      c.insist(pid !== '1', `the first process of the sandbox is another one, got ${pid}`);
      yield* c.exec(killed, 'kill', '-TERM', pid);
      const s = yield* c.exited(killed);
      c.same([s.exitCode, s.reason], [143, 'Error'], 'status');
    },
  },
  {
    name: 'in a shared PID namespace containers see each other',
    *run(c) {
      const linux = { securityContext: { namespaceOptions: {} } };
      const sandbox = yield* c.sandbox({ ...c.sandboxConfig(), linux });
      const a = yield* c.start(sandbox, ['sleep', '3601'], { linux });
      const b = yield* c.start(sandbox, ['sleep', '3602'], { metadata: { name: 'b' }, linux });
      const pids = new Map<string, string>();
      yield* c.eventually('a sees both', function* () {
        for (const line of (yield* c.exec(a, 'ps')).out.split('\n')) {
          const m = /^ *(\d+) .*(sleep 360[12])$/.exec(line);
          if (m) pids.set(m[2] ?? '', m[1] ?? '');
        }
        return pids.size === 2;
      });
      yield* c.exec(a, 'kill', '-KILL', pids.get('sleep 3602') ?? '');
      c.same((yield* c.exited(b)).exitCode, 137, 'b, killed by a');
      c.same(containerState(yield* c.status(a)), 'CONTAINER_RUNNING', 'a');
    },
  },
  {
    name: "in the node's PID namespace it is one of many",
    *run(c) {
      const linux = { securityContext: { namespaceOptions: { pid: 'NODE' as const } } };
      const sandbox = yield* c.sandbox({ ...c.sandboxConfig(), linux });
      const id = yield* c.start(sandbox, script('echo $$ > /tmp/pid; touch /tmp/ready; exec sleep 3600'), { linux });
      yield* c.exec(id, ...whenReady);
      c.insist((yield* c.read(id, '/tmp/pid')).trim() !== '1', 'it is not the first process');
      yield* c.s.stopContainer(background, { containerId: id, timeout: '30' });
      c.same((yield* c.status(id)).exitCode, 143, 'the stop signal ends it');
    },
  },
  {
    name: 'children of the first process end with it',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const mounts = [{ containerPath: '/node', hostPath: sandbox.config.logDirectory ?? '' }];
      const id = yield* c.start(
        sandbox,
        script('(i=0; while true; do i=$((i+1)); echo $i > /node/alive; sleep 0.05; done) & sleep 0.4; exit 4'),
        { mounts },
      );
      c.same((yield* c.exited(id)).exitCode, 4, 'exit code');
      const before = yield* c.exec(window, 'cat', '/node/alive');
      yield* c.exec(window, 'sleep', '0.3');
      c.same(yield* c.exec(window, 'cat', '/node/alive'), before, 'what its child wrote, later');
    },
  },
];
