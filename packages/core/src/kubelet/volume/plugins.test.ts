import { describe, expect, it } from 'vitest';
import type { PodSpec, Volume } from '../../api/types.js';
import { base64Encode } from '../../base/index.js';
import { MemFS } from '../../mock/fs/memfs.js';
import { defaulted } from '../kuberuntime/testing/harness.js';
import { nestedMountpoints } from './content-volume.js';
import { podsDir, TestVolumes } from './testing/fake-volumes.js';

const fresh = (options: { standalone?: boolean } = {}) => new TestVolumes<MemFS>((k) => new MemFS(k), options);
type Test = ReturnType<typeof fresh>;
const pathOf = (plugin: string, name: string, uid = 'uid1') =>
  `${podsDir}/${uid}/volumes/kubernetes.io~${plugin}/${name}`;
/** Returns why a volume could not be set up; '' if it could. */
function setUp(t: Test, volume: Volume, spec: Partial<PodSpec> = {}): string {
  t.pod({ volumes: [volume], ...spec });
  t.manager.podsChanged();
  t.run(1);
  const failed = t
    .of('kube-event')
    .map((e) => e.message.replace(/^MountVolume\.\S+( initialization)? failed for volume "\w+" : /, ''));
  return failed.at(-1) ?? '';
}
const modeOf = (t: Test, path: string) => t.os.statSync(path, false)?.mode;

describe('emptyDir', () => {
  it('[3:VOL-11] [3:VOL-13] is a folder that all may write, marked outside of it, and kept as it is', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [{ name: 'd', emptyDir: {} }] });
    t.mount(pod);
    expect(modeOf(t, pathOf('empty-dir', 'd'))).toBe(0o777);
    expect(t.os.existsSync(`${podsDir}/uid1/plugins/kubernetes.io~empty-dir/d/ready`)).toBe(true);
    t.terminated.add('uid1');
    t.unmount(pod);
    expect(t.os.readDirSync(`${podsDir}/uid1/plugins/kubernetes.io~empty-dir`)).toEqual([]);
    expect(t.os.existsSync(pathOf('empty-dir', 'd'))).toBe(false);
  });

  it('[3:VOL-13] in memory is a tmpfs as large as its limit, the pod’s or the node’s memory, whichever is least', () => {
    const limits = { limits: { memory: '64Mi', cpu: '1' }, requests: { memory: '64Mi', cpu: '1' } };
    const mounts = (emptyDir: object, resources = {}) => {
      const t = fresh();
      const volumeMounts = [{ name: 'd', mountPath: '/d' }];
      const pod = t.pod({ volumes: [{ name: 'd', emptyDir }], containers: [defaulted({ volumeMounts, resources })] });
      t.mount(pod);
      const list = t.os.mounter.list().map((m) => [m.type, m.target, ...m.options]);
      t.terminated.add('uid1');
      t.unmount(pod);
      expect(t.os.mounter.list()).toEqual([]);
      expect(t.os.existsSync(pathOf('empty-dir', 'd'))).toBe(false);
      return list;
    };
    const at = pathOf('empty-dir', 'd');
    expect(mounts({ medium: 'Memory', sizeLimit: '1Mi' })).toEqual([['tmpfs', at, `size=${2 ** 20}`]]);
    expect(mounts({ medium: 'Memory', sizeLimit: '1Gi' }, limits)).toEqual([['tmpfs', at, `size=${2 ** 26}`]]);
    expect(mounts({ medium: 'Memory' })).toEqual([['tmpfs', at, `size=${8 * 2 ** 30}`]]);
    expect(mounts({ sizeLimit: '1Mi' })).toEqual([]);
  });

  it('[3:VOL-13] refuses memory where nobody may mount, and media that there are not', () => {
    const t = fresh();
    Object.defineProperty(t.os, 'mounter', { value: undefined });
    expect(setUp(t, { name: 'd', emptyDir: { medium: 'Memory' } })).toMatch(
      /^memory storage requested, but this host may not mount/,
    );
    expect(setUp(fresh(), { name: 'd', emptyDir: { medium: 'Odd' } })).toBe('unknown storage medium "Odd"');
    expect(setUp(fresh(), { name: 'd', emptyDir: { medium: 'HugePages-2Mi' } })).toMatch(/is not supported/);
  });

  it('[3:VOL-13] belongs to the pod’s group, and so do the files that are made in it', () => {
    const t = fresh();
    t.mount(t.pod({ volumes: [{ name: 'd', emptyDir: {} }], securityContext: { fsGroup: 2000 } }));
    expect(t.os.statSync(pathOf('empty-dir', 'd'))).toMatchObject({ gid: 2000, uid: 0, mode: 0o2777 });
  });
});

