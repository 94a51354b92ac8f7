/**
 * The page in WebKit, which Safari is built of, over WebDriver: Debian's WebKitGTK, on a display that only Xvfb has.
 * Skipped without them.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { journeysIn, keyActions, untilIdle } from './engines.mjs';

const DRIVER = '/usr/bin/WebKitWebDriver';
const XVFB = '/usr/bin/Xvfb';
/** The browser that WebKitGTK brings for tests; its folder has the API's version in its name. */
const BROWSER = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)]
  .flatMap((dir) => ['4.1', '6.0', '4.0'].flatMap((v) => [`${dir}/webkit2gtk-${v}`, `${dir}/webkitgtk-${v}`]))
  .map((dir) => `${dir}/MiniBrowser`)
  .find((path) => existsSync(path));
const missing = [!existsSync(DRIVER) && DRIVER, !existsSync(XVFB) && XVFB, !BROWSER && 'MiniBrowser'].filter(Boolean);

/** Resolves with a port that nobody listens on. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A display, a driver, and a session of it: `ask` sends a command of WebDriver and resolves with its value. */
async function webkit() {
  const display = spawn(XVFB, ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    display.stdio[3].once('data', (text) => resolve(String(text).trim()));
    display.once('exit', (code) => reject(new Error(`${XVFB} ended with ${code}`)));
  });
  const port = await freePort();
  // Its own sandbox needs user namespaces, which root in a container may not make.
  const env = { ...process.env, DISPLAY: `:${number}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' };
  const driver = spawn(DRIVER, [`--port=${port}`, '--host=127.0.0.1'], { env, stdio: 'ignore' });
  const send = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  /** The driver listens a moment after its start. */
  const session = async () => {
    const browserOptions = { binary: BROWSER, args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
    for (;;)
      try {
        return await send('POST', '/session', { capabilities });
      } catch (error) {
        if (driver.exitCode !== null || error.cause?.code !== 'ECONNREFUSED') throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
  };
  const { sessionId } = await session();
  const ask = (method, path, body) => send(method, `/session/${sessionId}${path}`, body);
  const close = async () => {
    await send('DELETE', `/session/${sessionId}`);
    driver.kill();
    display.kill();
  };
  await ask('POST', '/timeouts', { script: 120_000 });
  await ask('POST', '/window/rect', { x: 0, y: 0, width: 1440, height: 900 });
  return { ask, close };
}

/** The page, loaded again; what it complains of is kept from then on. */
async function open({ ask }, url) {
  const evaluate = async (expression) => {
    const { value, thrown } = await ask('POST', '/execute/async', {
      script: `const done = arguments[0];
        (async () => ${expression})().then((value) => done({ value }), (e) => done({ thrown: String(e) }));`,
      args: [],
    });
    if (thrown) throw new Error(thrown);
    return value;
  };
  await ask('POST', '/url', { url: `${url}?testing=1` });
  await evaluate(`(() => {
    window.complaints = [];
    // WebKit reports as an error that a size changed twice in a frame; the page draws the second one in the next.
    const complain = (text) => /^ResizeObserver loop/.test(text) || complaints.push(text);
    for (const kind of ['error', 'unhandledrejection'])
      addEventListener(kind, (event) => complain(String(event.message ?? event.reason)));
  })()`);
  await evaluate(untilIdle('true'));
  return {
    evaluate,
    type: (...keys) => ask('POST', '/actions', { actions: keyActions(keys) }),
    close: async () => assert.deepEqual(await evaluate('complaints'), []),
  };
}

journeysIn('WebKit', { missing, start: webkit, open });
