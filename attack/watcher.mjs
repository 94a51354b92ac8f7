/**
 * Looks at processes from outside, in a thread of its own, so that a busy harness does not look like a late server: the
 * memory of each process and of its children, and the time of a plain request.
 *
 * `workerData`: `{processes: [{name, pid, rssMB}], health: {url}, lateMs, everyMs}`. It posts `{violation}` once, and
 * answers each message with its observations.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { processes, health, lateMs, everyMs } = workerData;
const PAGE_MB = 4096 / 1024 / 1024;
const seen = { rssPeakMB: {}, times: [], checks: 0 };
let reported = false;

function violate(violation) {
  if (reported) return;
  reported = true;
  parentPort.postMessage({ violation });
}

/** Resident memory of a process, MB; 0 if there is none any more. */
function residentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_MB;
  } catch {
    return 0;
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function look() {
  for (const { name, pid, rssMB } of processes) {
    const note = (label, value) => {
      seen.rssPeakMB[label] = Math.max(seen.rssPeakMB[label] ?? 0, Math.round(value));
      if (value > rssMB) violate({ kind: 'memory', process: label, what: `${Math.round(value)} MB of ${rssMB} MB` });
    };
    const own = residentOf(pid);
    note(name, own);
    const children = childrenOf(pid).map(residentOf);
    for (const size of children) note(`${name}, its child`, size);
    if (children.length > 0)
      note(
        `${name}, together`,
        children.reduce((sum, size) => sum + size, own),
      );
  }
}

/** Resolves with the milliseconds until the answer was there; the limit if none came. */
function ask() {
  return new Promise((resolve) => {
    const begun = performance.now();
    const took = () => resolve(performance.now() - begun);
    const sent = http.get(health.url, { agent: false, timeout: lateMs, headers: health.headers ?? {} }, (answer) => {
      answer.resume();
      answer.on('end', took).on('error', took);
    });
    sent.on('timeout', () => sent.destroy());
    // Refused or reset is an answer, too: whether the process lives is looked at elsewhere.
    sent.on('error', took);
  });
}

async function check() {
  const took = await ask();
  seen.checks++;
  seen.times.push(took);
  if (took >= lateMs) violate({ kind: 'late', process: processes[0].name, what: `no answer within ${lateMs} ms` });
}

look();
// Memory can grow by a gigabyte in a second.
const looking = setInterval(look, 25);
let asking = null;
const checking = setInterval(() => {
  if (!health || asking) return;
  asking = check().finally(() => {
    asking = null;
  });
}, everyMs);

parentPort.on('message', async (message) => {
  if (message === 'end') {
    clearInterval(looking);
    clearInterval(checking);
    parentPort.close();
  }
  const sorted = [...seen.times].sort((a, b) => a - b);
  const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  parentPort.postMessage({
    seen: {
      rssPeakMB: seen.rssPeakMB,
      healthzChecks: seen.checks,
      healthzP99Ms: at(0.99),
      healthzMaxMs: at(1),
    },
  });
});
