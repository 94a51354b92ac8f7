/**
 * Runs commands of `syncloop` one after another in a process with a memory limit: a start of Node for each of ten
 * thousand files would take an hour. The harness ends this process when a command takes too long.
 *
 * Asked by messages `{id, run, ...}`; answers `{id, code, output, ms}`. `run` is `main` (`argv`, and `until`: the
 * output of a command that serves before it gets a signal), `link` (`text`) or `data`.
 */
import { fileURLToPath } from 'node:url';

const dist = new URL('../apps/agent/dist/', import.meta.url);
const { main } = await import(new URL('main.js', dist).href);
const { UsageError } = await import(new URL('base/errors.js', dist).href);

/** A command that serves until a signal gets one after this long, ms. */
const SIGNAL_AFTER = 150;
/**
 * The time after which a signal comes, if it must print something first. Its input may be large, and is never read
 * whole.
 */
const SIGNAL_AT_LAST = 6000;

const runs = {
  /** A command line. What it prints is cut: a test of nothing but its ends. */
  async main({ argv, until }) {
    let output = '';
    let said = () => {};
    const take = (text) => {
      output = output.length < 100_000 ? output + text : output;
      if (until && text.includes(until)) said();
    };
    const untilSignal = () =>
      new Promise((resolve) => {
        said = () => setTimeout(() => resolve('SIGTERM'), SIGNAL_AFTER);
        setTimeout(() => resolve('SIGTERM'), until ? SIGNAL_AT_LAST : SIGNAL_AFTER).unref();
        if (!until || output.includes(until)) said();
      });
    const code = await main(argv, { out: take, err: take, untilSignal });
    return { code, output };
  },
  /**
   * A link as the page reads it, and the run that it names, up to a bound of steps, as the page's worker executes it.
   */
  async link({ text }) {
    const { decodeMoment, LinkError } = await import(process.env.SYNCLOOP_ATTACK_LINKS);
    let moment;
    try {
      moment = await decodeMoment(text);
    } catch (error) {
      // Any other error would be shown to nobody.
      if (error instanceof LinkError) return { code: 1, output: error.message };
      throw error;
    }
    return { code: 0, output: await load(moment.load) };
  },
  /** The data of an API server, opened as `--serve-api-data` does: its objects and version as JSON. */
  async data({ folder }) {
    const { ApiData } = await import(new URL('api-data/api-data.js', dist).href);
    let data;
    try {
      data = await ApiData.open(folder, { warn() {} });
    } catch (error) {
      if (error?.name === 'SetupError') return { code: 1, output: error.message };
      throw error;
    }
    const { objects = [], version = 0 } = data.kept ?? {};
    const output = JSON.stringify({
      version,
      objects: objects.map(({ key, object }) => [key, JSON.stringify(object)]),
    });
    await data.close();
    return { code: 0, output };
  },
};

/** Executes a `load` in slices, as hosts do; returns the answer. */
async function load(command) {
  const { SimulationSession, simulationSource } = await import('@syncloop/core/debug');
  const session = new SimulationSession(simulationSource(), { scenario: 'hello', id: 'attack' });
  let answer = null;
  session.execute(command, (result) => {
    answer = result;
  });
  for (let slices = 0; slices < 200 && answer === null; slices++) {
    const begun = performance.now();
    const used = process.cpuUsage();
    const again = session.pump(10, () => performance.now() - begun >= 8);
    // Processor time counts: on a busy machine a slice waits for its turn.
    const { user, system } = process.cpuUsage(used);
    const took = Math.round((user + system) / 1000);
    if (took > 2000) throw new Error(`a slice of 8 ms took ${took} ms of the processor`);
    if (again === null) break;
    await new Promise(setImmediate);
  }
  return JSON.stringify(answer)?.slice(0, 500) ?? 'not at its end';
}

process.on('message', async ({ id, run, ...given }) => {
  const begun = performance.now();
  try {
    const { code, output } = await runs[run](given);
    process.send({ id, code, output, ms: performance.now() - begun });
  } catch (error) {
    const output = error instanceof UsageError ? error.message : `Uncaught ${error?.stack ?? error}`;
    process.send({ id, code: 1, output, ms: performance.now() - begun });
  }
});
process.send({ ready: fileURLToPath(dist) });
