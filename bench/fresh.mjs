/**
 * `npm start` on a fresh machine: a clone of this tree's last commit, npm's cache filled as it is here, and the time
 * from the command to a page that answers. Packages come from the cache; what it lacks comes from the registry. What is
 * not committed is not in it. Prints JSON.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINK } from '../apps/agent/e2e/links.mjs';
import { top } from '../scripts/lib.mjs';

const GIVE_UP = 540_000;
const seconds = (since, until = performance.now()) => Number(((until - since) / 1000).toFixed(1));

/** Resolves with the link that `npm start` prints, and the time at which npm had installed its packages. */
function linkOf(child) {
  let printed = '';
  let installed = null;
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`npm start printed no link; it ends: ${printed.slice(-500)}`)),
      GIVE_UP,
    );
    const look = (text) => {
      printed += text;
      if (/^added \d+ packages/m.test(text)) installed = performance.now();
      const found = LINK.exec(printed)?.[0];
      if (!found) return;
      clearTimeout(late);
      resolve({ link: found, installed });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', look);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${printed.slice(-500)}`)));
  });
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-fresh-'));
  const tree = join(folder, 'syncloop');
  let child;
  const end = () => {
    try {
      if (child) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('SIGTERM', () => {
    end();
    process.exit(143);
  });
  try {
    // Its objects stay where they are.
    execFileSync('git', ['clone', '--quiet', '--shared', top, tree]);
    // None of what npm tells the processes that it runs reaches the one that is measured.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^SYNCLOOP_/i.test(name)));
    const begun = performance.now();
    child = spawn('npm', ['start', '--', '--port', '0'], {
      cwd: tree,
      env,
      // A group of its own: it is ended with all that it started.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { link, installed } = await linkOf(child);
    const response = await fetch(link.replace(/#.*/, ''));
    if (!response.ok) throw new Error(`the page of npm start answers ${response.status}`);
    await response.arrayBuffer();
    return { seconds: seconds(begun), ...(installed && { installSeconds: seconds(begun, installed) }) };
  } finally {
    end();
  }
}
