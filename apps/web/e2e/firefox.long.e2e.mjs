/**
 * The page in Firefox, over WebDriver BiDi: a learner's first steps and a lesson by keys, a log that is dropped.
 * Nothing complains. Skipped without Firefox.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import WebSocket from 'ws';
import { V4 } from './dropped.mjs';
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

const KEYS = { ArrowLeft: '\uE012', ArrowRight: '\uE014', Enter: '\uE007', Space: ' ' };

/** The page in a tab of its own: it evaluates expressions, waits for conditions and presses keys. */
async function open(ask, url) {
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
  const until = (condition) =>
    evaluate(`new Promise((done) => { const look = () => {
      if (window.__syncloop?.idle() && (${condition})) done(); else setTimeout(look, 20);
    }; look(); })`);
  const type = async (...keys) => {
    for (const key of keys) {
      const value = KEYS[key] ?? key;
      const actions = ['keyDown', 'keyUp'].map((kind) => ({ type: kind, value }));
      await ask('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions }] });
    }
  };
  await until('true');
  return { evaluate, until, type, close: () => ask('browsingContext.close', { context }) };
}

if (!FIREFOX) console.log('# no Firefox here, not tried in it: Debian package firefox-esr, or FIREFOX names one');
else
  describe('in Firefox', { timeout: 300_000 }, () => {
    let server;
    let browser;
    before(async () => {
      server = await serve();
      browser = await firefox();
      await browser.ask('session.new', { capabilities: {} });
      await browser.ask('session.subscribe', { events: ['log.entryAdded'] });
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });
    const journey = (title, go) =>
      it(title, async () => {
        const page = await open(browser.ask, server.url);
        await go(page);
        const complaints = browser.logged.splice(0).filter((line) => /^(error|warn)/.test(line));
        assert.deepEqual(complaints, []);
        await page.close();
      });

    journey('a learner steps, steps back, and plays until the pod runs', async ({ evaluate, until, type }) => {
      const stands = (n) => until(`window.__syncloop.run.steps === window.__syncloop.info.opened.step + ${n}`);
      await stands(0);
      await type('ArrowRight');
      // The first thing to see after the opening is the file source's word, five decisions on.
      await stands(5);
      await type('ArrowLeft');
      await stands(0);
      assert.equal(await evaluate(`document.querySelectorAll('[data-testid=graph]').length`), 1);
      for (let i = 0; i < 12; i++) {
        const seq = await evaluate('window.__syncloop.run.seq');
        await type('ArrowRight');
        await until(`window.__syncloop.run.seq > ${seq}`);
      }
      await evaluate(`window.__syncloop.command('transport.setSpeed', { mode: 'time', factor: 20 })`);
      await type('Space');
      await until('Object.values(window.__syncloop.state.pods).some((p) => p.phase === "Running")');
      await type('Space');
      await until('!window.__syncloop.run.running');
    });

    journey('a lesson is read, and its question answered, by keys', async ({ evaluate, until, type }) => {
      await evaluate(`window.__syncloop.command('transport.setSpeed', { mode: 'max' })`);
      await evaluate(`window.__syncloop.command('lesson.open', { name: 'syncloop' })`);
      const arrived = (step) =>
        until(`document.querySelector('.sl-lesson[data-phase=reading][data-step="${step}"] [data-known]') !== null`);
      await arrived(1);
      for (let step = 2; step <= 5; step++) {
        await type('n');
        await arrived(step);
      }
      await until(`document.activeElement?.matches('input[type=radio]')`);
      await type('Space', 'Enter');
      await until(`document.querySelector('[data-testid=result]') !== null`);
      assert.match(await evaluate(`document.querySelector('[data-testid=lesson-said]').textContent`), /^Not so\./);
    });

    journey('a log that is dropped is explained', async ({ evaluate, until }) => {
      const log = (await readFile(V4)).toString('base64');
      await evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        const bytes = Uint8Array.from(atob(${JSON.stringify(log)}), (c) => c.charCodeAt(0));
        dataTransfer.items.add(new File([bytes], 'kubelet.v4.log.gz'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      })()`);
      await until('window.__syncloop.info?.capabilities.observed && window.__syncloop.run.reading.ended');
      await until(`document.querySelector('[data-testid=finding]') !== null`);
      const first = await evaluate(`document.querySelector('[data-testid=finding]').textContent`);
      assert.match(first, /app in default\/crash-node1 ended in failure \d times/);
    });
  });
