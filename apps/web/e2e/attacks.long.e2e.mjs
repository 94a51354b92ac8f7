/** Attempts of a page on another origin, and of a recording from a stranger, in a real browser: none succeeds. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RecordingWriter } from '@syncloop/core/trace';
import { chromium } from 'playwright-core';
import { LINK, tokenOf } from '../../agent/e2e/links.mjs';
import { CHROMIUM_ARGS, command, executablePath, onStage } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

describe('a page of another origin', () => {
  let agent;
  let port;
  let token;
  let evil;
  let browser;
  let page;
  const asked = [];
  before(async () => {
    agent = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise((resolve, reject) => {
      let said = '';
      agent.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
        const found = LINK.exec(said)?.[0];
        if (found) resolve(new URL(found));
      });
      agent.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}`)));
    });
    port = url.port;
    token = tokenOf(url.href);
    evil = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>evil</title><body>');
    });
    await new Promise((resolve) => evil.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({
      executablePath,
      args: [...CHROMIUM_ARGS, '--host-resolver-rules=MAP *.test 127.0.0.1'],
    });
    page = await (await browser.newContext()).newPage();
    await page.goto(`http://evil.test:${evil.address().port}/`);
  });
  after(async () => {
    await browser?.close();
    evil?.close();
    if (agent) {
      const over = new Promise((resolve) => agent.once('exit', resolve));
      agent.kill('SIGTERM');
      await over;
    }
  });

  it('opens no socket, by any of the agent’s names, even where it knows the token', async () => {
    const got = await page.evaluate(
      ([p, t]) =>
        Promise.all(
          ['127.0.0.1', 'localhost', 'rebound.test'].map(
            (host) =>
              new Promise((resolve) => {
                const heard = [];
                const socket = new WebSocket(`ws://${host}:${p}/socket.io/?EIO=4&transport=websocket`);
                socket.onopen = () => {
                  heard.push('open');
                  socket.send(`40${JSON.stringify({ token: t })}`);
                };
                socket.onmessage = (e) => heard.push(e.data);
                socket.onclose = () => resolve(heard);
              }),
          ),
        ),
      [port, token],
    );
    assert.deepEqual(got, [[], [], []]);
  });

  it('reads nothing, and changes nothing by a form, an image, a script, a beacon', async () => {
    const got = await page.evaluate(async (p) => {
      const base = `http://127.0.0.1:${p}`;
      const out = {};
      const told = (promise) =>
        promise.then(
          (r) => `${r.type} ${r.status}`,
          (e) => e.name,
        );
      out.cors = await told(fetch(`${base}/`));
      out.json = await told(
        fetch(`${base}/`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }),
      );
      out.polling = await told(fetch(`${base}/socket.io/?EIO=4&transport=polling`, { credentials: 'include' }));
      const opaque = await fetch(`${base}/`, { mode: 'no-cors' }).catch((e) => e.name);
      out.noCors = typeof opaque === 'string' ? opaque : opaque.type;
      const loads = (tag, attribute, url) =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element[attribute] = url;
          document.body.append(element);
        });
      out.image = await loads('img', 'src', `${base}/favicon.svg`);
      out.script = await loads('script', 'src', `${base}/`);
      navigator.sendBeacon(`${base}/`, 'x');
      return out;
    }, port);
    assert.deepEqual(got, {
      cors: 'TypeError',
      json: 'TypeError',
      polling: 'TypeError',
      // Cross-Origin-Resource-Policy prevents even the loading of what may not be read.
      noCors: 'TypeError',
      image: 'refused',
      script: 'refused',
    });
  });

  it('does not get the debugger into a frame, nor by a window that it opened', async () => {
    const framed = await page.evaluate(
      ([p, t]) =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe');
          frame.onload = () => {
            let inside = 'out of reach';
            try {
              inside = frame.contentDocument?.title ?? 'out of reach';
            } catch {}
            resolve(inside);
          };
          frame.src = `http://127.0.0.1:${p}/#code=${t}`;
          document.body.append(frame);
        }),
      [port, token],
    );
    assert.equal(framed, 'out of reach');
    const frame = page.frames().at(-1);
    assert.notEqual(frame, page.mainFrame());
    // The browser's own page about a frame that was refused.
    for (let i = 0; i < 100 && frame.url() === ''; i++) await page.waitForTimeout(20);
    assert.match(frame.url(), /^chrome-error:/);
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((p) => {
        window.opened = window.open(`http://127.0.0.1:${p}/`);
      }, port),
    ]);
    await opened.waitForLoadState();
    // Cross-Origin-Opener-Policy cuts the two apart.
    assert.equal(await page.evaluate(() => window.opened.closed), true);
    assert.equal(await opened.evaluate(() => window.opener), null);
  });

  it('by a name that was turned to loopback later, is told nothing', async () => {
    const rebound = await (await browser.newContext()).newPage();
    const answer = await rebound.goto(`http://rebound.test:${port}/`);
    assert.equal(answer.status(), 421);
    assert.doesNotMatch(await answer.text(), /<script|syncloop/i);
  });
});

describe('another user of this machine', () => {
  it('who served the port before, and left a service worker, does not see the next link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-'));
    await writeFile(
      join(folder, 'kubelet.log'),
      'I1121 04:16:22.273305   24660 kubelet.go:2637] "Starting kubelet main sync loop"\n',
    );
    const theirs = '<!doctype html><title>theirs</title><script>window.stolen = location.hash</script>';
    const worker = `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
      onfetch = (e) => e.respondWith(new Response(${JSON.stringify(theirs)}, { headers: { 'Content-Type': 'text/html' } }));`;
    const stranger = createServer((request, response) => {
      const script = request.url === '/any.js';
      response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
      response.end(script ? worker : theirs);
    });
    await new Promise((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address();
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    let agent;
    try {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.evaluate(async () => {
        const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
        await navigator.serviceWorker.register('/any.js');
        await taken;
      });
      stranger.closeAllConnections();
      await new Promise((resolve) => stranger.close(resolve));
      agent = spawn(process.execPath, [PROGRAM, 'open', join(folder, 'kubelet.log'), '--port', String(port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const link = await new Promise((resolve, reject) => {
        let said = '';
        agent.stdout.setEncoding('utf8').on('data', (text) => {
          said += text;
          const found = LINK.exec(said)?.[0];
          if (found) resolve(found);
        });
        agent.once('exit', (code) => reject(new Error(`syncloop open ended with ${code}`)));
      });
      await page.goto(link);
      await page.waitForFunction(() => Object.keys(sessionStorage).some((key) => key.includes('token')));
      assert.equal(await page.evaluate(() => window.stolen), undefined);
      assert.equal((await page.evaluate(() => navigator.serviceWorker.getRegistrations())).length, 0);
      // Theirs is still there, and would have had it.
      await page.goto(`http://127.0.0.1:${port}/#code=next`);
      assert.equal(await page.evaluate(() => window.stolen), '#code=next');
    } finally {
      await browser.close();
      stranger.close();
      if (agent) {
        const over = new Promise((resolve) => agent.once('exit', resolve));
        agent.kill('SIGTERM');
        await over;
      }
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a recording from a stranger', () => {
  const visit = onStage();

  it('is text, whatever it says: nothing of it runs, is loaded, or leads out', async () => {
    const hostile = [
      '<img src=x onerror="window.__xss=1">',
      '<script>window.__xss=1</script>',
      '"><svg onload=window.__xss=1>',
      'javascript:window.__xss=1',
      '[x](javascript:window.__xss=1)',
      '{{constructor.constructor("window.__xss=1")()}}',
      '</style><style>@import url(https://evil.test/x.css);*{display:none}',
      '__proto__',
    ];
    const text = hostile.join(' ');
    const chunks = [];
    const writer = new RecordingWriter((chunk) => chunks.push(chunk), {
      core: 'x',
      title: text.slice(0, 400),
      scenario: text.slice(0, 200),
      seed: 1,
      runtime: text.slice(0, 200),
      node: hostile[0],
      epochMillis: 1,
      virtual: true,
      createdBy: text.slice(0, 200),
    });
    let seq = 0;
    const push = (body) => writer.push({ seq: ++seq, time: seq, g: 0, span: 0, cause: seq - 1, ...body });
    for (const [i, bad] of hostile.entries()) {
      const ref = { pod: `default/${bad}`, uid: `u${i}${bad}` };
      push({ kind: 'input', verb: bad, args: [text] });
      push({ kind: 'source', source: 'file', origin: 'list', pods: [ref], errors: [bad] });
      push({ kind: 'pod-config', source: 'file', op: 'ADD', pods: [ref] });
      push({ kind: 'worker', state: 'sync', reason: bad, ...ref });
      push({ kind: 'log', severity: 'E', v: 0, msg: bad, kv: { [bad]: text, err: bad }, file: bad });
      push({
        kind: 'kube-event',
        object: { kind: 'Pod', namespace: 'default', name: bad, uid: ref.uid, fieldPath: bad },
        type: 'Warning',
        reason: bad,
        message: text,
      });
      push({ kind: 'decision', rule: bad, verdict: bad, values: { [bad]: text }, container: bad, ...ref });
      push({ kind: 'actual-sandbox', id: bad, uid: ref.uid, pod: ref.pod, attempt: 0, state: 'ready', ip: bad });
      push({
        kind: 'actual-container',
        id: `${bad}c`,
        sandbox: bad,
        uid: ref.uid,
        name: bad,
        attempt: 0,
        state: 'running',
        reason: bad,
      });
      push({
        kind: 'status',
        version: 1,
        status: {
          phase: bad,
          containerStatuses: [{ name: bad, image: text, state: { waiting: { reason: bad, message: text } } }],
        },
        ...ref,
      });
      push({
        kind: 'probe',
        container: bad,
        probeType: 'liveness',
        outcome: 'failure',
        output: text,
        run: 1,
        threshold: 3,
        ...ref,
      });
      push({ kind: 'enter', fn: bad, args: { [bad]: text } });
    }
    writer.close();
    const folder = await mkdtemp(join(tmpdir(), 'syncloop-hostile-'));
    const file = join(folder, 'hostile.syncloop');
    await writeFile(file, Buffer.concat(chunks));
    const page = await visit();
    const outside = [];
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url())) outside.push(request.url());
    });
    try {
      const chooser = page.waitForEvent('filechooser');
      const done = command(page, 'files.choose');
      await (await chooser).setFiles(file);
      await done;
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply === false);
      await command(page, 'transport.toggle');
      await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.state.seq === n, seq);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    // All of it is in sight as text somewhere.
    await page.getByText('<img src=x onerror', { exact: false }).first().waitFor();
    const found = await page.evaluate(() => ({
      xss: window.__xss,
      polluted: {}.polluted,
      links: [...document.querySelectorAll('a[href]')]
        .map((a) => a.protocol)
        .filter((p) => !/^(https?|blob):$/.test(p)),
      made: document.querySelectorAll('img[src="x"], svg[onload], [onerror]').length,
    }));
    assert.deepEqual(found, { xss: undefined, polluted: undefined, links: [], made: 0 });
    assert.deepEqual(outside, []);
  });
});
