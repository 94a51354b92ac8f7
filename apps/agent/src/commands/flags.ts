/** Flags of the commands, apart from their code, so that help need not load it. */
import type { FlagSpecs } from '../cli/args.js';

export const serveFlags = {
  port: { type: 'int', value: 'PORT', min: 0, max: 65535, help: 'port, 0 for any free one (default 7330)' },
  host: { type: 'string', value: 'IP', help: 'loopback address (default 127.0.0.1)' },
  scenario: { type: 'string', value: 'NAME', help: 'scenario to begin with (default hello)' },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the simulation' },
  class: { type: 'bool', help: 'let an audience follow what you show; see docs/class.md' },
  'class-host': {
    type: 'string',
    value: 'IP',
    help: 'address for the audience (default 127.0.0.1, this machine only): the one your class reaches, 0.0.0.0 for all',
  },
  'class-port': { type: 'int', value: 'PORT', min: 0, max: 65535, help: 'its port, 0 for any free one (default 7331)' },
  'class-name': {
    type: 'string',
    value: 'NAME',
    many: true,
    help: 'a host name that the audience uses for this machine',
  },
  'class-most': { type: 'int', value: 'N', min: 1, max: 2000, help: 'how many may follow (default 400)' },
  'class-per-address': {
    type: 'int',
    value: 'N',
    min: 1,
    max: 2000,
    help: 'how many of them may come from one address, such as that of a school (default 64)',
  },
  'class-token-file': {
    type: 'string',
    value: 'FILE',
    help: "keep the audience's token there, so that its link is good after a restart",
  },
  'class-tls-cert': { type: 'string', value: 'FILE', help: 'serve the audience by HTTPS, with this certificate (PEM)' },
  'class-tls-key': { type: 'string', value: 'FILE', help: "the certificate's key (PEM)" },
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

export const exploreFlags = {
  schedules: { type: 'int', value: 'N', min: 1, max: 1_000_000, help: 'how many to run at most (default 200)' },
  strategy: {
    type: 'string',
    value: 'NAME',
    help: 'random (default); pct: priorities, finds what needs few changes; exhaustive: all with up to two deviations, in order',
  },
  seed: { type: 'int', value: 'N', min: 0, max: 0xffff_ffff, help: "seed of the runs (default: the scenario's own)" },
  never: { type: 'string', value: 'EXPR', many: true, help: 'what must not be so at any record' },
  finally: { type: 'string', value: 'EXPR', many: true, help: 'what must be so at the end' },
  until: { type: 'duration', help: 'how much time to simulate at most (default: as long as the scenario says)' },
  json: { type: 'bool', help: 'print the whole report as JSON' },
} as const satisfies FlagSpecs;

export const whyFlags = {
  record: { type: 'int', value: 'SEQ', min: 1, help: 'why this record' },
  cri: { type: 'int', value: 'SEQ', min: 1, help: 'why this CRI call, or what it returned' },
  container: { type: 'string', value: 'POD/NAME', help: 'why a container was started, or what --what says' },
  what: { type: 'string', value: 'WHAT', help: 'start (default), restart or kill: which of them, with --container' },
  pod: { type: 'string', value: 'POD', help: 'the pod that --field is of' },
  field: {
    type: 'string',
    value: 'PATH',
    help: "why a field of the pod's status is as it is: phase, conditions.Ready, containerStatuses[name=app].ready",
  },
  wait: { type: 'string', value: 'GOROUTINE', help: 'why a goroutine waits, by number or name' },
  worker: { type: 'string', value: 'POD', help: "why a pod's worker does what it does" },
  pending: { type: 'string', value: 'POD', help: 'why a pod is not running' },
  'not-ready': { type: 'string', value: 'POD', help: 'why a pod is not ready' },
  'not-run': { type: 'string', value: 'POD', help: "why a pod's worker does not run" },
  'not-restarted': { type: 'string', value: 'POD/NAME', help: 'why a container is not started again' },
  'not-probed': { type: 'string', value: 'POD/NAME', help: 'why a probe has not restarted a container' },
  'probe-type': { type: 'string', value: 'TYPE', help: 'liveness, readiness or startup, with --not-probed' },
  at: { type: 'int', value: 'SEQ', min: 1, help: 'as of this record (default: the last)' },
  full: { type: 'bool', help: 'all links (default: the weightiest dozen)' },
  lang: { type: 'string', value: 'en|zh', help: 'language (default en)' },
  json: { type: 'bool', help: 'print the whole answer as JSON' },
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
    help: "runs of a recording of which the best counts (default 3): the kubelet's own jitter may not fit",
  },
  jobs: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 8,
    help: 'recordings at once on real runtimes (default 3), or cases of the contract',
  },
  smoke: { type: 'bool', help: 'instead: look at the program itself, `syncloop kubelet`, on a containerd of our own' },
  contract: {
    type: 'bool',
    help: "instead: the runtime's own contract, without a kubelet: the mock over gRPC, or a real runtime. FILE: parts of cases' names",
  },
  verbose: { type: 'bool', help: 'print checks that pass, too' },
  help: { type: 'bool', short: 'h', help: 'print this' },
} as const satisfies FlagSpecs;
