/** Sentences for actions and faults, in English. */
import type { Json } from '../records.js';
import {
  type Arguments,
  faultIn,
  inputWords,
  type Loose,
  length,
  loose,
  methodName,
  type OutsideWords,
  ofContainer,
  text,
} from './outside.js';
import type { Names, Sentence } from './parts.js';
import { type Language, say } from './parts.js';

/** Says when a fault begins, how often it happens, and for how long. */
const when = (f: Loose): string =>
  [
    f.after !== undefined && `, in ${length(f.after)}`,
    f.every !== undefined && `, every ${length(f.every)}`,
    f.for !== undefined && `, for ${length(f.for)}`,
    f.times !== undefined && `, ${text(f.times) === '1' ? 'once' : `${text(f.times)} times`}`,
  ]
    .filter(Boolean)
    .join('');

const answers: Readonly<Record<string, string>> = {
  serve: 'serves it',
  'not-found': 'says that it does not exist',
  unauthorized: 'asks for a login',
  refused: 'refuses the connection',
  timeout: 'does not answer in time',
  'too-many-requests': 'says that there were too many requests',
  'no-such-host': 'has a name that does not resolve',
  hang: 'never answers',
};
const answer = (kind: string): string => answers[kind] ?? `answers “${kind}”`;

const container = (n: Names, pod: Json | undefined, name: Json | undefined): Sentence =>
  text(name) === '' ? say`the sandbox of ${n.podBy(text(pod))}` : say`container ${text(name)} of ${n.podBy(text(pod))}`;
const containerOf = (a: Arguments): Sentence => container(a.names, a.text(0), a.text(1));
const byPath = (path: string): string => {
  const { pod, container: name } = ofContainer(path);
  return name === '' ? `the sandbox of ${pod}` : `container ${name} of ${pod}`;
};

const resources: Readonly<Record<string, string>> = {
  memory: 'memory',
  disk: 'disk space',
  inodes: 'inodes',
  pid: 'process ids',
};

function calls(rule: Loose): string {
  const effect = loose(rule.effect);
  const method = text(rule.method) === '*' ? 'all calls of the runtime' : `calls of ${methodName(rule.method)}`;
  const about = text(rule.pod) && ` for ${text(rule.pod)}`;
  switch (effect.kind) {
    case 'delay':
      return `${method}${about} take ${length(effect.duration)} longer`;
    case 'hang':
      return `${method}${about} get no answer`;
    default:
      return `${method}${about} fail`;
  }
}

const letters: Readonly<Record<string, string>> = { F: 'fail', S: 'succeed', H: 'hang' };

/** A manifest by its file, or a pod of the API server by its name. */
const file = (a: Arguments): Sentence =>
  /\.\w+$/.test(a.text(0)) ? say`the manifest ${a.text(0)}` : say`the pod ${a.pod(0)}`;

const other: OutsideWords['other'] = (what) => say`something is done from outside (${what})`;

const faults = {
  cri: (f) => say`${calls(loose(f.rule))}${when(f)}`,
  pull: (f) => say`the registry of ${text(f.image) || 'every image'} ${answer(text(f.answer))}${when(f)}`,
  kill: (f, n) => say`${container(n, f.pod, f.container)} is killed${when(f)}`,
  oom: (f, n) => say`${container(n, f.pod, f.container)} has used up its memory and is killed${when(f)}`,
  killSandbox: (f, n) => say`${container(n, f.pod, undefined)} is killed${when(f)}`,
  runtime: (f) => say`the container runtime is stopped${when(f)}`,
  relist: (f) => say`each relist of the PLEG takes ${length(f.delay)} longer${when(f)}`,
  probe: (f, n) => {
    const pattern = text(f.pattern);
    const outcome = letters[pattern] ?? 'fail and succeed by turns';
    const which = text(f.probe) ? `${text(f.probe)} probes` : 'all probes';
    const whose = text(f.pod) ? say` of ${n.podBy(text(f.pod))}` : say``;
    return say`${which}${whose} ${outcome}${when(f)}`;
  },
  network: (f) => say`the pod network is not ready${when(f)}`,
  pressure: (f) => say`the node is short of ${resources[text(f.resource)] ?? text(f.resource)}${when(f)}`,
  kubelet: (f) => say`the kubelet ${f.how === 'crash' ? 'crashes and is started again' : 'is restarted'}${when(f)}`,
  clock: (f) => {
    const jump = typeof f.jump === 'number' ? f.jump : 0;
    return say`the wall clock is set ${jump < 0 ? 'back' : 'forward'} by ${length(Math.abs(jump))}${when(f)}`;
  },
  api: (f) => {
    if (f.how === 'restart') return say`the API server is restarted${when(f)}`;
    if (f.how === 'silent') return say`the API server does not answer${when(f)}`;
    return say`the API server cannot be reached${when(f)}`;
  },
} satisfies OutsideWords['faults'];

