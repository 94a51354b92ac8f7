import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRIError, GrpcCode } from '../../cri/index.js';
import type { FileEvent } from '../../host/os.js';
import { background, type Chan, Kernel, makeChan, Second, withCancel } from '../../kernel/index.js';
import { formatTimestamp, parseCRILog, parseDockerJSONLog, parserFor, parseTimestamp } from './log-line.js';
import { findTailLineStartIndex, type LogFile, type ReadLogsOptions, readLogs } from './read-logs.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const time = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, '0')}.5Z`;
const line = (second: number, text: string, stream = 'stdout', tag = 'F') =>
  `${time(second)} ${stream} ${tag} ${text}\n`;

/** A log that can be written to, rotated, and read as it grows. */
function setup(text: string) {
  const k = new Kernel();
  let inode = 1;
  const inodes = new Map([[inode, text]]);
  let state: 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'away' = 'CONTAINER_RUNNING';
  let events: Chan<FileEvent> | null = null;
  let open = 0;
  const told: string[] = [];
  const file = (): LogFile => {
    const own = inode;
    open++;
    const bytes = () => encoder.encode(inodes.get(own));
    return {
      *read(offset, length) {
        return bytes().subarray(offset, offset + length);
      },
      *size() {
        return bytes().length;
      },
      *replaced() {
        return own !== inode;
      },
      close() {
        open--;
      },
    };
  };
  const touch = () => events?.trySend({ path: '/log', op: 'modify' });
  const [ctx, cancel] = withCancel(k, background);
  const out = { stdout: '', stderr: '' };
  let error: unknown = null;
  let over = false;
  return {
    k,
    out,
    cancel,
    told,
    get over() {
      return over;
    },
    get error() {
      return error;
    },
    get openFiles() {
      return open;
    },
    write(more: string) {
      inodes.set(inode, (inodes.get(inode) ?? '') + more);
      touch();
    },
    rotate() {
      inode++;
      inodes.set(inode, '');
      touch();
    },
    state(to: typeof state) {
      state = to;
    },
    read(options: Partial<ReadLogsOptions> = {}, wanted = { stdout: true, stderr: true }) {
      const to = (name: 'stdout' | 'stderr') =>
        wanted[name]
          ? function* (bytes: Uint8Array) {
              out[name] += decoder.decode(bytes);
            }
          : null;
      k.go('read', function* () {
        try {
          yield* readLogs(
            {
              kernel: k,
              files: {
                *open() {
                  return file();
                },
                *watch() {
                  events = makeChan(k, 'watch', 10);
                  return events;
                },
              },
              *containerStatus() {
                if (state === 'away') throw new CRIError(GrpcCode.Unavailable, 'away');
                return { status: { state } };
              },
            },
            ctx,
            '/logs/app/0.log',
            { since: null, follow: false, timestamps: false, ...options },
            to('stdout'),
            to('stderr'),
          );
        } catch (err) {
          error = err;
        }
        over = true;
      });
      k.run({ until: k.now() + Second / 10 });
      return out;
    },
    run: (seconds: number) => k.run({ until: k.now() + seconds * Second }),
  };
}

const all = (options: Partial<ReadLogsOptions>, text: string) => setup(text).read(options).stdout;

