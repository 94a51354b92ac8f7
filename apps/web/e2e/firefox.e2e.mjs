/**
 * The page in Firefox, over WebDriver BiDi: it loads, steps and steps back, and nothing complains. Skipped without
 * Firefox.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import WebSocket from 'ws';
import { serve } from './serve.mjs';

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
  return { ask, logged, close };
}

if (!FIREFOX) console.log('# no Firefox here, not tried in it: Debian package firefox-esr, or FIREFOX names one');
else
  it('Firefox loads the page, steps, and steps back', { timeout: 60_000 }, async () => {
    const server = await serve();
    const { ask, logged, close } = await firefox();
    try {
      await ask('session.new', { capabilities: {} });
      await ask('session.subscribe', { events: ['log.entryAdded'] });
      const [{ context }] = (await ask('browsingContext.getTree')).contexts;
      await ask('browsingContext.navigate', { context, url: `${server.url}?testing=1`, wait: 'complete' });
      const evaluate = async (expression) => {
        const { result, exceptionDetails } = await ask('script.evaluate', {
          expression,
          target: { context },
          awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value;
      };
      /** Resolves with `n` once the page is this many decisions after the scenario's opening. */
      const stands = (n) =>
        evaluate(`new Promise((done) => { const look = () => {
        const s = window.__syncloop;
        if (s?.idle() && s.run.steps === s.info.opened.step + ${n}) done(${n}); else setTimeout(look, 20);
      }; look(); })`);
      const press = (value) =>
        ask('input.performActions', {
          context,
          actions: [
            {
              type: 'key',
              id: 'keys',
              actions: [
                { type: 'keyDown', value },
                { type: 'keyUp', value },
              ],
            },
          ],
        });
      await stands(0);
      await press('\uE014'); // ArrowRight
      // The first thing to see after the opening is the file source's word, five decisions on.
      assert.equal(await stands(5), 5);
      await press('\uE012'); // ArrowLeft
      assert.equal(await stands(0), 0);
      assert.equal(await evaluate(`document.querySelectorAll('[data-testid=graph]').length`), 1);
      assert.deepEqual(
        logged.filter((line) => /^(error|warn)/.test(line)),
        [],
      );
    } finally {
      await close();
      await server.close();
    }
  });
