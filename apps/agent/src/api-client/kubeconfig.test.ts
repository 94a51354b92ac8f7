import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer as createHTTP, get as httpGet } from 'node:http';
import { createServer as createHTTPS, get as httpsGet } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { loadKubeconfig, type ServerAccess } from './kubeconfig.js';

let folder: string;
const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
const base64 = (text: string) => Buffer.from(text).toString('base64');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-kubeconfig-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function write(text: string): Promise<string> {
  const file = join(folder, `config-${++files}`);
  await writeFile(file, text);
  return file;
}
const config = (cluster: string, user: string, head = 'current-context: c') => `apiVersion: v1
kind: Config
${head}
contexts:
- {name: c, context: {cluster: k, user: u}}
- {name: none, context: {cluster: gone, user: u}}
- {name: nobody, context: {cluster: k, user: ghost}}
clusters:
- name: k
  cluster: ${cluster}
users:
- name: u
  user: ${user}
`;
const plain = '{server: "https://10.0.0.1:6443/k8s/"}';
const load = async (text: string, env = {}): Promise<ServerAccess> => loadKubeconfig(await write(text), { env });
const text = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (err: Error) => err.message.replaceAll(folder, ''),
  );
const header = async (access: ServerAccess) => (await access.next()).headers.Authorization;

