import os from 'node:os';

/** Operations per second of `fn`, which does `n` of them. */
export function rate(n, fn) {
  const t = process.hrtime.bigint();
  fn();
  return Math.round(n / (Number(process.hrtime.bigint() - t) / 1e9));
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

export function machine() {
  return {
    node: process.version,
    cpus: os.cpus().length,
    cpu: os.cpus()[0]?.model.trim(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    load1: Number(os.loadavg()[0].toFixed(2)),
  };
}
