import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundleFresh } from '../apps/agent/bin/bundled.mjs';

/** The repository's root. */
export const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const WANTED = [20, 19];

/** Ends with a sentence when this Node is too old for the product. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1])) {
    console.error(
      `syncloop needs Node ${WANTED.join('.')} or newer, this is ${process.versions.node}: install a newer one (https://nodejs.org) and try again.`,
    );
    process.exit(1);
  }
}

/** A shell that runs its arguments and writes their processor time to descriptor 3. */
export const METERED = ['-c', '"$@" 3>&-; code=$?; times >&3; exit $code', 'sh'];

/** Seconds that POSIX `times` names for a shell's children: user and system time, the second line; null for no text. */
export function cpuSecondsIn(times) {
  const parts = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.length === 2 ? parts.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0) : null;
}

/** The exit code of a command that was ended because it took longer than its limit, as of coreutils' `timeout`. */
export const TIMED_OUT = 124;

/** The running commands with a time limit. Each leads a process group of its own, which a Ctrl+C does not reach. */
const limited = new Set();
function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
let isWatched = false;
/** Ends the groups with this process, whatever ends it. */
function watchEnd() {
  if (isWatched) return;
  isWatched = true;
  process.once('exit', () => limited.forEach(endGroup));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}

/**
 * Runs a command in the root or in `cwd`, its output to ours; resolves with its exit code and, with `capture`, its
 * output. With `metered` also with `cpuSeconds`, the processor time of it and of the processes that it waited for; null
 * if there is no shell to ask. With `limit`, a number of seconds, the command and all that it started are killed when
 * they take longer; the code is then `TIMED_OUT`, and the output ends with a line that says so.
 */
