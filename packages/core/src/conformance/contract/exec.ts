import { background, current, Second, withTimeout } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { idle, missing, script } from './scripts.js';

/** ExecSync. */
export const execCases: readonly ContractCase[] = [
  {
    name: 'output and exit code',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const table: [string, { out: string; err: string; code: number }][] = [
        ['echo out; echo err >&2; exit 4', { out: 'out\n', err: 'err\n', code: 4 }],
        ['exit 0', { out: '', err: '', code: 0 }],
        ['exit 255', { out: '', err: '', code: 255 }],
        ['printf "no newline"', { out: 'no newline', err: '', code: 0 }],
        ['echo "grüße, 世界 🦊"', { out: 'grüße, 世界 🦊\n', err: '', code: 0 }],
        ['nosuch', { out: '', err: 'sh: nosuch: not found\n', code: 127 }],
        ['kill -KILL $$', { out: '', err: '', code: 137 }],
        ['kill -TERM $$', { out: '', err: '', code: 143 }],
        ['cat', { out: '', err: '', code: 0 }],
        ['cat /nope', { out: '', err: "cat: can't open '/nope': No such file or directory\n", code: 1 }],
      ];
      for (const [text, want] of table) c.same(yield* c.exec(id, 'sh', '-c', text), want, text);
    },
  },
  {
    name: 'arguments are not touched',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      c.same(
        (yield* c.exec(id, 'echo', 'a  b', '$HOME', '*', '"q"', "it's", '')).out,
        'a  b $HOME * "q" it\'s \n',
        'what echo got',
      );
    },
  },
  {
    name: 'files, environment and working folder are the container’s',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle, {
        envs: [{ key: 'GREETING', value: 'aGVsbG8=' }],
        workingDir: '/var',
      });
      yield* c.exec(id, 'touch', '/tmp/here');
      c.same((yield* c.exec(id, 'ls', '/tmp')).out, 'here\n', 'files stay');
      c.same((yield* c.exec(id, 'sh', '-c', 'echo $GREETING; pwd')).out, 'hello\n/var\n', 'environment and folder');
    },
  },
  {
    name: 'much output',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const { out } = yield* c.exec(
        id,
        'sh',
        '-c',
        'i=0; while [ $i -lt 2000 ]; do echo "$i 0123456789012345678901234567890123456789"; i=$((i+1)); done',
      );
      c.same([out.split('\n').length, out.length], [2001, 2000 * 42 + 10 + 180 + 2700 + 4000], 'lines and characters');
    },
  },
  {
    name: 'time-out: DeadlineExceeded, and the command is killed',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const before = current().kernel.now();
      const text = yield* c.fails(
        c.s.execSync(background, { containerId: id, cmd: ['sleep', '345'], timeout: '4' }),
        'DeadlineExceeded',
      );
      const took = current().kernel.now() - before;
      c.insist(took >= 4 * Second && took < 60 * Second, `it takes as long as the time-out (took ${took / Second} s)`);
      c.same(text, 'failed to exec in container: timeout 4s exceeded: context deadline exceeded', 'the text');
      c.insist(!(yield* c.exec(id, 'ps')).out.includes('sleep 345'), 'it does not run then');
    },
  },
  {
    name: 'no time-out: as long as it takes',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const { out } = yield* c.exec(id, 'sh', '-c', 'sleep 1.2; echo done');
      c.same(out, 'done\n', 'output');
    },
  },
  {
    name: 'a command that is in time',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const r = yield* c.s.execSync(background, { containerId: id, cmd: ['sh', '-c', 'exit 3'], timeout: '30' });
      c.same(r, { exitCode: 3 }, 'answer');
    },
  },
  {
    name: 'a caller that gives up',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const [ctx, cancel] = withTimeout(current().kernel, background, Second / 2);
      yield* c.fails(c.s.execSync(ctx, { containerId: id, cmd: ['sleep', '346'] }), c.late());
      cancel();
      yield* c.eventually('the command is killed', function* () {
        return !(yield* c.exec(id, 'ps')).out.includes('sleep 346');
      });
    },
  },
  {
    name: 'it waits for whoever holds its output',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const before = current().kernel.now();
      const { out } = yield* c.exec(id, 'sh', '-c', '(sleep 0.8; echo late) & echo early');
      c.same(out, 'early\nlate\n', 'output');
      c.insist(current().kernel.now() - before >= 0.8 * Second, 'it waits');
    },
  },
  {
    name: 'a program that is not there',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const says = (what: string) =>
        new RegExp(
          `^failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: ${what}(: unknown)?$`,
        );
      const failure = function* (...cmd: string[]) {
        return yield* c.fails(c.s.execSync(background, { containerId: id, cmd }), 'Unknown');
      };
      const table: [string, string][] = [
        ['nosuch', 'exec: "nosuch": executable file not found in \\$PATH'],
        ['/nosuch', 'exec: "/nosuch": stat /nosuch: no such file or directory'],
        ['/etc/passwd', 'exec: "/etc/passwd": permission denied'],
      ];
      for (const [name, what] of table) {
        const text = yield* failure(name, 'x');
        c.insist(says(what).test(text), `${name}: want ${says(what)}, got ${text}`);
      }
    },
  },
  {
    name: 'in a container that does not run',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, idle);
      const failure = function* (containerId: string, code: 'Unknown' | 'NotFound') {
        return yield* c.fails(c.s.execSync(background, { containerId, cmd: ['true'] }), code);
      };
      const says = (state: string) => `failed to exec in container: container is in ${state} state`;
      c.same(yield* failure(id, 'Unknown'), says('CONTAINER_CREATED'), 'created');
      yield* c.s.startContainer(background, { containerId: id });
      yield* c.s.stopContainer(background, { containerId: id });
      c.same(yield* failure(id, 'Unknown'), says('CONTAINER_EXITED'), 'exited');
      yield* c.s.removeContainer(background, { containerId: id });
      const text = yield* failure(id, 'NotFound');
      c.same(text, `failed to exec in container: failed to find container "${id}" in store: not found`, 'removed');
      c.insist((yield* failure(missing, 'NotFound')).includes(missing), 'never there');
    },
  },
  {
    name: 'Exec, Attach and PortForward of what does not exist: NotFound',
    *run(c) {
      const exec = c.s.exec(background, { containerId: missing, cmd: ['true'], stdout: true });
      c.same(yield* c.fails(exec, 'NotFound'), `failed to find container "${missing}" in store: not found`, 'Exec');
      const attach = c.s.attach(background, { containerId: missing, stdout: true });
      c.same(yield* c.fails(attach, 'NotFound'), 'failed to find container in store: not found', 'Attach');
      const forward = c.s.portForward(background, { podSandboxId: missing, port: [80] });
      c.same(yield* c.fails(forward, 'NotFound'), `failed to find sandbox "${missing}": not found`, 'PortForward');
    },
  },
  {
    name: 'several at once',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), idle);
      const all = yield* c.atOnce(
        [0, 1, 2, 3].map((i) => () => c.exec(id, 'sh', '-c', `sleep 0.2; echo ${i}; exit ${i}`)),
      );
      c.same(
        all,
        [0, 1, 2, 3].map((i) => ({ out: `${i}\n`, err: '', code: i })),
        'answers',
      );
    },
  },
  {
    name: 'it sees the processes of the container',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('sleep 3601 & exec sleep 3602'));
      yield* c.eventually('the first process and its child are there', function* () {
        const { out } = yield* c.exec(id, 'ps');
        return /^ *1 .* sleep 3602$/m.test(out) && /^ *\d+ .* sleep 3601$/m.test(out);
      });
    },
  },
];
