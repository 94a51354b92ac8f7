import { spawn } from 'node:child_process';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { readMessage } from '@syncloop/core/cri/wire';
import { background } from '@syncloop/core/kernel';
import { CRICaptureReader, type Evidence, EvidenceLinesReader } from '@syncloop/observe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRuntime } from '../cri/client.js';
import { connected } from '../cri/testing/connected.js';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { startAside } from './aside.js';
import { startTap } from './pipe.js';
import { type RunTapOptions, runTap } from './run.js';

const FAKE = { version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' };
const stdout = Buffer.alloc(12_000_000, 'x').toString('base64');
/** A runtime, a tap before it, and a client of the tap. */
async function tapped(options: Partial<RunTapOptions> = {}) {
  const kernel = realKernel();
  const { endpoint, folder } = await connected(kernel, {
    *version() {
      return FAKE;
    },
    *execSync() {
      return { stdout };
    },
  });
  const said: string[] = [];
  const tap = await runTap({
    listen: `${folder}/tap.sock`,
    target: endpoint.slice('unix://'.length),
    line: (text) => void said.push(text),
    warn: (text) => void said.push(text),
    ...options,
  });
  onTestFinished(() => tap.close());
  const client = await connectRuntime(`unix://${folder}/tap.sock`);
  onTestFinished(() => client.close());
  return { kernel, folder, tap, client, said };
}

describe('a tap', () => {
  it('writes a capture of all that went through, for this user only', async () => {
    const folder = await tempFolder();
    const file = `${folder}/capture.ndjson`;
    const { kernel, client, tap } = await tapped({ capture: { file, most: 1e9 } });
    await run(kernel, () => client.runtime.version(background, { version: '0.1.0' }));
    const long = await run(kernel, () => client.runtime.execSync(background, { containerId: 'c', cmd: ['sh'] }));
    expect(long.stdout).toBe(stdout);
    client.close();
    await tap.close();
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    const reader = new CRICaptureReader('cri', { readMessage });
    const evidence = [...reader.push(await readFile(file)), ...reader.end()];
    expect(evidence.filter((e) => e.kind === 'return')).toMatchObject([
      { method: 'Version', response: FAKE },
      { method: 'ExecSync', response: { stdout } },
    ]);
    expect(evidence.filter((e) => e.kind === 'gap')).toEqual([]);
    expect(Math.abs((evidence[0]?.at ?? 0) / 1000 - Date.now())).toBeLessThan(60_000);
    await expect(tapped({ capture: { file, most: 1 } })).rejects.toThrow(/is there already/);
  });

  it('prints a line for each call', async () => {
    const { kernel, client, said } = await tapped({ lines: 'all' });
    await run(kernel, () => client.runtime.version(background, { version: '0.1.0' }));
    await expect.poll(() => said).toContainEqual(expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} Version [\d.]+ ms$/));
  });

  it('ends a capture at its limit, and goes on', async () => {
    const folder = await tempFolder();
    const file = `${folder}/capture.ndjson`;
    const { kernel, client, said } = await tapped({ capture: { file, most: 600 } });
    for (let i = 0; i < 3; i++) await run(kernel, () => client.runtime.version(background, { version: '0.1.0' }));
    await expect.poll(() => said).toContainEqual(expect.stringMatching(/ends here: it has reached its limit/));
    expect((await lstat(file)).size).toBeLessThanOrEqual(600);
    await run(kernel, () => client.runtime.version(background, { version: '0.1.0' }));
  });
});