describe('lines of a log', () => {
  it('[3:HTTP-09] reads the CRI format, and that of runtimes before it', () => {
    const cri = parseCRILog(encoder.encode('2026-01-02T03:04:05.123456789+02:00 stderr F a b\n'));
    expect(cri).toMatchObject({ time: '2026-01-02T03:04:05.123456789+02:00', stream: 'stderr' });
    expect(cri.at).toBe(BigInt(Date.UTC(2026, 0, 2, 1, 4, 5)) * 1_000_000n + 123_456_789n);
    expect(decoder.decode(cri.content)).toBe('a b\n');
    const docker = '{"log":"content 1\\n","stream":"stdout","time":"2026-01-02T03:04:05.5Z"}\n';
    expect(parserFor(encoder.encode(docker))).toBe(parseDockerJSONLog);
    expect(decoder.decode(parseDockerJSONLog(encoder.encode(docker)).content)).toBe('content 1\n');
    expect(() => parserFor(encoder.encode('what is this\n'))).toThrow('unsupported log format: "what is this\\n"');
    for (const bad of ['x stdout F a\n', `${time(1)} stdin F a\n`, `${time(1)}\n`, `${time(1)} stdout\n`])
      expect(() => parseCRILog(encoder.encode(bad))).toThrow();
  });

  it('writes times with nine digits, in their own zone', () => {
    expect(formatTimestamp('2026-01-02T03:04:05Z')).toBe('2026-01-02T03:04:05.000000000Z');
    expect(formatTimestamp('2026-01-02T03:04:05.12+02:00')).toBe('2026-01-02T03:04:05.120000000+02:00');
    expect(parseTimestamp('2026-01-02')).toBeNull();
  });

  it('never fails on a line but by throwing an Error', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          parserFor(bytes);
        } catch (err) {
          expect(err).toBeInstanceOf(Error);
        }
      }),
    );
  });
});

