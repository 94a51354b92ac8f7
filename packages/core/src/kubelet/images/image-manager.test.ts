import { describe, expect, it } from 'vitest';
import type { PullPolicy } from '../../api/types.js';
import { base64Encode } from '../../base/index.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { background, Millisecond, Second } from '../../kernel/index.js';
import { defaultKubeletConfig } from '../config.js';
import { defaulted, makePod, TestManager, type TestManagerOptions } from '../kuberuntime/testing/harness.js';
import { slowDisk } from '../testing/slow-disk.js';
import { EnsureImageError } from './image-manager.js';
import { applyDefaultImageTag, parseImageName } from './parse-image-name.js';
import { ImagePullManager } from './pull-manager.js';
import { cacheFilename } from './pull-records.js';

/** A pull's failure as the CRI client hands it on: the runtime's bare text. */
const pullError = (text: string) => new CRIError(GrpcCode.Unknown, text, { local: true });

function setup(options: TestManagerOptions = {}) {
  const t = new TestManager(options);
  const ensure = (
    image: string,
    pullPolicy: PullPolicy = 'IfNotPresent',
    uid = 'uid1',
    pullSecrets: readonly unknown[] = [],
  ) => {
    const pod = makePod({ containers: [defaulted({ image, imagePullPolicy: pullPolicy })] }, { uid });
    return t.manager.imagePuller.ensureImageExists(background, {
      pod,
      container: pod.spec.containers[0] ?? null,
      image,
      pullSecrets,
      podSandboxConfig: {},
      runtimeHandler: '',
      pullPolicy,
    });
  };
  /** Returns the end of a call: the reference, or reason and message. */
  const outcome = (...args: Parameters<typeof ensure>): string => {
    try {
      return t.run(ensure(...args));
    } catch (err) {
      if (err instanceof EnsureImageError) return `${err.reason}: ${err.detail}`;
      throw err;
    }
  };
  return { t, ensure, outcome };
}

describe('parseImageName', () => {
  it.each([
    ['busybox', 'docker.io/library/busybox', 'latest', ''],
    ['user/app:1', 'docker.io/user/app', '1', ''],
    ['localhost/busybox:dev', 'localhost/busybox', 'dev', ''],
    ['localhost:5000/a/b', 'localhost:5000/a/b', 'latest', ''],
    [`registry.example.com/app@sha256:${'a'.repeat(64)}`, 'registry.example.com/app', '', `sha256:${'a'.repeat(64)}`],
    [`app:1@sha256:${'a'.repeat(64)}`, 'docker.io/library/app', '1', `sha256:${'a'.repeat(64)}`],
  ])('[2:M-01] %s', (image, repo, tag, digest) => {
    expect(parseImageName(image)).toEqual({ repo, tag, digest });
  });

  it.each(['UPPER', 'https://example.com/app', 'a'.repeat(64), '', 'app:', 'app@sha256:1', 'a b', '/app'])(
    '[2:M-01] refuses %j',
    (image) => {
      expect(() => parseImageName(image)).toThrow(`couldn't parse image name "${image}": `);
    },
  );

  it('[2:M-01] appends :latest to what has neither tag nor digest, and qualifies nothing', () => {
    expect(applyDefaultImageTag('busybox')).toBe('busybox:latest');
    expect(applyDefaultImageTag('localhost:5000/app')).toBe('localhost:5000/app:latest');
    expect(applyDefaultImageTag('busybox:1')).toBe('busybox:1');
    expect(applyDefaultImageTag(`app@sha256:${'a'.repeat(64)}`)).toBe(`app@sha256:${'a'.repeat(64)}`);
  });
});

