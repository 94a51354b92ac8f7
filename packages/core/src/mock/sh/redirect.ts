import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { Streams } from '../process/process.js';
import { type ByteSink, type ByteSource, FileSink, FileSource, nullStream, TextSource } from '../process/streams.js';
import type { Redirect } from './ast.js';
import { expandText } from './expand.js';
import type { Shell } from './shell.js';

/** Opens what redirections name; null once a message was written about one that cannot be opened. */
export function* redirect(sh: Shell, redirects: readonly Redirect[]): Go<Streams | null> {
  const io: { in: ByteSource; out: ByteSink; err: ByteSink; more?: Map<number, ByteSink> } = {
    ...sh.io,
    more: new Map(sh.io.more),
  };
  const put = (fd: number, sink: ByteSink) => {
    if (fd === 1) io.out = sink;
    else if (fd === 2) io.err = sink;
    else io.more?.set(fd, sink);
  };
  for (const r of redirects) {
    const text = yield* expandText(sh, r.target);
    try {
      if (r.op === '<<') io.in = new TextSource(text);
      else if (r.op === '<' || r.op === '<>') {
        if (r.fd === 0) io.in = openRead(sh, text);
      } else if (r.op === '>&') {
        const sink =
          text === '1' ? io.out : text === '2' ? io.err : text === '-' ? nullStream : io.more?.get(Number(text));
        if (!sink) {
          sh.complain(`${text}: Bad file descriptor`);
          sh.status = 1;
          return null;
        }
        put(r.fd, sink);
      } else if (r.op === '>' || r.op === '>>') put(r.fd, openWrite(sh, text, r.op === '>>', io));
    } catch (error) {
      if (!(error instanceof OSError)) throw error;
      const read = r.op === '<' || r.op === '<>';
      const why =
        error.code === 'ENOENT'
          ? read
            ? 'no such file'
            : 'nonexistent directory'
          : error.code === 'EISDIR'
            ? 'Is a directory'
            : error.code === 'EROFS'
              ? 'Read-only file system'
              : 'Permission denied';
      sh.complain(`can't ${read ? 'open' : 'create'} ${text}: ${why}`);
      sh.status = 1;
      return null;
    }
  }
  return io;
}

function openRead(sh: Shell, path: string): ByteSource {
  const full = sh.world.fs.resolve(path, sh.proc.cwd);
  if (full === '/dev/null') return nullStream;
  if (full === '/dev/stdin') return sh.io.in;
  const node = sh.world.fs.lookup(full);
  if (!node) throw new OSError('ENOENT', path);
  return node.kind === 'file' ? new FileSource(node) : nullStream;
}

function openWrite(sh: Shell, path: string, append: boolean, io: Streams): ByteSink {
  const full = sh.world.fs.resolve(path, sh.proc.cwd);
  switch (full) {
    case '/dev/null':
      return nullStream;
    case '/dev/stdout':
    case '/proc/self/fd/1':
      return io.out;
    case '/dev/stderr':
    case '/proc/self/fd/2':
      return io.err;
    case '/proc/1/fd/1':
      return sh.world.initOut;
    case '/proc/1/fd/2':
      return sh.world.initErr;
  }
  const { fs, node, path: p } = sh.world.fs.open(full, append ? 'append' : 'truncate');
  return new FileSink(fs, node, p);
}