describe('a kubeconfig that is wrong is refused in words', () => {
  it.each([
    ['{auth-provider: {name: gcp, config: null}}'],
    ['{auth-provider: {name: gcp}}'],
    ['{auth-provider: gcp}'],
    ['{auth-provider: {name: null, config: {access-token: x}}}'],
    ['{auth-provider: {name: gcp, config: [x]}}'],
  ])('credentials %s', async (user) => {
    expect(await text(load(config(plain, user)))).toMatch(
      /^\/config-\d+:\d+:\d+: auth-provider of user "u" must be a map with a name and a config, .*use what your provider has now \(exec\)$/,
    );
  });
  it.each([
    ['server: "https://me:s3cret@10.0.0.1:6443"', /server of cluster "k" is "https:\/\/\*\*\*@10.0.0.1:6443", but/],
    ['server: "https://:s3cret@10.0.0.1"', /is "https:\/\/\*\*\*@10.0.0.1", but/],
    ['server: "https://me:s3/cret@10.0.0.1"', /is "https:\/\/\*\*\*@10.0.0.1", but/],
    ['server: "https://10.0.0.1?token=s3cret"', /is "https:\/\/10.0.0.1\?\*\*\*", but/],
    ['server: {url: s3cret}', /is "no text", but/],
    [
      'server: "https://x", proxy-url: "http://me:s3/cret@:x"',
      /the proxy \(proxy-url\) is "http:\/\/\*\*\*@:x", but must be a URL/,
    ],
    ['server: "https://x", proxy-url: "me:s3cret@proxy:3128"', /the proxy \(proxy-url\) is "\*\*\*@proxy:3128", but/],
  ])('a password is not repeated: %s', async (cluster, why) => {
    const said = await text(load(config(`{${cluster}}`, '{}')));
    expect(said).toMatch(why);
    expect(said).not.toMatch(/s3|cret/);
  });

  it('the environment’s proxy, without its password', async () => {
    const said = await text(load(config(plain, '{}'), { HTTPS_PROXY: 'http://me:s3cret@[' }));
    expect(said).toMatch(/the proxy \(of the environment\) is "http:\/\/\*\*\*@\[", but must be a URL/);
    expect(said).not.toContain('s3cret');
  });

  it('aliases that multiply, and what no header may have, with the place and not with a stack', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `${'abcdefghi'[i]}: &${'abcdefghi'[i]} [${Array(9)
          .fill(`*${'abcdefghi'[i - 1]}`)
          .join(',')}]`,
      );
    expect(await text(load(`${bomb.join('\n')}\n${config(plain, '{}')}`))).toMatch(/^\/config-\d+: .*alias/i);
    expect(await text(load(config(plain, '{token: "a\\r\\nX-Remote-User: root"}')))).toMatch(
      /^\/config-\d+: the token of user "u" has a character that no header may have/,
    );
    const file = join(folder, 'token-lines');
    await writeFile(file, 'a\r\nb');
    expect(await text(load(config(plain, `{tokenFile: ${file}}`)))).toMatch(
      /the token file \/token-lines of user "u" has a character that no header may have/,
    );
  });

  it('files that it names are read if they are files, and no larger than 1 MiB', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const big = join(folder, 'big');
    await writeFile(big, 'x');
    await truncate(big, 2 ** 40);
    for (const [path, why] of [
      [pipe, /it is a named pipe, not a file/],
      ['/dev/zero', /it is a device, not a file/],
      [big, /it is larger than 1048576 bytes/],
    ] as const) {
      expect(await text(loadKubeconfig(path, { env: {} }))).toMatch(why);
      expect(await text(load(config(plain, `{tokenFile: ${path}}`)))).toMatch(why);
      expect(await text(load(config(`{server: "https://x", certificate-authority: ${path}}`, '{}')))).toMatch(why);
      expect(await text(load(config(plain, `{client-certificate: ${path}, client-key: ${path}}`)))).toMatch(why);
    }
  });

  it.each([
    ['writes without end', 'yes', /it wrote more than 1048576 bytes/],
    ['answers nonsense', 'echo s3cret', /did not answer with JSON; it must print an ExecCredential as JSON/],
    ['answers something else', 'echo "{}"', /did not answer with an ExecCredential/],
    ['has nothing to give', `echo '{"kind": "ExecCredential", "status": {}}'`, /gave neither a token nor a client/],
    ['says much on stderr', 'head -c 9999999 /dev/zero >&2; exit 1', /exit status 1/],
  ])('a plug-in that %s', async (_, script, why) => {
    const program = join(folder, `plugin-${++files}`);
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o755);
    const said = await text(
      load(config(plain, `{exec: {command: ${program}, apiVersion: client.authentication.k8s.io/v1}}`)),
    );
    expect(said).toMatch(why);
    expect(said.length).toBeLessThan(1000);
    expect(said).not.toContain('s3cret');
  });

  it('missing', async () => {
    expect(await text(loadKubeconfig(join(folder, 'nothing'), { env: {} }))).toMatch(
      /^cannot read --kubeconfig \/nothing: there is no such file; give a kubeconfig .* or leave the flag out/,
    );
  });

  it.each([
    ['no YAML', 'a: [', /^\/config-\d+:1:\d+: /],
    ['no kubeconfig', 'apiVersion: v1\nkind: Pod\n', /:1:1: this is not a kubeconfig/],
    [
      'no context chosen',
      config(plain, '{}', ''),
      /no current-context is set \(there are: "c", "none", "nobody"\): kubectl config use-context/,
    ],
    [
      'an unknown context',
      config(plain, '{}', 'current-context: d'),
      /:3:1: the context "d" does not exist or names no cluster; there are: "c"/,
    ],
    [
      'a prototype for a context',
      config(plain, '{}', 'current-context: __proto__'),
      /the context "__proto__" does not exist/,
    ],
    [
      'an unknown cluster',
      config(plain, '{}', 'current-context: none'),
      /the cluster "gone" of the context does not exist; there are: "k"/,
    ],
    [
      'an unknown user',
      config(plain, '{}', 'current-context: nobody'),
      /the user "ghost" of the context does not exist; there are: "u"/,
    ],
    ['no server', config('{}', '{}'), /:10:\d+: server of cluster "k" is null, but must be a URL/],
    ['no URL', config('{server: "10.0.0.1"}', '{}'), /:10:13: server of cluster "k" is "10.0.0.1", but must be a URL/],
    ['another scheme', config('{server: "ftp://x"}', '{}'), /must be a URL such as https/],
    [
      'a number for a CA file',
      config('{server: "https://x", certificate-authority: 7}', '{}'),
      /:10:\d+: certificate-authority of cluster "k" must be a text: put it in quotes$/,
    ],
    [
      'a number for a path',
      config(plain, '{client-certificate: 2147483647}'),
      /:13:\d+: client-certificate of user "u" must be a text: put it in quotes$/,
    ],
    ['a map for a token', config(plain, '{token: {a: b}}'), /:13:\d+: token of user "u" must be a text/],
    [
      'a CA file that is away',
      config('{server: "https://x", certificate-authority: ca.crt}', '{}'),
      /names \/ca\.crt, which cannot be read: there is no such file/,
    ],
    [
      'a CA that is none',
      config(`{server: "https://x", certificate-authority-data: ${base64('x')}}`, '{}'),
      /the certificate authority of the cluster is not a certificate in PEM/,
    ],
    [
      'a CA and no check',
      config(`{server: "https://x", insecure-skip-tls-verify: true, certificate-authority-data: ${base64('x')}}`, '{}'),
      /with the insecure flag is not allowed/,
    ],
    [
      'a certificate alone',
      config(plain, `{client-certificate-data: ${base64(authority.certPem)}}`),
      /user "u" has a client certificate without its key/,
    ],
    ['no token file', config(plain, '{tokenFile: token-x}'), /cannot read the token file \/token-x/],
    [
      'a plug-in that is away',
      config(plain, '{exec: {apiVersion: client.authentication.k8s.io/v1, command: nowhere-at-all}}'),
      /the credential plug-in of user "u" in .* cannot be run: .*; install it or use another user/,
    ],
    [
      'a plug-in that fails',
      config(plain, '{exec: {command: sh, args: [-c, "echo no login >&2; exit 3"]}}'),
      /no credentials of user "u" in .*: no login/,
    ],
  ])('%s', async (_, config, expected) => {
    expect(await text(load(config))).toMatch(expected);
  });
});

