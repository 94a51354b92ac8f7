import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import type { CredentialProvider } from '@syncloop/core/kubelet';
import { afterEach, describe, expect, it } from 'vitest';
import { execPlugin, loadCredentialPlugins } from './credential-plugins.js';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});
function folders(script = '#!/bin/sh\ncat\n', config: object | string = good()) {
  const at = mkdtempSync(join(tmpdir(), 'syncloop-plugins-'));
  undo.push(() => rmSync(at, { recursive: true, force: true }));
  const bin = join(at, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ecr'), script);
  chmodSync(join(bin, 'ecr'), 0o755);
  const file = join(at, 'config.yaml');
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return { at, bin, file };
}
const good = (more: object = {}) => ({
  apiVersion: 'kubelet.config.k8s.io/v1',
  kind: 'CredentialProviderConfig',
  providers: [
    {
      name: 'ecr',
      matchImages: ['*.ecr.io'],
      defaultCacheDuration: '12h',
      apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
      ...more,
    },
  ],
});
const provider: CredentialProvider = {
  name: 'ecr',
  matchImages: ['*.ecr.io'],
  defaultCacheDuration: 0,
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  args: ['one', 'two words'],
  env: [{ name: 'GREETING', value: 'hello' }],
};

/** Resolves with the answer of a program of that text. */
async function ask(script: string, timeoutMillis = 20_000): Promise<string> {
  const { bin } = folders(script);
  const kernel = new Kernel({ clock: new RealClock(), seed: 1 });
  const driver = new RealDriver(kernel);
  driver.start();
  try {
    return await new Promise((resolve, reject) => {
      kernel.post(() =>
        kernel.go('test', function* () {
          try {
            resolve(yield* execPlugin(bin)(provider, '{"image":"a"}\n', 'eu.ecr.io/a', timeoutMillis * 1000));
          } catch (err) {
            reject(err);
          }
        }),
      );
    });
  } finally {
    driver.stop();
  }
}

describe('running a plug-in', () => {
  it('gives it the request, its arguments and its environment', async () => {
    expect(await ask('#!/bin/sh\nread line\necho "$GREETING|$1|$2|$line|$(test -n "$PATH" && echo path)"\n')).toBe(
      'hello|one|two words|{"image":"a"}|path\n',
    );
  });

  it('tells how it failed, with what it says on stderr and not with what it wrote', async () => {
    const text = await ask('#!/bin/sh\necho secret\necho "no network" >&2\nexit 3\n').catch((e: Error) => e.message);
    expect(text).toBe(
      'error execing credential provider plugin ecr for image eu.ecr.io/a: exit status 3: no network\n',
    );
  });

  it('ends one that takes too long, or writes without end', async () => {
    await expect(ask('#!/bin/sh\nexec sleep 60\n', 100)).rejects.toThrow('context deadline exceeded');
    await expect(ask('#!/bin/sh\nexec yes\n')).rejects.toThrow('it wrote more than 1048576 bytes');
  });

  it('ends all that it has started, and what it holds, when it takes too long', async () => {
    const { at } = folders();
    const started = join(at, 'started');
    // Its child outlives it, and has its pipes: nobody waits for that one.
    const script = `#!/bin/sh\nsleep 1000 &\necho $! > ${started}\nwait\n`;
    // On a busy machine it may not have come so far as to start anything.
    for (let millis = 300; !existsSync(started); millis *= 2)
      await expect(ask(script, millis)).rejects.toThrow('context deadline exceeded');
    const pid = Number(readFileSync(started, 'utf8'));
    // Nobody may have taken note of its end yet.
    const state = () =>
      existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] : 'gone';
    await expect.poll(state).toBeOneOf(['gone', 'Z']);
  });

  it('keeps the end of what it says on stderr, however much that is', async () => {
    const text = await ask('#!/bin/sh\nhead -c 5000000 /dev/zero | tr "\\0" x >&2; echo why >&2; exit 1\n').catch(
      (e: Error) => e.message,
    );
    expect(text).toMatch(/exit status 1: x{4092}why\n$/);
  });

  it('one that never reads is no harm', async () => {
    expect(await ask('#!/bin/sh\nexec <&-\necho ok\n')).toBe('ok\n');
  });
});

describe('the configuration of plug-ins', () => {
  it('is a file, JSON or YAML, or a folder of such', () => {
    const { at, bin, file } = folders();
    expect(loadCredentialPlugins(file, bin).providers.map((p) => p.name)).toEqual(['ecr']);
    writeFileSync(
      file,
      'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n- {name: ecr, matchImages: [a.io], defaultCacheDuration: 1m, apiVersion: credentialprovider.kubelet.k8s.io/v1}\n',
    );
    expect(loadCredentialPlugins(at, bin).providers[0]?.matchImages).toEqual(['a.io']);
  });

  it('says what is wrong, and where', () => {
    const { at, bin, file } = folders();
    expect(() => loadCredentialPlugins(file, join(at, 'none'))).toThrow(/plugin binary directory .*none did not exist/);
    expect(() => loadCredentialPlugins(join(at, 'none'), bin)).toThrow(/unable to access path/);
    expect(() => loadCredentialPlugins(bin, bin)).toThrow(/no configuration files found in directory/);
    writeFileSync(join(at, 'z.json'), JSON.stringify(good()));
    expect(() => loadCredentialPlugins(at, bin)).toThrow(/z\.json: duplicate provider name "ecr"/);
    writeFileSync(file, JSON.stringify(good({ apiVersion: 'v9' })));
    expect(() => loadCredentialPlugins(file, bin)).toThrow(
      /config\.yaml: providers\[0\]\.apiVersion: Unsupported value: "v9"/,
    );
    writeFileSync(file, '{');
    expect(() => loadCredentialPlugins(file, bin)).toThrow(/config\.yaml:1:/);
    writeFileSync(file, JSON.stringify(good({ name: 'missing' })));
    expect(() => loadCredentialPlugins(file, bin)).toThrow(
      /bin\/missing did not exist, or may not be run: put it into/,
    );
    chmodSync(join(bin, 'ecr'), 0o644);
    writeFileSync(file, JSON.stringify(good()));
    expect(() => loadCredentialPlugins(file, bin)).toThrow(/may not be run/);
  });
});

describe('a plug-in that breaks', () => {
  const cases: Readonly<Record<string, [script: string, why: RegExp]>> = {
    'is no program': ['#!/nonexistent/interpreter\n', /ENOENT|exit status/],
    'ends without reading': ['#!/bin/sh\nexec <&-\nexit 3\n', /exit status 3/],
    'ends without a word': ['#!/bin/sh\nexec >&- 2>&-\ncat > /dev/null\nexit 4\n', /exit status 4/],
    'kills itself': ['#!/bin/sh\nkill -9 $$\n', /signal: SIGKILL/],
    'closes all and stays': ['#!/bin/sh\nexec <&- >&- 2>&-\nexec sleep 600\n', /context deadline exceeded/],
    'writes without end': ['#!/bin/sh\nexec yes\n', /more than 1048576 bytes/],
  };
  const escaped: unknown[] = [];
  const note = (err: unknown) => void escaped.push(err);
  for (const [what, [script, why]] of Object.entries(cases))
    it(`${what}: fails, and no error of it reaches nobody`, async () => {
      process.on('uncaughtException', note);
      undo.push(() => process.off('uncaughtException', note));
      const patience = what === 'closes all and stays' ? 300 : 20_000;
      await expect(ask(script, patience)).rejects.toThrow(why);
      await new Promise((resolve) => setImmediate(resolve));
      expect(escaped).toEqual([]);
    });
});
