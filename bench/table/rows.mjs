/**
 * The rows of the table, once: what each is called, its unit, which way is better, the job that measures it and where
 * in the job's result its value is; its goal and moonshot; what a real kubelet did, and what else does the same work in
 * the same job (`peer`). Goals are numbers in the row's unit, or `ofReal`: a multiple of the middle of what the real
 * kubelet took.
 */

/** When and on what the column of the real kubelet was measured. */
export const REAL = {
  version: 'v1.36.2',
  date: '2026-11-23',
  what: '80 pods, two rounds, on the same kind of quiet machine with two cores and the same containerd',
};

const less = { direction: 'less' };
const more = { direction: 'more' };

const methods = (r) => Object.values(r).filter((one) => one?.added);
const mostAdded = (r, way, what) => Math.max(...methods(r).map((one) => one[way][what]));
const atRate = (r, rate) => r.rates.find(({ recordsPerSecond }) => recordsPerSecond === rate);
const kb = (bytes) => bytes / 1000;

const start = { real: [7.6, 8.1], unit: 's', ...less, job: 'kubelet', goal: { ofReal: 1 }, moonshot: { ofReal: 0.8 } };
const floor = { name: 'the same pods by CRI calls alone, all at once', value: (r) => r.floor.wallSeconds };
const startCpu = {
  real: [1.4, 1.5],
  unit: 's',
  ...less,
  job: 'kubelet',
  goal: { ofReal: 1.3 },
  moonshot: { ofReal: 1 },
};
const kill = { real: [0.36, 0.66], unit: 's', ...less, job: 'kubelet', goal: { ofReal: 1 } };
const idle = {
  real: [25, 26],
  unit: 'millicores',
  ...less,
  job: 'kubelet',
  goal: { ofReal: 1.1 },
  moonshot: { ofReal: 1 },
};
const memory = { real: [95, 95], unit: 'MiB', ...less, job: 'kubelet', moonshot: 95 };
const restart = { real: [0.7, 1.3], unit: 's', ...less, job: 'kubelet', goal: 1.2, moonshot: 0.8 };
const recording = { ...less, unit: 'ms', job: 'recording' };
const travel = { ...less, unit: 'ms', job: 'travel', moonshot: 16.7 };
const logLines = { ...more, unit: 'lines/s' };
const twin = { ...less, job: 'twin' };