export const outsideEn = {
  inputs: {
    apply: (a) => say`the manifest ${a.text(0)} is applied`,
    raw: (a) => say`the file ${a.text(0)} is written into the manifest folder`,
    rmraw: (a) => say`the file ${a.text(0)} is removed from the manifest folder`,
    delete: (a) => say`${file(a)} is deleted`,
    edit: (a) => say`${file(a)} is changed`,
    wait: () => say`time goes by`,
    waitFor: () => say`the scenario waits for something to happen`,
    assert: () => say`the scenario checks whether everything is as it expects`,
    kill: (a) => say`${containerOf(a)} is killed`,
    killSandbox: (a) => say`the sandbox of ${a.pod(0)} is killed`,
    oom: (a) => say`${containerOf(a)} has used up its memory and is killed`,
    systemOOM: (a) => say`the machine has no memory left and the kernel kills ${a.text(0)} (process ${a.text(1)})`,
    manifestURL: (a) =>
      a.text(1) === '200'
        ? say`the manifest URL serves ${a.text(0)} ${a.text(0) === '1' ? 'pod' : 'pods'} from now on`
        : say`the manifest URL answers with status ${a.text(1)} from now on`,
    configCh: (a) =>
      a.text(0) === 'close'
        ? say`configCh is closed`
        : say`configCh gets ${a.text(0)} of the ${a.text(1)} source, which no source sends by itself`,
    devicePlugin: (a) => {
      const { devices, run, unhealthy, healthy, allocate } = a.object(1);
      const resource = a.text(0);
      const ids = (of: Json | undefined) => (Array.isArray(of) ? of.map((id) => text(id)).join(' and ') : '');
      const runs = { start: 'starts', stop: 'stops', restart: 'is restarted' }[text(run)];
      return say`${[
        runs !== undefined && `the device plug-in of ${resource} ${runs}`,
        Array.isArray(devices) && `from now on there are ${devices.length} devices of ${resource}`,
        unhealthy !== undefined && `device ${ids(unhealthy)} of ${resource} turns unhealthy`,
        healthy !== undefined && `device ${ids(healthy)} of ${resource} turns healthy`,
        allocate !== undefined && `the device plug-in of ${resource} answers Allocate in another way`,
      ]
        .filter(Boolean)
        .join(', and ')}`;
    },
    exec: (a) => say`“${a.line(2)}” is run in ${containerOf(a)}`,
    life: (a) => {
      const [kind, by = ''] = a.text(3).split(' ');
      if (kind === 'oom') return say`as the scenario says, ${containerOf(a)} uses up its memory and is killed`;
      const how = kind === 'signal' ? `is ended by signal ${by}` : `ends by itself with code ${by}`;
      return say`as the scenario says, ${containerOf(a)} ${how}`;
    },
    execDone: (a) => say`the command in ${containerOf(a)} has ended with code ${a.text(2)}`,
    sh: () => say`a script is run`,
    fault: (a) => faultIn({ faults, other }, a.object(0), a.names),
    clearFaults: (a) => (a.has(0) ? say`the fault “${a.text(0)}” is removed` : say`all faults are removed`),
    choose: (a) => (a.text(0) === 'goroutine' ? say`${a.text(1)} goes first` : say`${a.text(1)} is taken first`),
    network: (a) =>
      a.text(0) === 'ready' ? say`the pod network is ready again` : say`the pod network is not ready any more`,
    addImage: (a) => say`the image ${a.text(0)} is put on the node`,
    imageDoes: (a) => say`the behaviour of containers of the image ${a.text(0)} is set`,
    removeImage: (a) => say`the image ${a.text(0)} is removed from the node`,
    registry: (a) => say`from now on the registry of ${a.text(0)} ${answer(a.text(1))}`,
    restart: (a) =>
      a.text(0) === 'runtime'
        ? say`the container runtime is restarted`
        : a.has(1)
          ? say`the kubelet crashes and is started again`
          : say`the kubelet is restarted`,
    stopKubelet: () => say`the kubelet is stopped`,
    startKubelet: () => say`the kubelet is started`,
    restartKubelet: () => say`the kubelet is restarted`,
    stopRuntime: () => say`the container runtime is stopped`,
    startRuntime: () => say`the container runtime is started`,
    shutdown: () => say`the machine is about to shut down`,
    cancelShutdown: () => say`the machine does not shut down after all`,
    explored: (a) => {
      switch (a.text(0)) {
        case 'invariant':
          return say`the kubelet’s rule ${a.text(1)} is broken`;
        case 'never':
          return say`the condition that must never come true comes true`;
        case 'finally':
          return say`the condition does not hold at the end`;
        case 'step':
          return say`the run is not as the scenario expects`;
        case 'panic':
          return say`the kubelet panics`;
        case 'deadlock':
          return say`every goroutine waits`;
        default:
          return say`the run does not end`;
      }
    },
    failed: (a) => {
      const [, inside] = /^exec: (.*)$/s.exec(a.text(0)) ?? [];
      const [, line] = /, line (\d+):/.exec(a.text(0)) ?? [];
      return inside !== undefined
        ? say`the command could not be run in the container: ${inside}`
        : line === undefined
          ? say`the scenario expected something else here`
          : say`the scenario, at its line ${line}, expected something else here`;
    },
  },
  faults,
  effects: {
    over: (_, __, rule) => say`the fault “${rule}” is over`,
    kill: (_, [path = '']) => say`${byPath(path)} is killed`,
    oom: (_, [path = '']) => say`${byPath(path)} has used up its memory and is killed`,
    nothing: (_, [why = '']) => say`a fault finds no target: ${why}`,
    runtime: () => say`the container runtime is stopped`,
    network: () => say`the pod network is not ready`,
    pressure: (_, [resource = '', left = '']) =>
      say`the node is short of ${resources[resource] ?? resource}${left && `: ${left} is left`}`,
    kubeletKilled: () => say`the kubelet is killed`,
    kubeletStopped: () => say`the kubelet is stopped`,
    clock: (_, [by = '']) => say`the wall clock jumps by ${by}`,
    api: () => say`the API server cannot be reached`,
    apiStopped: () => say`the API server is stopped`,
    apiSilent: () => say`the API server does not answer`,
    registry: (_, [kind = '']) => say`the registry ${answers[kind] ? answer(kind) : `answers “${kind}”`}`,
    delay: (call, [by = '']) => say`an injected fault makes ${call} take ${by} longer`,
    hang: (call) => say`an injected fault leaves ${call} without an answer`,
    doneHang: (call) => say`an injected fault lets ${call} take effect and loses its answer`,
    fails: (call) => say`the ${call} is made to fail`,
    succeeds: (call) => say`the ${call} is made to succeed`,
    hangs: (call) => say`the ${call} is made to hang`,
    error: (call, [code = '', why = '']) => say`${call} is made to fail with ${code}: ${why}`,
  },
  other,
} satisfies OutsideWords;

/** For those who need names of branches and no other sentence. */
export const actionInEnglish: Pick<Language, 'lang' | 'action'> = {
  lang: 'en',
  action: (action, names) => inputWords(outsideEn, action, names),
};
