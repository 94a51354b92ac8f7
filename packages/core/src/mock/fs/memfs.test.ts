import { describe, expect, it } from 'vitest';
import { cleanPath } from '../../base/index.js';
import type { FileEvent } from '../../host/os.js';
import { background, type Go, Kernel, receive, withCancel } from '../../kernel/index.js';
import { ContainerFS } from './container-fs.js';
import { MemFS } from './memfs.js';
import { byteLength } from './path.js';

const fresh = () => {
  const k = new Kernel();
  return { k, fs: new MemFS(k) };
};
function run<T>(k: Kernel, body: () => Go<T>): T {
  let out: { value: T } | undefined;
  k.go('test', function* () {
    out = { value: yield* body() };
  });
  k.run();
  if (!out) throw new Error('did not end');
  return out.value;
}

describe('MemFS', () => {
  it('writes, reads, lists, renames and removes', () => {
    const { fs } = fresh();
    fs.writeFileSync('/a/b/c.txt', 'one');
    fs.writeFileSync('/a/b/a.txt', 'two');
    expect(fs.readDirSync('/a/b')).toEqual([
      { name: 'a.txt', dir: false },
      { name: 'c.txt', dir: false },
    ]);
    fs.renameSync('/a/b/c.txt', '/a/d.txt');
    expect(fs.readFileSync('/a/d.txt')).toBe('one');
    expect(() => fs.readFileSync('/a/b/c.txt')).toThrow('open /a/b/c.txt: no such file or directory');
    expect(() => fs.removeSync('/a')).toThrow(/directory not empty/);
    fs.removeAllSync('/a');
    fs.removeAllSync('/a');
    expect(fs.existsSync('/a')).toBe(false);
  });

  it('knows its errors by code', () => {
    const { fs } = fresh();
    fs.writeFileSync('/f', '');
    const code = (fn: () => unknown) => {
      try {
        fn();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return '';
    };
    expect(code(() => fs.readFileSync('/nope'))).toBe('ENOENT');
    expect(code(() => fs.readDirSync('/f'))).toBe('ENOTDIR');
    expect(code(() => fs.mkdirAllSync('/f/x'))).toBe('ENOTDIR');
    expect(code(() => fs.symlinkSync('/x', '/f'))).toBe('EEXIST');
    expect(code(() => fs.readFileSync('/'))).toBe('EISDIR');
    fs.symlinkSync('/loop', '/loop');
    expect(code(() => fs.readFileSync('/loop'))).toBe('ELOOP');
  });

  it('follows links, relative ones too', () => {
    const { fs } = fresh();
    fs.writeFileSync('/data/v1/key', 'old');
    fs.writeFileSync('/data/v2/key', 'new');
    fs.symlinkSync('v1', '/data/..data');
    fs.symlinkSync('..data/key', '/data/key');
    expect(fs.readFileSync('/data/key')).toBe('old');
    fs.removeSync('/data/..data');
    fs.symlinkSync('v2', '/data/..data');
    expect(fs.readFileSync('/data/key')).toBe('new');
    fs.writeFileSync('/data/key', 'written');
    expect(fs.readFileSync('/data/v2/key')).toBe('written');
  });

  it('an open file goes on after it was renamed', () => {
    const { fs } = fresh();
    fs.writeFileSync('/log/0.log', 'a');
    const open = fs.openSync('/log/0.log');
    fs.renameSync('/log/0.log', '/log/0.log.1');
    fs.append(open, 'b');
    expect(fs.readFileSync('/log/0.log.1')).toBe('ab');
    expect(fs.existsSync('/log/0.log')).toBe(false);
  });

  it('reads no more bytes than asked, from either end, and cuts between characters', () => {
    const { k, fs } = fresh();
    fs.writeFileSync('/f', 'abcdef');
    fs.writeFileSync('/u', 'äöü');
    expect(run(k, () => fs.readFile('/f', { limit: 2 }))).toBe('ab');
    expect(run(k, () => fs.readFile('/f', { limit: 2, tail: true }))).toBe('ef');
    expect(run(k, () => fs.readFile('/u', { limit: 3 }))).toBe('ä');
    expect(run(k, () => fs.readFile('/u', { limit: 5, tail: true }))).toBe('öü');
    expect(run(k, () => fs.stat('/u'))).toMatchObject({ size: 6, dir: false });
    expect(run(k, () => fs.stat('/nope'))).toBeNull();
    expect(byteLength('a€😀')).toBe(8);
  });

  it('tells who watches a folder, until the context ends', () => {
    const { k, fs } = fresh();
    fs.mkdirAllSync('/m');
    const seen: FileEvent[] = [];
    const [ctx, cancel] = withCancel(k, background);
    k.go(
      'watcher',
      function* () {
        const chan = yield* fs.watch(ctx, '/m');
        for (;;) {
          const [e, ok] = yield* receive(chan);
          if (!ok) return;
          seen.push(e);
        }
      },
      { daemon: true },
    );
    k.run();
    fs.writeFileSync('/m/a.yaml', '1');
    fs.writeFileSync('/m/a.yaml', '2');
    fs.writeFileSync('/elsewhere', '');
    fs.writeFileSync('/tmp/x', '3');
    fs.renameSync('/tmp/x', '/m/b.yaml');
    fs.removeSync('/m/a.yaml');
    k.run();
    cancel();
    k.run();
    fs.writeFileSync('/m/late', '');
    expect(seen).toEqual([
      { path: '/m/a.yaml', op: 'add' },
      { path: '/m/a.yaml', op: 'modify' },
      { path: '/m/b.yaml', op: 'add' },
      { path: '/m/a.yaml', op: 'delete' },
    ]);
  });

  it('cleans paths', () => {
    expect(['/a//b/../c/.', 'x', '/../..', '/'].map(cleanPath)).toEqual(['/a/c', '/x', '/', '/']);
  });
});

describe('ContainerFS', () => {
  const setup = (readonlyRoot = false) => {
    const { k, fs: host } = fresh();
    host.writeFileSync('/var/pods/u/volumes/e/f', 'shared');
    host.writeFileSync('/var/pods/u/etc-hosts', 'hosts');
    const layer = ContainerFS.layer(() => new MemFS(k));
    const mounts = [
      { at: '/data', fs: host, source: '/var/pods/u/volumes/e', readonly: false },
      { at: '/ro', fs: host, source: '/var/pods/u/volumes/e', readonly: true },
      { at: '/etc/hosts', fs: host, source: '/var/pods/u/etc-hosts', readonly: false },
    ];
    return { host, fs: new ContainerFS(layer, mounts, readonlyRoot) };
  };

  it('sees mounts over its own layer, and writes through', () => {
    const { host, fs } = setup();
    expect([fs.read('/data/f'), fs.read('/etc/hosts')]).toEqual(['shared', 'hosts']);
    fs.touch('/data/new');
    expect(host.existsSync('/var/pods/u/volumes/e/new')).toBe(true);
    fs.touch('/tmp/own');
    expect(host.existsSync('/tmp/own')).toBe(false);
    expect(fs.list('/').map((e) => e.name)).toContain('data');
    expect(fs.list('/etc').map((e) => e.name)).toEqual(['group', 'hosts', 'passwd']);
  });

  it('refuses to write where it is read-only', () => {
    expect(() => setup().fs.touch('/ro/x')).toThrow(/read-only file system/);
    const { fs } = setup(true);
    expect(() => fs.touch('/tmp/x')).toThrow(/read-only file system/);
    fs.touch('/data/x');
  });

  it('moves between layers by copying', () => {
    const { host, fs } = setup();
    fs.mkdir('/tmp/d', false);
    fs.touch('/tmp/d/x');
    fs.rename('/tmp/d', '/data');
    expect(host.existsSync('/var/pods/u/volumes/e/d/x')).toBe(true);
    expect(fs.lookup('/tmp/d')).toBeNull();
  });
});
