/**
 * Makes lines of a kubelet's log, also with what keepers of logs put around them: text for files that strangers send.
 */
import { jsonOf, textOf } from './values.mjs';

/** The day on which these logs begin, microseconds since 1970. */
const BEGUN = Date.UTC(2026, 10, 22, 11, 25) * 1000;

const hex = (n, length) => n.toString(16).padStart(length, '0');
/** Puts the number of the copy in place of `#`, in the three forms of a log. */
const numbered = (text, n) =>
  text.includes('#')
    ? text.replace(/#(uid|id)?/g, (_, what) =>
        what === 'uid' ? `1fa4b0c2-5d6e-4f70-8a91-${hex(n, 12)}` : what === 'id' ? hex(n + 1, 64) : n,
      )
    : text;

const pod = { pod: 'default/web-#' };
const podAndUid = { ...pod, podUID: '#uid' };
const pleg = (Type) => ({ ...pod, event: { ID: '#uid', Type, Data: '#id' } });
const actions = (begins) =>
  `KillPod: ${begins}, CreateSandbox: ${begins}, UpdatePodResources: false, UpdatePodLevelResources: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [${begins ? 0 : ''}], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[], ContainersToRemove: []`;

/** A pod from ADD to REMOVE: `[seconds, place, message, fields]` of each line. */
export const life = [
  [0, 'kubelet.go:2724', 'SyncLoop ADD', { source: 'api', pods: ['default/web-#'] }],
  [0.01, 'pod_workers.go:786', 'Pod is being synced for the first time', { ...podAndUid, updateType: 'create' }],
  [0.02, 'kubelet.go:2043', 'SyncPod enter', podAndUid],
  [0.03, 'kubelet_pods.go:1903', 'Got phase for pod', { ...pod, oldPhase: 'Pending', phase: 'Pending' }],
  [0.04, 'util.go:34', 'No sandbox for pod can be found. Need to start a new one', pod],
  [0.05, 'kuberuntime_manager.go:1454', 'computePodActions got for pod', { podActions: actions(true), ...pod }],
  [0.06, 'kuberuntime_manager.go:1551', 'Creating PodSandbox for pod', pod],
  [0.2, 'kuberuntime_manager.go:1622', 'Created PodSandbox for pod', { podSandboxID: '#id', ...pod }],
  [
    0.3,
    'kuberuntime_manager.go:1702',
    'Creating container in pod',
    { containerType: 'container', container: 'app', ...pod },
  ],
  [0.5, 'kubelet.go:2049', 'SyncPod exit', { ...podAndUid, isTerminal: false }],
  [0.9, 'kubelet.go:2752', 'SyncLoop (PLEG): event for pod', pleg('ContainerStarted')],
  [0.95, 'kubelet_pods.go:1903', 'Got phase for pod', { ...pod, oldPhase: 'Pending', phase: 'Running' }],
  [20, 'kubelet.go:2740', 'SyncLoop DELETE', { source: 'api', pods: ['default/web-#'] }],
  [20.01, 'kubelet.go:2309', 'SyncTerminatingPod enter', podAndUid],
  [
    20.02,
    'kuberuntime_container.go:915',
    'Killing container with a grace period',
    { ...podAndUid, containerName: 'app', containerID: 'containerd://#id', gracePeriod: 5 },
  ],
  [20.5, 'kubelet.go:2752', 'SyncLoop (PLEG): event for pod', pleg('ContainerDied')],
  [20.6, 'kubelet.go:2323', 'SyncTerminatingPod exit', podAndUid],
  [21, 'kubelet.go:2746', 'SyncLoop REMOVE', { source: 'api', pods: ['default/web-#'] }],
];

/** The same as kubelets up to v1.20 say it, in one text. */
export const oldLife = [
  [0, 'kubelet.go:1888', 'SyncLoop (ADD, "api"): "web-#_default(#uid)"', {}],
  [
    0.1,
    'kuberuntime_manager.go:422',
    'No sandbox for pod "web-#_default(#uid)" can be found. Need to start a new one',
    {},
  ],
  [
    0.9,
    'kubelet.go:1933',
    'SyncLoop (PLEG): "web-#_default(#uid)", event: &pleg.PodLifecycleEvent{ID:"#uid", Type:"ContainerStarted", Data:"#id"}',
    {},
  ],
  [20, 'kubelet.go:1904', 'SyncLoop (DELETE, "api"): "web-#_default(#uid)"', {}],
  [21, 'kubelet.go:1898', 'SyncLoop (REMOVE, "api"): "web-#_default(#uid)"', {}],
];

