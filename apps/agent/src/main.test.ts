import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { newMockRuntime } from '@syncloop/core/mock';
import { parseScenario } from '@syncloop/core/scenario';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { serveRuntime } from './cri/server.js';
import { main } from './main.js';
import { realKernel, tempFolder } from './testing/harness.js';

/** Runs a command line; a signal, if the command waits for one, comes at once. */
async function syncloop(...argv: string[]) {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  };
  return { code: await main(argv, io), out, err };
}

describe('syncloop', () => {
  it('tells its version', async () => {
    expect(await syncloop('version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^syncloop \d+\.\d+\.\d+ \(behaves as kubelet v1\.36/),
    });
    expect((await syncloop('--version')).out).toMatch(/^syncloop /);
  });

  it('explains itself', async () => {
    expect((await syncloop()).code).toBe(2);
    const { code, out } = await syncloop('help');
    expect(code).toBe(0);
    for (const name of [
      'serve',
      'kubelet',
      'simulate',
      'explore',
      'why',
      'info',
      'export',
      'import',
      'serve-mock',
      'version',
      'help',
    ]) {
      expect(out).toContain(`  ${name} `);
      expect((await syncloop('help', name)).out).toContain(`Usage: syncloop ${name}`);
    }
    expect((await syncloop('kubelet', '--help')).out).toContain('--container-runtime-endpoint');
  });

  it.each([
    [['simluate'], 'syncloop: unknown command "simluate" (did you mean syncloop simulate?); see: syncloop help\n'],
    [['help', 'constructor'], 'syncloop: unknown command "constructor"; see: syncloop help\n'],
    [['serve', '--prot', '1'], 'syncloop: unknown flag --prot (did you mean --port?); see: syncloop help serve\n'],
    [['serve', 'x'], 'syncloop: unexpected argument "x": serve takes flags only\n'],
    [['serve', '--host', '0.0.0.0'], expect.stringContaining('listens on loopback only. Use --host 127.0.0.1')],
    [
      ['kubelet', '--kubeconfig', 'x'],
      expect.stringContaining('cannot read --kubeconfig x: there is no such file; give a kubeconfig'),
    ],
    [['kubelet', '--config', '/nonexistent'], expect.stringContaining('cannot read --config /nonexistent: ENOENT')],
    [['simulate'], 'syncloop: a scenario is required: give a name of the library or a file: syncloop simulate hello\n'],
  ])('refuses %j', async (argv, err) => {
    expect(await syncloop(...argv)).toMatchObject({ code: 2, err });
  });

  it('serves until a signal', async () => {
    const { code, out } = await syncloop('serve', '--port', '0');
    expect(out).toMatch(/^syncloop: open http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{46}\n$/);
    expect(code).toBe(0);
  });

  it('serves the mock runtime until a signal', async () => {
    const endpoint = `unix://${await tempFolder()}/cri.sock`;
    expect(await syncloop('serve-mock', endpoint)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`mock runtime at ${endpoint}\n`),
    });
  });

  it('needs a runtime for a kubelet', async () => {
    const folder = await tempFolder();
    await writeFile(`${folder}/file`, '');
    const { code, err } = await syncloop(
      'kubelet',
      '--root-dir',
      `${folder}/root`,
      '--container-runtime-endpoint',
      `unix://${folder}/file`,
    );
    expect(code).toBe(1);
    expect(err).toContain(`${folder}/file is not a socket`);
  });

  it('does not keep a signal waiting while a kubelet waits for its runtime', async () => {
    const folder = await tempFolder();
    const begun = performance.now();
    const socket = `unix://${folder}/none.sock`;
    const { code, err } = await syncloop(
      ...['kubelet', '--root-dir', `${folder}/root`, '--container-runtime-endpoint', socket],
    );
    expect(code).toBe(0);
    expect(err).toContain('syncloop: SIGTERM: stopping; the kubelet had not started\n');
    // A runtime has half a minute to come up.
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('says so when a port is taken, before the kubelet does anything', async () => {
    const folder = await tempFolder();
    const kernel = realKernel();
    const mock = newMockRuntime(kernel);
    const runtime = await serveRuntime(kernel, mock.runtime, mock.image, `unix://${folder}/cri.sock`);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await syncloop(
      ...['kubelet', '--root-dir', `${folder}/root`, '--container-runtime-endpoint', `unix://${folder}/cri.sock`],
      ...['--healthz-port', '0', '--enable-server=false', '--ui-port', String(port)],
    );
    taken.close();
    await runtime.close();
    expect(code).toBe(1);
    expect(err).toBe(
      `syncloop: port ${port} of 127.0.0.1 is taken by another program: stop it, or choose another with --ui-port (0 for any free one), or leave the debugger out with --no-ui\n`,
    );
  });
});

describe('syncloop simulate', () => {
  it('sums up, and gives the same bytes for the same seed', async () => {
    const folder = await tempFolder();
    const run = (file: string, seed: string) =>
      syncloop('simulate', 'hello', '--seed', seed, '--record', `${folder}/${file}`, '--until', '20s');
    const first = await run('a', '7');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^hello \(seed 7\): .*\nsimulated 20s, \d+ decisions, \d+ records\npods at the end:/);
    await run('b', '7');
    await run('c', '8');
    const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map((name) => readFile(`${folder}/${name}`)))) as Buffer[];
    expect(b?.equals(a as Buffer)).toBe(true);
    expect(c?.equals(a as Buffer)).toBe(false);
    const recording = openRecording(bytesSource(a as Buffer));
    expect(recording.count).toBe(Number(/(\d+) records/.exec(first.out)?.[1]));
    expect(recording).toMatchObject({ first: 1, closed: true, warning: '' });
    // The recording has all that is needed to run it again.
    const recorded = recording.header.run;
    expect(recorded).toEqual({ scenario: 'hello', text: expect.stringContaining('kind: Scenario'), seed: 7 });
    expect(parseScenario(recorded?.text ?? '', 'x').name).toBe('hello');
  });

  it('takes manifests, and says what it makes of them', async () => {
    const workloads = fileURLToPath(new URL('../../../packages/core/testdata/workloads/', import.meta.url));
    const { code, out, err } = await syncloop('simulate', `${workloads}own-deployment.yaml`);
    expect(code).toBe(0);
    expect(out).toMatch(/shop\/checkout-[a-z0-9-]+: Running \[checkout running\]/);
    expect(err).toContain('Service checkout is left out');
    expect(err).toContain('image registry.shop.example/checkout:12.4.1: serves 8080');
    expect(await syncloop('simulate', `${workloads}helm-values.yaml`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('contains neither a scenario nor a pod'),
    });
    expect(await syncloop('simulate', `${workloads}mistakes.yaml`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('line 15: spec.containers[0].ports[0].containerPort'),
    });
  });

  it('says where a scenario is wrong', async () => {
    const folder = await tempFolder();
    const file = `${folder}/x.yaml`;
    await writeFile(file, 'apiVersion: syncloop.dev/v1alpha1\nkind: Scenaro\n');
    const { code, err } = await syncloop('simulate', file);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^syncloop: ${file}:\\d+:\\d+: `));
    expect(await syncloop('simulate', 'helo')).toMatchObject({ code: 1, err: expect.stringContaining('"hello"') });
    expect(await syncloop('simulate', `${folder}/none.yaml`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot read the scenario'),
    });
  });
});
