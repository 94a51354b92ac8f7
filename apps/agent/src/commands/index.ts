/**
 * The commands of `syncloop`, in the order of its help. The summaries are here, so that the list of commands is shown
 * without loading any of them.
 */
import type { BoundedOptions } from '../limits/bounded-process.js';
import type { Command } from './command.js';

export interface CommandEntry {
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
  /** It reads untrusted files: it runs in a process of its own, within limits. */
  readonly bounded?: Pick<BoundedOptions, 'code'>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'serve the debugger page with a simulated node, on a loopback address',
    load: () => import('./serve.js'),
  },
  kubelet: {
    summary:
      'run the kubelet of this machine, with the debugger page: stand-alone, in a cluster, or with its own API server',
    load: () => import('./kubelet.js'),
  },
  'backup-api': {
    summary: "write the data of kubelet's own API server to a file, while it runs",
    load: () => import('./backup-api.js'),
  },
  'restore-api': {
    summary: 'restore the data of that API server from a backup, or keep what is left of damaged data',
    load: () => import('./restore-api.js'),
  },
  tap: {
    summary: 'stand between a kubelet and its container runtime, and show their calls',
    load: () => import('./tap.js'),
  },
  open: {
    summary: "show a kubelet's log, or what else it left behind in files, on the debugger page",
    load: () => import('./open.js'),
    bounded: { code: 1 },
  },
  explain: {
    summary: "say what went wrong in a kubelet's log, or that nothing did, or how little can be said",
    load: () => import('./explain.js'),
    bounded: { code: 2 },
  },
  twin: {
    summary: 're-enact what a kubelet left behind with this kubelet, and say where the two decide differently',
    load: () => import('./twin.js'),
    bounded: { code: 2 },
  },
  attach: {
    summary: 'show the kubelet of this node, whichever it is, from its log and other traces; changes nothing',
    load: () => import('./attach.js'),
  },
  cluster: {
    summary: 'show or explain the log of a node or a pod, through kubectl; also as kubectl syncloop',
    load: () => import('./cluster.js'),
  },
  fetch: {
    summary: 'fetch the logs of nodes from Loki, Elasticsearch, OpenSearch or a URL, as files for explain and open',
    load: () => import('./fetch.js'),
  },
  nodes: {
    summary: 'list the nodes of a cluster where attach runs, and go from one to the other, through kubectl',
    load: () => import('./nodes.js'),
  },
  url: {
    summary: 'print another link to a page that runs on this machine: each works once',
    load: () => import('./url.js'),
  },
  simulate: { summary: 'run a scenario in virtual time, without a page', load: () => import('./simulate.js') },
  explore: {
    summary: 'run a scenario under many schedules and look for one that breaks an expectation',
    load: () => import('./explore.js'),
  },
  merge: {
    summary: 'make one report of the results of shards, as one machine would have given it',
    load: () => import('./merge.js'),
    bounded: { code: 2 },
  },
  workshop: {
    summary: 'write parts of the kubelet yourself: list the stages, start one, judge a file',
    load: () => import('./workshop.js'),
  },
  'compare-eras': {
    summary: 'run a scenario with two versions of the kubelet, and say where they first differ and why',
    load: () => import('./compare-eras.js'),
  },
  why: { summary: 'explain why something in a recording happened or did not happen', load: () => import('./why.js') },
  info: { summary: 'show what a recording contains', load: () => import('./info.js') },
  export: { summary: 'convert a recording to the format of another program', load: () => import('./export.js') },
  import: {
    summary: "make a recording from a kubelet's log, an exported file, or a recording of an older version",
    load: () => import('./import.js'),
    bounded: { code: 1 },
  },
  'serve-mock': { summary: 'serve the mock container runtime on a unix socket', load: () => import('./serve-mock.js') },
  conformance: {
    summary: 'compare this kubelet with recordings of a real one, or test a container runtime',
    load: () => import('./conformance.js'),
  },
  version: { summary: 'print versions', load: () => import('./version.js') },
};
