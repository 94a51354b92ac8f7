import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { nodeOS } from './os.js';

const os = nodeOS();
const { mounter } = os;

/** Root in a container may not have the right to mount. */
function canMount(): boolean {
  if (!mounter) return false;
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const unmountAfter = (...targets: string[]) =>
  onTestFinished(() => {
    for (const target of targets)
      try {
        execFileSync('umount', [target], { stdio: 'ignore' });
      } catch {
        // It is not mounted any more.
      }
  });

describe('files of volumes', () => {
  it('tells what a path is, and whose', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    writeFileSync(`${folder}/f`, 'x');
    chmodSync(`${folder}/f`, 0o2640);
    symlinkSync('f', `${folder}/l`);
    execFileSync('mkfifo', [`${folder}/p`]);
    await run(kernel, function* () {
      expect(yield* os.stat(`${folder}/l`)).toMatchObject({ type: 'file', mode: 0o2640 });
      expect(yield* os.lstat?.(`${folder}/l`) ?? none()).toMatchObject({ type: 'link', dir: false });
      expect(yield* os.stat(`${folder}/p`)).toMatchObject({ type: 'pipe' });
      expect(yield* os.stat('/dev/null')).toMatchObject({ type: 'char' });
      expect(yield* os.readlink?.(`${folder}/l`) ?? none()).toBe('f');
      expect(yield* os.realpath?.(`${folder}/l`) ?? none()).toBe(`${folder}/f`);
      yield* os.chmod?.(`${folder}/f`, 0o600) ?? none();
      const bytes = Uint8Array.from([0, 0xff, 0x80]);
      yield* os.writeBytes?.(`${folder}/b`, bytes, 0o600) ?? none();
      expect([...((yield* os.readBytes?.(`${folder}/b`) ?? none()) as Uint8Array)]).toEqual([...bytes]);
    });
    expect(statSync(`${folder}/f`).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.geteuid?.() === 0)('gives a link itself to somebody, not what it leads to', async () => {
    const folder = await tempFolder();
    writeFileSync(`${folder}/f`, '');
    symlinkSync('f', `${folder}/l`);
    await run(realKernel(), function* () {
      yield* os.lchown?.(`${folder}/l`, -1, 4242) ?? none();
    });
    expect(statSync(`${folder}/f`).gid).not.toBe(4242);
  });

  it('[3:POD-14] makes folders inside of a volume with exactly that mode, and follows no link out of it', async () => {
    const folder = await tempFolder();
    mkdirSync(`${folder}/v/in`, { recursive: true });
    mkdirSync(`${folder}/out`);
    symlinkSync('../out', `${folder}/v/leads-out`);
    symlinkSync('in', `${folder}/v/leads-in`);
    symlinkSync('/nowhere', `${folder}/v/broken`);
    const make = (subdir: string) =>
      run(realKernel(), () => os.makeDirInside?.(`${folder}/v`, subdir, 0o2775) ?? none());
    await make('a/b/c');
    expect(statSync(`${folder}/v/a/b`).mode & 0o7777).toBe(0o2775);
    await make('leads-in/x');
    expect(readdirSync(`${folder}/v/in`)).toEqual(['x']);
    await expect(make('leads-out/x')).rejects.toMatchObject({ code: 'EXDEV' });
    await expect(make('../out/y')).rejects.toMatchObject({ code: 'EXDEV' });
    await expect(make('broken/x')).rejects.toThrow();
    expect(readdirSync(`${folder}/out`)).toEqual([]);
  });
});

describe.runIf(canMount())('mounts', () => {
  it('[3:VOL-13] a tmpfs of a size, and knows it by its path', async () => {
    const folder = await tempFolder();
    const target = `${folder}/with blank`;
    mkdirSync(target);
    unmountAfter(target);
    await run(realKernel(), function* () {
      if (!mounter) return;
      expect(yield* mounter.mountAt(target)).toBeNull();
      yield* mounter.mount('tmpfs', target, 'tmpfs', ['size=1048576']);
      expect(yield* mounter.mountAt(target)).toEqual({ type: 'tmpfs' });
      expect(yield* mounter.mountAt(`${folder}/none/x`)).toBeNull();
      yield* mounter.unmount(target);
      expect(yield* mounter.mountAt(target)).toBeNull();
    });
    await expect(
      run(realKernel(), () => mounter?.mount('tmpfs', `${folder}/none`, 'tmpfs', []) ?? none()),
    ).rejects.toThrow(
      /mount failed: exit status \d+\nMounting command: mount\nMounting arguments: -t tmpfs tmpfs .*\nOutput: .*/,
    );
  });

  it('[3:POD-14] a part of a volume, opened without following a link', async () => {
    const folder = await tempFolder();
    mkdirSync(`${folder}/v/a/b`, { recursive: true });
    writeFileSync(`${folder}/v/a/b/file`, 'inside');
    writeFileSync(`${folder}/secret`, 'outside');
    symlinkSync('../../secret', `${folder}/v/a/leads-out`);
    symlinkSync('..', `${folder}/v/up`);
    mkdirSync(`${folder}/target`);
    writeFileSync(`${folder}/file-target`, '');
    unmountAfter(`${folder}/target`, `${folder}/file-target`);
    const bind = (path: string, target: string) =>
      run(realKernel(), () => mounter?.bindInside(`${folder}/v`, path, target) ?? none());
    await bind(`${folder}/v/a`, `${folder}/target`);
    expect(readFileSync(`${folder}/target/b/file`, 'utf8')).toBe('inside');
    await bind(`${folder}/v/a/b/file`, `${folder}/file-target`);
    expect(readFileSync(`${folder}/file-target`, 'utf8')).toBe('inside');
    await expect(bind(`${folder}/v/a/leads-out`, `${folder}/file-target`)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(bind(`${folder}/v/up/secret`, `${folder}/file-target`)).rejects.toThrow();
    await expect(bind(`${folder}/secret`, `${folder}/file-target`)).rejects.toMatchObject({ code: 'EXDEV' });
    expect(readFileSync(`${folder}/file-target`, 'utf8')).toBe('inside');
  });
});

function* none(): Generator<never, undefined> {
  return undefined;
}
