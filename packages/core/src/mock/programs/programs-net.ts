import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { HttpRequest, HttpResponse, Listener } from '../network/network.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { options } from './programs-files.js';

/** Listens until the process ends; returns false, with a message, if the port is taken. */
export function listen(proc: Proc, world: World, listener: Listener, tool: string): boolean {
  if (!world.net.listen(listener)) {
    proc.warn(`${tool}: bind: Address already in use\n`);
    return false;
  }
  proc.onExit(() => world.net.unlisten(listener));
  return true;
}

/** A path without its percent signs; as it is where these mean nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** busybox httpd: serves files. With -f in the foreground; else it is left behind by a parent that ends. */
function* httpd(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest: _rest } = options(args, 'phcu');
  const port = Number((flags.get('p') ?? '80').replace(/^.*:/, ''));
  const root = world.fs.resolve(flags.get('h') ?? '.', proc.cwd);
  const listener = fileListener(world, port, root, 'busybox');
  if (flags.has('f')) {
    if (!listen(proc, world, listener, 'httpd')) return 1;
    yield* proc.sleep(Number.POSITIVE_INFINITY);
    return 0;
  }
  if (!world.net.listen(listener)) {
    proc.warn('httpd: bind: Address already in use\n');
    return 1;
  }
  const init = proc.group.init;
  init?.onExit(() => world.net.unlisten(listener));
  return 0;
}

/** Serves the files of a folder until the process ends. */
export function* serveFiles(proc: Proc, world: World, port: number, root: string, tool: string): Go<number> {
  if (!listen(proc, world, fileListener(world, port, root, tool), tool)) return 1;
  yield* proc.sleep(Number.POSITIVE_INFINITY);
  return 0;
}

/** A listener that answers with the files of a folder. */
function fileListener(world: World, port: number, root: string, tool: string): Listener {
  return {
    port,
    *http(request: HttpRequest): Go<HttpResponse> {
      const path = decoded(request.path.split('?')[0] as string);
      if (tool === 'busybox' && path.startsWith('/cgi-bin/'))
        return { status: 501, statusText: 'Not Implemented', body: '' };
      try {
        const full = world.fs.resolve(`${root}${path}`, '/');
        const node = world.fs.lookup(full);
        return {
          status: 200,
          statusText: 'OK',
          body: world.fs.read(node?.kind === 'dir' ? `${full}/index.html` : full),
        };
      } catch (error) {
        if (!(error instanceof OSError)) throw error;
        return {
          status: 404,
          statusText: 'Not Found',
          body: '<HTML><HEAD><TITLE>404 Not Found</TITLE></HEAD>\n<BODY><H1>404 Not Found</H1>\nThe requested URL was not found\n</BODY></HTML>\n',
        };
      }
    },
  };
}

/** Parses a raw text as an HTTP response; null if it is not one. */
function parseResponse(text: string): HttpResponse | null {
  const m = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]*)\r?\n/.exec(text);
  if (!m) return null;
  const end = /\r?\n\r?\n/.exec(text);
  const location = /\r?\nlocation:\s*([^\r\n]+)/i.exec(text)?.[1];
  return {
    status: Number(m[1]),
    statusText: m[2] as string,
    body: end ? text.slice(end.index + end[0].length) : '',
    ...(location ? { location } : {}),
  };
}

/** netcat: listens for one connection (`-l`; for one after the other with `-ll` or `-k`), or tries one. */
function* nc(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(args, 'pwesi');
  if (flags.has('l')) {
    const port = Number(flags.get('p') ?? rest[rest.length - 1] ?? 0);
    const letters = args.filter((a) => /^-[a-z]+$/.test(a)).join('');
    const keep = letters.includes('k') || (letters.match(/l/g)?.length ?? 0) > 1;
    let text = '';
    if (!flags.has('e'))
      for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
        proc.hold(t.length);
        text += t;
      }
    let connected = false;
    const response = parseResponse(text);
    const arrive = () => {
      connected = true;
      proc.wake('io');
    };
    const listener: Listener = {
      port,
      http: response
        ? function* (request) {
            proc.write(`${request.method} ${request.path} HTTP/1.1\n`);
            arrive();
            return response;
          }
        : null,
      connected: arrive,
    };
    if (!listen(proc, world, listener, 'nc')) return 1;
    while (!connected || keep) yield* proc.park(null);
    world.net.unlisten(listener);
    return 0;
  }
  const [host = '', port = '0'] = rest;
  const ok = yield* connect(world, host, Number(port));
  if (!ok) {
    if (!flags.has('z') || flags.has('v'))
      proc.warn(
        `nc: can't connect to remote host (${host === 'localhost' ? '127.0.0.1' : host}): Connection refused\n`,
      );
    return 1;
  }
  if (flags.has('v')) proc.warn(`${host} (${host}:${port}) open\n`);
  return 0;
}

