import { containerState, int64 } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import type { Contract, ContractCase, SandboxHandle } from './contract.js';
import { script } from './scripts.js';

/** Insists that a container cannot be started, and on what its status says afterwards; gives the error's text. */
function* cannotStart(c: Contract, sandbox: SandboxHandle, id: string, why: string | RegExp) {
  const text = yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown');
  c.insist(
    typeof why === 'string' ? text.includes(why) : why.test(text),
    `want an error that says ${why}, got ${text}`,
  );
  const s = yield* c.status(id);
  c.same([containerState(s), s.exitCode, s.reason, s.message], ['CONTAINER_EXITED', 128, 'StartError', text], 'status');
  c.insist(int64(s.finishedAt) >= int64(s.createdAt), 'finishedAt is set');
  c.same(s.startedAt ?? '0', '0', 'startedAt of one that never ran');
  yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown', 'CONTAINER_EXITED');
  yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
  yield* c.create(sandbox, ['true'], { metadata: { name: 'app', attempt: 1 } });
}

const runcSays =
  'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ';

/** Cases of containers that cannot start. */
export const startingCases: readonly ContractCase[] = [
  {
    name: 'a program that is nowhere in $PATH',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['nosuch', 'argument']);
      yield* cannotStart(c, sandbox, id, 'exec: "nosuch": executable file not found in $PATH');
    },
  },
  {
    name: 'the text is runc’s, with what went before it',
    *run(c) {
      const id = yield* c.create(yield* c.sandbox(), ['nosuch']);
      const text = yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown');
      c.same(
        // Before 2.1 containerd ends it with the class of the error.
        text.replace(/: unknown$/, ''),
        `failed to create containerd task: ${runcSays}exec: "nosuch": executable file not found in $PATH`,
        'the text',
      );
    },
  },
  {
    name: 'a path that is not there',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['/nosuch/program']);
      yield* cannotStart(c, sandbox, id, 'exec: "/nosuch/program": stat /nosuch/program: no such file or directory');
    },
  },
  {
    name: 'a file that may not be executed',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['/etc/passwd']);
      yield* cannotStart(c, sandbox, id, 'exec: "/etc/passwd": permission denied');
    },
  },
  {
    name: 'a folder',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['/tmp']);
      yield* cannotStart(c, sandbox, id, /exec: "\/tmp": (permission denied|is a directory)/);
    },
  },
  {
    name: 'a user name that the image does not have',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const linux = { securityContext: { runAsUsername: 'nosuch', namespaceOptions: { pid: 'CONTAINER' as const } } };
      yield* c.fails(c.create(sandbox, ['true'], { linux }), 'Unknown', 'no users found');
      yield* c.create(sandbox, ['true']);
    },
  },
  {
    name: 'nothing to run at all',
    *run(c) {
      const images = c.subject.images.more ?? c.leaveOut('the images of the suite are not there');
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, [], { image: { image: images.configured } });
      c.same((yield* c.exited(id)).exitCode ?? 0, 0, "the image's own command");
    },
  },
  {
    name: 'a program that ends at once has run',
    *run(c) {
      const done = yield* c.exited(yield* c.start(yield* c.sandbox(), ['true']));
      c.same([done.exitCode ?? 0, done.reason], [0, 'Completed'], 'status');
      // The start is noted after the fact: the end may come before it.
      c.insist(int64(done.startedAt) > 0n && int64(done.finishedAt) > int64(done.createdAt), 'times');
    },
  },
  {
    name: 'a shell that cannot find its program starts and ends with 127',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const done = yield* c.exited(yield* c.start(sandbox, script('nosuch')));
      c.same([done.exitCode, done.reason, done.message ?? ''], [127, 'Error', ''], 'status');
      const window = yield* c.window(sandbox);
      const lines = yield* c.log(window, 'app/0.log');
      c.same(
        lines.map(({ stream, tag, text }) => [stream, tag, text]),
        [['stderr', 'F', 'sh: nosuch: not found']],
        'the log',
      );
    },
  },
];