describe('EnsureImageExists', () => {
  it('[2:M-01] a name that cannot be parsed: no call', () => {
    const { t, outcome } = setup();
    expect(outcome('UPPER')).toBe(
      `InvalidImageName: Failed to apply default image tag "UPPER": couldn't parse image name "UPPER": invalid reference format: repository name (library/UPPER) must be lowercase`,
    );
    expect(t.runtime.log()).toEqual([]);
    expect(t.events()[0]).toMatch(/^Warning InspectFailed app: Failed to apply default image tag "UPPER": /);
  });

  it('[2:M-02] [2:M-03] present', () => {
    const { t, outcome } = setup();
    expect(outcome('localhost/busybox:dev')).toMatch(/^sha256:/);
    expect(t.runtime.log()).toEqual(['imageStatus localhost/busybox:dev']);
    expect(t.events()).toEqual([
      'Normal Pulled app: Container image "localhost/busybox:dev" already present on machine and can be accessed by the pod',
    ]);
  });

  it('[2:M-02] the runtime cannot be asked', () => {
    const { t, outcome } = setup();
    t.runtime.failures.imageStatus = [new CRIError(GrpcCode.Unavailable, 'down')];
    expect(outcome('localhost/busybox:dev')).toBe(
      'ImageInspectError: Failed to inspect image "": rpc error: code = Unavailable desc = down',
    );
    expect(t.events()).toEqual([
      'Warning InspectFailed app: Failed to inspect image "": rpc error: code = Unavailable desc = down',
    ]);
  });

  it('[2:M-04] Never and absent', () => {
    const { t, outcome } = setup();
    const text = 'Container image "localhost/absent:1" is not present with pull policy of Never';
    expect(outcome('localhost/absent:1', 'Never')).toBe(`ErrImageNeverPull: ${text}`);
    expect(t.events()).toEqual([`Warning ErrImageNeverPull app: ${text}`]);
  });

  it('[2:M-02] [2:M-05] [2:M-09] absent: pulled, and its size asked for; times and size in the event', () => {
    const { t, outcome } = setup();
    t.runtime.delays.pullImage = 1234.5678 * Millisecond;
    expect(outcome('localhost/new:1')).toBe('sha256:localhost/new:1');
    expect(t.runtime.log()).toEqual([
      'imageStatus localhost/new:1',
      'pullImage localhost/new:1',
      'imageStatus localhost/new:1',
    ]);
    expect(t.events()).toEqual([
      'Normal Pulling app: Pulling image "localhost/new:1"',
      'Normal Pulled app: Successfully pulled image "localhost/new:1" in 1.234s (1.234s including waiting). Image size: 2130545 bytes.',
    ]);
  });

  it('[2:M-02] Always pulls without asking, present or not', () => {
    const { t, outcome } = setup();
    outcome('localhost/busybox:dev', 'Always');
    expect(t.runtime.log()).toEqual(['pullImage localhost/busybox:dev', 'imageStatus localhost/busybox:dev']);
  });

  it('[2:M-05] [2:M-06] [2:M-07] [2:M-08] fails, backs off 10, 20, 40 … 300 s from each failure, and tells the last error', () => {
    const { t, outcome } = setup();
    t.runtime.failures.pullImage = Array.from({ length: 8 }, () => pullError('not found'));
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      expect(outcome('localhost/bad:1')).toBe('ErrImagePull: not found');
      const failedAt = t.kernel.now();
      expect(outcome('localhost/bad:1')).toBe(
        'ImagePullBackOff: Back-off pulling image "localhost/bad:1": ErrImagePull: not found',
      );
      while (outcome('localhost/bad:1').startsWith('ImagePullBackOff')) {
        const pulls = t.of('backoff').at(-1);
        t.wait((pulls?.until ?? 0) - t.kernel.now());
        break;
      }
      waits.push(Math.round((t.kernel.now() - failedAt) / Second));
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300]);
    expect(t.events().slice(0, 3)).toEqual([
      'Normal Pulling app: Pulling image "localhost/bad:1"',
      'Warning Failed app: Failed to pull image "localhost/bad:1": not found',
      'Normal BackOff app: Back-off pulling image "localhost/bad:1"',
    ]);
    expect(t.runtime.log().slice(0, 3)).toEqual([
      'imageStatus localhost/bad:1',
      'pullImage localhost/bad:1',
      'imageStatus localhost/bad:1',
    ]);
  });

  it('[2:M-07] a success does not delete the back-off; 600 s after the last failure it is forgotten', () => {
    const { t, outcome } = setup();
    const fail = () => {
      t.runtime.failures.pullImage = [pullError('x')];
      return outcome('localhost/bad:1', 'Always');
    };
    fail();
    t.wait(11 * Second);
    outcome('localhost/bad:1', 'Always');
    fail();
    expect(t.of('backoff').at(-1)?.delay).toBe(20 * Second);
    t.wait(601 * Second);
    fail();
    expect(t.of('backoff').at(-1)?.delay).toBe(10 * Second);
  });

  it('[2:M-06] reasons that the runtime names', () => {
    const { t, outcome } = setup();
    t.runtime.failures.pullImage = [
      pullError('RegistryUnavailable: mirror is down'),
      pullError('SignatureValidationFailed: no key'),
    ];
    expect(outcome('localhost/a:1')).toBe(
      'RegistryUnavailable: image pull failed for localhost/a:1 because the registry is unavailable: mirror is down',
    );
    expect(outcome('localhost/b:1')).toBe(
      'SignatureValidationFailed: image pull failed for localhost/b:1 because the signature validation failed: no key',
    );
  });

  it('[2:M-10] one pull at a time, others wait in line', () => {
    const { t, ensure } = setup();
    t.runtime.delays.pullImage = 10 * Second;
    for (const n of [1, 2, 3]) {
      t.kernel.go(`pod ${n}`, function* () {
        yield* ensure(`localhost/i${n}:1`, 'Always', `uid${n}`);
      });
    }
    t.wait(40 * Second);
    expect(
      t
        .events()
        .filter((e) => e.startsWith('Normal Pulled'))
        .map((e) => /in (.*) including/.exec(e)?.[1]),
    ).toEqual(['10s (10s', '10s (20s', '10s (30s']);
  });

  it('[2:M-10] in parallel, at most maxParallelImagePulls', () => {
    const { t, ensure } = setup({ config: { serializeImagePulls: false, maxParallelImagePulls: 2 } });
    t.runtime.delays.pullImage = 10 * Second;
    const start = t.kernel.now();
    for (const n of [1, 2, 3]) {
      t.kernel.go(`pod ${n}`, function* () {
        yield* ensure(`localhost/i${n}:1`, 'Always', `uid${n}`);
      });
    }
    t.wait(40 * Second);
    expect(
      t.runtime.calls.filter((c) => c.method === 'pullImage').map((c) => Math.round((c.at - start) / Second)),
    ).toEqual([0, 0, 10]);
  });

  it('[2:M-11] beyond burst and QPS there is no call', () => {
    const { t, outcome } = setup({ config: { registryPullQPS: 1, registryBurst: 2 } });
    const got = [1, 2, 3].map((n) => outcome(`localhost/i${n}:1`, 'Always', `uid${n}`));
    expect(got[2]).toBe('ErrImagePull: pull QPS exceeded');
    expect(t.runtime.calls.filter((c) => c.method === 'pullImage').length).toBe(2);
    t.wait(Second);
    expect(outcome('localhost/i4:1', 'Always', 'uid4')).toBe('sha256:localhost/i4:1');
  });
});

