/** The part of nginx's configuration that decides what a request gets: servers, locations, return, files. */
import { Regex } from '../patterns/regex.js';

/** A directive with its words, and what stands in its braces. */
interface Directive {
  readonly words: readonly string[];
  readonly block: readonly Directive[] | null;
  /** Its place: `/etc/nginx/conf.d/default.conf:3`. */
  readonly at: string;
}

export interface NginxLocation {
  readonly matches: (path: string) => boolean;
  /** The length of the prefix; an exact path beats all, and a regular expression all prefixes. */
  readonly rank: number;
  readonly prefix: string;
  readonly body: NginxBody;
}
export interface NginxBody {
  readonly root: string | null;
  readonly alias: string | null;
  readonly index: readonly string[];
  readonly tryFiles: readonly string[] | null;
  readonly returns: { readonly code: number; readonly text: string } | null;
  /** It hands requests on to a server that the simulation does not have. */
  readonly passes: string | null;
  readonly denies: boolean;
  readonly stub: boolean;
}
export interface NginxServer {
  readonly ports: readonly number[];
  readonly secure: boolean;
  readonly body: NginxBody;
  readonly locations: readonly NginxLocation[];
}

/** nginx refuses the configuration, in nginx's words. */
export class NginxError extends Error {}

const most = 200_000;

/** Reads a file of configuration, in which `include` was replaced. Throws an NginxError. */
export function nginxServers(text: string, file: string): NginxServer[] {
  if (text.length > most) throw new NginxError(`too long configuration in ${file}`);
  const servers: NginxServer[] = [];
  const visit = (directives: readonly Directive[]): void => {
    for (const d of directives) {
      if (d.words[0] === 'server' && d.block) servers.push(serverOf(d.block));
      else if (d.words[0] === 'http' && d.block) visit(d.block);
    }
  };
  visit(directivesOf(text, file));
  return servers;
}

/** The patterns that `include` names at the top level and in `http`. */
export function includesOf(text: string, file: string): string[] {
  const all = directivesOf(text, file);
  const inside = all.filter((d) => d.words[0] === 'http').flatMap((d) => d.block ?? []);
  return [...all, ...inside].flatMap(({ words }) => (words[0] === 'include' && words[1] ? [words[1]] : []));
}

function directivesOf(text: string, file: string): Directive[] {
  const root: Directive[] = [];
  const open: Directive[][] = [root];
  let words: string[] = [];
  let line = 1;
  const token = /\s+|#[^\n]*|([{};])|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(?:[^\s;{}"'\\$]|\\.|\$\{\w+\}|\$)+/gy;
  for (let m = token.exec(text); m; m = token.exec(text)) {
    const [whole, mark, double, single] = m;
    line += whole.split('\n').length - 1;
    if (/^[\s#]/.test(whole)) continue;
    const own = open.at(-1) as Directive[];
    if (mark === ';') {
      if (words.length === 0) throw new NginxError(`unexpected ";" in ${file}:${line}`);
      own.push({ words, block: null, at: `${file}:${line}` });
    } else if (mark === '{') {
      if (words.length === 0) throw new NginxError(`unexpected "{" in ${file}:${line}`);
      const block: Directive[] = [];
      own.push({ words, block, at: `${file}:${line}` });
      open.push(block);
      if (open.length > 30) throw new NginxError(`too many blocks in ${file}:${line}`);
    } else if (mark === '}') {
      if (words.length > 0 || open.length === 1) throw new NginxError(`unexpected "}" in ${file}:${line}`);
      open.pop();
    } else {
      const quoted = double ?? single;
      words.push(quoted === undefined ? whole : quoted.replace(/\\(["'\\])/g, '$1').replaceAll('\\n', '\n'));
      continue;
    }
    words = [];
  }
  if (open.length > 1 || words.length > 0)
    throw new NginxError(
      `unexpected end of file, expecting ${words.length > 0 ? '";" or "}"' : '"}"'} in ${file}:${line}`,
    );
  return root;
}

const listenParameter =
  /^(default_server|default|ssl|http2|quic|spdy|proxy_protocol|deferred|bind|reuseport|accept_filter=.*|\w+=.*)$/;

function serverOf(block: readonly Directive[]): NginxServer {
  for (const { words, at } of block) {
    const wrong = words[0] === 'listen' ? words.slice(2).find((w) => !listenParameter.test(w)) : undefined;
    if (wrong !== undefined) throw new NginxError(`invalid parameter "${wrong}" in ${at}`);
  }
  const listens = block.filter((d) => d.words[0] === 'listen').map((d) => d.words.slice(1));
  const ports = listens.map(([address = '']) => Number(/(?:^|:)(\d+)$/.exec(address)?.[1] ?? 80));
  const body = bodyOf(block, null);
  return {
    ports: [...new Set(ports.length > 0 ? ports : [80])],
    secure: listens.some((words) => words.includes('ssl')),
    body,
    locations: block.flatMap((d) => (d.words[0] === 'location' && d.block ? locationOf(d.words, d.block, body) : [])),
  };
}

function locationOf(words: readonly string[], block: readonly Directive[], outer: NginxBody): NginxLocation[] {
  const [, first = '', second = ''] = words;
  const body = bodyOf(block, outer);
  if (first === '=') return [{ matches: (p) => p === second, rank: 1e6, prefix: second, body }];
  if (first === '~' || first === '~*') {
    const regex = new Regex(second, { extended: true, ignoreCase: first === '~*' });
    return [{ matches: (p) => regex.test(p, () => {}), rank: 1e5, prefix: '', body }];
  }
  const prefix = first === '^~' ? second : first;
  return [{ matches: (p) => p.startsWith(prefix), rank: prefix.length + (first === '^~' ? 1e5 + 1 : 0), prefix, body }];
}

function bodyOf(block: readonly Directive[], outer: NginxBody | null): NginxBody {
  const words = (name: string): readonly string[] | null =>
    block.find((d) => d.words[0] === name)?.words.slice(1) ?? null;
  const returns = words('return');
  const code = Number(returns?.[0] ?? Number.NaN);
  return {
    root: words('root')?.[0] ?? outer?.root ?? null,
    alias: words('alias')?.[0] ?? null,
    index: words('index') ?? outer?.index ?? ['index.html'],
    tryFiles: words('try_files'),
    returns: returns && { code: Number.isInteger(code) ? code : 302, text: returns[1] ?? '' },
    passes: (words('proxy_pass') ?? words('fastcgi_pass') ?? words('uwsgi_pass') ?? words('grpc_pass'))?.[0] ?? null,
    denies: words('deny')?.[0] === 'all' && words('allow') === null,
    stub: words('stub_status') !== null,
  };
}

/** The location of a path: the exact one, then a regular expression, then the longest prefix. */
export function locationFor(server: NginxServer, path: string): NginxBody {
  let best: NginxLocation | null = null;
  for (const l of server.locations) if (l.matches(path) && (best === null || l.rank > best.rank)) best = l;
  return best?.body ?? server.body;
}