describe('credentials', () => {
  it('a token, a name with a password, nobody', async () => {
    const access = await load(config(plain, '{token: abc}'));
    expect(access.url).toBe('https://10.0.0.1:6443/k8s');
    expect(await header(access)).toBe('Bearer abc');
    expect(await header(await load(config(plain, '{username: me, password: pw}')))).toBe(`Basic ${base64('me:pw')}`);
    expect((await (await load(config(plain, '{}'))).next()).headers).toEqual({});
  });

  it('whatever those have that are not used', async () => {
    const other = '- {name: v, user: {client-key: {a: b}, client-certificate: 7}}';
    expect(await header(await load(`${config(plain, '{token: t}')}${other}\n`))).toBe('Bearer t');
  });
  it('a token file is read anew after the server refused, and stands while it is away', async () => {
    const token = join(folder, 'token');
    await writeFile(token, 'one\n');
    const access = await load(config(plain, '{tokenFile: token}'));
    expect(await header(access)).toBe('Bearer one');
    await writeFile(token, 'two\n');
    expect(await header(access)).toBe('Bearer one');
    access.refused();
    expect(await header(access)).toBe('Bearer two');
    await rm(token);
    access.refused();
    expect(await header(access)).toBe('Bearer two');
  });

  it('keeps its connections while the credentials are the same', async () => {
    const access = await load(config(plain, '{token: abc}'));
    const { agent } = await access.next();
    access.refused();
    expect((await access.next()).agent).toBe(agent);
  });

  it('a plug-in beside the file, which is told of the protocol and the cluster', async () => {
    const script = join(folder, 'plugin.mjs');
    await writeFile(
      script,
      `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const token = [process.argv[2], process.env.EXTRA, info.apiVersion, info.spec.cluster.server].join('|');
console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential',
  status: { token, expirationTimestamp: new Date(Date.now() + 3600000).toISOString() } }));
`,
    );
    await chmod(script, 0o755);
    const access = await load(
      config(
        plain,
        '{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin.mjs, args: [arg], env: [{name: EXTRA, value: env}], provideClusterInfo: true}}',
      ),
    );
    expect(await header(access)).toBe('Bearer arg|env|client.authentication.k8s.io/v1|https://10.0.0.1:6443/k8s/');
  });
});

describe('connections', () => {
  it('go through the proxy that the file or the environment names', async () => {
    const pair = authority.issue({ commonName: 'api', hosts: ['api.test'], days: 1, usage: 'server' });
    const server = createHTTPS({ cert: pair.certPem, key: pair.keyPem }, (_, response) => response.end('through'));
    const asked: string[] = [];
    const proxy = createHTTP();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const { port } = server.address() as AddressInfo;
      const out = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        out.pipe(socket).pipe(out);
      });
      for (const one of [socket, out]) one.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const ask = async (cluster: string, env: object) => {
      const access = await load(config(cluster, '{}'), env);
      const { agent } = await access.next();
      return new Promise<string>((resolve, reject) => {
        httpsGet(`${access.url}/`, { agent }, (response) => {
          response.setEncoding('utf8').on('data', (data: string) => {
            access.close();
            resolve(data);
          });
        }).on('error', reject);
      });
    };
    const ca = `certificate-authority-data: ${base64(authority.certPem)}`;
    expect(await ask(`{server: "https://api.test:6443", ${ca}, proxy-url: "${url}"}`, {})).toBe('through');
    expect(await ask(`{server: "https://api.test:6443", ${ca}}`, { HTTPS_PROXY: url })).toBe('through');
    expect(asked).toEqual(['api.test:6443', 'api.test:6443']);
    for (const one of [server, proxy]) {
      one.close();
      one.closeAllConnections();
    }
  });

  it('may be plain HTTP, as kubectl takes it', async () => {
    const server = createHTTP((request, response) => response.end(request.headers.authorization));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const access = await load(config(`{server: "http://127.0.0.1:${port}"}`, '{token: t}'));
    const { agent, headers } = await access.next();
    const body = await new Promise<string>((resolve) =>
      httpGet(access.url, { agent, headers }, (response) => response.setEncoding('utf8').on('data', resolve)),
    );
    expect(body).toBe('Bearer t');
    access.close();
    server.close();
  });
});