export const rows = [
  {
    name: 'B1 start of 80 pods, wall, with the debugger',
    ...start,
    value: (r) => r.debugger.start.wallSeconds,
    peer: floor,
  },
  { name: 'B1 the same without the debugger', ...start, value: (r) => r.alone.start.wallSeconds, peer: floor },
  { name: 'B1 CPU of that start, with the debugger', ...startCpu, value: (r) => r.debugger.start.cpuSeconds },
  { name: 'B1 CPU of that start, without', ...startCpu, value: (r) => r.alone.start.cpuSeconds },
  {
    name: "B2 a killed container's next start, p50, generic PLEG, with the debugger",
    ...kill,
    value: (r) => r.debugger.kills.p50Seconds,
  },
  { name: 'B2 the same without the debugger', ...kill, value: (r) => r.alone.kills.p50Seconds },
  {
    name: 'B2 the same with the evented PLEG, with the debugger',
    ...kill,
    goal: 0.1,
    moonshot: 0.05,
    value: (r) => r.evented.kills.p50Seconds,
  },
  { name: 'B3 idle with 80 pods, with the debugger', ...idle, value: (r) => r.debugger.idle.millicores },
  { name: 'B3 the same without the debugger', ...idle, value: (r) => r.alone.idle.millicores },
  { name: 'B3 memory then, with the debugger', ...memory, goal: 150, value: (r) => r.debugger.idle.rssMiB },
  { name: 'B3 memory then, without', ...memory, goal: 110, value: (r) => r.alone.idle.rssMiB },
  {
    name: 'B4 all Ready after kill -9, with the debugger',
    ...restart,
    value: (r) => r.debugger.restart.readySeconds,
  },
  { name: 'B4 the same without the debugger', ...restart, value: (r) => r.alone.restart.readySeconds },
  {
    name: 'B5 tap, added per call, p50 (one in flight, the worst of three methods)',
    ...less,
    unit: 'µs',
    job: 'tap',
    goal: 30,
    value: (r) => mostAdded(r, 'added', 'p50'),
    peer: { name: 'a pipe that passes bytes on', value: (r) => mostAdded(r, 'addedByPipe', 'p50') },
  },
  {
    name: 'B5 the same, p99',
    ...less,
    unit: 'µs',
    job: 'tap',
    goal: 1000,
    value: (r) => mostAdded(r, 'added', 'p99'),
    peer: { name: 'a pipe that passes bytes on', value: (r) => mostAdded(r, 'addedByPipe', 'p99') },
  },
  {
    name: 'B6 virtual time, 110 pods, a session keeps the records',
    ...more,
    unit: 'simulated s per CPU s',
    job: 'virtual-time',
    goal: 1500,
    moonshot: 10_000,
    value: (r) => r.steady.session.simulatedPerCPUSecond,
  },
  {
    name: 'B6 the same in a storm of crash loops',
    ...more,
    unit: 'simulated s per CPU s',
    job: 'crash-loops',
    goal: 1000,
    value: (r) => r.crashLoops.session.simulatedPerCPUSecond,
  },
  {
    name: 'B6 schedules of random plans, two processes',
    ...more,
    unit: 'schedules/s',
    job: 'schedules',
    goal: 150,
    value: (r) => r.schedulesPerSecond,
  },
  {
    name: 'B7 agent to browser, the highest rate of 20,000, 40,000 and 100,000 with no record lost',
    ...more,
    unit: 'records/s',
    job: 'browser',
    goal: 20_000,
    moonshot: 100_000,
    value: (r) => Math.max(0, ...r.rates.filter((x) => x.caughtUp && x.breaks === 0).map((x) => x.recordsPerSecond)),
  },
  {
    name: 'B7 age of the records in the page at 20,000/s, p99',
    ...less,
    unit: 'ms',
    job: 'browser',
    goal: 50,
    value: (r) => atRate(r, 20_000).p99Millis,
  },
  {
    name: 'B7 frames at 20,000/s',
    ...more,
    unit: 'fps',
    job: 'browser',
    goal: 55,
    value: (r) => Math.round(atRate(r, 20_000).framesPerSecond),
  },
  { name: 'B8 1,000,000 records: open', ...recording, goal: 5, value: (r) => r.read.openMillis },
  { name: 'B8 state anywhere, p50', ...recording, goal: 8, value: (r) => r.read.stateMillis.p50 },
  { name: 'B8 state anywhere, p99', ...recording, goal: 16, value: (r) => r.read.stateMillis.p99 },
  {
    name: 'B8 search of all',
    ...recording,
    ...more,
    unit: 'records/s',
    goal: 2_000_000,
    value: (r) => r.read.recordsSearchedPerSecond,
    peer: { name: 'zcat and grep in gzipped NDJSON', value: (r) => r.gzipLines.linesSearchedPerSecond },
  },
  {
    name: 'Travel at 34,000 decisions, 110 pods, page: a step back',
    ...travel,
    goal: 16,
    moonshot: undefined,
    value: (r) => r[34_000].worker.stepBack.p50,
  },
  { name: 'Travel: a far jump', ...travel, goal: 50, value: (r) => r[34_000].worker.jumpFar.p50 },
  { name: 'Travel: to the end', ...travel, goal: 50, value: (r) => r[34_000].worker.backToTheEnd.p50 },
  { name: 'Travel: a filter', ...travel, goal: 50, value: (r) => r[34_000].worker.filter.millis },
  {
    name: 'B9 graph, 110 pods, Everything, software rendering, full speed',
    ...more,
    unit: 'fps',
    job: 'graph',
    goal: 60,
    value: (r) => Math.round(r.everything.modes[0].framesPerSecond),
    peer: { name: 'a bare React Flow page with as much', value: (r) => Math.round(r.bare.framesPerSecond) },
  },
  {
    name: 'B9 its frame time, p99',
    ...less,
    unit: 'ms',
    job: 'graph',
    goal: 20,
    value: (r) => r.everything.modes[0].frameMillis.p99,
    peer: { name: 'a bare React Flow page with as much', value: (r) => r.bare.frameMillis.p99 },
  },
  {
    name: 'B10 first load attached to an agent, over the wire',
    ...less,
    unit: 'KB',
    job: 'wire',
    goal: 180,
    moonshot: 120,
    value: (r) => kb(r.attached.bytes),
  },
  {
    name: 'B10 requests of the attached load',
    ...less,
    unit: 'requests',
    job: 'wire',
    goal: 15,
    value: (r) => r.attached.requests,
  },
  {
    name: 'B10 first load with its own worker, Brotli',
    ...less,
    unit: 'KB',
    job: 'wire',
    goal: 360,
    moonshot: 240,
    value: (r) => kb(r.ownWorker.brotliBytes),
    peer: { name: 'from a host that sends gzip', value: (r) => kb(r.ownWorker.gzipBytes) },
  },
  {
    name: 'B10 requests of that load',
    ...less,
    unit: 'requests',
    job: 'wire',
    goal: 15,
    value: (r) => r.ownWorker.requests,
  },
  {
    name: 'B10 interactive, on a CPU slowed down 4 times',
    ...less,
    unit: 's',
    job: 'load',
    goal: 1,
    value: (r) => r.load.usableMillis / 1000,
  },
  {
    name: "B11 a kubelet's log to records, klog's text, in Node",
    ...logLines,
    job: 'log',
    goal: 500_000,
    value: (r) => r.text.linesPerSecond,
    peer: { name: 'grep -c in the same lines', value: (r) => r.grep.linesPerSecond },
  },
  { name: 'B11 the same, JSON', ...logLines, job: 'log', goal: 400_000, value: (r) => r.json.linesPerSecond },
  {
    name: "B11 the same text in the page's worker",
    ...logLines,
    job: 'log-in-worker',
    goal: 400_000,
    value: (r) => r.page.linesPerSecond,
  },
  {
    name: 'Live twin, 110 pods: behind, median',
    ...twin,
    unit: 's',
    goal: 2,
    moonshot: 1,
    value: (r) => r.with.behindSeconds.median,
  },
  { name: 'Live twin: of a core', ...twin, unit: '%', goal: 15, moonshot: 5, value: (r) => r.with.percentOfOneCore },
  { name: 'Live twin: memory', ...twin, unit: 'MiB', goal: 200, value: (r) => r.with.mebibytes },
  {
    name: '`npm start` on a fresh machine with a filled npm cache',
    ...less,
    unit: 's',
    job: 'start',
    goal: 15,
    value: (r) => r.seconds,
  },
];
