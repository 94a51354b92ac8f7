/** Flags of the commands, apart from their code, so that help need not load it. */
import type { FlagSpecs } from '../cli/args.js';

export const serveFlags = {
  port: { type: 'int', value: 'PORT', min: 0, max: 65535, help: 'port, 0 for any free one (default 7330)' },
  host: { type: 'string', value: 'IP', help: 'loopback address (default 127.0.0.1)' },
  scenario: { type: 'string', value: 'NAME', help: 'scenario to begin with (default hello)' },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the simulation' },
} as const satisfies FlagSpecs;

export const serveMockFlags = {
  endpoint: { type: 'string', value: 'unix:///PATH', help: 'socket to make (default unix:///tmp/syncloop-mock.sock)' },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of ids and times' },
} as const satisfies FlagSpecs;

export const simulateFlags = {
  seed: { type: 'int', value: 'N', min: 0, help: 'seed; the same one gives the same run' },
  record: { type: 'string', value: 'FILE', help: 'write a recording' },
  until: { type: 'duration', help: 'how much time to simulate (default: as long as the scenario says)' },
} as const satisfies FlagSpecs;

export const infoFlags = {
  kinds: { type: 'bool', help: 'count the records of each kind; reads all of it' },
} as const satisfies FlagSpecs;

export const exportFlags = {
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'chrome (Perfetto, Firefox Profiler), otlp (OpenTelemetry, JSON lines), ndjson (records), klog (the log)',
  },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'file to write (default: standard output)' },
  from: { type: 'int', value: 'SEQ', min: 0, help: 'first record' },
  to: { type: 'int', value: 'SEQ', min: 0, help: 'last record' },
  axis: {
    type: 'string',
    value: 'time|record',
    help: 'chrome: from left to right goes time (default), or one microsecond per record, so that nothing overlaps',
  },
  'no-args': { type: 'bool', help: 'chrome: leave out the records; smaller, but it cannot be imported again' },
  'no-own-spans': { type: 'bool', help: 'otlp: only the spans that a real kubelet makes' },
  v: { type: 'int', value: 'N', min: 0, help: "klog: most verbose lines, as the kubelet's -v (default: all)" },
} as const satisfies FlagSpecs;

export const importFlags = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'recording to write' },
} as const satisfies FlagSpecs;

export const conformanceFlags = {
  runtime: {
    type: 'string',
    value: 'mock|cri',
    help: 'mock: the mock runtime, in virtual time (default); cri: a real one',
  },
  'runtime-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: 'a runtime that runs already (default: a containerd of our own)',
  },
  record: {
    type: 'string',
    value: 'DIR',
    help: 'write what our kubelet did, one file per recording; a file with steps alone is recorded, not compared',
  },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the mock (default 1)' },
  tries: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 10,
    help: "runs of a recording of which the best counts (default 3; on cri 2): the kubelet's own jitter may not fit",
  },
  jobs: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 8,
    help: 'recordings at once on real runtimes (default 2), or cases of the contract',
  },
  smoke: { type: 'bool', help: 'instead: look at the program itself, `syncloop kubelet`, on a containerd of our own' },
  contract: {
    type: 'bool',
    help: "instead: the runtime's own contract, without a kubelet: the mock over gRPC, or a real runtime. FILE: parts of cases' names",
  },
  verbose: { type: 'bool', help: 'print checks that pass, too' },
  help: { type: 'bool', short: 'h', help: 'print this' },
} as const satisfies FlagSpecs;
