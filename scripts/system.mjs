import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { INSTALL_LIMIT, run, TIMED_OUT } from './lib.mjs';

const onPath = (...names) =>
  names.some((n) => (process.env.PATH ?? '').split(':').some((d) => fs.existsSync(`${d}/${n}`)));

const SHELL = 'chromium-headless-shell';

/**
 * The real parts that suites need: a name, how to find it, and the Debian package that has it. `better`: a package that
 * is installed in addition if the distribution has it, and a check for it. `long`: for suites that are named long.
 */
const PARTS = [
  {
    name: 'chromium',
    there: () => onPath('chromium', 'chromium-browser', 'google-chrome'),
    package: 'chromium',
    for: 'the page in a real browser',
    // Without a window's parts the engine opens a page in half the processor time; bench counts the whole engine's
    // load.
    better: { package: SHELL, there: () => onPath(SHELL) },
  },
  { name: 'containerd', there: () => onPath('containerd'), package: 'containerd', for: 'a real container runtime' },
  { name: 'runc', there: () => onPath('runc'), package: 'runc', for: 'a real container runtime' },
  {
    name: 'cni',
    there: () => ['/usr/lib/cni/bridge', '/opt/cni/bin/bridge'].some((p) => fs.existsSync(p)),
    package: 'containernetworking-plugins',
    for: "pods' network",
  },
  {
    name: 'iptables',
    there: () => onPath('iptables') || ['/usr/sbin/iptables', '/sbin/iptables'].some((p) => fs.existsSync(p)),
    package: 'iptables',
    for: "pods' network",
  },
  {
    name: 'kubectl',
    there: () => onPath('kubectl'),
    package: 'kubernetes-client',
    for: 'a stock kubectl on our API server',
  },
  {
    name: 'busybox',
    there: () => fs.existsSync('/bin/busybox') && isStatic('/bin/busybox'),
    package: 'busybox-static',
    for: 'the test image',
  },
  {
    name: 'firefox',
    there: () => onPath('firefox-esr', 'firefox'),
    package: 'firefox-esr',
    for: 'the page in Firefox',
    long: true,
  },
  {
    name: 'webkit',
    there: () => onPath('WebKitWebDriver'),
    package: 'webkit2gtk-driver',
    for: 'the page in WebKit',
    long: true,
  },
  { name: 'xvfb', there: () => onPath('Xvfb'), package: 'xvfb', for: 'the page in WebKit', long: true },
];

function isStatic(file) {
  // A dynamic executable names its interpreter near the start of the file.
  const head = Buffer.alloc(4096);
  const fd = fs.openSync(file, 'r');
  fs.readSync(fd, head, 0, head.length, 0);
  fs.closeSync(fd);
  return !head.includes('/ld-linux') && !head.includes('/ld-musl');
}

const QUIETLY = ['-y', '-qq', '--no-install-recommends'];
const PATIENCE = ['-o', 'Acquire::http::Timeout=30', '-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=120'];
/** Runs apt-get, and a second time if a mirror that does not answer kept it beyond its limit. */
async function aptGet(...args) {
  const once = () =>
    run('apt-get', [...PATIENCE, ...args], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      capture: true,
      quiet: true,
      limit: INSTALL_LIMIT,
    });
  const first = await once();
  return first.code === TIMED_OUT ? once() : first;
}

const isKnown = async (name) => (await run('apt-cache', ['show', name], { capture: true, quiet: true })).code === 0;

/**
 * Installs missing parts if that is possible (root, apt-get), and announces it first; returns those that are still
 * missing. `all`: with those that only suites named long need.
 */
export async function provide({ ci, all }) {
  const parts = PARTS.filter(({ long = false }) => all || !long);
  const root = process.getuid?.() === 0;
  const canInstall = root && onPath('apt-get');
  if (canInstall) {
    if (parts.some((p) => !p.there())) await aptGet('update', '-qq');
    for (const { better } of parts)
      if (better && !better.there() && (await isKnown(better.package))) {
        console.log(`Installing ${better.package} with apt-get`);
        await aptGet('install', ...QUIETLY, better.package);
      }
  }
  let lacking = parts.filter((p) => !p.there());
  if (lacking.length && canInstall) {
    console.log(
      `Installing with apt-get, for the suites with real parts: ${lacking.map((p) => `${p.package} (${p.for})`).join(', ')}`,
    );
    const { code, output } = await aptGet('install', ...QUIETLY, ...lacking.map((p) => p.package));
    if (code !== 0) console.error(output.split('\n').slice(-15).join('\n'));
    lacking = parts.filter((p) => !p.there());
  }
  const missing = lacking.map((p) => p.name);
  if (!root) missing.push('root');
  for (const p of lacking)
    console.log(
      `Missing: ${p.name}, for ${p.for}${ci ? '' : '; its suites are skipped'} (Debian package ${p.package}).`,
    );
  if (!root) console.log(`Not root: a container runtime can't be started${ci ? '' : '; its suites are skipped'}.`);
  return { missing };
}

/** Path of a Chromium, or null. */
export function chromium() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      // try the next
    }
  return null;
}
