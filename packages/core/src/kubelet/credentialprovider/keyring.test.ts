import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Encode, sha256 } from '../../base/index.js';
import { type Go, Kernel, Minute, Second, sleep } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import type { Credential } from '../images/types.js';
import { MemOS } from '../testing/mem-os.js';
import { newNodeKeyring } from './image-credentials.js';
import { BasicDockerKeyring, type DockerKeyring, dockerConfigOf, makeDockerKeyring } from './keyring.js';
import { type CredentialProvider, parseCredentialProviderConfig } from './plugin-config.js';
import { globMatches, urlsMatch } from './urls-match.js';

function setup() {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const os = new MemOS(kernel);
  const run = <T>(body: () => Go<T>): T => {
    let out: { value: T } | { error: unknown } | null = null;
    kernel.go('test', function* () {
      try {
        out = { value: yield* body() };
      } catch (error) {
        out = { error };
      }
    });
    kernel.run({ until: kernel.now() + Second });
    const got = out as { value: T } | { error: unknown } | null;
    if (!got) throw new Error('it still waits');
    if ('error' in got) throw got.error;
    return got.value;
  };
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return { kernel, os, run, of, records };
}
const login = (user: string) => ({ auth: base64Encode(`${user}:pw-${user}`) });
const keyringOf = (auths: object): BasicDockerKeyring => {
  const keyring = new BasicDockerKeyring();
  keyring.add(dockerConfigOf(auths));
  return keyring;
};
const users = (t: ReturnType<typeof setup>, keyring: DockerKeyring, image: string) =>
  t.run(() => keyring.lookup(image)).map((c: Credential) => c.username);

