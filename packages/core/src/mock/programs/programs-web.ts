/** Web servers of the well-known images, which answer as the configuration and the files say that are mounted. */
import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { HttpRequest, HttpResponse, Listener } from '../network/network.js';
import { BadRegex } from '../patterns/regex.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { formatDate } from './date.js';
import { includesOf, locationFor, type NginxBody, NginxError, type NginxServer, nginxServers } from './nginx-config.js';
import { server } from './programs-servers.js';

const texts: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
const answer = (status: number, body?: string, location?: string): HttpResponse => ({
  status,
  statusText: texts[status] ?? '',
  body: body ?? `<html>\r\n<head><title>${status} ${texts[status] ?? ''}</title></head>\r\n</html>\r\n`,
  ...(location !== undefined && { location }),
});

/** Writes a request to the log, as most servers do. */
function access(proc: Proc, world: World, request: HttpRequest, { status, body }: HttpResponse): void {
  const at = formatDate(world.nowMillis(), '%d/%b/%Y:%H:%M:%S +0000');
  const agent = request.headers.find((h) => h.name.toLowerCase() === 'user-agent')?.value ?? '-';
  proc.write(
    `10.89.0.1 - - [${at}] "${request.method} ${request.path} HTTP/1.1" ${status} ${body.length} "-" "${agent}"\n`,
  );
}
const pathOf = (request: HttpRequest): string => request.path.split('?')[0] as string;

/** True if the folder is one of the container's mounts or files, and not only the image's, which are not modelled. */
function isThere(world: World, folder: string): boolean {
  const node = world.fs.lookup(folder);
  return node !== null && node !== world.fs.lookup('/');
}

/** The text of a file, or of a folder's index; null if there is none. `pages`: what the image has in this folder. */
function fileAt(world: World, path: string, index: readonly string[], image: Pages): string | null {
  const full = world.fs.resolve(path, '/');
  const inImage =
    full === image.folder ? '/' : full.startsWith(`${image.folder}/`) ? full.slice(image.folder.length) : '';
  const candidates = world.fs.lookup(full)?.kind === 'file' ? [full] : index.map((i) => `${full}/${i}`);
  for (const file of candidates) {
    try {
      return world.fs.read(file);
    } catch (error) {
      if (!(error instanceof OSError)) throw error;
    }
  }
  return isThere(world, image.folder) ? null : (image.pages[inImage] ?? null);
}
interface Pages {
  readonly folder: string;
  readonly pages: Readonly<Record<string, string>>;
}

// --- nginx -----------------------------------------------------------------------------------------------------------

const nginxPage =
  '<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n</body>\n</html>\n';
const nginxPages: Pages = { folder: '/usr/share/nginx/html', pages: { '/': nginxPage, '/index.html': nginxPage } };
const nginxDefault = 'server { listen 80; location / { root /usr/share/nginx/html; index index.html index.htm; } }';
const nginxMain = '/etc/nginx/nginx.conf';

/** The servers of the mounted configuration, or of the image's own. Throws an NginxError. */
function nginxConfigured(world: World): NginxServer[] {
  const main = world.fs.lookup(nginxMain)?.kind === 'file' ? world.fs.read(nginxMain) : null;
  const own = main === null ? [] : nginxServers(main, nginxMain);
  const patterns = main === null ? ['/etc/nginx/conf.d/*.conf'] : includesOf(main, nginxMain);
  const included = patterns.flatMap((pattern) => {
    const m = /^(\/?.*?)\/?([^/]*)$/.exec(pattern.startsWith('/') ? pattern : `/etc/nginx/${pattern}`);
    const [, folder = '', name = ''] = m ?? [];
    const ending = name.slice(name.indexOf('*') + 1);
    const isOurs = (file: string) => (name.includes('*') ? file.endsWith(ending) : file === name);
    const files = world.fs.lookup(folder)
      ? world.fs.list(folder).flatMap((e) => (!e.dir && isOurs(e.name) ? [`${folder}/${e.name}`] : []))
      : [];
    const servers = files.flatMap((file) => nginxServers(world.fs.read(file), file));
    const imageHas = folder === '/etc/nginx/conf.d' && !isThere(world, folder);
    return imageHas && !files.includes(`${folder}/default.conf`)
      ? [...servers, ...nginxServers(nginxDefault, 'default.conf')]
      : servers;
  });
  return [...own, ...included];
}

