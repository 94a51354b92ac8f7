/**
 * The page of `syncloop attach` and of `syncloop open`: a player plays a capture of a real kubelet as a live node, its
 * log is rotated, the player is killed and comes back, the page is left and found again. Every line is there once.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newCode } from '../../agent/dist/links/link-code.js';
import { LINK } from '../../agent/e2e/links.mjs';
import { Player, readCapture } from '../../agent/e2e/player.mjs';
import { freePort, Running, until } from '../../agent/e2e/programs.mjs';
import { connect } from '../../agent/e2e/session-client.mjs';
import { onStage } from './browser.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));
const PLAYER = fileURLToPath(new URL('../../agent/e2e/player.mjs', import.meta.url));
const CAPTURE = fileURLToPath(new URL('../../../packages/core/testdata/attach/v1.36-v2/crash-loop', import.meta.url));
const WHOLE = fileURLToPath(new URL('../../../packages/core/testdata/attach/v1.36-v4/api-pod-life', import.meta.url));

const visit = onStage();
const closers = [];
const closeAll = async () => {
  for (const close of closers.splice(0).reverse()) await close();
};
afterEach(closeAll);
// A test whose page complained leaves its programs to this.
after(closeAll);

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'syncloop-attach-'));
  closers.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A program of ours, and the URL that it prints. */
async function syncloop(...args) {
  const program = new Running(process.execPath, [PROGRAM, ...args]);
  closers.push(() => program.kill());
  const [url] = await program.says('the URL of the page', LINK, { seconds: 60 });
  return { program, url };
}
const look = (url, options) =>
  visit({ url: `${new URL(url).origin}/`, hash: new URL(url).hash, pace: null, ...options });

/** Connects to an agent as a page does, without the page. */
async function clientOf(url) {
  const client = await connect(url);
  closers.push(() => client.close?.());
  return client;
}

/** The browser's own complaints when nobody answers. */
const GONE = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET/;

/** The number of the last line of the log that the page's session has read. */
const read = (page) => page.evaluate(() => window.__syncloop.run.end?.seq ?? 0);
const messages = (records) => records.filter((r) => r.kind === 'log' && r.evidence).map((r) => r.evidence);

