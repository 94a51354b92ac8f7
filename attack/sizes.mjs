/**
 * Measures the memory and time that `import`, `twin` and `open` take for logs of this many pods, and of this many
 * megabytes: a real process for each, with Node's own limits. `npm run attack -- sizes [import|twin|open...]`.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { program } from '../apps/agent/e2e/node-files.mjs';
import { life, linesOf } from './kubelet-lines.mjs';
import { family, memoryOf, processorMs } from './process.mjs';

const PODS = [10, 100, 1000, 10_000];
const MEGABYTES = [1, 10, 100];
/** The number of pods of one node, whose log is repeated if bytes count and not pods. */
const PODS_OF_A_NODE = 110;
/** A process with more than this is ended for the machine's sake, MB. */
const MOST_MB = 4000;

const commands = {
  import: (file, out) => ['import', file, '-o', out],
  twin: (file) => ['twin', file, '--tries', '0', '--quiet'],
  open: (file) => ['open', file, '--port', '0'],
};
export const SIZED = Object.keys(commands);

/** Makes a log of pods that live 21 s each, one begun every 8 s, as on a node where jobs run. */
const ofPods = (pods) => linesOf({ form: 'text', lines: life, times: pods, every: 8 });

/** Makes a log of that size of the pods of one node, which are synced again and again. */
function* ofMegabytes(megabytes) {
  let size = 0;
  for (const text of linesOf({ form: 'text', lines: life.slice(0, 12), times: PODS_OF_A_NODE, every: 0.1 })) {
    size += text.length;
    yield text;
  }
  const sync = life.slice(2, 4).concat([life[9]]);
  for (let turn = 1; size < megabytes * 1e6; turn++) {
    const at = sync.map(([seconds, ...rest]) => [seconds + turn * 60, ...rest]);
    for (const text of linesOf({ form: 'text', lines: at, times: PODS_OF_A_NODE, every: 0.1 })) {
      size += text.length;
      yield text;
    }
  }
}

/** Runs one command; resolves with `{seconds, processorSeconds, rssPeakMB, ended}`. */
async function measure(argv, limitSeconds) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'ignore', 'pipe'], env });
  const begun = performance.now();
  let said = '';
  let why = null;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000);
    if (argv[0] === 'open' && said.includes(' is read: ')) end('read');
  });
  const peaks = new Map();
  let processor = 0;
  let together = 0;
  const look = () => {
    let now = 0;
    for (const pid of family(child.pid)) {
      const { most, rss } = memoryOf(pid);
      peaks.set(pid, Math.max(peaks.get(pid) ?? 0, most));
      now += rss;
    }
    together = Math.max(together, now);
    processor = Math.max(processor, processorMs(child.pid));
    if (together > MOST_MB) end(`more than ${MOST_MB} MB`, 'SIGKILL');
    else if (performance.now() - begun > limitSeconds * 1000) end(`more than ${limitSeconds} s`, 'SIGKILL');
  };
  function end(reason, signal = 'SIGTERM') {
    if (why) return;
    why = reason;
    child.kill(signal);
  }
  const timer = setInterval(look, 50);
  const code = await new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  clearInterval(timer);
  return {
    seconds: Math.round((performance.now() - begun) / 10) / 100,
    processorSeconds: Math.round(processor / 10) / 100,
    rssPeakMB: Math.round(Math.max(together, ...peaks.values())),
    ended: why ?? code,
    ...(code !== 0 && code !== 1 && !why && { said: said.slice(-300) }),
  };
}

/** Yields one object for each size and command, printed as soon as it is measured. */
export async function measureSizes(names, { limitSeconds, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-attack-sizes-'));
  const results = [];
  try {
    const sizes = [
      ...PODS.map((pods) => ({ input: `${pods} pods`, make: () => ofPods(pods) })),
      ...MEGABYTES.map((megabytes) => ({ input: `${megabytes} MB`, make: () => ofMegabytes(megabytes) })),
    ];
    for (const { input, make } of sizes) {
      const file = join(folder, 'kubelet.log');
      await pipeline(Readable.from(make()), createWriteStream(file));
      for (const name of names) {
        const bytes = statSync(file).size;
        const measured = await measure(commands[name](file, join(folder, 'out.syncloop')), limitSeconds);
        results.push({ command: name, input, bytes, ...measured });
        say(
          `${name}, ${input}: ${measured.processorSeconds} s of the processor, ${measured.rssPeakMB} MB, ${measured.ended}`,
        );
      }
      rmSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}
