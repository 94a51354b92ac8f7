/**
 * The page in Firefox, over WebDriver BiDi. Skipped without Firefox.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { journeysIn, keyActions, untilIdle } from './engines.mjs';

const NAMES = [process.env.FIREFOX, 'firefox-esr', 'firefox'].filter(Boolean);
const FIREFOX = NAMES.find((name) => spawnSync(name, ['--version']).status === 0);

/**
 * A headless Firefox with a new profile: `ask` sends a BiDi command and returns its result, `logged` has the pages'
 * messages.
 */
async function firefox() {
  const profile = await mkdtemp(join(tmpdir(), 'syncloop-firefox-'));
  const child = spawn(FIREFOX, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']);
  const over = new Promise((resolve) => child.once('exit', resolve));
  const address = await new Promise((resolve, reject) => {
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const found = /ws:\/\/\S+/.exec(printed)?.[0];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${FIREFOX} ended with ${code}: ${printed}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map();
  const logged = [];
  socket.on('message', (data) => {
    const { id, type, method, params, result, message } = JSON.parse(data);
    if (method === 'log.entryAdded') logged.push(`${params.level}: ${params.text}`);
    const asked = waiting.get(id);
    if (type === 'error') asked?.reject(new Error(message));
    else asked?.resolve(result);
  });
  let last = 0;
  const ask = (method, params = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const close = async () => {
    child.kill('SIGTERM');
    await over;
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  await ask('session.new', { capabilities: {} });
  await ask('session.subscribe', { events: ['log.entryAdded'] });
  return { ask, logged, close };
}

/** The page in a tab of its own; `logged` has what Firefox's tabs have said. */
async function open({ ask, logged }, url) {
  const { context } = await ask('browsingContext.create', { type: 'tab' });
  await ask('browsingContext.navigate', { context, url: `${url}?testing=1`, wait: 'complete' });
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await ask('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  };
  await evaluate(untilIdle('true'));
  return {
    evaluate,
    type: (...keys) => ask('input.performActions', { context, actions: keyActions(keys) }),
    async close() {
      const complaints = logged.splice(0).filter((line) => /^(error|warn)/.test(line));
      assert.deepEqual(complaints, []);
      await ask('browsingContext.close', { context });
    },
  };
}

journeysIn('Firefox', {
  missing: FIREFOX ? [] : ['Firefox (Debian package firefox-esr, or FIREFOX names one)'],
  start: firefox,
  open,
});
