/** Commands that read a file and end, in a host process that is watched like any other; see host.mjs. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alarmIn, family, memoryOf, processorMs, Subject, Watch } from '../process.mjs';

const host = fileURLToPath(new URL('../host.mjs', import.meta.url));
const top = fileURLToPath(new URL('../../', import.meta.url));

/**
 * `commandMs`: the time of one, of the processor or three times as long by the clock: a command that hangs uses none,
 * and one that works waits for its turn on a busy machine. The heap has room for a simulated node, which may have 256
 * MiB of files and half of what its programs have (packages/core/src/mock/process/budget.ts, memfs.ts).
 *
 * `aloneMB`, `aloneMs`: the budget of a process of its own, beyond the limits that it is given (limits in
 * ../stranger-files.mjs): it is looked at only now and then.
 *
 * `readSeconds`: the time limit that commands get which read a file.
 */
const budgets = { heapMB: 512, rssMB: 600, commandMs: 10_000, aloneMB: 800, aloneMs: 20_000, readSeconds: 8 };

async function start({ alarm, budgets, fuzzer }) {
  const work = await mkdtemp(join(tmpdir(), 'syncloop-attack-'));
  const env = fuzzer?.needsLinks ? { SYNCLOOP_ATTACK_LINKS: await linkParser() } : {};
  const subject = new Subject('commands', [], { heapMB: budgets.heapMB, fork: host, env, onAlarm: alarm });
  const waiting = new Map();
  let asked = 0;
  const ready = new Promise((resolve) => {
    subject.child.on('message', (message) => {
      if (message.ready) return resolve();
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    });
  });
  await Promise.race([ready, subject.exit]);
  if (subject.ended !== null) throw new Error(`the host of commands ended:\n${subject.output}`);
  const watch = new Watch([subject], { ...budgets, health: null });
  return {
    work,
    watch,
    readSeconds: budgets.readSeconds,
    ports: {},
    tokens: {},
    subjects: [subject],
    /** Runs one; resolves with `{code, output, ms}`, or with null if it did not end. Violations are noted here. */
    async run(run, given) {
      const id = ++asked;
      let timer = null;
      const begun = performance.now();
      const used = processorMs(subject.pid);
      const answer = await Promise.race([
        new Promise((resolve) => {
          waiting.set(id, resolve);
          if (subject.ended === null) subject.child.send({ id, run, ...given }, () => {});
        }),
        watch.violated.then(() => null),
        new Promise((resolve) => {
          timer = setInterval(() => {
            const since = performance.now() - begun;
            if (since < budgets.commandMs) return;
            if (since > 3 * budgets.commandMs || processorMs(subject.pid) - used > budgets.commandMs) resolve('late');
          }, 100);
        }),
      ]);
      clearInterval(timer);
      const name = given.argv?.slice(0, 1).join(' ') ?? run;
      if (answer === 'late') {
        watch.violate({
          kind: 'late',
          process: name,
          what: `it did not end within its time, ${budgets.commandMs} ms of the processor`,
        });
        return null;
      }
      const alarmed = answer && alarmIn(answer.output);
      if (alarmed) watch.violate({ kind: 'alarm', process: name, what: alarmed });
      if (answer && ![0, 1, 2].includes(answer.code))
        watch.violate({ kind: 'answer', process: name, what: `it exits with ${answer.code}` });
      return answer;
    },
    /**
     * Runs one as users do, in a process of its own whose children count; commands that read are limited in memory and
     * time by their flags. `until`: see host.mjs. Resolves as `run`.
     */
    async alone(argv, { until } = {}) {
      const one = new Subject(argv[0], argv, { heapMB: budgets.heapMB });
      const begun = performance.now();
      const violate = (kind, what) => watch.violate({ kind, process: argv[0], what, output: one.output.slice(-1500) });
      const seen = new Set();
      let processor = 0;
      let asked = false;
      while (one.ended === null && !watch.violation) {
        for (const pid of family(one.pid)) seen.add(pid);
        const most = Math.round(Math.max(...[...seen].map((pid) => memoryOf(pid).rss)));
        processor = Math.max(processor, processorMs(one.pid));
        const since = performance.now() - begun;
        if (most > budgets.aloneMB) violate('memory', `${most} MB of ${budgets.aloneMB} MB`);
        // Its limit is of the clock.
        else if (since > 3 * budgets.aloneMs || processor > budgets.aloneMs)
          violate('late', `it did not end within its time, ${budgets.aloneMs} ms of the processor`);
        else if (until && !asked && (one.output.includes(until) || since > budgets.aloneMs / 2)) {
          asked = true;
          one.child.kill('SIGTERM');
        }
        await Promise.race([one.exit, new Promise((resolve) => setTimeout(resolve, 50))]);
      }
      await one.kill();
      for (const pid of seen) if (family(pid).length > 0 && pid !== one.pid) process.kill(pid, 'SIGKILL');
      if (watch.violation) return null;
      const alarmed = alarmIn(one.output);
      if (alarmed) violate('alarm', alarmed);
      else if (![0, 1, 2].includes(one.ended) && !asked) violate('exit', `it ended with ${one.ended}`);
      return { code: one.ended, output: one.output, ms: performance.now() - begun };
    },
    // Nothing goes on between two commands.
    settle: async () => {},
    async stop() {
      await watch.close();
      await subject.kill();
      await rm(work, { recursive: true, force: true });
    },
  };
}

let parser = null;
/** The page's own parser of links, for Node. */
function linkParser() {
  parser ??= (async () => {
    const { build } = await import('vite');
    const outDir = join(top, 'node_modules', '.cache', 'syncloop-attack');
    await mkdir(outDir, { recursive: true });
    await build({
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: join(top, 'apps/web/src/features/share/share.ts'),
        outDir,
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: 'links.mjs' } },
      },
    });
    return join(outDir, 'links.mjs');
  })();
  return parser;
}

export const commands = { name: 'commands', lanes: 1, budgets, start };