describe('registries and images', () => {
  it.each<[string, string, boolean]>([
    ['registry.io', 'registry.io/app', true],
    ['registry.io/team', 'registry.io/team/app', true],
    // A prefix of the text, not of the parts: as in upstream.
    ['registry.io/te', 'registry.io/team/app', true],
    ['registry.io/team', 'registry.io/app', false],
    ['registry.io', 'registry.io:5000/app', false],
    ['registry.io:5000', 'registry.io:5000/app', true],
    ['*.registry.io', 'eu.registry.io/app', true],
    ['*.registry.io', 'registry.io/app', false],
    ['*.registry.io', 'a.b.registry.io/app', false],
    ['*.*.registry.io', 'a.b.registry.io/app', true],
    ['prefix-*.io', 'prefix-eu.io/app', true],
    ['*', 'registry.io/app', false],
    ['r[e-g]gistr?.io', 'registry.io/app', true],
    ['r[^a]gistry.io', 'registry.io/app', true],
    ['r[egistry.io', 'registry.io/app', false],
    ['[::1]:5000', '[::1]:5000/app', true],
    ['bad host', 'bad host/app', false],
  ])('%s for %s: %s', (glob, image, matches) => {
    expect(urlsMatch(glob, image)).toBe(matches);
  });

  it('patterns of a stranger take no long time', () => {
    expect(globMatches(`${'*a'.repeat(5000)}b`, 'a'.repeat(20_000))).toBe(false);
  });

  it('matches as a regular expression would', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 }).map((l) => l.join(''));
    const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 }).map((l) => l.join(''));
    fc.assert(
      fc.property(letters, words, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`);
        expect(globMatches(pattern, text)).toBe(expression.test(text));
      }),
    );
  });

  it('more of a path comes before less of it; all that fit are tried', () => {
    const t = setup();
    const keyring = keyringOf({
      'registry.io': login('wide'),
      'https://registry.io/team/app': login('narrow'),
      'http://registry.io/v2/team': login('team'),
      '*.io': login('glob'),
    });
    expect(users(t, keyring, 'registry.io/team/app')).toEqual(['narrow', 'team', 'wide', 'glob']);
    expect(users(t, keyring, 'registry.io/other')).toEqual(['wide', 'glob']);
  });

  it('the default registry has names of its own', () => {
    const t = setup();
    const keyring = keyringOf({ 'https://index.docker.io/v1/': login('hub'), 'registry.io': login('other') });
    expect(users(t, keyring, 'docker.io/library/busybox')).toEqual(['hub']);
    expect(users(t, keyring, 'registry.io/app')).toEqual(['other']);
    expect(users(t, keyring, 'quay.io/app')).toEqual([]);
  });
});

describe('docker configurations', () => {
  it('take auth before username and password', () => {
    const t = setup();
    const keyring = keyringOf({ a: { username: 'plain', password: 'x' }, b: { username: 'plain', ...login('auth') } });
    expect(t.run(() => keyring.lookup('a/x'))).toEqual([{ username: 'plain', password: 'x' }]);
    expect(t.run(() => keyring.lookup('b/x'))).toEqual([{ username: 'auth', password: 'pw-auth' }]);
  });

  it.each([
    ['not JSON', '{"auths": {"r.io": {"password": "s3cret"'],
    ['an auth that is no base64', JSON.stringify({ auths: { 'r.io': { auth: 's3cret!' } } })],
    ['an auth without colon', JSON.stringify({ auths: { 'r.io': { auth: base64Encode('s3cret') } } })],
    ['a list', JSON.stringify({ auths: ['s3cret'] })],
  ])('%s: an error that names the secret and nothing in it', (_, json) => {
    const secret = {
      metadata: { name: 'pull', namespace: 'team', uid: 'u' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': base64Encode(json) },
    };
    const node = new BasicDockerKeyring();
    let message = '';
    try {
      makeDockerKeyring([secret], node);
    } catch (err) {
      message = (err as Error).message;
    }
    expect(message).toMatch(/^pull secret team\/pull cannot be read: /);
    expect(message).not.toContain('s3cret');
    expect(message).not.toContain(base64Encode('s3cret'));
  });

  it("of both types of secrets, before the node's; other secrets are none", () => {
    const t = setup();
    const of = (name: string, type: string, key: string, value: object) => ({
      metadata: { name, namespace: 'd', uid: name },
      type,
      data: { [key]: base64Encode(JSON.stringify(value)) },
    });
    const node = keyringOf({ 'r.io': login('node') });
    const keyring = makeDockerKeyring(
      [
        of('new', 'kubernetes.io/dockerconfigjson', '.dockerconfigjson', { auths: { 'r.io': login('new') } }),
        of('old', 'kubernetes.io/dockercfg', '.dockercfg', { 'r.io': login('old') }),
        of('opaque', 'Opaque', '.dockerconfigjson', { auths: { 'r.io': login('opaque') } }),
      ],
      node,
    );
    expect(users(t, keyring, 'r.io/app')).toEqual(['new', 'old', 'node']);
    expect(makeDockerKeyring([], node)).toBe(node);
  });
});

describe("the node's files", () => {
  const file = (user: string) => JSON.stringify({ auths: { 'r.io': login(user) } });

  it('the first that can be read: root directory, working folder, home, /', () => {
    const t = setup();
    const of = () => newNodeKeyring(t.kernel, t.os, '/var/lib/kubelet', { working: '/here', home: '/home/op' });
    t.os.put('/.docker/config.json', file('top'));
    expect(users(t, of(), 'r.io/app')).toEqual(['top']);
    t.os.put('/home/op/.docker/config.json', file('home'));
    expect(users(t, of(), 'r.io/app')).toEqual(['home']);
    t.os.put('/here/config.json', '{');
    expect(users(t, of(), 'r.io/app')).toEqual(['home']);
    t.os.put('/var/lib/kubelet/config.json', file('own'));
    expect(users(t, of(), 'r.io/app')).toEqual(['own']);
  });

  it('an old .dockercfg only where there is no config.json; read again after 5 minutes', () => {
    const t = setup();
    const keyring = newNodeKeyring(t.kernel, t.os, '/k');
    t.os.put('/k/.dockercfg', JSON.stringify({ 'r.io': login('old') }));
    expect(users(t, keyring, 'r.io/app')).toEqual(['old']);
    t.os.put('/k/config.json', file('new'));
    expect(users(t, keyring, 'r.io/app')).toEqual(['old']);
    t.kernel.run({ until: t.kernel.now() + 5 * Minute });
    expect(users(t, keyring, 'r.io/app')).toEqual(['new']);
    expect(JSON.stringify(t.records)).not.toContain('pw-');
  });
});

describe('plug-ins', () => {
  const provider: CredentialProvider = {
    name: 'ecr',
    matchImages: ['*.ecr.io', 'other.io/team'],
    defaultCacheDuration: 10 * Minute,
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    args: [],
    env: [],
  };
  const response = (more: object = {}) => ({
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    auth: { 'eu.ecr.io': { username: 'aws', password: 'pw-aws' } },
    ...more,
  });
  function plugged(answer: (image: string) => object | string | Error) {
    const t = setup();
    const asked: string[] = [];
    const keyring = newNodeKeyring(t.kernel, t.os, '/k', {
      plugins: {
        providers: [provider],
        *exec(_provider, request) {
          const { image } = JSON.parse(request) as { image: string };
          asked.push(request);
          const said = answer(image);
          if (said instanceof Error) throw said;
          return typeof said === 'string' ? said : JSON.stringify(said);
        },
      },
    });
    return { ...t, t, asked, keyring };
  }

  it('are asked about images that match, in their protocol', () => {
    const p = plugged(() => response());
    expect(users(p.t, p.keyring, 'eu.ecr.io/app')).toEqual(['aws']);
    expect(users(p.t, p.keyring, 'quay.io/app')).toEqual([]);
    expect(p.asked.map((a) => JSON.parse(a))).toEqual([
      { kind: 'CredentialProviderRequest', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', image: 'eu.ecr.io/app' },
    ]);
    expect(JSON.stringify(p.records)).not.toContain('pw-aws');
  });

  it.each<[string, object, number]>([
    ['Image', {}, 2],
    ['Registry', {}, 1],
    ['Global', {}, 1],
    ['Registry', { cacheDuration: '0s' }, 2],
    ['Registry', { cacheDuration: '30s' }, 1],
  ])('keep what they say by %s with %j: asked %i times for two images of a registry', (cacheKeyType, more, times) => {
    const p = plugged(() => response({ cacheKeyType, ...more }));
    users(p.t, p.keyring, 'eu.ecr.io/a');
    users(p.t, p.keyring, 'eu.ecr.io/b');
    expect(p.asked).toHaveLength(times);
  });

  it('forget it after the duration that they gave, else after the configured one', () => {
    for (const [more, duration] of [
      [{}, 10 * Minute],
      [{ cacheDuration: '30s' }, 30 * Second],
    ] as const) {
      const p = plugged(() => response(more));
      users(p.t, p.keyring, 'eu.ecr.io/a');
      p.kernel.run({ until: p.kernel.now() + duration - 5 * Second });
      users(p.t, p.keyring, 'eu.ecr.io/a');
      expect(p.asked).toHaveLength(1);
      p.kernel.run({ until: p.kernel.now() + 10 * Second });
      users(p.t, p.keyring, 'eu.ecr.io/a');
      expect(p.asked).toHaveLength(2);
    }
  });

  it.each<[string, object | string | Error, RegExp]>([
    ['fails', new Error('exit status 1: no network'), /exit status 1: no network/],
    [
      'writes no JSON',
      '{"auth": {"eu.ecr.io": {"password": "pw-aws"',
      /^error decoding credential provider plugin response from stdout$/,
    ],
    [
      'speaks another version',
      response({ apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1' }),
      /did not match expected apiVersion:.*v1, actual apiVersion:.*v1beta1/,
    ],
    ['has no cache key', response({ cacheKeyType: 'Node' }), /did not return a valid cacheKeyType: "Node"/],
    ['is of another kind', response({ kind: 'Other' }), /^error decoding/],
    ['gives a strange duration', response({ cacheDuration: 5 }), /^error decoding/],
  ])('one that %s gives nothing, and says nothing of what it wrote', (_, answer, why) => {
    const p = plugged(() => answer);
    expect(users(p.t, p.keyring, 'eu.ecr.io/a')).toEqual([]);
    expect(p.of('log').at(-1)).toMatchObject({
      severity: 'E',
      msg: 'Failed getting credential from external registry credential provider',
      kv: { err: expect.stringMatching(why) },
    });
    expect(JSON.stringify(p.records)).not.toContain('pw-aws');
  });

  it('run once for those who ask for the same at the same time', () => {
    const t = setup();
    let runs = 0;
    const keyring = newNodeKeyring(t.kernel, t.os, '/k', {
      plugins: {
        providers: [{ ...provider, defaultCacheDuration: 0 }],
        *exec() {
          runs++;
          yield* sleep(Second);
          return JSON.stringify(response());
        },
      },
    });
    const got: (string | undefined)[][] = [];
    for (let i = 0; i < 3; i++)
      t.kernel.go('asks', function* () {
        got.push((yield* keyring.lookup('eu.ecr.io/a')).map((c) => c.username));
      });
    t.kernel.run({ until: 3 * Second });
    expect([runs, got]).toEqual([1, [['aws'], ['aws'], ['aws']]]);
  });
});

describe('CredentialProviderConfig', () => {
  const good = {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: [
      {
        name: 'ecr',
        matchImages: ['*.ecr.io'],
        defaultCacheDuration: '12h',
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
        args: ['get'],
        env: [{ name: 'A', value: 'b' }],
      },
    ],
  };
  it('is read', () => {
    expect(parseCredentialProviderConfig(good)).toEqual([
      { ...good.providers[0], defaultCacheDuration: 12 * 60 * Minute },
    ]);
  });

  it.each<[object, RegExp]>([
    [{ ...good, kind: 'X' }, /kind: "X": must be CredentialProviderConfig/],
    [{ ...good, apiVersion: 'v1' }, /apiVersion: "v1": must be one of/],
    [{ ...good, more: 1 }, /more: unknown field/],
    [{ ...good, providers: [] }, /providers: Required value: at least 1 item in plugins is required/],
    ...(
      [
        [{ name: 'a/b' }, /provider name cannot contain '\/'/],
        [{ name: 'a b' }, /provider name cannot contain spaces/],
        [{ name: '..' }, /provider name cannot be '\.\.'/],
        [{ apiVersion: 'v9' }, /providers\[0\]\.apiVersion: Unsupported value: "v9"/],
        [{ matchImages: [] }, /providers\[0\]\.matchImages: Required value/],
        [{ matchImages: ['a:b:c'] }, /match image is invalid/],
        [{ defaultCacheDuration: '-1h' }, /must be greater than or equal to 0/],
        [{ defaultCacheDuration: 'soon' }, /must be a duration such as 12h/],
        [{ tokenAttributes: {} }, /tokenAttributes: Forbidden: .*not supported here; remove tokenAttributes/],
        [{ argz: [] }, /providers\[0\]\.argz: unknown field/],
      ] as const
    ).map(([change, why]): [object, RegExp] => [{ ...good, providers: [{ ...good.providers[0], ...change }] }, why]),
    [{ ...good, providers: [good.providers[0], good.providers[0]] }, /Duplicate value: "ecr"/],
  ])('%j is refused', (config, why) => {
    expect(() => parseCredentialProviderConfig(config)).toThrow(why);
  });
});

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    ['a'.repeat(1000), '41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3'],
  ])('of %j', (text, hash) => {
    expect(sha256(text)).toBe(hash);
  });
});