/** Reads a recording through its own export. */
async function recorded(file) {
  const program = spawn(process.execPath, [PROGRAM, 'export', file, '--format', 'ndjson'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  await new Promise((resolve) => program.once('close', resolve));
  return text
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('a kubelet that is attached to', () => {
  it('is followed over rotations and over the end of what writes its log; no line is lost or comes twice', async () => {
    const path = await folder();
    const capture = readCapture(CAPTURE);
    const player = new Player(capture, join(path, 'node'));
    const recording = join(path, 'run.syncloop');
    player.write(60);
    const { program, url } = await syncloop('attach', '--log', player.log, '--ui-port', '0', '--record', recording);
    const page = await look(url);
    await page.waitForFunction(() => window.__syncloop.run.end?.seq >= 60);
    assert.doesNotMatch(page.url(), /code/);
    // Each way to rotate, with lines before and after it that nobody has looked at.
    for (const way of ['rename', 'copytruncate', 'gzip', 'delete']) {
      const before = await read(page);
      player.write(30);
      if (way === 'delete') await page.waitForFunction((n) => window.__syncloop.run.end.seq >= n + 30, before);
      player.rotate(way);
      player.write(30);
      await page.waitForFunction((n) => window.__syncloop.run.end.seq >= n + 60, before);
    }
    // The page is left, and opened again at the run's later position.
    await page.close();
    player.write(20);
    const again = await look(url, { expected: GONE });
    await again.waitForFunction((n) => window.__syncloop.run.end?.seq >= n, player.written);
    // The writer of the log is a process that is killed, and comes back.
    const rest = join(path, 'rest');
    await writeFile(rest, JSON.stringify(capture.lines.slice(player.written)));
    const writer = () =>
      new Running(process.execPath, [
        '-e',
        `const fs = require('node:fs');
         const lines = JSON.parse(fs.readFileSync(${JSON.stringify(rest)}, 'utf8'));
         const done = Number(process.argv[1]);
         let n = done;
         const timer = setInterval(() => {
           if (n >= lines.length) { clearInterval(timer); return; }
           fs.appendFileSync(${JSON.stringify(player.log)}, lines[n++].text + '\\n');
         }, 5);`,
        String(written),
      ]);
    let written = 0;
    const first = writer();
    await again.waitForFunction((n) => window.__syncloop.run.end.seq >= n + 20, player.written);
    await first.kill('SIGKILL');
    const text = await readFile(player.log, 'utf8');
    const before = capture.lines[player.written - 1].text;
    written = text.slice(text.lastIndexOf(`${before}\n`) + before.length + 1).split('\n').length - 1;
    const second = writer();
    await second.exit;
    await again.waitForFunction((n) => window.__syncloop.run.end.seq >= n, capture.lines.length);
    await program.kill('SIGTERM');
    const records = await recorded(recording);
    const lines = messages(records).map(({ line }) => line);
    // A record of several lines has the place of its first; all other lines are there, in order, once.
    assert.deepEqual(
      lines,
      [...new Set(lines)].sort((a, b) => a - b),
    );
    const whole = await recorded(await imported(path, capture));
    const said = (list) =>
      list.filter((r) => r.kind === 'log' && r.evidence).map((r) => `${r.msg} ${JSON.stringify(r.kv)}`);
    assert.deepEqual(said(records), said(whole));
  });

  it('is seen through its log, its spans, its pods and its counters together; what is missing is said once', async () => {
    const path = await folder();
    const player = new Player(WHOLE, join(path, 'node'), { now: true });
    closers.push(() => player.close());
    const kubelet = await player.serve();
    const port = await freePort();
    player.write(200);
    const { program, url } = await syncloop(
      ...['attach', '--log', player.log, '--ui-port', '0', '--kubelet', kubelet, '--spans-http', `127.0.0.1:${port}`],
      ...['--tap', join(path, 'no-tap.sock')],
    );
    const client = await clientOf(url);
    const overview = () => client.command({ do: 'overview' });
    while (player.written < player.count) {
      player.write(200);
      await until('spans are taken', () =>
        player.sendSpans(`http://127.0.0.1:${port}`).then(
          () => true,
          () => false,
        ),
      );
    }
    const pieces = async (id) => (await overview()).sources.find((one) => one.id === id)?.pieces ?? 0;
    for (const id of ['log', 'spans', 'pods', 'metrics'])
      await until(`evidence of ${id}`, async () => (await pieces(id)) > 0, {
        seconds: 60,
        describe: () => program.stderr,
      });
    const { sources } = await overview();
    assert.equal(sources.find(({ id }) => id === 'cri').state, 'lost');
    assert.equal(program.stderr.match(/no-tap\.sock does not answer/g).length, 1);
  });

  it('is only looked at: pause and step move the view, and nothing else is possible', async () => {
    const path = await folder();
    const player = new Player(CAPTURE, join(path, 'node'));
    player.write(200);
    const { url } = await syncloop('attach', '--log', player.log, '--ui-port', '0');
    const client = await clientOf(url);
    await until('the lines', () => (client.run?.end?.seq ?? 0) >= 200, { seconds: 60 });
    for (const given of [
      { do: 'apply', manifest: 'x' },
      { do: 'delete', file: 'x' },
      { do: 'kill', uid: 'x' },
    ])
      await assert.rejects(client.command(given), /not possible/);
    await client.command({ do: 'go', to: { seq: 50 } });
    await until('the view goes back', () => client.run.seq === 50);
    player.write(50);
    // New lines come behind the present view.
    await until('the lines that came meanwhile', () => client.run.end.seq >= 250, { seconds: 60 });
    assert.equal(client.run.seq, 50);
  });
});

/** A recording of the whole log at once, to hold the live one against. */
async function imported(path, capture) {
  const log = join(path, 'whole.log');
  await writeFile(log, capture.lines.map(({ text }) => `${text}\n`).join(''));
  const out = join(path, 'whole.syncloop');
  const program = new Running(process.execPath, [PROGRAM, 'import', log, '-o', out]);
  assert.equal(await program.exit, 0, program.stderr);
  return out;
}

describe('a log that is opened', () => {
  it('is on the page with all its records, and a player as a program writes one', async () => {
    const path = await folder();
    const play = new Running(process.execPath, [
      PLAYER,
      CAPTURE,
      join(path, 'node'),
      '--speed',
      '10000',
      '--rotate',
      '100',
    ]);
    assert.equal(await play.exit, 0, play.stderr);
    const { url, program } = await syncloop('open', join(path, 'node'), '--port', '0');
    const page = await look(url);
    await page.waitForFunction(() => window.__syncloop.run.reading?.ended);
    assert.match(await program.says('what was read', /387 pieces of evidence/).then(([text]) => text), /387/);
    assert.ok((await read(page)) > 387);
  });
});

/** A kubectl for one cluster: its pods are attaches on this machine, each at its port with its token. */
async function kubectl(path, nodes) {
  const file = join(path, 'kubectl');
  const items = nodes.map(({ node }) => ({
    metadata: { name: `attach-${node}` },
    spec: { nodeName: node },
    status: { phase: 'Running', startTime: '2026-11-22T10:00:00Z', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  await writeFile(
    file,
    `#!${process.execPath}
const args = process.argv.slice(2);
const nodes = ${JSON.stringify(nodes)};
const of = (name) => nodes.find(({ node }) => name.endsWith('attach-' + node));
if (args.includes('get')) console.log(JSON.stringify({ items: ${JSON.stringify(items)} }));
else if (args.includes('exec'))
  process.stdout.write(require('node:fs').readFileSync(of(args[args.indexOf('exec') + 1]).token));
else {
  const net = require('node:net');
  const { port } = of(args.at(-2));
  const server = net.createServer((socket) => {
    const to = net.connect(port, '127.0.0.1');
    for (const [a, b] of [[socket, to], [to, socket]]) a.on('error', () => b.destroy()).pipe(b);
  });
  server.listen(0, '127.0.0.1', () => console.log('Forwarding from 127.0.0.1:' + server.address().port + ' -> 7330'));
}
`,
    { mode: 0o755 },
  );
  return file;
}

describe('many nodes', () => {
  it('are listed, and one goes from one to the other, each with its own token', async () => {
    const path = await folder();
    const nodes = [];
    for (const [node, lines] of [
      ['node1', 100],
      ['node2', 200],
    ]) {
      const player = new Player(CAPTURE, join(path, node));
      player.write(lines);
      const token = join(path, `${node}.token`);
      const program = new Running(process.execPath, [
        ...[PROGRAM, 'attach', '--log', player.log, '--ui-port', '0', '--ui-forwarded', '--ui-token-file', token],
        ...['--node-name', node],
      ]);
      closers.push(() => program.kill());
      const [, port] = await program.says(
        'where it serves',
        /http:\/\/127\.0\.0\.1:(\d+)\/; for a link: syncloop url --ui-token-file/,
        {
          seconds: 60,
        },
      );
      assert.doesNotMatch(program.stderr, /code=/);
      nodes.push({ node, port: Number(port), token, lines });
    }
    const { url } = await syncloop('nodes', '--port', '0', '--kubectl', await kubectl(path, nodes));
    const page = await visit({ url: `${new URL(url).origin}/`, hash: new URL(url).hash, query: '', ready: false });
    for (const { node, lines, token } of nodes) {
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('button', { name: node }).click(),
      ]);
      await tab.getByText(`Kubelet of ${node}`).first().waitFor();
      // The hooks of tests come with the query.
      await tab.goto(`${new URL(tab.url()).origin}/?testing=1#code=${newCode((await readFile(token, 'utf8')).trim())}`);
      await tab.waitForFunction((n) => window.__syncloop?.run?.end?.seq >= n, lines);
      // A restart must not make them good again.
      assert.notEqual(JSON.parse(await readFile(`${token}.used`, 'utf8')).used.length, 0);
      await tab.close();
      await page.getByRole('row', { name: node }).getByText('open').waitFor();
    }
    assert.doesNotMatch(page.url(), /code/);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  });
});
