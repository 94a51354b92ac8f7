/**
 * Loaded into the agent's process before it (--import): reports the event loop, the processor and memory to the
 * benchmark.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Its samples are at least `resolution` long: that much is taken off.
const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });

let gc = null;
/** Collects garbage: only then the live memory is known. */
function collect() {
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc');
  }
  gc();
}

process.on('message', (message) => {
  // It wakes up 200 times a second: only while somebody wants to know.
  if (message === 'reset') {
    delay.enable();
    delay.reset();
  }
  if (message === 'rest') delay.disable();
  if (message === 'collect') collect();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const millis = (nanos) => Math.max(0, Math.round(nanos / 1e5) / 10 - resolution);
  process.send({
    cpuSeconds: (user + system) / 1e6,
    userSeconds: user / 1e6,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    heapMiB: Math.round((heapUsed / 2 ** 20) * 100) / 100,
    externalMiB: Math.round(((external + arrayBuffers) / 2 ** 20) * 100) / 100,
    handles: process.getActiveResourcesInfo().length,
    loopDelayMillis: {
      p50: millis(delay.percentile(50)),
      p99: millis(delay.percentile(99)),
      max: millis(delay.max),
    },
  });
});
// This channel keeps no process alive.
process.channel.unref();