export function run(
  command,
  args,
  { capture = false, env = {}, quiet = false, metered = false, limit, cwd = top } = {},
) {
  const asks = metered && process.platform !== 'win32';
  const hasGroup = limit !== undefined && process.platform !== 'win32';
  return new Promise((resolve) => {
    const child = spawn(asks ? 'sh' : command, asks ? [...METERED, command, ...args] : args, {
      cwd,
      env: { GOGC: GO_GARBAGE, ...process.env, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit', ...(asks ? ['pipe'] : [])],
      detached: hasGroup,
    });
    let output = '';
    let times = '';
    const finish = (result) => {
      clearTimeout(timer);
      limited.delete(child);
      resolve(result);
    };
    // A process that left the group may keep our pipes open, so their end is not waited for.
    const timer =
      hasGroup &&
      setTimeout(() => {
        endGroup(child);
        const sentence = `${path.basename(command)} did not end within ${limit} s and was killed`;
        if (!quiet) console.error(sentence);
        finish({ code: TIMED_OUT, output: `${output}\n${sentence}`, cpuSeconds: null });
      }, limit * 1000);
    if (hasGroup) {
      watchEnd();
      limited.add(child);
    }
    child.stdio[3]?.setEncoding('utf8').on('data', (text) => {
      times += text;
    });
    for (const [stream, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])
      stream?.on('data', (data) => {
        output += data;
        if (!quiet) to.write(data);
      });
    child.on('error', (error) => finish({ code: 127, output: String(error), cpuSeconds: null }));
    child.on('close', (code, signal) =>
      finish({ code: code ?? (signal ? 1 : 0), output, cpuSeconds: cpuSecondsIn(times) }),
    );
  });
}

/**
 * How much garbage a program written in Go lets pile up, in per cent of what lives: ours, the compiler and kubectl, end
 * before more memory than that matters, and collecting at each doubling takes a tenth of their processor time.
 */
const GO_GARBAGE = '400';

export const bin = (name) => path.join(top, 'node_modules', '.bin', name);

/** Seconds within which an installation that makes progress has ended. */
export const INSTALL_LIMIT = 300;

/** The packages of the product and its build, without the tools of tests and checks, which are the root's own. */
const PRODUCT = ['--workspaces', '--include-workspace-root=false'];

/**
 * Installs the packages that package-lock.json names, unless this tree was installed from the same lock file. With
 * `tools: false` only what the product and its build need.
 */
export async function install({ tools = true } = {}) {
  const lock = path.join(top, 'package-lock.json');
  const [stamp, stampOfProduct] = ['.syncloop-lock', '.syncloop-lock-product'].map((name) =>
    path.join(top, 'node_modules', name),
  );
  const text = fs.readFileSync(lock, 'utf8');
  const isInstalled = (file) => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;
  if (isInstalled(stamp) || (!tools && isInstalled(stampOfProduct))) return;
  console.error('Installing packages (npm ci)...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...(tools ? [] : PRODUCT)];
  // A registry may accept a connection and never answer; a second attempt takes what the first one has in its cache.
  let code = TIMED_OUT;
  for (let attempt = 0; attempt < 3 && code === TIMED_OUT; attempt++)
    ({ code } = await run(npm, args, { limit: INSTALL_LIMIT }));
  if (code !== 0) {
    console.error('npm ci failed: see its message above. Behind a proxy, check `npm config get registry`.');
    process.exit(code);
  }
  fs.writeFileSync(tools ? stamp : stampOfProduct, text);
}

/**
 * Arguments of the compiler for all projects. By default each project has four checkers, and each of them works out
 * again what the others know; with one it takes a quarter less of a processor. Two cores are busy all the same, because
 * several projects are built at a time.
 */
export const TSC_ARGS = ['-b', '--checkers', '1'];

/** Makes the modules of scenarios and lessons; ends with the problems of their files. */
export async function content() {
  const { code } = await run(process.execPath, ['scripts/content.mjs']);
  if (code !== 0) process.exit(code);
}

/**
 * Compiles the packages and the agent and bundles both programs; parts that are up to date are left alone, and with
 * SYNCLOOP_BUILT=1, which `npm test` sets for its suites, not even looked at. Resolves with the exit code of what
 * failed.
 */
export async function build({ web = true } = {}) {
  if (process.env.SYNCLOOP_BUILT === '1') return 0;
  await content();
  const [compiled, page] = await Promise.all([compileAgent(), web ? buildPage() : 0]);
  return compiled || page;
}

async function compileAgent() {
  const { code } = await run(bin('tsc'), [...TSC_ARGS, 'apps/agent']);
  if (code === 0 && !isBundleFresh()) await (await import('./bundle.mjs')).bundleAgent();
  return code;
}

/** Bundles the sources of both programs at the same time, without a look at their types: what a first start needs. */
export async function buildToRun() {
  if (process.env.SYNCLOOP_BUILT === '1') return 0;
  await content();
  const [page] = await Promise.all([buildPage(), bundleSources()]);
  return page;
}

async function bundleSources() {
  const bundle = path.join(top, 'apps/agent/dist/bundle/main.js');
  if (isBundleFresh() && !isOlder(bundle, ['apps/agent', ...PACKAGES])) return;
  const { code } = await run(process.execPath, ['scripts/bundle.mjs']);
  if (code !== 0) process.exit(code);
}

async function buildPage() {
  if (!isOlder(path.join(top, 'apps/web/dist/index.html'), ['apps/web', ...PACKAGES])) {
    packPage();
    return 0;
  }
  const args = ['build', 'apps/web', '--config', 'apps/web/vite.config.ts', '--logLevel', 'warn'];
  const { code } = await run(bin('vite'), args);
  if (code === 0) packPage();
  return code;
}

/** An npm package contains only files below its own folder: the agent's has a copy of the page. */
function packPage() {
  const [from, to] = ['apps/web/dist', 'apps/agent/dist/page'].map((dir) => path.join(top, dir));
  const made = (dir) => fs.statSync(path.join(dir, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (made(to) >= made(from)) return;
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(from, to, { recursive: true });
}

function newest(dir) {
  let t = 0;
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    if (e.name === 'node_modules' || e.name === 'dist') continue;
    const p = path.join(dir, e.name);
    t = Math.max(t, e.isDirectory() ? newest(p) : fs.statSync(p).mtimeMs);
  }
  return t;
}

const PACKAGES = ['packages/core/src', 'packages/observe/src', 'packages/workshop/src'];

/** True if a file is not there, or older than one in these folders. */
const isOlder = (file, folders) =>
  !fs.existsSync(file) || folders.some((folder) => newest(path.join(top, folder)) > fs.statSync(file).mtimeMs);
