import { background } from '../../kernel/index.js';
import type { ContractCase, LogLine } from './contract.js';
import { script } from './scripts.js';

const short = (lines: readonly LogLine[]) => lines.map(({ stream, tag, text }) => `${stream} ${tag} ${text}`);

/** Log files: format, cuts, rotation. */
export const logCases: readonly ContractCase[] = [
  {
    name: 'a line of each stream, with its time',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exited(yield* c.start(sandbox, script('echo first; sleep 0.5; echo second >&2; sleep 0.5; echo third')));
      const lines = yield* c.log(window, 'app/0.log');
      c.same(short(lines), ['stdout F first', 'stderr F second', 'stdout F third'], 'lines');
      const times = lines.map((l) => l.nanos);
      c.insist(
        times.every((t, i) => i === 0 || t > (times[i - 1] ?? 0n)),
        `times are those of the lines: ${lines.map((l) => l.time)}`,
      );
    },
  },
  {
    name: 'text is kept as it is, but for a carriage return before the newline',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const text = 'echo "  two  spaces  "; echo; echo "tab\there"; echo "grüße 世界 🦊"; printf "a\\r\\nb\\n"';
      yield* c.exited(yield* c.start(sandbox, script(text)));
      c.same(
        short(yield* c.log(window, 'app/0.log')),
        ['  two  spaces  ', '', 'tab\there', 'grüße 世界 🦊', 'a', 'b'].map((t) => `stdout F ${t}`),
        'lines',
      );
    },
  },
  {
    name: 'a last line without its newline is a part',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      yield* c.exited(yield* c.start(sandbox, script('echo whole; printf rest; printf more >&2')));
      c.same(
        short(yield* c.log(window, 'app/0.log')).sort(),
        ['stderr P more', 'stdout F whole', 'stdout P rest'],
        'lines',
      );
    },
  },
  {
    name: 'a long line is cut every 16384 bytes',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const fill = (n: number) => `printf '%0${n}d\\n' 0`;
      yield* c.exited(yield* c.start(sandbox, script([40_000, 16_384, 16_385, 32_768].map(fill).join('; '))));
      c.same(
        (yield* c.log(window, 'app/0.log')).map((l) => `${l.tag} ${l.text.length}`),
        ['P 16384', 'P 16384', 'F 7232', 'F 16384', 'P 16384', 'F 1', 'P 16384', 'F 16384'],
        'parts',
      );
    },
  },
  {
    name: 'each attempt has its own file',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      for (let attempt = 0; attempt < 2; attempt++)
        yield* c.exited(
          yield* c.start(sandbox, script(`echo attempt ${attempt}`), {
            metadata: { name: 'app', attempt },
            logPath: `app/${attempt}.log`,
          }),
        );
      for (let attempt = 0; attempt < 2; attempt++)
        c.same(
          short(yield* c.log(window, `app/${attempt}.log`)),
          [`stdout F attempt ${attempt}`],
          `attempt ${attempt}`,
        );
    },
  },
  {
    name: 'it outlives its container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const id = yield* c.start(sandbox, script('echo kept'));
      yield* c.exited(id);
      yield* c.s.removeContainer(background, { containerId: id });
      c.same(short(yield* c.log(window, 'app/0.log')), ['stdout F kept'], 'lines');
    },
  },
  {
    name: 'a file that is there is continued',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      for (let attempt = 0; attempt < 2; attempt++)
        yield* c.exited(
          yield* c.start(sandbox, script(`echo ${attempt}`), {
            metadata: { name: 'app', attempt },
            logPath: 'app/0.log',
          }),
        );
      c.same(short(yield* c.log(window, 'app/0.log')), ['stdout F 0', 'stdout F 1'], 'lines');
    },
  },
  {
    name: 'rotation: the moved file is written until the log is reopened',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const mounts = [{ containerPath: '/node', hostPath: sandbox.config.logDirectory ?? '' }];
      const say =
        'for n in one two three; do while ! [ -e /node/say-$n ]; do sleep 0.05; done; echo $n; done; sleep 3600';
      const id = yield* c.start(sandbox, script(say), { mounts });
      const said = function* (n: string, file: string) {
        yield* c.exec(window, 'touch', `/node/say-${n}`);
        yield* c.eventually(`${n} is in ${file}`, function* () {
          return short(yield* c.log(window, file)).includes(`stdout F ${n}`);
        });
      };
      yield* said('one', 'app/0.log');
      yield* c.exec(window, 'mv', '/node/app/0.log', '/node/app/0.log.old');
      yield* said('two', 'app/0.log.old');
      yield* c.s.reopenContainerLog(background, { containerId: id });
      c.same(short(yield* c.log(window, 'app/0.log')), [], 'the new file at first');
      yield* said('three', 'app/0.log');
      c.same(short(yield* c.log(window, 'app/0.log.old')), ['stdout F one', 'stdout F two'], 'the moved file');
      c.same(short(yield* c.log(window, 'app/0.log')), ['stdout F three'], 'the new file');
    },
  },
  {
    name: 'ReopenContainerLog wants a running container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['true']);
      const reopen = () => c.s.reopenContainerLog(background, { containerId: id });
      c.same(yield* c.fails(reopen(), 'Unknown'), 'container is not running', 'created');
      yield* c.s.startContainer(background, { containerId: id });
      yield* c.exited(id);
      c.same(yield* c.fails(reopen(), 'Unknown'), 'container is not running', 'exited');
      yield* c.s.removeContainer(background, { containerId: id });
      const text = yield* c.fails(reopen(), 'NotFound');
      c.same(text, `an error occurred when try to find container "${id}": not found`, 'removed');
    },
  },
  {
    name: 'a container without a log path has none',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const id = yield* c.start(sandbox, script('echo nobody hears'), { logPath: '' });
      c.same([(yield* c.exited(id)).exitCode ?? 0, (yield* c.status(id)).logPath ?? ''], [0, ''], 'status');
      c.same((yield* c.exec(window, 'ls', '/node')).out, 'window.log\n', 'files');
    },
  },
  {
    name: 'what an exec writes is not in it',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const window = yield* c.window(sandbox);
      const id = yield* c.start(sandbox, script('echo own; sleep 3600'));
      yield* c.exec(id, 'echo', 'foreign');
      c.same(short(yield* c.log(window, 'app/0.log')), ['stdout F own'], 'lines');
      yield* c.exec(id, 'sh', '-c', 'echo smuggled > /proc/1/fd/1');
      yield* c.eventually('what goes to the first process’ output is', function* () {
        return short(yield* c.log(window, 'app/0.log')).includes('stdout F smuggled');
      });
    },
  },
];
