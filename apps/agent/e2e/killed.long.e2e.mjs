/**
 * Our own API server on a real disk, killed at random while clients write: all that was acknowledged is there
 * afterwards, nothing is there half, and versions go on. Ten times; `SYNCLOOP_KILLS=50` for more.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Running, until } from './programs.mjs';

const run = promisify(execFile);

const kills = Number(process.env.SYNCLOOP_KILLS ?? 10);
const program = fileURLToPath(new URL('own-server-program.mjs', import.meta.url));
const path = '/api/v1/namespaces/default/configmaps';
const writers = 12;
let folder;
let server;
let url;
let token;
let agent;
/** The last state of each object that was acknowledged, by name; null: it was deleted. */
const acknowledged = new Map();
/** Writes that were not answered when the server was killed: they may be done or not. */
const open = new Map();
let lastVersion = 0;
let writes = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-killed-'));
});
after(async () => {
  agent?.destroy();
  await server?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function start(at = folder) {
  server = new Running(process.execPath, [program, at]);
  await until('the server serves', () => server.stdout.includes('\n') || server.child.exitCode !== null, {
    seconds: 60,
    describe: () => server.stderr,
  });
  assert.equal(server.child.exitCode, null, server.stderr);
  ({ url, token } = JSON.parse(server.stdout));
  agent?.destroy();
  agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
}

/** Rejects when the connection breaks. */
function ask(method, at, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(`${url}${at}`, { method, agent, headers }, async (response) => {
      try {
        let text = '';
        for await (const part of response.setEncoding('utf8')) text += part;
        resolve({ code: response.statusCode, body: JSON.parse(text) });
      } catch (err) {
        reject(err);
      }
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** Creates, replaces and deletes objects of its own, one request at a time, until the server is gone. */
async function write(writer, round) {
  for (let n = 0; ; n++) {
    const name = `w${writer}-${(round + n) % 5}`;
    const there = acknowledged.get(name) ?? null;
    const remove = there !== null && (n + writer) % 4 === 3;
    const value = `${round}.${n} `.repeat(1 + ((n * 37 + writer) % 200));
    open.set(name, remove ? null : value);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
    let answer;
    try {
      if (remove) answer = await ask('DELETE', `${path}/${name}`);
      else if (there === null) answer = await ask('POST', path, object);
      else answer = await ask('PUT', `${path}/${name}`, object);
    } catch {
      return;
    }
    assert.ok(answer.code < 300, JSON.stringify(answer.body));
    acknowledged.set(name, open.get(name));
    open.delete(name);
    lastVersion = Math.max(lastVersion, Number(answer.body.metadata?.resourceVersion ?? 0));
    writes++;
  }
}

it(`loses nothing that was acknowledged, killed ${kills} times`, async () => {
  await start();
  for (let round = 0; round < kills; round++) {
    const all = Array.from({ length: writers }, (_, i) => write(i, round));
    // The kill may come at any moment, with this many acknowledged.
    const enough = writes + Math.floor(Math.random() * 60);
    let failed = false;
    for (const one of all)
      one.catch(() => {
        failed = true;
      });
    while (writes < enough && !failed) await delay(1);
    await delay(Math.random() * 10);
    await server.kill('SIGKILL');
    await Promise.all(all);
    await start();
    const { body } = await ask('GET', path);
    const found = new Map(body.items.map((o) => [o.metadata.name, o.data.value]));
    found.delete('kube-root-ca.crt');
    for (const [name, value] of acknowledged) {
      const now = found.get(name) ?? null;
      if (open.has(name)) assert.ok(now === value || now === open.get(name), `${name} is half: ${now}`);
      else assert.equal(now, value, name);
    }
    for (const [name, value] of found)
      assert.ok(acknowledged.has(name) || open.get(name) === value, `${name} is nobody's`);
    const version = Number(body.metadata.resourceVersion);
    assert.ok(version >= lastVersion, `version ${version} after ${lastVersion}`);
    lastVersion = version;
    // Writes without an answer are known now.
    for (const name of open.keys()) acknowledged.set(name, found.get(name) ?? null);
    open.clear();
  }
  console.log(`${writes} writes were acknowledged between ${kills} kills`);
  assert.ok(writes > kills);
});

it('is had by one process at a time', async () => {
  const second = new Running(process.execPath, [program, folder]);
  assert.notEqual(await second.exit, 0);
  const pid = server.child.pid;
  assert.ok(second.stderr.includes(`another syncloop (pid ${pid}) has the data of the API server in`), second.stderr);
  assert.equal((await ask('GET', path)).code, 200);
});

it('refuses writes on a disk that is full, goes on reading, and goes on when there is room', {
  skip: process.getuid?.() !== 0 && 'mounting a small disk takes root',
}, async () => {
  await server.kill('SIGKILL');
  const disk = join(folder, 'small');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]);
  try {
    await start(disk);
    const create = (name) =>
      ask('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'x'.repeat(50_000) } });
    const names = [];
    let refused;
    for (let n = 0; !refused; n++) {
      const { code, body } = await create(`c${n}`);
      if (code === 201) names.push(`c${n}`);
      else refused = [code, body.message];
    }
    assert.deepEqual(refused, [500, 'etcdserver: mvcc: database space exceeded']);
    assert.ok(names.length > 5);
    const there = async () => {
      const { body } = await ask('GET', path);
      return body.items.map((o) => o.metadata.name).filter((name) => name !== 'kube-root-ca.crt');
    };
    assert.deepEqual(await there(), names.toSorted());
    await server.says('the warning', /cannot write to .*ENOSPC.*free space on that disk/);
    // Room comes back, and with it the server.
    await run('mount', ['-o', 'remount,size=16m', disk]);
    assert.equal((await create('again')).code, 201);
    await server.says('that it goes on', /can write to \S+ again, and accepts changes/);
    await server.kill('SIGKILL');
    await start(disk);
    assert.deepEqual(await there(), [...names, 'again'].toSorted());
  } finally {
    await server.kill('SIGKILL');
    await run('umount', ['-l', disk]);
  }
});