function nginxAnswers(proc: Proc, world: World, of: NginxServer, request: HttpRequest): HttpResponse {
  const path = pathOf(request);
  const body = locationFor(of, path);
  if (body.denies) return answer(403);
  if (body.returns) {
    const { code, text } = body.returns;
    return code >= 300 && code < 400 ? answer(code, '', text) : answer(code, text === '' ? undefined : text);
  }
  if (body.stub) return answer(200, 'Active connections: 1 \n');
  const problem = (text: string): void =>
    proc.warn(`${formatDate(world.nowMillis(), '%Y/%m/%d %H:%M:%S')} [error] 29#29: *1 ${text}, client: 10.89.0.1\n`);
  if (body.passes !== null) {
    problem(`simulated: the server behind ${body.passes} is not here`);
    return answer(502);
  }
  return nginxFile(world, body, of, path, problem);
}

function nginxFile(
  world: World,
  body: NginxBody,
  of: NginxServer,
  path: string,
  problem: (text: string) => void,
): HttpResponse {
  const root = body.root ?? of.body.root ?? '/etc/nginx/html';
  const prefix = of.locations.find((l) => l.body === body)?.prefix ?? '';
  const placeOf = (p: string) => (body.alias !== null ? `${body.alias}/${p.slice(prefix.length)}` : `${root}${p}`);
  for (const attempt of body.tryFiles ?? [path]) {
    if (attempt.startsWith('=')) return answer(Number(attempt.slice(1)) || 404);
    const text = fileAt(world, placeOf(attempt.replace('$uri', path).split('?')[0] as string), body.index, nginxPages);
    if (text !== null) return answer(200, text);
  }
  problem(`open() "${placeOf(path)}" failed (2: No such file or directory)`);
  return answer(404);
}

const stopsNginx = { QUIT: 0, TERM: 0, INT: 0 };
function* nginx(proc: Proc, world: World, args: readonly string[]): Go<number> {
  proc.argv = [`nginx: master process ${args.join(' ')}`];
  writePid(proc, world, '/var/run/nginx.pid');
  let servers: NginxServer[];
  try {
    servers = nginxConfigured(world);
  } catch (error) {
    if (!(error instanceof NginxError) && !(error instanceof BadRegex)) throw error;
    proc.warn(`nginx: [emerg] ${error.message}\n`);
    return 1;
  }
  if (args.includes('-t')) {
    proc.warn(`nginx: configuration file ${nginxMain} test is successful\n`);
    return 0;
  }
  const byPort = new Map<number, NginxServer>();
  for (const s of servers) for (const port of s.ports) if (!byPort.has(port)) byPort.set(port, s);
  return yield* server({
    stops: stopsNginx,
    stopTime: 30_000,
    startTime: 60_000,
    greeting: (_p, w) => `${formatDate(w.nowMillis(), '%Y/%m/%d %H:%M:%S')} [notice] 1#1: start worker processes\n`,
    listeners: () =>
      [...byPort].map(([port, s]) => listenerOf(proc, world, port, (r) => nginxAnswers(proc, world, s, r), s.secure)),
  })(proc, world, args);
}

const listenerOf = (
  proc: Proc,
  world: World,
  port: number,
  answers: (request: HttpRequest) => HttpResponse,
  secure = false,
): Listener => ({
  port,
  ...(secure && { secure }),
  *http(request) {
    const response = answers(request);
    access(proc, world, request, response);
    return response;
  },
});

/** Says where other programs find the process. Whoever may not write there goes without. */
function writePid(proc: Proc, world: World, path: string): void {
  try {
    const o = world.fs.open(path, 'truncate');
    o.fs.append(o.node, `${proc.pid}\n`, o.path);
  } catch (error) {
    if (!(error instanceof OSError)) throw error;
  }
}

// --- the others ------------------------------------------------------------------------------------------------------

const httpdPage = '<html><body><h1>It works!</h1></body></html>\n';
const httpdPages: Pages = {
  folder: '/usr/local/apache2/htdocs',
  pages: { '/': httpdPage, '/index.html': httpdPage },
};