describe('a tap of its own process', () => {
  it.skipIf(process.platform !== 'linux')('has as many descriptors after floods as before', async () => {
    const kernel = realKernel();
    const { endpoint, folder } = await connected(kernel, {
      *version() {
        return FAKE;
      },
    });
    const tap = spawn(process.execPath, [
      fileURLToPath(new URL('../../bin/syncloop.mjs', import.meta.url)),
      ...['tap', '--endpoint', endpoint, '--listen', `unix://${folder}/tap.sock`],
    ]);
    onTestFinished(() => void tap.kill('SIGKILL'));
    await expect.poll(() => lstat(`${folder}/tap.sock`).catch(() => null)).not.toBeNull();
    const { runtime } = await connectRuntime(`unix://${folder}/tap.sock`);
    await run(kernel, () => runtime.version(background, {}));
    const sockets = async () => {
      const all = (await readdir(`/proc/${tap.pid}/fd`)).map((fd) =>
        readlink(`/proc/${tap.pid}/fd/${fd}`).catch(() => ''),
      );
      return (await Promise.all(all)).filter((to) => to.startsWith('socket:')).length;
    };
    const before = await sockets();
    for (let flood = 0; flood < 3; flood++) {
      const clients = [...Object.values(BYTES), ...Object.values(BYTES)].flatMap((bytes) =>
        Array.from({ length: 10 }, () => {
          const socket = connect(`${folder}/tap.sock`);
          socket.on('error', () => {});
          socket.write(bytes);
          return socket;
        }),
      );
      await expect.poll(sockets).toBeGreaterThan(before);
      for (const socket of clients) socket.destroy();
      await expect.poll(sockets).toBe(before);
    }
    await run(kernel, () => runtime.version(background, {}));
  });
  const hello = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
  /**
   * The bytes of clients of a flood. After an error of protocol Node's HTTP/2 does not hang up, nor hear that they do.
   */
  const BYTES = {
    none: Buffer.alloc(0),
    noHTTP: Buffer.alloc(3000, 'x'),
    hello,
    halfAFrame: Buffer.concat([hello, Buffer.from([0, 100, 0, 0])]),
    tooLongAFrame: Buffer.concat([hello, Buffer.from([255, 255, 255, 9, 0, 0, 0, 0, 1]), Buffer.alloc(100)]),
    noStream: Buffer.concat([hello, Buffer.from([0, 16, 0, 0, 0, 0, 0, 0, 1]), Buffer.alloc(5000)]),
  };
});

describe('the thread beside a tap', () => {
  it('may fail as it likes: the pipe goes on, and it is started again', async () => {
    const kernel = realKernel();
    const { endpoint, folder } = await connected(kernel, {
      *version() {
        return FAKE;
      },
    });
    const said: string[] = [];
    let starts = 0;
    const aside = startAside({
      lines: 'all',
      line: () => {},
      warn: (text) => void said.push(text),
      start: () => {
        starts++;
        return new Worker(
          "require('node:worker_threads').parentPort.on('message', () => { throw new Error('a defect') })",
          {
            eval: true,
            execArgv: [],
          },
        );
      },
    });
    const tap = await startTap({
      listen: `${folder}/tap.sock`,
      target: endpoint.slice('unix://'.length),
      onChunk: (event) => aside.take(event),
    });
    onTestFinished(async () => {
      await tap.close();
      await aside.close();
    });
    const client = await connectRuntime(`unix://${folder}/tap.sock`);
    onTestFinished(() => client.close());
    const ask = () => run(kernel, () => client.runtime.version(background, {}));
    expect((await ask()).runtimeName).toBe('fake');
    await expect.poll(() => said.length).toBeGreaterThan(0);
    expect(said[0]).toMatch(/the decoder of the tap failed and is started again; the pipe goes on: a defect/);
    expect((await ask()).runtimeName).toBe('fake');
    await expect.poll(() => starts).toBeGreaterThan(1);
    expect((await ask()).runtimeName).toBe('fake');
  });

  it('tells programs of this user what was decoded', async () => {
    const kernel = realKernel();
    const { folder, endpoint } = await connected(kernel, {
      *version() {
        return FAKE;
      },
    });
    const path = `${folder}/evidence.sock`;
    const tap = await runTap({
      listen: `${folder}/tap.sock`,
      target: endpoint.slice('unix://'.length),
      evidence: path,
      line: () => {},
      warn: () => {},
    });
    onTestFinished(() => tap.close());
    await expect
      .poll(() =>
        lstat(path).then(
          (s) => s.mode & 0o777,
          () => 0,
        ),
      )
      .toBe(0o600);
    const listener = connect(path);
    onTestFinished(() => void listener.destroy());
    const reader = new EvidenceLinesReader('tap');
    const heard: Evidence[] = [];
    listener.on('data', (bytes) => void heard.push(...reader.push(bytes)));
    await new Promise((resolve) => listener.once('connect', resolve));
    const client = await connectRuntime(`unix://${folder}/tap.sock`);
    onTestFinished(() => client.close());
    const ask = () => run(kernel, () => client.runtime.version(background, {}));
    // The thread accepts the listener some time after it has connected.
    await expect
      .poll(async () => {
        await ask();
        return heard.map((e) => [e.kind, e.source, e.kind === 'return' && e.response]);
      })
      .toContainEqual(['return', 'tap', FAKE]);
  });
});
