/** `syncloop serve` as a process of its own, for suites that look at an agent's session. */
import { spawn } from 'node:child_process';
import { afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LINK } from '../../agent/e2e/links.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

/** Starts an agent with a simulation; `url` is the one that it prints for the browser. */
async function startAgent(port, args) {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', String(port), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    const take = (text) => {
      printed += text;
      const found = LINK.exec(printed)?.[0];
      if (found) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}: ${printed}`)));
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const started = {
    url,
    origin: `${new URL(url).origin}/`,
    stop: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
  return started;
}

/** For a file of tests, after `onStage`: returns `agent(port, args)`, which starts one; they end after each test. */
export function onAgents() {
  const agents = [];
  afterEach(() => Promise.all(agents.splice(0).map((a) => a.stop())));
  return async (port = 0, args = []) => {
    const started = await startAgent(port, args);
    agents.push(started);
    return started;
  };
}

/** Returns the address of an agent's page; the query turns the test hooks on. */
export const pageOf = (node) => ({ url: node.origin, hash: new URL(node.url).hash });
