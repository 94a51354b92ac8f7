#!/usr/bin/env node
/**
 * Runs people's usual commands of kubectl against `--serve-api` with each named kubectl, and prints the results:
 *
 *     node apps/agent/e2e/kubectl-versions.mjs ./kubectl-1.34 ./kubectl-1.35 ./kubectl-1.36
 *
 * As root, with containerd. Exits with 1 if a test failed with one of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUITES = ['kubectl.e2e.mjs', 'kubectl.long.e2e.mjs', 'api-auth.long.e2e.mjs']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .filter((path) => existsSync(path));

const programs = process.argv.slice(2).map((name) => (name.includes('/') ? resolve(name) : name));
if (programs.length === 0) {
  console.error('name the kubectls to run: kubectl-versions.mjs ./kubectl-1.35 ./kubectl-1.36');
  process.exit(2);
}

/** Runs one suite at a time, in a network of its own. */
function run(kubectl) {
  const script = 'busybox ip link set lo up && exec "$0" --test --test-concurrency=1 --test-reporter=tap "$@"';
  const child = spawn('unshare', ['--net', '--', 'sh', '-c', script, process.execPath, ...SUITES], {
    env: { ...process.env, KUBECTL: kubectl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  return new Promise((then) => child.once('close', (code) => then({ code, text })));
}

let failed = false;
for (const kubectl of programs) {
  const { clientVersion } = JSON.parse(
    execFileSync(kubectl, ['version', '--client', '-o', 'json'], { encoding: 'utf8' }),
  );
  const { code, text } = await run(kubectl);
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  console.log(`${clientVersion.gitVersion}: ${count('pass')} of ${count('tests')}`);
  for (const [, name] of text.matchAll(/^ *not ok \d+ - (.*)$/gm)) console.log(`  failed: ${name}`);
  if (code !== 0) {
    failed = true;
    console.log(text);
  }
}
process.exit(failed ? 1 : 0);
