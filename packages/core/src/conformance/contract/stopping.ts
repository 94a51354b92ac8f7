import { containerState } from '../../cri/index.js';
import { background, current, Second, sleep, withTimeout } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { end, idle, loop, missing, script, stubborn, until, whenReady } from './scripts.js';

/** StopContainer: signals, grace periods, and what is left. */
export const stoppingCases: readonly ContractCase[] = [
  {
    name: 'the stop signal first',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), loop);
      yield* c.exec(id, ...whenReady);
      const before = current().kernel.now();
      yield* c.s.stopContainer(background, { containerId: id, timeout: '600' });
      c.insist(current().kernel.now() - before < 60 * Second, 'it returns as soon as the container has ended');
      const s = yield* c.status(id);
      c.same([containerState(s), s.exitCode ?? 0, s.reason], ['CONTAINER_EXITED', 0, 'Completed'], 'at its return');
    },
  },
  {
    name: 'the exit code is what the handler of the signal gives',
    *run(c) {
      const id = yield* c.start(
        yield* c.sandbox(),
        script("trap 'exit 7' TERM; touch /tmp/ready; while true; do sleep 0.1; done"),
      );
      yield* c.exec(id, ...whenReady);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '30' });
      const s = yield* c.status(id);
      c.same([s.exitCode, s.reason], [7, 'Error'], 'status');
    },
  },
  {
    name: 'SIGKILL after the grace period: 137',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), stubborn);
      yield* c.exec(id, ...whenReady);
      const before = current().kernel.now();
      yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
      const took = current().kernel.now() - before;
      c.insist(took >= Second && took < 60 * Second, `it waits for the grace period (took ${took / Second} s)`);
      const s = yield* c.status(id);
      c.same([containerState(s), s.exitCode, s.reason], ['CONTAINER_EXITED', 137, 'Error'], 'status');
    },
  },
  {
    name: "the image's own stop signal",
    *run(c) {
      const images = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const text = "trap 'exit 1' TERM; trap 'exit 2' USR1; touch /tmp/ready; while true; do sleep 0.1; done";
      const id = yield* c.start(yield* c.sandbox(), script(text), { image: { image: images.configured } });
      yield* c.exec(id, ...whenReady);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '30' });
      c.same((yield* c.status(id)).exitCode, 2, 'exit code');
    },
  },
  {
    name: 'a first process without a handler does not hear it',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      yield* c.eventually('it is its own program, not what starts that', function* () {
        return (yield* c.exec(id, 'cat', '/proc/1/cmdline')).out.startsWith('sleep');
      });
      yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
      c.same((yield* c.status(id)).exitCode, 137, 'exit code');
    },
  },
  {
    name: 'in a shared PID namespace one without a handler ends at once: 143',
    *run(c) {
      const shared = { securityContext: { namespaceOptions: {} } };
      const sandbox = yield* c.sandbox({ ...c.sandboxConfig(), linux: shared });
      const id = yield* c.start(sandbox, idle, { linux: shared });
      const before = current().kernel.now();
      yield* c.s.stopContainer(background, { containerId: id, timeout: '600' });
      c.insist(current().kernel.now() - before < 60 * Second, 'it does not wait for the grace period');
      const s = yield* c.status(id);
      c.same([s.exitCode, s.reason], [143, 'Error'], 'status');
    },
  },
  {
    name: 'no grace period: SIGKILL at once',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), loop);
      yield* c.exec(id, ...whenReady);
      yield* c.s.stopContainer(background, { containerId: id });
      const s = yield* c.status(id);
      c.same([s.exitCode, s.reason], [137, 'Error'], 'status');
    },
  },
  {
    name: 'while it waits the container runs on',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), stubborn);
      yield* c.exec(id, ...whenReady);
      const [, seen] = yield* c.atOnce<unknown>([
        () => c.s.stopContainer(background, { containerId: id, timeout: '600' }),
        function* () {
          yield* sleep(Second / 2);
          const { out } = yield* c.exec(id, 'echo', 'alive');
          const state = containerState(yield* c.status(id));
          yield* c.s.stopContainer(background, { containerId: id });
          return [state, out];
        },
      ]);
      c.same(seen, ['CONTAINER_RUNNING', 'alive\n'], 'meanwhile');
    },
  },
  {
    name: 'a caller that gives up does not kill',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), stubborn);
      yield* c.exec(id, ...whenReady);
      const [ctx, cancel] = withTimeout(current().kernel, background, Second / 2);
      const call = c.s.stopContainer(ctx, { containerId: id, timeout: '1' });
      yield* c.fails(call, c.late());
      cancel();
      yield* sleep(1.2 * Second);
      c.same(containerState(yield* c.status(id)), 'CONTAINER_RUNNING', 'after the grace period that nobody waited for');
    },
  },
  {
    name: 'a second call with less patience wins',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), stubborn);
      yield* c.exec(id, ...whenReady);
      const before = current().kernel.now();
      const results = yield* c.atOnce<object>([
        () => c.s.stopContainer(background, { containerId: id, timeout: '600' }),
        () => c.s.stopContainer(background, { containerId: id, timeout: '1' }),
      ]);
      c.same(results, [{}, {}], 'both succeed');
      c.insist(current().kernel.now() - before < 60 * Second, 'both return when the container has ended');
      c.same((yield* c.status(id)).exitCode, 137, 'exit code');
    },
  },
  {
    name: 'of one that has exited changes nothing',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('exit 3'));
      const before = yield* c.exited(id);
      for (let i = 0; i < 2; i++) yield* c.s.stopContainer(background, { containerId: id, timeout: '5' });
      c.same(yield* c.status(id), before, 'status');
    },
  },
  {
    name: 'of one that was only created does nothing; it can be started',
    *run(c) {
      const id = yield* c.create(yield* c.sandbox(), loop);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
      c.same(containerState(yield* c.status(id)), 'CONTAINER_CREATED', 'state');
      yield* c.s.startContainer(background, { containerId: id });
      c.same(containerState(yield* c.status(id)), 'CONTAINER_RUNNING', 'once started');
    },
  },
  {
    name: 'of what does not exist succeeds',
    *run(c) {
      yield* c.idempotent(c.s.stopContainer(background, { containerId: missing, timeout: '1' }));
    },
  },
  {
    name: 'one that ends by itself meanwhile keeps its own exit code',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), until(5));
      yield* c.exec(id, ...whenReady);
      yield* c.atOnce<unknown>([
        () => c.s.stopContainer(background, { containerId: id, timeout: '600' }),
        function* () {
          yield* sleep(Second / 2);
          yield* c.exec(id, ...end);
        },
      ]);
      const s = yield* c.status(id);
      c.same([s.exitCode, s.reason], [5, 'Error'], 'status');
    },
  },
  {
    name: 'what the handler writes is in the log',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const id = yield* c.start(
        sandbox,
        script("trap 'echo bye; exit 0' TERM; touch /tmp/ready; while true; do sleep 0.1; done"),
      );
      yield* c.exec(id, ...whenReady);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '30' });
      c.same(
        (yield* c.log(window, 'app/0.log')).map(({ stream, text }) => [stream, text]),
        [['stdout', 'bye']],
        'the log at the return',
      );
    },
  },
  {
    name: 'an exec that runs ends with the container',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const [exec] = yield* c.atOnce<unknown>([
        () => c.s.execSync(background, { containerId: id, cmd: script('touch /tmp/ready; sleep 60') }),
        function* () {
          yield* c.exec(id, ...whenReady);
          yield* c.s.stopContainer(background, { containerId: id });
        },
      ]);
      c.same(exec instanceof Error ? exec.message : exec, { exitCode: 137 }, 'its answer');
    },
  },
];
