import type { FlagSpecs } from '../cli/args.js';
import { eraFlag } from '../cli/era.js';
import { shardFlags } from '../shards/shard-flags.js';

export const conformanceFlags = {
  runtime: {
    type: 'string',
    value: 'mock|cri',
    help: 'mock: the mock runtime, in virtual time (default); cri: a real one',
  },
  'runtime-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: 'socket of a runtime that is already running (default: start a private containerd)',
  },
  era: eraFlag,
  record: {
    type: 'string',
    value: 'DIR',
    help: 'write what this kubelet did to this folder, one file per recording; a file that has only steps is recorded, not compared',
  },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the mock runtime (default 1)' },
  tries: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 10,
    help: 'how often to run a recording that does not agree, of which the best run counts (default 1)',
  },
  jobs: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 8,
    help: 'number of recordings, or of contract cases, to run at once on real runtimes (default 3)',
  },
  smoke: {
    type: 'bool',
    help: 'test the program `syncloop kubelet` itself instead of comparing traces, on a private containerd',
  },
  attach: {
    type: 'bool',
    help: 'compare what the observer concludes from captures of real kubelets with the truth, instead of comparing traces; FILE is then a folder of captures (docs/users/attach.md)',
  },
  twin: {
    type: 'bool',
    help: 'make a twin of each capture of a real kubelet and compare both, instead of comparing traces; FILE is then a folder of captures (docs/users/twin.md)',
  },
  incidents: {
    type: 'bool',
    help: 'compare the incidents that are found in captures with what their scenarios made, and print the verdict on logs next to what was really wrong; FILE is then a folder of captures, or of logs with their truth (docs/users/verdicts.md)',
  },
  sources: { type: 'string', value: 'KIND,...', help: 'with --twin: read these sources alone (log,pods)' },
  write: { type: 'bool', help: 'with --attach: write the table into docs/users/attach.md' },
  contract: {
    type: 'bool',
    help: 'instead of comparing: test a runtime without a kubelet, the mock over gRPC or a real one; FILE then selects cases by parts of their names',
  },
  ...shardFlags,
  verbose: { type: 'bool', help: 'also print checks that pass' },
  help: { type: 'bool', short: 'h', help: 'print this help' },
} as const satisfies FlagSpecs;