describe('[3:HTTP-09] reading a log', () => {
  const five = [1, 2, 3, 4, 5].map((n) => line(n, `line ${n}`)).join('');

  it('shows content without what the runtime put before it, and puts parts of a line together', () => {
    const text =
      line(1, 'whole') + line(2, 'first, ', 'stdout', 'P') + line(3, 'second', 'stdout', 'F') + line(4, 'last');
    expect(all({}, text)).toBe('whole\nfirst, second\nlast\n');
    // One time for one line.
    expect(all({ timestamps: true }, text)).toBe(
      '2026-01-02T03:04:01.500000000Z whole\n2026-01-02T03:04:02.500000000Z first, second\n2026-01-02T03:04:04.500000000Z last\n',
    );
  });

  it('shows the last lines', () => {
    expect(all({ tailLines: 2 }, five)).toBe('line 4\nline 5\n');
    expect(all({ tailLines: 0 }, five)).toBe('');
    expect(all({ tailLines: 99 }, five)).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n');
  });

  it('finds the last lines as a plain look at the text does', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 })), fc.nat(12), fc.boolean(), (parts, n, unfinished) => {
        const text = parts.map((p) => `${p.replaceAll('\n', '')}\n`).join('') + (unfinished ? 'rest' : '');
        const bytes = encoder.encode(text);
        const file: LogFile = {
          *read(offset, length) {
            return bytes.subarray(offset, offset + length);
          },
          *size() {
            return bytes.length;
          },
          *replaced() {
            return false;
          },
          close() {},
        };
        const body = findTailLineStartIndex(file, n);
        let step = body.next();
        while (!step.done) step = body.next();
        const whole = text.split('\n').slice(0, -1);
        const kept = whole.slice(Math.max(0, whole.length - n)).map((l) => `${l}\n`);
        expect(decoder.decode(bytes.subarray(step.value))).toBe(kept.join('') + (unfinished ? 'rest' : ''));
      }),
    );
  });

  it('reads on no more when whoever asked has gone, however long the log is', () => {
    const kernel = new Kernel();
    let [ctx, cancel] = withCancel(kernel, background);
    let reads = 0;
    const text = encoder.encode(line(1, 'x').repeat(500));
    // A gigabyte, in which each block is like the others.
    const file: LogFile = {
      *read(_, length) {
        if (++reads === 10) cancel();
        return text.subarray(0, length);
      },
      *size() {
        return 2 ** 30;
      },
      *replaced() {
        return false;
      },
      close() {},
    };
    const files = {
      *open() {
        return file;
      },
      *watch() {
        return makeChan<never>(kernel, 'watch', 1);
      },
    };
    const reader = { kernel, files, containerStatus: () => expect.unreachable('nobody follows') };
    for (const options of [{ tailLines: 1e9 }, { since: Number.MAX_SAFE_INTEGER }]) {
      reads = 0;
      [ctx, cancel] = withCancel(kernel, background);
      let error: unknown = null;
      kernel.go('read', function* () {
        try {
          yield* readLogs(
            reader as unknown as Parameters<typeof readLogs>[0],
            ctx,
            '/logs/app/0.log',
            { since: null, follow: false, timestamps: false, ...options } as ReadLogsOptions,
            null,
            null,
          );
        } catch (err) {
          error = err;
        }
      });
      kernel.run({ until: kernel.now() + Second });
      expect(error).not.toBeNull();
      expect(reads).toBeLessThan(12);
    }
  });

  it('finds them across blocks', () => {
    const long = Array.from({ length: 300 }, (_, i) => line(i % 60, `${i} ${'x'.repeat(200)}`)).join('');
    expect(all({ tailLines: 150 }, long).split('\n')[0]?.split(' ')[0]).toBe('150');
  });

  it('stops at the limit, in the middle of a line if need be', () => {
    expect(all({ limitBytes: 10 }, five)).toBe('line 1\nlin');
    expect(all({ limitBytes: 7 }, five)).toBe('line 1\n');
    expect(all({ limitBytes: 5, timestamps: true }, five)).toBe('2026-');
  });

  it('leaves out what is older', () => {
    expect(all({ since: parseTimestamp(time(4)) }, five)).toBe('line 4\nline 5\n');
  });

  it('shows one stream where one is asked for, and counts only that', () => {
    const both = line(1, 'out') + line(2, 'err', 'stderr') + line(3, 'out again');
    const s = setup(both);
    expect(s.read({ limitBytes: 8 }, { stdout: true, stderr: false })).toEqual({ stdout: 'out\nout ', stderr: '' });
    expect(setup(both).read({}, { stdout: false, stderr: true })).toEqual({ stdout: '', stderr: 'err\n' });
  });

  it('goes on after a line that it cannot read, and shows one without an end', () => {
    expect(all({}, `${line(1, 'a')}broken\n${line(2, 'b')}${time(3)} stdout F c`)).toBe('a\nb\nc');
  });

  it('follows until the container has ended, without losing what it said last', () => {
    const s = setup(line(1, 'a'));
    s.read({ follow: true });
    expect(s.out.stdout).toBe('a\n');
    expect(s.over).toBe(false);
    // Half a line is none yet.
    s.write(`${time(2)} stdout F b`);
    s.run(3);
    expect(s.out.stdout).toBe('a\n');
    s.write(' and more\n');
    s.run(0.1);
    expect(s.out.stdout).toBe('a\nb and more\n');
    s.state('CONTAINER_EXITED');
    s.write(line(3, 'end'));
    s.run(2);
    expect(s.out.stdout).toBe('a\nb and more\nend\n');
    expect(s).toMatchObject({ over: true, error: null, openFiles: 0 });
  });

  it('follows into the next file when the log is rotated', () => {
    const s = setup(line(1, 'a'));
    s.read({ follow: true, tailLines: 1 });
    s.write(line(2, 'b'));
    s.rotate();
    s.write(line(3, 'c'));
    s.run(2);
    expect(s.out.stdout).toBe('a\nb\nc\n');
    expect(s.openFiles).toBe(1);
  });

  it('looks again by itself where nobody tells of changes, and while the runtime is away', () => {
    const s = setup(line(1, 'a'));
    s.read({ follow: true });
    s.state('away');
    s.run(2);
    s.write(line(2, 'b'));
    s.run(1.5);
    expect(s.out.stdout).toBe('a\nb\n');
    expect(s.over).toBe(false);
  });

  it('ends when whoever reads has gone', () => {
    const s = setup(line(1, 'a'));
    s.read({ follow: true });
    s.cancel();
    s.run(1);
    expect(s.over).toBe(true);
    expect((s.error as Error).message).toBe('context cancelled');
    expect(s.openFiles).toBe(0);
  });
});
