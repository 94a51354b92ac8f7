import { chmod, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf as anyError, fakeRuntime, realKernel, tempFolder } from '../testing/harness.js';
import { connectRuntime } from './client.js';
import { type EndpointError, socketPath } from './endpoint.js';
import { serveRuntime } from './server.js';

const errorOf = (promise: Promise<unknown>) => anyError<EndpointError>(promise);

const listen = (path: string) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });

/** A socket file that nobody listens on, as a runtime that was killed leaves it. */
async function staleSocket(path: string): Promise<void> {
  const server = await listen(`${path}.born`);
  // Moved, since Node removes the file of a server that it closes.
  await rename(`${path}.born`, path);
  await new Promise((resolve) => server.close(resolve));
}

const serve = (endpoint: string) => {
  const fake = fakeRuntime({});
  return serveRuntime(realKernel(), fake, fake, endpoint);
};

describe('socketPath', () => {
  it('is the absolute path of unix:///path', () => {
    expect(socketPath('unix:///run/containerd/containerd.sock')).toBe('/run/containerd/containerd.sock');
  });

  it.each([
    ['/run/x.sock', 'container runtime endpoint "/run/x.sock" has no unix:// scheme: write unix:///run/x.sock'],
    ['tcp://127.0.0.1:1', /"tcp:\/\/127.0.0.1:1" .*only unix sockets are supported/],
    ['npipe:////./pipe/x', /only unix sockets are supported/],
    ['unix://run/x.sock', /written as unix:\/\/\/run\/containerd\/containerd.sock/],
    ['', /only unix sockets are supported/],
    [`unix:///${'x'.repeat(107)}`, /is longer than 107 bytes.*use a shorter path/],
  ])('refuses %s', (endpoint, text) => {
    expect(() => socketPath(endpoint)).toThrow(text);
  });
});

describe('connectRuntime says what is wrong', () => {
  it('no socket', async () => {
    const path = `${await tempFolder()}/none.sock`;
    const error = await errorOf(connectRuntime(`unix://${path}`));
    expect(error).toMatchObject({ name: 'EndpointError', code: 'missing' });
    expect(error.message).toMatch(`no container runtime socket at ${path}: `);
    expect(error.message).toMatch('--container-runtime-endpoint');
  });

  it('nobody listens', async () => {
    const path = `${await tempFolder()}/stale.sock`;
    await staleSocket(path);
    const error = await errorOf(connectRuntime(`unix://${path}`));
    expect(error.code).toBe('refused');
    expect(error.message).toMatch(`nobody listens at ${path}: the runtime that made this socket has stopped`);
  });

  it('no socket but a file', async () => {
    const path = `${await tempFolder()}/file`;
    await writeFile(path, '');
    const error = await errorOf(connectRuntime(`unix://${path}`));
    expect(error).toMatchObject({ code: 'not-a-socket', message: expect.stringContaining(`${path} is not a socket`) });
    expect((await errorOf(connectRuntime(`unix://${path}/cri.sock`))).code).toBe('not-a-socket');
  });

  it('permission denied', async () => {
    const folder = await tempFolder();
    await chmod(folder, 0o755);
    const path = `${folder}/closed.sock`;
    const server = await listen(path);
    onTestFinished(() => void server.close());
    await chmod(path, 0);
    // Root may connect to anything, so look as nobody does.
    if (process.getuid?.() === 0) {
      process.seteuid?.(65534);
      onTestFinished(() => process.seteuid?.(0));
    }
    const error = await errorOf(connectRuntime(`unix://${path}`));
    expect(error.code).toBe('permission');
    expect(error.message).toMatch(/may not connect to .* \(mode 0, owner \d+:\d+\): run as root or as a user/);
  });
});

describe('serveRuntime', () => {
  it('replaces a stale socket', async () => {
    const path = `${await tempFolder()}/cri.sock`;
    await staleSocket(path);
    const server = await serve(`unix://${path}`);
    onTestFinished(() => server.close());
    (await connectRuntime(`unix://${path}`)).close();
  });

  it('refuses to take the place of a live one', async () => {
    const path = `${await tempFolder()}/cri.sock`;
    const first = await serve(`unix://${path}`);
    onTestFinished(() => first.close());
    const error = await errorOf(serve(`unix://${path}`));
    expect(error).toMatchObject({ code: 'in-use', message: expect.stringContaining(`already listens at ${path}`) });
    (await connectRuntime(`unix://${path}`)).close();
  });

  it('refuses to replace what is no socket, links included', async () => {
    const folder = await tempFolder();
    await writeFile(`${folder}/file`, 'precious');
    await symlink('file', `${folder}/link`);
    for (const path of [`${folder}/file`, `${folder}/link`]) {
      expect(await errorOf(serve(`unix://${path}`))).toMatchObject({
        code: 'in-use',
        message: `${path} exists and is not a socket: remove it or choose another endpoint`,
      });
    }
  });

  it('names a folder that does not exist', async () => {
    const folder = `${await tempFolder()}/none`;
    expect((await errorOf(serve(`unix://${folder}/cri.sock`))).message).toMatch(
      `cannot create the socket cri.sock: there is no folder ${folder}: create it`,
    );
  });

  it('leaves alone a socket that has taken the place of its own', async () => {
    const path = `${await tempFolder()}/cri.sock`;
    const first = await serve(`unix://${path}`);
    await rename(path, `${path}.moved`);
    const second = await serve(`unix://${path}`);
    onTestFinished(() => second.close());
    await first.close();
    (await connectRuntime(`unix://${path}`)).close();
  });
});