/** Returns the text of a time that is not a number, unchanged. */
const textAt = (at) => (typeof at === 'string' ? at : jsonOf(at));

/** Returns the text of a time that is a number of seconds since the beginning; an odd one unchanged. */
function stamp(at) {
  if (typeof at !== 'number') return textAt(at);
  const micros = BEGUN + Math.round(at * 1e6);
  const date = new Date(micros / 1000);
  if (Number.isNaN(date.getTime())) return `${at}`;
  const iso = date.toISOString();
  return `${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 19)}.${String(micros % 1e6).padStart(6, '0')}`;
}
const isoOf = (at) => {
  const date = new Date(typeof at === 'number' ? BEGUN / 1000 + at * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? textAt(at) : date.toISOString();
};

const fieldText = (value) =>
  value?.$raw !== undefined
    ? textOf(value.$raw)
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : jsonOf(value);

/**
 * Functions that make a line for a time, without the line's end. `form`: `text` as in klog, `json`, or `printf` as up
 * to v1.20.
 */
const forms = {
  text: ([place, msg, fields]) => {
    const kv = Object.entries(Object(fields)).map(([key, value]) => ` ${key}=${fieldText(value)}`);
    const rest = `   14074 ${textOf(place)}] ${JSON.stringify(textOf(msg))}${kv.join('')}`;
    return (at) => `I${stamp(at)}${rest}`;
  },
  printf: ([place, msg]) => {
    const rest = `   14074 ${textOf(place)}] ${textOf(msg)}`;
    return (at) => `I${stamp(at)}${rest}`;
  },
  json: ([place, msg, fields]) => {
    const rest = jsonOf({ caller: `kubelet/${textOf(place)}`, msg, v: 2, ...fields }).slice(1);
    return (at) => `{"ts":${jsonOf(typeof at === 'number' ? BEGUN / 1000 + at * 1000 : at)},${rest}`;
  },
};

/** The text that keepers of logs put around a line. */
const framings = {
  none: (text) => text,
  short: (text) => `Nov 22 11:25:08 node1 kubelet[14074]: ${text}`,
  iso: (text, at) => `${isoOf(at)} node1 kubelet[14074]: ${text}`,
  container: (text, at) => `${isoOf(at)} stderr F ${text}`,
  partial: (text, at) => `${isoOf(at)} stderr P ${text}`,
  docker: (text, at) => JSON.stringify({ log: `${text}\n`, stream: 'stderr', time: isoOf(at) }),
  journal: (text, at) =>
    JSON.stringify({
      MESSAGE: text,
      __REALTIME_TIMESTAMP: typeof at === 'number' ? String(BEGUN + at * 1e6) : textAt(at),
      SYSLOG_IDENTIFIER: 'kubelet',
      _PID: '14074',
    }),
  export: (text, at) =>
    `__CURSOR=s=a;i=1\n__REALTIME_TIMESTAMP=${typeof at === 'number' ? BEGUN + at * 1e6 : textAt(at)}\n_PID=14074\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=${text}\n`,
  bytes: (text) => JSON.stringify({ MESSAGE: [...Buffer.from(text)], __REALTIME_TIMESTAMP: String(BEGUN) }),
};
export const FORMS = Object.keys(forms);
export const FRAMINGS = Object.keys(framings);

/**
 * The lines of an operation `{form, lines, times, every}`, in pieces of text: all of `lines`, `times` times, `every`
 * seconds apart. `#`, `#uid` and `#id` become those of the copy.
 */
export function* linesOf({ form, lines = [], times = 1, every = 0 }, { framing, ending = '\n' } = {}) {
  const make = forms[form] ?? forms.text;
  const frame = framings[framing] ?? framings.none;
  const end = textOf(ending);
  const made = lines.map((line) => {
    if (!Array.isArray(line)) return () => textOf(line) + end;
    const [begun, ...rest] = line;
    const write = make(rest);
    return (i) => {
      const at = typeof begun === 'number' ? begun + i * every : begun;
      return frame(write(at), at) + end;
    };
  });
  const most = Math.min(Number.isFinite(times) ? times : 0, 500_000);
  for (let i = 0; i < most; i++) yield numbered(made.map((line) => line(i)).join(''), i);
}
