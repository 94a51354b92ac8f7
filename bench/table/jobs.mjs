/**
 * The jobs of the table, which each round runs in this order: a benchmark with the options that make it as short as its
 * figures allow, and the seconds after which it hangs. `keeps`: it keeps what it made for the next round.
 */
export const jobs = {
  kubelet: { bench: 'kubelet', options: { killed: 12, idleSeconds: 25 }, limit: 600 },
  tap: { bench: 'tap', options: { rounds: 4, inFlights: [1] }, limit: 120 },
  'virtual-time': { bench: 'core', options: { part: 'steady', sink: 'session' }, limit: 120 },
  'crash-loops': { bench: 'core', options: { part: 'crashLoops', sink: 'session' }, limit: 120 },
  schedules: { bench: 'schedules', options: { processes: 2, runs: 60 }, limit: 300 },
  browser: { bench: 'page', options: { rates: [20_000, 40_000, 100_000] }, limit: 120 },
  recording: { bench: 'recording', options: { grep: true }, limit: 400, keeps: true },
  travel: {
    bench: 'travel',
    options: {
      parts: ['worker'],
      decisions: [34_000],
      actions: ['stepBack', 'filter', 'jumpFar', 'backToTheEnd'],
    },
    limit: 400,
  },
  graph: { bench: 'web', options: { parts: ['everything', 'bare'], speed: 'max' }, limit: 120 },
  load: { bench: 'web', options: { parts: ['load'], loads: 1 }, limit: 120 },
  wire: { bench: 'wire', options: {}, limit: 120 },
  log: { bench: 'log', options: { parts: ['text', 'json', 'grep'] }, limit: 180 },
  'log-in-worker': { bench: 'log', options: { parts: ['page'], megabytes: 64 }, limit: 180 },
  twin: { bench: 'twin', options: { alone: false }, limit: 240 },
  start: { bench: 'fresh', options: {}, limit: 600 },
};