describe('credentials', () => {
  const secret = (name: string, auths: object) => ({
    metadata: { name, namespace: 'default', uid: name },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64Encode(JSON.stringify({ auths })) },
  });
  const login = (username: string) => ({ auth: base64Encode(`${username}:pw`) });

  it('[2:M-12] tries those that fit in turn, and adds up their errors', () => {
    const { t, outcome } = setup();
    const secrets = [
      secret('a', { 'reg.example.com': login('wide'), 'other.example.com': login('other') }),
      secret('b', { 'https://reg.example.com/team': login('narrow') }),
    ];
    t.runtime.failures.pullImage = [pullError('denied')];
    expect(outcome('reg.example.com/team/app:1', 'Always', 'uid1', secrets)).toBe('sha256:reg.example.com/team/app:1');
    expect(
      t.runtime.calls
        .filter((c) => c.method === 'pullImage')
        .map((c) => (c.request as { auth?: { username?: string; password?: string } }).auth),
    ).toEqual([
      { username: 'narrow', password: 'pw' },
      { username: 'wide', password: 'pw' },
    ]);
    t.runtime.failures.pullImage = [pullError('denied'), pullError('forbidden')];
    expect(outcome('reg.example.com/team/app:2', 'Always', 'uid1', secrets)).toBe('ErrImagePull: [denied, forbidden]');
  });

  it('[2:M-13] what was pulled with a secret is pulled again for a pod without it', () => {
    const { t, outcome } = setup();
    const image = 'reg.example.com/app:1';
    const own = [secret('a', { 'reg.example.com': login('me') })];
    outcome(image, 'IfNotPresent', 'uid1', own);
    const pulls = () => t.runtime.calls.filter((c) => c.method === 'pullImage').length;
    expect(pulls()).toBe(1);
    outcome(image, 'IfNotPresent', 'uid2', own);
    expect(pulls()).toBe(1);
    expect(outcome(image, 'Never', 'uid3')).toBe(
      `ErrImageNeverPull: Container image "${image}" is not present with pull policy of Never`,
    );
    outcome(image, 'IfNotPresent', 'uid3');
    expect(pulls()).toBe(2);
    // Now it was pulled without one: everybody may.
    outcome(image, 'IfNotPresent', 'uid4');
    expect(pulls()).toBe(2);
  });

  it('[2:M-13] the next kubelet knows with what images were pulled, and nothing of what the secrets say', () => {
    const { t, outcome } = setup();
    const image = 'reg.example.com/app:1';
    const own = [secret('a', { 'reg.example.com': login('me') })];
    outcome(image, 'IfNotPresent', 'uid1', own);
    const files = [...t.os.files].filter(([path]) => path.includes('/image_manager/') && !path.endsWith('/'));
    expect(files.map(([path]) => path.replace(/[0-9a-f]{64}/, 'H'))).toEqual([
      '/var/lib/kubelet/image_manager/pulled/sha256-H',
    ]);
    expect(JSON.parse(files[0]?.[1] ?? '')).toMatchObject({
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      imageRef: `sha256:${image}`,
      credentialMapping: {
        'reg.example.com/app': {
          kubernetesSecrets: [
            { uid: 'a', namespace: 'default', name: 'a', credentialHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
          ],
        },
      },
    });
    expect(JSON.stringify(files)).not.toContain('pw');
    const again = setup({ deps: { os: t.os } });
    again.t.runtime.addImage(image, `sha256:${image}`);
    expect(again.outcome(image, 'Never', 'uid2')).toMatch(/^ErrImageNeverPull/);
    expect(again.outcome(image, 'Never', 'uid2', own)).toBe(`sha256:${image}`);
  });

  it('[2:M-13] a secret that says something new counts as the one it was, and from then on with what it says', () => {
    const { t, outcome } = setup();
    const image = 'reg.example.com/app:1';
    const pulls = () => t.runtime.calls.filter((c) => c.method === 'pullImage').length;
    outcome(image, 'IfNotPresent', 'uid1', [secret('a', { 'reg.example.com': login('me') })]);
    outcome(image, 'IfNotPresent', 'uid2', [secret('a', { 'reg.example.com': login('rotated') })]);
    // Another secret with the new words: known by them.
    outcome(image, 'IfNotPresent', 'uid3', [secret('b', { 'reg.example.com': login('rotated') })]);
    expect(pulls()).toBe(1);
    outcome(image, 'IfNotPresent', 'uid4', [secret('c', { 'reg.example.com': login('stranger') })]);
    expect(pulls()).toBe(2);
  });

  it('[2:M-13] from a hundred secrets on one that says something new is no longer taken for the one it was', () => {
    const pullsWith = (count: number) => {
      const { t, outcome } = setup({ config: { registryPullQPS: 0 } });
      const image = 'reg.example.com/app:1';
      for (let i = 0; i < count; i++)
        outcome(image, 'Always', 'uid1', [secret(`s${i}`, { 'reg.example.com': login(`user${i}`) })]);
      outcome(image, 'IfNotPresent', 'uid2', [secret('s0', { 'reg.example.com': login('rotated') })]);
      return t.runtime.calls.filter((c) => c.method === 'pullImage').length;
    };
    expect(pullsWith(99)).toBe(99);
    expect(pullsWith(100)).toBe(101);
  });

  it.each([
    ['NeverVerify', [], { preloaded: true, pulled: true, listed: true }],
    ['NeverVerifyPreloadedImages', [], { preloaded: true, pulled: false, listed: true }],
    [
      'NeverVerifyAllowlistedImages',
      ['reg.example.com/listed', 'other.example.com/*'],
      { preloaded: false, pulled: false, listed: true },
    ],
    ['AlwaysVerify', [], { preloaded: false, pulled: false, listed: false }],
  ] as const)(
    '[2:M-13] policy %s',
    (imagePullCredentialsVerificationPolicy, preloadedImagesVerificationAllowlist, may) => {
      const { t, outcome } = setup({
        config: { imagePullCredentialsVerificationPolicy, preloadedImagesVerificationAllowlist },
      });
      const there = (image: string) => outcome(image, 'Never', 'uid9') === `sha256:${image}`;
      for (const image of ['reg.example.com/preloaded:1', 'reg.example.com/listed:1'])
        t.runtime.addImage(image, `sha256:${image}`);
      outcome('reg.example.com/pulled:1', 'IfNotPresent', 'uid1', [secret('a', { 'reg.example.com': login('me') })]);
      expect({
        preloaded: there('reg.example.com/preloaded:1'),
        pulled: there('reg.example.com/pulled:1'),
        listed: there('reg.example.com/listed:1'),
      }).toEqual(may);
    },
  );

  it('[2:M-13] forgets images that are gone, but for those of a moment ago', () => {
    const { t, outcome } = setup();
    const images = ['reg.example.com/app:1', 'reg.example.com/app:2'];
    for (const image of images)
      outcome(image, 'IfNotPresent', 'uid1', [secret('a', { 'reg.example.com': login('me') })]);
    const files = () => [...t.os.files.keys()].filter((path) => path.includes('/pulled/sha256-')).length;
    const { imagePullManager } = t.manager.imagePuller;
    const left = [t.runtime.images.get(images[1] as string)?.id ?? ''];
    t.run(imagePullManager.pruneUnknownRecords(left, 0));
    expect(files()).toBe(2);
    t.wait(2 * Second);
    t.run(imagePullManager.pruneUnknownRecords(left, t.kernel.now()));
    expect(files()).toBe(1);
    expect(outcome(images[1] as string, 'Never', 'uid2')).toMatch(/^ErrImageNeverPull/);
  });

  it('[6:1] many who begin and end pulls of one image and of others at once leave what upstream would leave', () => {
    const { t } = setup();
    const os = slowDisk(t.os, 7);
    const manager = new ImagePullManager({
      kernel: t.kernel,
      config: defaultKubeletConfig(),
      os,
      imageService: t.runtime.services,
    });
    const errors: string[] = [];
    let ended = 0;
    for (let i = 0; i < 200; i++)
      t.kernel.go('pull', function* () {
        try {
          const image = `reg.example.com/app:${i % 3}`;
          yield* manager.recordPullIntent(image);
          const who = { name: `s${i % 7}`, namespace: 'default', uid: `u${i % 7}` };
          if (i % 5 === 0) yield* manager.recordImagePullFailed(image);
          else
            yield* manager.recordImagePulled(image, `sha256:${i % 3}`, {
              username: `n${i % 7}`,
              password: 'p',
              source: who,
            });
        } catch (err) {
          errors.push((err as Error).message);
        }
        ended++;
      });
    t.kernel.run({ stop: () => ended === 200 });
    expect(errors).toEqual([]);
    expect(t.of('log').filter((l) => l.severity === 'E')).toEqual([]);
    const left = [...t.os.files.keys()].filter((path) => path.includes('/image_manager/') && !path.endsWith('/'));
    expect(left.map((path) => path.replace(/^.*image_manager/, '')).sort()).toEqual(
      [0, 1, 2].map((n) => `/pulled/${cacheFilename(`sha256:${n}`)}`).sort(),
    );
    // Each secret of each image is in its record: none was lost to somebody who wrote at the same time.
    for (const path of left) {
      const { credentialMapping } = JSON.parse(t.os.files.get(path) as string);
      expect(credentialMapping['reg.example.com/app'].kubernetesSecrets).toHaveLength(7);
    }
  });

  it('[6:1] what a kubelet left half-written is removed by the next, and not read', () => {
    const { t, outcome } = setup();
    const folder = `${defaultKubeletConfig().rootDirectory}/image_manager`;
    for (const kind of ['pulling', 'pulled']) t.os.files.set(`${folder}/${kind}/sha256-abc.tmp`, '{"kind": "Image');
    for (const kind of ['pulling', 'pulled']) t.run(t.os.mkdirAll(`${folder}/${kind}`, 0o700));
    outcome('reg.example.com/app:1', 'Always');
    expect([...t.os.files.keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });

  it('[2:M-12] a secret that cannot be read is told, without what is in it', () => {
    const { outcome } = setup();
    const broken = {
      ...secret('a', {}),
      data: { '.dockerconfigjson': base64Encode('{"auths": {"x": {"password": "s3cret"') },
    };
    const got = outcome('reg.example.com/app:1', 'IfNotPresent', 'uid1', [broken]);
    expect(got).toMatch(/pull secret default\/a cannot be read: it is not valid JSON$/);
    expect(got).not.toContain('s3cret');
  });
});
