/** The narrator in English. One sentence for each kind; the compiler holds that none is missing. */

import { isAdmitted, SYNC_POD_TYPES } from '../kinds/common.js';
import type { RecordOf, Wait } from '../records.js';
import { apiObject } from './api.js';
import { settings } from './cgroup.js';
import { decisionWords } from './decisions.js';
import { decisionsEn } from './decisions-en.js';
import { capital, effectWords, inputWords } from './outside.js';
import { outsideEn } from './outside-en.js';
import {
  amount,
  at,
  duration,
  join,
  type Language,
  type Names,
  quote,
  reasonOf,
  type Sentence,
  type Sentences,
  say,
  values,
} from './parts.js';
import { podActions } from './pod-actions.js';
import { symptomsEn } from './symptoms-en.js';
import { volumeEn } from './volume.js';
import { whyEn } from './why-en.js';

const actionWords = {
  nothing: 'nothing, it is as it should be',
  killPod: 'kill the pod',
  createSandbox: 'create a sandbox',
  kill: (names: string) => `kill ${names}`,
  init: (names: string) => `start init container ${names}`,
  start: (names: string) => `start ${names}`,
  separator: ', ',
} as const;

const workVerb = { sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' } as const;

const managerVerbs = { started: 'starts', done: 'is done', stopped: 'does not run' } as const;

const workerStates = {
  sync: 'keeps it running',
  terminating: 'is ending it',
  terminated: 'has ended its containers and cleans up',
  finished: 'is done with it',
  removed: 'is forgotten',
} as const;

function wait(on: Wait, n: Names): Sentence {
  switch (on.op) {
    case 'send':
      return say`waits for room on ${n.channels(on)}`;
    case 'receive':
      return say`waits for something on ${n.channels(on)}`;
    case 'select':
      return say`waits for something on ${n.channels(on, ' or ')}`;
    case 'sleep':
      return say`sleeps until ${at(on.until ?? 0)}`;
    case 'lock':
    case 'rlock':
      return say`waits for the lock ${on.name ?? ''}`;
    case 'cond':
      return say`waits for the signal ${on.name ?? ''}`;
    case 'waitgroup':
      return say`waits until all of ${on.name ?? ''} are done`;
    case 'once':
      return say`waits for the first call of ${on.name ?? ''}`;
    case 'call':
      return say`waits for the answer of ${on.name ?? 'a call'}`;
  }
}

const processWords = {
  started: 'starts',
  running: 'was already running when this begins',
  stopped: 'stops',
  killed: 'is killed',
  ended: 'has ended; no source says how',
} as const;

const shown = (item: unknown, n: Names): Sentence => n.item(item) ?? ['an item'];

const sentences: Sentences = {
  'goroutine-start': (r, n) => say`${n.goroutine(r.parent)} starts the goroutine ${n.goroutine(r.id)} in ${r.process}.`,
  'goroutine-end': (r, n) =>
    r.panic
      ? say`${n.goroutine(r.id)} panics: ${quote(r.panic.error)}.`
      : r.killed
        ? say`${n.goroutine(r.id)} is gone: its process has ended.`
        : say`${n.goroutine(r.id)} returns.`,
  wait: (r, n) => say`${n.who(r)} ${wait(r.on, n)}.`,
  'chan-make': (r, n) =>
    r.cap === 0
      ? say`The channel ${n.channel(r.chan)} is created, unbuffered: an item goes directly from sender to receiver.`
      : say`The channel ${n.channel(r.chan)} is created, with room for ${r.cap}.`,
  send: (r, n) =>
    r.len === 0
      ? say`${n.who(r)} hands ${shown(r.item, n)} over on ${n.channel(r.chan)}.`
      : say`${n.who(r)} puts ${shown(r.item, n)} on ${n.channel(r.chan)}, which now holds ${r.len}.`,
  receive: (r, n) =>
    r.discarded
      ? say`A tick on ${n.channel(r.chan)} is dropped, because nobody has taken it.`
      : r.ok
        ? say`${n.who(r)} takes ${shown(r.item, n)} from ${n.channel(r.chan)}${(r.len ?? 0) > 0 ? `; ${r.len} left` : ''}.`
        : say`${n.who(r)} learns that ${n.channel(r.chan)} is closed.`,
  close: (r, n) => say`${n.who(r)} closes ${n.channel(r.chan)}.`,
  select: (r, n) => {
    if (r.chosen < 0) return say`${n.who(r)} finds none of its channels ready and goes on.`;
    const chosen = n.channel(r.cases[r.chosen] ?? 0);
    const others = (r.ready ?? []).filter((i) => i !== r.chosen).map((i) => n.channel(r.cases[i] ?? 0));
    return others.length > 0
      ? say`${n.who(r)} chooses ${chosen}; ${join(others, ', ')} ${others.length > 1 ? 'were' : 'was'} ready, too.`
      : say`${n.who(r)} chooses ${chosen}.`;
  },
  enter: (r, n) =>
    n.isNamed(r.g, r.fn) ? say`${n.record(r.seq, r.fn)} begins.` : say`${n.who(r)} calls ${n.record(r.seq, r.fn)}.`,
  exit: (r, n) =>
    r.error === undefined
      ? say`${n.record(r.of, r.fn)} returns.`
      : say`${n.record(r.of, r.fn)} fails: ${quote(r.error)}.`,
  'call-step': (r, n) => {
    if (isAdmitted(r))
      return say`${r.name}: ${n.pod({ pod: r.pod ?? '', uid: r.uid ?? '' })} is admitted, because no handler refuses it.`;
    const about =
      r.uid === undefined
        ? ''
        : r.container === undefined
          ? say` for ${n.pod({ pod: r.pod ?? '', uid: r.uid })}`
          : say` for container ${n.containerOf({ pod: r.pod ?? '', uid: r.uid }, r.container)} of ${n.pod({ pod: r.pod ?? '', uid: r.uid })}`;
    // Upstream numbers four steps of startContainer; these are between them.
    const step = r.fn === 'startContainer' ? '' : `, step ${r.n}`;
    return say`${r.fn}${about}${step}: ${r.name}${inBrackets(values(r.found, n, 4, true))}.`;
  },
  deadlock: (r, n) =>
    say`Deadlock, no goroutine can go on: ${join(
      r.waits.slice(0, 3).map((w) => say`${n.goroutine(w.g)} ${wait(w.on, n)}`),
      '; ',
    )}${r.waits.length > 3 ? `; and ${r.waits.length - 3} more` : ''}.`,
  log: (r, n) =>
    say`The kubelet logs ${r.severity === 'E' ? 'an error: ' : r.severity === 'W' ? 'a warning: ' : ''}“${quote(r.msg)}”${inBrackets(values(r.kv, n, 3, true))}.`,
  'kube-event': (r, n) =>
    say`${r.type === 'Warning' ? 'A warning' : 'An event'} for ${n.object(r.object)}: ${r.reason}${saying(r.message)}.`,
  source: (r, n) =>
    r.errors && r.errors.length > 0
      ? say`The ${r.source} source could not read all of its input: ${quote(r.errors[0] ?? '')}.`
      : r.pods.length === 0
        ? say`The ${r.source} source wants no pods.`
        : say`The ${r.source} source wants ${n.pods(r.pods)}.`,
  'pod-config': (r, n) =>
    r.pods.length === 0
      ? say`PodConfig tells the loop that the ${r.source} source has no pods (${r.op}).`
      : say`PodConfig compares the ${r.source} source with what it knew: ${r.op} of ${n.pods(r.pods)}.`,
  decision: (r, n) => {
    const words = decisionWords(decisionsEn, r, n, ': ');
    if (words) return words;
    const pod = r.uid === undefined ? null : n.pod({ pod: r.pod ?? '', uid: r.uid });
    const about =
      pod === null
        ? ''
        : r.container === undefined
          ? say` about ${pod}`
          : say` about container ${n.containerOf({ pod: r.pod ?? '', uid: r.uid ?? '' }, r.container)} of ${pod}`;
    const because = reasonOf(r.values);
    const kv = values(r.values, n, 3);
    return say`${r.rule} decides${about}: ${quote(r.verdict)}${because ? `, because ${because}` : ''}${kv ? ` (${kv})` : ''}.`;
  },
  'pod-update': (r, n) =>
    r.dropped !== undefined
      ? say`The update${r.updateType === undefined ? '' : ` “${r.updateType}” (${SYNC_POD_TYPES[r.updateType]})`} for ${n.pod(r)} is ignored: ${quote(r.dropped)}.`
      : say`The worker of ${n.pod(r)} gets ${r.updateType === undefined ? 'an update' : `the update “${r.updateType}” (${SYNC_POD_TYPES[r.updateType]})`}${r.overwrote ? ', which replaces the one that was waiting' : ''}.`,
  worker: (r, n) =>
    r.state === 'sync' && r.from === undefined
      ? say`${n.pod(r)} gets a worker: ${quote(r.reason)}.`
      : say`The worker of ${n.pod(r)} ${workerStates[r.state]}: ${quote(r.reason)}.`,
  'cache-wait': (r, n) =>
    r.newerThan <= 0
      ? say`The worker of ${n.pod(r)} waits for a first status.`
      : say`The worker of ${n.pod(r)} waits for a status newer than ${at(r.newerThan)}.`,
  'work-start': (r, n) =>
    say`The worker of ${n.pod(r)} begins ${workVerb[r.workType]}${r.updateType === undefined ? '' : ` for “${r.updateType}”`}.`,
  'work-done': (r, n) =>
    r.error === undefined
      ? say`The worker of ${n.pod(r)} has finished ${workVerb[r.workType]}.`
      : say`${workVerb[r.workType]} of ${n.pod(r)} failed: ${quote(r.error)}.`,
  step: (r, n) =>
    say`${r.fn} of ${n.pod(r)}, step ${r.n}: ${r.name}${r.container === undefined ? '' : say` (container ${n.containerOf(r, r.container)})`}.`,
  part: (r) => say`${r.fn} of ${r.file} decides in place of the kubelet's own code.`,
  'part-line': (r) => say`Line ${r.line} of ${r.file}${r.fn === '' ? '' : ` (${r.fn})`} is next.`,
  'part-failed': (r) =>
    say`The run ends here: ${r.fn} of ${r.file} failed${r.line > 0 ? ` at line ${r.line}` : ''} (${r.message}).`,
  'pod-actions': (r, n) => say`computePodActions says what ${n.pod(r)} needs: ${podActions(r.actions, actionWords)}.`,
  queue: (r, n) => say`${n.pod(r)} will be looked at again at ${at(r.due)}: ${quote(r.why)}.`,
  'cri-call': (r, n) => say`The kubelet asks the runtime: ${r.method}${criObject(r, n)}.`,
  'cri-return': (r, n) =>
    r.error
      ? say`${n.record(r.call, r.method)}${criObject(r, n)} failed${r.took === undefined ? '' : ` after ${duration(r.took)}`}: ${quote(r.error.details)}.`
      : say`The runtime answers ${n.record(r.call, r.method)}${criObject(r, n)}${r.took === undefined ? '' : ` after ${duration(r.took)}`}.`,
  relist: (r) =>
    r.scope === 'pod'
      ? say`PLEG looks at one pod on its own${r.changed ? ': it has changed' : ''}.`
      : r.pods === undefined || r.changed === undefined
        ? say`PLEG lists the pods.`
        : r.changed === 0
          ? say`PLEG lists ${r.pods} ${r.pods === 1 ? 'pod' : 'pods'} and sees no change.`
          : say`PLEG lists ${r.pods} ${r.pods === 1 ? 'pod' : 'pods'} and sees ${r.changed} changed.`,
  'pleg-transition': (r, n) =>
    say`PLEG saw ${r.sandbox ? say`the ${n.sandbox(r.id)}` : say`container ${n.containerById(r.id, r.name)}`} of ${n.pod(r)} go${r.old === undefined ? '' : ` from ${r.old}`} to ${r.new}${r.exitCode === undefined ? '' : ` (code ${r.exitCode})`}.`,
  'pleg-event': (r, n) =>
    r.dropped
      ? say`plegCh is full: ${r.type} of ${n.pod(r)} is lost.`
      : say`PLEG puts ${r.type} for ${r.name === undefined ? n.containerById(r.data) : r.name || 'the sandbox'} of ${n.pod(r)} on plegCh.`,
  cache: (r, n) =>
    r.op === 'delete'
      ? say`The cache forgets ${n.pod(r)}.`
      : r.error !== undefined
        ? say`The cache notes that the status of ${n.pod(r)} could not be read: ${quote(r.error)}.`
        : say`The cache has a new status of ${n.pod(r)}, as of ${at(r.modified)}.`,
  probe: (r, n) =>
    say`The ${r.probeType} probe of container ${n.containerOf(r, r.container)} in ${n.pod(r)}: ${r.outcome}${r.output ? ` (${quote(r.output, 80)})` : ''}${r.run === undefined ? '' : `, ${r.threshold !== undefined && r.run < r.threshold ? `${r.run} of ${r.threshold}` : r.run} in a row`}.`,
  'probe-result': (r, n) =>
    say`The ${r.probeType} result of container ${n.containerOf(r, r.container)} in ${n.pod(r)} is now ${r.result}.`,
  kill: (r, n) =>
    say`The kubelet kills container ${n.containerOf(r, r.container)} of ${n.pod(r)}${r.reason === undefined ? '' : ` (${r.reason})`}${r.gracePeriod === undefined ? '' : `, with ${r.gracePeriod} s to stop`}.`,
  backoff: (r, n) =>
    r.active
      ? say`${r.of === 'crash-loop' ? 'Restarting' : 'Pulling the image of'} container ${n.containerOf(r, r.container)} of ${n.pod(r)} must wait${r.until === undefined ? '' : ` until ${at(r.until)}`}${r.delay === undefined ? '' : ` (${duration(r.delay)} back-off)`}.`
      : say`Container ${n.containerOf(r, r.container)} of ${n.pod(r)} may ${r.of === 'crash-loop' ? 'start' : 'pull its image'} now${r.delay === undefined ? '' : `; the next back-off would be ${duration(r.delay)}`}.`,
  volume: (r, n) => volumeEn(r, n),
  status: (r, n) =>
    say`The status of ${n.pod(r)} ${r.version === undefined ? 'has changed' : `is now version ${r.version}`}${phaseOf(r.status)}.`,
  eviction: (r, n) => eviction(r, n),
  'status-removed': (r, n) => say`The status manager forgets ${n.pod(r)}.`,
  api: (r) => {
    const what = apiObject(r);
    if (r.phase === 'request') return say`The kubelet asks the API server: ${r.verb} ${what}.`;
    if (r.phase === 'end') return say`The watch of ${what} has ended.`;
    if (r.error !== undefined)
      return r.code === undefined
        ? say`The API server cannot be reached for ${r.verb} ${what}: ${quote(r.error)}.`
        : say`The API server answers ${r.verb} ${what} with ${r.code}: ${quote(r.error)}.`;
    return r.verb === 'watch'
      ? say`From now on the API server reports every change of ${what}.`
      : say`The API server answers ${r.verb} ${what}${r.code === undefined ? '' : ` with ${r.code}`}.`;
  },
  cgroup: (r) =>
    r.op === 'destroy'
      ? say`The cgroup ${r.path} is removed.`
      : say`The cgroup ${r.path} is ${r.op === 'create' ? 'created' : 'set'}${settings(r.config)}.`,
  manager: (r) =>
    r.state === 'failed'
      ? say`The ${r.name} could not start${r.detail ? `: ${quote(r.detail)}` : ''}.`
      : say`${r.state === 'done' ? '' : 'The '}${r.name} ${managerVerbs[r.state]}${r.detail ? ` (${quote(r.detail)})` : ''}.`,
  devices: (r) => {
    const { resource, devices } = r;
    const sick = devices.filter((d) => !d.healthy).length;
    if (r.endpoint === 'removed') return say`No device plug-in offers ${resource} any more.`;
    if (r.endpoint === 'stopped')
      return say`The device plug-in of ${resource} is gone: none of its devices counts as healthy.`;
    const taken = devices.filter((d) => d.allocated).length;
    return say`${resource} has ${devices.length} ${devices.length === 1 ? 'device' : 'devices'}: ${taken} allocated, ${sick} unhealthy.`;
  },
  'node-condition': (r) => say`The node’s condition ${r.type} is ${r.status}: ${r.reason}${saying(r.message)}.`,
  'node-status': (r) =>
    r.op === 'registered'
      ? say`The node ${r.node} is registered with the API server.`
      : r.op === 'reported'
        ? say`The kubelet sends the status of node ${r.node} to the API server.`
        : r.op === 'failed'
          ? say`The status of node ${r.node} could not be sent: ${quote(r.error ?? '')}.`
          : say`The kubelet works out what node ${r.node} is and has: ${values(r.allocatable ?? {}, null, 4)} for pods.`,
  'node-lease': (r) =>
    r.op === 'failed'
      ? say`The lease of node ${r.name} could not be renewed: ${quote(r.error ?? '')}.`
      : say`The lease of node ${r.name} is ${r.op === 'created' ? 'created' : 'renewed'}: the node is alive.`,
  'runtime-state': (r) =>
    r.errors.length > 0
      ? say`The loop pauses${r.backoff ? ` for ${duration(r.backoff)}` : ''}: ${quote(r.errors.join('; '))}.`
      : r.networkError
        ? say`The pod network is not ready: ${quote(r.networkError)}.`
        : say`The runtime is healthy.`,
  'sources-ready': (r) =>
    r.all
      ? say`The ${r.source} source has reported, and with it all sources have.`
      : say`The ${r.source} source has reported.`,
  'actual-sandbox': (r, n) =>
    say`In the runtime: the ${n.sandbox(r.id)} of ${n.pod(r)} ${r.state === 'ready' ? `is ready${r.ip ? ` at ${r.ip}` : ''}` : r.state === 'notready' ? 'has stopped' : 'is removed'}.`,
  'actual-container': (r, n) =>
    say`In the runtime: container ${n.containerById(r.id, r.name)} of ${n.pod({ pod: '', uid: r.uid })} ${
      r.state === 'created'
        ? 'is created'
        : r.state === 'running'
          ? 'runs'
          : r.state === 'removed'
            ? 'is removed'
            : `has exited${r.exitCode === undefined ? '' : ` with code ${r.exitCode}`}${r.reason ? ` (${r.reason})` : ''}`
    }.`,
  'actual-image': (r) =>
    say`In the runtime: image ${quote(r.image, 80)} ${
      r.state === 'pulling'
        ? 'is being pulled'
        : r.state === 'present'
          ? 'is present'
          : r.state === 'removed'
            ? 'is removed'
            : `could not be pulled: ${quote(r.error ?? '')}`
    }.`,
  input: (r, n) => say`${capital(inputWords(outsideEn, r, n))}.`,
  fault: (r) => say`${capital(effectWords(outsideEn, r))}.`,
  process: (r) => say`The process “${r.process}” ${processWords[r.state]}.`,
  gap: (r) => say`Records ${r.from} to ${r.to} are missing; what happened in them is not known.`,
  'evidence-source': (r) =>
    r.state === 'opened'
      ? say`${r.name} is read from here on.${r.details ? ` ${r.details}` : ''}`
      : r.state === 'ended'
        ? say`${r.name} ends here.${r.details ? ` ${r.details}` : ''}`
        : say`${r.name} cannot be read any more.${r.details ? ` ${r.details}` : ''}`,
  'evidence-gap': (r) => say`Something is missing here: ${r.why}`,
  symptom: (r) => {
    const { error } = r.facts;
    const of = r.pod ? ` of ${r.pod}${r.container ? `, container ${r.container}` : ''}` : '';
    return say`${r.program} reports ${symptomsEn[r.code]}${of}${r.state === 'healed' ? ', which is over' : ''}${typeof error === 'string' ? `: ${quote(error)}` : ''}.`;
  },
  'clock-offset': (r) =>
    say`The clock of ${r.source} is ${duration(Math.abs(r.offset))} ${r.offset < 0 ? 'ahead of' : 'behind'} that of ${r.against}, give or take ${duration(r.uncertainty)}.`,
  disagreement: (r) =>
    say`The sources disagree about ${r.about}: ${r.sides.map((side) => `${side.source} says ${JSON.stringify(side.value)}`).join(', ')}.`,
  'telemetry-span': (r) =>
    say`${r.service} exported the span ${r.name}, ${duration(r.took)} long${r.error === undefined ? '' : `, with the error “${r.error}”`}.`,
  'pod-list': (r) =>
    r.scope === 'all'
      ? say`The list of pods has ${r.pods.length} now.`
      : say`${r.pods.map(({ pod }) => pod).join(', ')} ${r.removed ? 'is gone from' : 'changed in'} the list of pods.`,
  metrics: (r) => say`The kubelet's metrics were read: ${Object.keys(r.values).length} counters.`,
  'runtime-answer': (r) =>
    r.error
      ? say`An observer’s call of ${r.method} to the runtime fails: ${quote(r.error.details)}.`
      : say`The runtime answers an observer’s ${r.method}.`,
  'metrics-check': (r) => {
    const differ = r.rows.filter(({ agrees }) => !agrees).length;
    const [one] = r.rows;
    return differ > 0
      ? say`${differ} of the kubelet's ${r.rows.length} counters differ from what was seen.`
      : r.rows.length === 1 && one
        ? say`The kubelet counts ${one.told} for ${one.name}, and ${one.seen} were seen.`
        : say`What was seen agrees with ${r.rows.length} counters of the kubelet${r.whole ? '' : ', as far as it was seen'}.`;
  },
  'container-event': () => say`The runtime reported a change of a container.`,
};
export const english: Language = {
  lang: 'en',
  sentences,
  why: whyEn,
  action: (action, names) => inputWords(outsideEn, action, names),
};

/** Returns a message in quotation marks after a comma; '' for none, as in a log that does not have it. */
const saying = (message: string): string => (message === '' ? '' : `, “${quote(message)}”`);

/** Returns a text in brackets after a blank; '' for an empty one. */
const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`);

function criObject(r: RecordOf<'cri-call' | 'cri-return'>, n: Names): Sentence {
  if (r.container) {
    const pod = n.podOfContainer(r.container);
    return say` for container ${n.containerById(r.container)}${pod ? say` of ${pod}` : ''}`;
  }
  if (r.uid) return say` for ${n.pod({ pod: '', uid: r.uid })}`;
  if (r.sandbox) {
    const pod = n.podOfContainer(r.sandbox);
    return say` for the ${n.sandbox(r.sandbox)}${pod ? say` of ${pod}` : ''}`;
  }
  return say``;
}

function phaseOf(status: unknown): string {
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return typeof phase === 'string' ? `: phase ${phase}` : '';
}

const bytes = (x: number, resource: string): string =>
  resource === 'memory' || resource === 'ephemeral-storage' ? amount(x) : String(x);

function eviction(r: RecordOf<'eviction'>, n: Names): Sentence {
  const pod = n.pod({ pod: r.pod ?? '', uid: r.uid ?? '' });
  const resource = r.resource ?? '';
  switch (r.phase) {
    case 'signals': {
      const short = (r.signals ?? []).filter((x) => x.met).map((x) => x.signal);
      return short.length > 0
        ? say`The eviction manager measures the node: too little is left of ${[...new Set(short)].join(', ')}.`
        : say`The eviction manager measures the node: there is enough of everything.`;
    }
    case 'conditions':
      return (r.conditions ?? []).length > 0
        ? say`The node is now under ${(r.conditions ?? []).join(', ')}.`
        : say`The node is no longer under pressure.`;
    case 'reclaim':
      return say`To reclaim ${resource}, ${r.what === 'images' ? 'images that nobody uses' : 'dead containers'} are removed first.`;
    case 'reclaimed':
      return say`That was enough: no pod has to go for ${resource}.`;
    case 'rank': {
      const first = r.ranked?.[0];
      return first
        ? say`The pods are ranked by how much ${resource} they use: the first to go is ${n.pod(first)}${first.usage === undefined ? '' : ` (it uses ${bytes(first.usage, resource)}, asked for ${bytes(first.request ?? 0, resource)})`}.`
        : say`There are no pods to evict${resource && ` for ${resource}`}.`;
    }
    case 'evict':
      return say`${pod} is evicted, with a grace period of ${r.gracePeriodSeconds ?? 0} s: ${quote((r.message ?? '').trim().replace(/\.$/, ''))}.`;
    case 'evicted':
      return r.error === undefined ? say`${pod} is evicted.` : say`${pod} could not be killed: ${quote(r.error)}.`;
    default:
      return r.error === undefined
        ? say`What was left of ${pod} is cleaned up; the eviction manager looks again at once.`
        : say`What is left of ${pod} is still there: ${quote(r.error)}.`;
  }
}