describe('hostPath', () => {
  const special = (t: Test, path: string, kind: 'socket' | 'char' | 'block') => {
    t.os.writeFileSync(path, '');
    const node = t.os.lookup(path);
    if (node?.kind === 'file') node.special = kind;
  };
  const host = () => {
    const t = fresh();
    t.os.mkdirAllSync('/h/dir');
    t.os.writeFileSync('/h/file', 'x');
    t.os.symlinkSync('dir', '/h/link');
    special(t, '/h/socket', 'socket');
    special(t, '/h/char', 'char');
    special(t, '/h/block', 'block');
    return t;
  };
  it.each([
    ['', 'nothing', ''],
    ['Directory', 'dir', ''],
    ['Directory', 'link', ''],
    ['Directory', 'file', 'hostPath type check failed: /h/file is not a directory'],
    ['Directory', 'nothing', 'hostPath type check failed: /h/nothing is not a directory'],
    ['DirectoryOrCreate', 'nothing', ''],
    ['DirectoryOrCreate', 'file', 'hostPath type check failed: /h/file is not a directory'],
    ['File', 'file', ''],
    ['File', 'dir', 'hostPath type check failed: /h/dir is not a file'],
    ['FileOrCreate', 'nothing', ''],
    ['FileOrCreate', 'socket', 'hostPath type check failed: /h/socket is not a file'],
    ['Socket', 'socket', ''],
    ['Socket', 'file', 'hostPath type check failed: /h/file is not a socket file'],
    ['CharDevice', 'char', ''],
    ['CharDevice', 'block', 'hostPath type check failed: /h/block is not a character device'],
    ['BlockDevice', 'block', ''],
    ['BlockDevice', 'nothing', 'hostPath type check failed: /h/nothing is not a block device'],
    ['Odd', 'dir', 'Odd is an invalid volume type'],
  ])('[3:VOL-14] %s on a %s: %s', (type, name, want) => {
    const t = host();
    expect(
      setUp(t, { name: 'h', hostPath: { path: `/h/${name}`, type: type as NonNullable<Volume['hostPath']>['type'] } }),
    ).toBe(want);
    if (type.endsWith('OrCreate') && want === '')
      expect(t.os.statSync('/h/nothing')).toMatchObject(
        type === 'FileOrCreate' ? { type: 'file', mode: 0o644 } : { type: 'dir', mode: 0o755 },
      );
  });

  it('[3:VOL-14] leads nowhere back, and stays when the pod goes', () => {
    const t = host();
    expect(setUp(t, { name: 'h', hostPath: { path: '/h/../etc', type: '' } })).toBe(
      "invalid HostPath `/h/../etc`: must not contain '..'",
    );
    const t2 = host();
    const pod = t2.pod({ volumes: [{ name: 'h', hostPath: { path: '/h/made', type: 'DirectoryOrCreate' } }] });
    t2.mount(pod);
    t2.terminated.add('uid1');
    t2.unmount(pod);
    expect(t2.os.existsSync('/h/made')).toBe(true);
  });
});

