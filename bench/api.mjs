/**
 * Measures our own API server over HTTPS, in memory and on a folder: creates a second, the time to open 10,000 objects,
 * and their size. `npm run bench -- api`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../apps/agent/e2e/own-server-program.mjs', import.meta.url));
const objects = 10_000;
/** Requests at a time. */
const counts = [1, 32];

const pod = (name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'bench' } },
  spec: {
    nodeName: 'elsewhere',
    containers: [
      {
        name: 'c',
        image: 'registry.example/app:1',
        env: Array.from({ length: 10 }, (_, i) => ({ name: `NAME_${i}`, value: `the value of ${name}` })),
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  },
});

async function serve(data, folder) {
  const child = spawn(process.execPath, data ? [program, folder] : [program, '', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
      if (text.includes('\n')) resolve(text);
    });
  });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const { url, token } = JSON.parse(line);
  const create = (name) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const at = `${url}/api/v1/namespaces/default/pods`;
      const sent = request(at, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode !== 201) reject(new Error(`the server answered ${response.statusCode}`));
        response.resume().on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(pod(name)));
    });
  const megabytes = () =>
    Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024);
  /** Returns the CPU so far, ms, of all its threads or of its main one, which bounds its work; in steps of 10 ms. */
  const cpu = (which = '') => {
    const stat = readFileSync(`/proc/${child.pid}/${which}stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  const cpus = () => [cpu(), cpu(`task/${child.pid}/`)];
  const end = () =>
    new Promise((resolve) => {
      agent.destroy();
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  return { create, megabytes, cpus, end };
}

/** Creates this many objects, this many at a time; returns how many a second. */
async function createAll(server, prefix, count, atOnce) {
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await server.create(`${prefix}-${next++}`);
    }),
  );
  return Math.round((count / (performance.now() - begin)) * 1000);
}

export async function run() {
  const results = {};
  for (const data of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-'));
    try {
      const server = await serve(data, folder);
      const bare = server.megabytes();
      await createAll(server, 'warm', 500, 32);
      const result = { megabytes: bare };
      let made = 500;
      for (const atOnce of counts) {
        const count = atOnce === 1 ? 1000 : 4000;
        const before = server.cpus();
        result[`creates a second, ${atOnce} at a time`] = await createAll(server, `at-${atOnce}`, count, atOnce);
        const each = server.cpus().map((millis, i) => Math.round(((millis - before[i]) / count) * 100) / 100);
        result[`CPU of the server for each, ${atOnce} at a time, ms: all threads, the main one`] = each;
        made += count;
      }
      if (data) await createAll(server, 'rest', objects - made, 32);
      await server.end();
      if (data) Object.assign(result, await opened(folder));
      results[data ? 'on a folder' : 'in memory'] = result;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

/** Opens the data of a server that was killed. */
async function opened(folder) {
  const { ApiData } = await import('../apps/agent/dist/api-data/api-data.js');
  const data = join(folder, 'data');
  const bytes = readdirSync(data).reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
  const times = [];
  const cpu = [];
  let count = 0;
  for (let i = 0; i < 3; i++) {
    const begin = performance.now();
    const used = process.cpuUsage();
    const found = await ApiData.open(data, { warn() {} });
    times.push(Math.round(performance.now() - begin));
    const { user, system } = process.cpuUsage(used);
    cpu.push(Math.round((user + system) / 1000));
    count = [...(found.kept?.objects ?? [])].length;
    await found.close();
  }
  return { objects: count, 'bytes on the disk': bytes, 'milliseconds to open': times, 'of CPU': cpu };
}