const files =
  (port: number, { folder, pages }: Pages) =>
  (proc: Proc, world: World): Listener[] => [
    listenerOf(proc, world, port, (request) => {
      const text = fileAt(world, `${folder}${pathOf(request)}`, ['index.html'], { folder, pages });
      return text === null ? answer(404) : answer(200, text);
    }),
  ];

const caddyPage = '<!DOCTYPE html>\n<html>\n<head>\n<title>Caddy works!</title>\n</head>\n</html>\n';
const caddyPages: Pages = { folder: '/usr/share/caddy', pages: { '/': caddyPage, '/index.html': caddyPage } };

/** caddy with the Caddyfile that is mounted: its port, `respond` and the root of its files. */
function caddyListeners(proc: Proc, world: World): Listener[] {
  const file = '/etc/caddy/Caddyfile';
  const text = world.fs.lookup(file)?.kind === 'file' ? world.fs.read(file) : ':80 {\n root * /usr/share/caddy\n}\n';
  const port = Number(/^\s*(?:https?:\/\/)?[\w.*-]*:(\d+)\b/m.exec(text)?.[1] ?? 80);
  const folder = /^\s*root\s+(?:\*\s+)?(\/\S*)/m.exec(text)?.[1] ?? '/';
  const responds = [...text.matchAll(/^\s*respond\s+(?:(\/\S*)\s+)?(?:"([^"]*)")?\s*(\d{3})?\s*$/gm)].map(
    ([, path = '', body = '', code = '200']) => ({ path, body, code: Number(code) }),
  );
  const isOf = (path: string, pattern: string) =>
    pattern === '' || path === pattern || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
  return [
    listenerOf(proc, world, port, (request) => {
      const path = pathOf(request);
      const own = responds.filter((r) => isOf(path, r.path)).sort((a, b) => b.path.length - a.path.length)[0];
      if (own) return answer(own.code, own.body);
      const found = fileAt(world, `${folder}${path}`, ['index.html'], caddyPages);
      return found === null ? answer(404, '') : answer(200, found);
    }),
  ];
}

/** hashicorp/http-echo: the text of -text on every path; -listen has the port, by default 5678. */
function* httpEcho(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const value = (name: string): string | undefined => {
    const at = args.findIndex((a) => new RegExp(`^--?${name}(=|$)`).test(a));
    const own = args[at] ?? '';
    return at < 0 ? undefined : own.includes('=') ? own.slice(own.indexOf('=') + 1) : args[at + 1];
  };
  const text = value('text') ?? proc.env.get('ECHO_TEXT');
  if (text === undefined) {
    proc.warn('Missing -text option!\n');
    return 127;
  }
  const port = Number(/(\d+)$/.exec(value('listen') ?? '')?.[1] ?? 5678);
  const status = Number(value('status-code') ?? 200);
  return yield* server({
    stops: { TERM: 0, INT: 0 },
    stopTime: 5000,
    startTime: 10_000,
    greeting: (_p, w) => `${formatDate(w.nowMillis(), '%Y/%m/%d %H:%M:%S')} [INFO] server is listening on :${port}\n`,
    listeners: () => [listenerOf(proc, world, port, () => answer(status, `${text}\n`))],
  })(proc, world, args);
}

export const webPrograms: Readonly<Record<string, Program>> = {
  nginx,
  'httpd-foreground': server({
    stops: { WINCH: 0, TERM: 0, INT: 0 },
    stopTime: 20_000,
    startTime: 80_000,
    listeners: files(80, httpdPages),
    greeting: (_p, w) => {
      const at = `[${formatDate(w.nowMillis(), '%a %b %d %T %Y')}]`;
      return (
        `${at} AH00489: Apache/2.4 (Unix) configured -- resuming normal operations\n` +
        `${at} AH00094: Command line: 'httpd -D FOREGROUND'\n`
      );
    },
  }),
  caddy: server({
    stops: { TERM: 0, INT: 0 },
    stopTime: 5000,
    startTime: 50_000,
    listeners: caddyListeners,
    greeting: () => '{"level":"info","msg":"serving initial configuration"}\n',
  }),
  'http-echo': httpEcho,
};