describe('files that the kubelet writes', () => {
  const configMap = (more: object = {}): Volume => ({
    name: 'c',
    configMap: { name: 'cm', defaultMode: 0o644, ...more },
  });
  const dir = pathOf('configmap', 'c');
  const fileNames = (t: Test, path = dir) =>
    t.os.readDirSync(path).map((e) => e.name.replace(/^\.\.\d{4}(_\d\d){5}\.\d+$/, '..TIME'));

  it('[3:VOL-11] [3:VOL-15] stand in a folder of their own, to which ..data leads; names lead through it', () => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { a: '1', b: '2' }, binaryData: { raw: base64Encode('3') } });
    t.mount(t.pod({ volumes: [configMap()] }));
    expect(fileNames(t)).toEqual(['..TIME', '..data', 'a', 'b', 'raw']);
    const link = t.os.lookup(`${dir}/a`, false);
    expect(link).toMatchObject({ kind: 'link', target: '..data/a' });
    expect(t.os.readFileSync(`${dir}/raw`)).toBe('3');
    expect(t.manager.getMountedVolumesForPod('uid1').get('c')).toMatchObject({ hostPath: dir, readOnly: true });
  });

  it('[3:VOL-15] are exchanged all at once, and those that are gone go; what is the same is not written', () => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { a: '1', b: '2' } });
    const pod = t.pod({ volumes: [configMap()] });
    t.mount(pod);
    const target = () => (t.os.lookup(`${dir}/..data`, false) as { target: string }).target;
    const first = target();
    t.mount(pod);
    t.run(1);
    expect(target()).toBe(first);
    t.objects.configMaps.set('cm', { data: { a: '1', c: '3' } });
    t.mount(pod);
    t.run(1);
    expect(target()).not.toBe(first);
    expect(fileNames(t)).toEqual(['..TIME', '..data', 'a', 'c']);
    expect(t.os.readFileSync(`${dir}/c`)).toBe('3');
  });

  it('[3:VOL-15] goes on where a kubelet was killed between the link and its exchange', () => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { a: '1' } });
    const pod = t.pod({ volumes: [configMap()] });
    t.mount(pod);
    t.os.symlinkSync('..gone', `${dir}/..data_tmp`);
    t.objects.configMaps.set('cm', { data: { a: '2' } });
    t.mount(pod);
    t.run(1);
    expect(t.os.readFileSync(`${dir}/a`)).toBe('2');
    expect(t.events()).toEqual([]);
  });

  it('[3:VOL-15] have the paths and modes that are asked for, and group and user', () => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { a: '1', b: '2' } });
    const items = [
      { key: 'a', path: 'deep/down/x', mode: 0o400 },
      { key: 'b', path: 'y' },
    ];
    t.mount(t.pod({ volumes: [configMap({ items, defaultMode: 0o600 })], securityContext: { fsGroup: 7 } }));
    expect(fileNames(t)).toEqual(['..TIME', '..data', 'deep', 'y']);
    expect(t.os.statSync(`${dir}/deep/down/x`)).toMatchObject({ gid: 7, mode: 0o440 });
    expect(t.os.statSync(`${dir}/y`)).toMatchObject({ gid: 7, mode: 0o640 });
    expect(t.os.statSync(dir)).toMatchObject({ gid: 7, mode: 0o2777 });
  });

  it.each([
    ['../x', "invalid path: must not contain '..': ../x"],
    ['a/../../x', "invalid path: must not contain '..': a/../../x"],
    ['/x', 'invalid path: must be relative path: /x'],
    ['..data', "invalid path: must not start with '..': ..data"],
    ['', 'invalid path: must not be empty: ""'],
    [`${'n'.repeat(256)}`, 'invalid path: filenames must be less than or equal to 255 characters'],
  ])('[3:VOL-15] refuses the path %s, and leaves nothing behind', (path, want) => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { a: '1' } });
    expect(setUp(t, configMap({ items: [{ key: 'a', path }] }))).toBe(want);
    expect(t.os.existsSync(dir)).toBe(false);
  });

  it('[3:VOL-12] what is optional may be missing; what is not is an error', () => {
    const t = fresh();
    expect(setUp(t, configMap())).toBe('configmap "cm" not found');
    const optional = fresh();
    expect(setUp(optional, configMap({ optional: true, items: [{ key: 'k', path: 'p' }] }))).toBe('');
    expect(fileNames(optional)).toEqual(['..TIME', '..data']);
    const keys = fresh();
    keys.objects.configMaps.set('cm', { data: { a: '1' } });
    expect(setUp(keys, configMap({ items: [{ key: 'k', path: 'p' }] }))).toBe(
      'configmap references non-existent config key: k',
    );
    const secret = fresh();
    secret.objects.secrets.set('s', { data: { a: base64Encode('1') } });
    expect(
      setUp(secret, { name: 's', secret: { secretName: 's', defaultMode: 0o600, items: [{ key: 'k', path: 'p' }] } }),
    ).toBe('references non-existent secret key: k');
  });

  it('[3:VOL-15] of secrets are in memory, whatever bytes they are, and in no record', () => {
    const t = fresh();
    t.objects.secrets.set('s', { data: { text: base64Encode('hush ü'), bytes: '/4A=' } });
    t.mount(t.pod({ volumes: [{ name: 's', secret: { secretName: 's', defaultMode: 0o400 } }] }));
    const at = pathOf('secret', 's');
    expect(t.os.readFileSync(`${at}/text`)).toBe('hush ü');
    expect(modeOf(t, `${at}/..data/text`)).toBe(0o400);
    expect(t.os.mounter.list()).toMatchObject([{ type: 'tmpfs', target: at }]);
    expect(JSON.stringify(t.records)).not.toContain('hush');
  });

  it('[3:VOL-12] without an API server: downwardAPI works, the rest says why not', () => {
    const why = (volume: Volume) => setUp(fresh({ standalone: true }), volume);
    const no = 'not supported due to running kubelet in standalone mode';
    expect(why(configMap())).toBe(no);
    expect(why(configMap({ optional: true }))).toBe(no);
    expect(why({ name: 's', secret: { secretName: 's', defaultMode: 0o644 } })).toBe(no);
    expect(why({ name: 'p', projected: { defaultMode: 0o644, sources: [] } })).toBe(
      'cannot setup projected volume p because kube client is not configured',
    );
    const alone = fresh({ standalone: true });
    const items = [
      { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
      { path: 'mem', resourceFieldRef: { containerName: 'app', resource: 'limits.memory', divisor: '1Mi' } },
    ];
    expect(setUp(alone, { name: 'w', downwardAPI: { items, defaultMode: 0o644 } })).toBe('');
    expect(alone.os.readFileSync(`${pathOf('downward-api', 'w')}/name`)).toBe('web');
    expect(alone.os.readFileSync(`${pathOf('downward-api', 'w')}/mem`)).toBe('8192');
    expect(
      why({
        name: 'x',
        downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'spec.nodeName' } }], defaultMode: 0o644 },
      }),
    ).toBe('unsupported fieldPath: spec.nodeName');
  });

  it('[3:VOL-11] projected: all sources in one folder, a token of the pod’s own, and all that is wrong at once', () => {
    const t = fresh();
    t.objects.configMaps.set('cm', { data: { 'ca.crt': 'CA' } });
    const pod = t.pod({
      securityContext: { runAsUser: 1000 },
      volumes: [
        {
          name: 'p',
          projected: {
            defaultMode: 0o644,
            sources: [
              { serviceAccountToken: { path: 'token', expirationSeconds: 3607, audience: 'vault' } },
              { configMap: { name: 'cm', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
            ],
          },
        },
      ],
    });
    t.mount(pod);
    const at = pathOf('projected', 'p');
    const read = () => ['token', 'ca.crt', 'namespace'].map((n) => t.os.readFileSync(`${at}/${n}`));
    expect(read()).toEqual(['token-1', 'CA', 'default']);
    expect(t.objects.requests).toEqual([{ audiences: ['vault'], expirationSeconds: 3607 }]);
    // The one user of all containers may read it, nobody else.
    expect(t.os.statSync(`${at}/token`)).toMatchObject({ uid: 1000, mode: 0o600 });
    // The manager of tokens has another one: the next sync writes it.
    t.mount(pod);
    t.run(1);
    expect(read()[0]).toBe('token-2');
    expect(
      setUp(fresh(), {
        name: 'p',
        projected: { defaultMode: 0o644, sources: [{ secret: { name: 'x' } }, { clusterTrustBundle: { path: 'c' } }] },
      }),
    ).toBe('[secret "x" not found, ClusterTrustBundle projection is not supported in static kubelet mode]');
  });

  it('[3:VOL-11] an image is the runtime’s: nothing is made for it', () => {
    const t = fresh();
    t.mount(t.pod({ volumes: [{ name: 'i', image: { reference: 'x' } }] }));
    expect(t.manager.getMountedVolumesForPod('uid1').get('i')).toMatchObject({ hostPath: '', readOnly: true });
    expect(t.os.existsSync(`${podsDir}/uid1/volumes`)).toBe(false);
  });

  it('[3:VOL-15] have folders for what is mounted within them', () => {
    const t = fresh();
    const mounts = (...paths: [string, string][]) =>
      t.pod({ containers: [defaulted({ volumeMounts: paths.map(([name, mountPath]) => ({ name, mountPath })) })] });
    expect(
      nestedMountpoints(
        'c',
        mounts(['c', '/etc/x'], ['d', '/etc/x/in/deep'], ['e', '/etc/x/in/deep/er'], ['f', '/etc/xy']),
      ),
    ).toEqual(['in/deep']);
    expect(nestedMountpoints('c', mounts(['c', '/etc/x'], ['d', '/etc/x/../../out']))).toEqual([]);
  });
});