function* connect(world: World, host: string, port: number): Go<boolean> {
  try {
    const l = yield* world.dial(host, port);
    l.connected?.();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('dial tcp')) return false;
    throw error;
  }
}

/** wget and curl, as far as checks use them. */
function client(tool: 'wget' | 'curl'): Program {
  return function* (proc, world, args) {
    const { flags, rest } = options(args, tool === 'wget' ? 'OTtU' : 'oHXdmw');
    const url = rest.find((r) => !r.startsWith('-')) ?? '';
    const m = /^(?:(https?):\/\/)?([^/:]+)(?::(\d+))?(\/.*)?$/.exec(url);
    if (!m) {
      proc.warn(`${tool}: bad address '${url}'\n`);
      return tool === 'wget' ? 1 : 6;
    }
    const [, scheme, host = '', given, path = '/'] = m;
    const port = Number(given ?? (scheme === 'https' ? 443 : 80));
    let response: HttpResponse;
    try {
      const l = yield* world.dial(host, port);
      if (!l.http) throw new Error('dial tcp: no HTTP');
      response = yield* l.http({ method: 'GET', path, headers: [] });
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('dial tcp'))) throw error;
      if (tool === 'wget') {
        if (!flags.has('q')) proc.warn(`Connecting to ${host}:${port}\n`);
        proc.warn(
          `wget: can't connect to remote host (${host === 'localhost' ? '127.0.0.1' : host}): Connection refused\n`,
        );
        return 1;
      }
      if (!flags.has('s')) proc.warn(`curl: (7) Failed to connect to ${host} port ${port}: Connection refused\n`);
      return 7;
    }
    const failed = response.status >= 400;
    if (failed && tool === 'wget') {
      proc.warn(`wget: server returned error: HTTP/1.1 ${response.status} ${response.statusText ?? ''}\n`);
      return 1;
    }
    if (failed && flags.has('f')) return 22;
    const file =
      tool === 'wget'
        ? flags.has('spider')
          ? '/dev/null'
          : (flags.get('O') ?? (path.slice(path.lastIndexOf('/') + 1) || 'index.html'))
        : flags.get('o');
    if (file === undefined || file === '-' || file === '/dev/stdout') proc.write(response.body);
    else if (file !== '/dev/null') {
      const o = world.fs.open(world.fs.resolve(file, proc.cwd), 'truncate');
      o.fs.append(o.node, response.body, o.path);
    }
    return 0;
  };
}

export const networkPrograms: Readonly<Record<string, Program>> = {
  httpd,
  nc,
  netcat: nc,
  wget: client('wget'),
  curl: client('curl'),
  ping: function* (proc, world, args) {
    const { flags, rest } = options(args, 'cwWi');
    const n = Number(flags.get('c') ?? Number.POSITIVE_INFINITY);
    proc.write(`PING ${rest[0] ?? ''} (${rest[0] ?? ''}): 56 data bytes\n`);
    if (!world.privileges.capabilities.has('NET_RAW')) {
      proc.warn('ping: permission denied (are you root?)\n');
      return 1;
    }
    for (let i = 0; i < n; i++) {
      proc.write(`64 bytes from ${rest[0] ?? ''}: seq=${i} ttl=64 time=0.1 ms\n`);
      yield* proc.sleep(1_000_000);
    }
    return 0;
  },
  nslookup: function* (proc, _world, args) {
    proc.warn(`nslookup: can't resolve '${args[1] ?? ''}'\n`);
    return 1;
  },
};
