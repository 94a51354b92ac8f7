/** Prints the runtime's objects as `crictl` does. upstream: cri-tools cmd/crictl */
import type { ContainerView, Micros, NodeState, SandboxView } from '../trace/index.js';
import type { Table } from './get.js';
import { kubectlJson } from './yaml-out.js';

const shortId = (id: string): string => id.slice(0, 13);

/** Says an age: `5 seconds ago`, `About a minute ago`. upstream: docker/go-units HumanDuration */
export function ago(micros: Micros): string {
  const seconds = Math.floor(micros / 1e6);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.round(seconds / 3600);
  let text: string;
  if (seconds < 1) text = 'Less than a second';
  else if (seconds === 1) text = '1 second';
  else if (seconds < 60) text = `${seconds} seconds`;
  else if (minutes === 1) text = 'About a minute';
  else if (minutes < 60) text = `${minutes} minutes`;
  else if (hours === 1) text = 'About an hour';
  else if (hours < 48) text = `${hours} hours`;
  else text = `${Math.floor(hours / 24)} days`;
  return `${text} ago`;
}

const containerState: Readonly<Record<string, string>> = {
  created: 'Created',
  running: 'Running',
  exited: 'Exited',
  unknown: 'Unknown',
};

const split = (pod: string): [string, string] => {
  const at = pod.indexOf('/');
  return [pod.slice(0, Math.max(0, at)), pod.slice(at + 1)];
};

/** Image of a container, from the status that the kubelet last gave its pod. */
function imageOf(state: NodeState, c: ContainerView): string {
  const status = state.pods[c.uid]?.status as {
    readonly [list: string]: readonly { readonly name: string; readonly image: string }[] | undefined;
  } | null;
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])
    for (const s of status?.[list] ?? []) if (s.name === c.name) return s.image;
  return '';
}

/** Returns the containers, the newest first. `all`: also those that have exited. */
export function crictlContainers(state: NodeState, all: boolean): ContainerView[] {
  return Object.values(state.containers)
    .filter((c) => c.state !== 'removed' && (all || c.state === 'running'))
    .sort((a, b) => b.since - a.since || b.attempt - a.attempt);
}
export function crictlSandboxes(state: NodeState): SandboxView[] {
  return Object.values(state.sandboxes)
    .filter((s) => s.state !== 'removed')
    .sort((a, b) => b.since - a.since || b.attempt - a.attempt);
}

/** upstream: crictl ps. CREATED is since when it is as it is, if the records tell no more. */
export function psTable(state: NodeState, time: Micros, all: boolean): Table {
  return [
    ['CONTAINER', 'IMAGE', 'CREATED', 'STATE', 'NAME', 'ATTEMPT', 'POD ID', 'POD', 'NAMESPACE'],
    ...crictlContainers(state, all).map((c) => {
      const [namespace, name] = split(state.sandboxes[c.sandbox]?.pod ?? state.pods[c.uid]?.pod ?? '');
      const text = containerState[c.state] ?? 'Unknown';
      const image = imageOf(state, c);
      return [
        shortId(c.id),
        image,
        ago(time - c.since),
        text,
        c.name,
        String(c.attempt),
        shortId(c.sandbox),
        name,
        namespace,
      ];
    }),
  ];
}

/** upstream: crictl pods */
export function podsTable(state: NodeState, time: Micros): Table {
  return [
    ['POD ID', 'CREATED', 'STATE', 'NAME', 'NAMESPACE', 'ATTEMPT', 'RUNTIME'],
    ...crictlSandboxes(state).map((s) => {
      const [namespace, name] = split(s.pod);
      const text = s.state === 'ready' ? 'Ready' : 'NotReady';
      return [shortId(s.id), ago(time - s.since), text, name, namespace, String(s.attempt), '(default)'];
    }),
  ];
}

/** An image of the runtime, size in bytes. */
export interface RuntimeImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly size: number;
}

/** upstream: crictl images */
export function imagesTable(images: readonly RuntimeImage[]): Table {
  const rows = images.flatMap(({ id, tags, size }) =>
    (tags.length > 0 ? tags : ['<none>']).map((tag) => {
      const at = tag.lastIndexOf(':');
      const named = at > tag.lastIndexOf('/') ? [tag.slice(0, at), tag.slice(at + 1)] : [tag, '<none>'];
      return [...named, shortId(id.replace(/^sha256:/, '')), humanSize(size)];
    }),
  );
  return [['IMAGE', 'TAG', 'IMAGE ID', 'SIZE'], ...rows.sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0))];
}

/** Says a size in three digits of the unit that fits. upstream: docker/go-units HumanSizeWithPrecision */
export function humanSize(bytes: number): string {
  let n = bytes;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return `${Number(n.toPrecision(3))}${units[unit]}`;
}

/** Images that the records name, if the runtime itself cannot be asked. */
export function imagesOf(state: NodeState): RuntimeImage[] {
  return Object.values(state.images)
    .filter((i) => i.state === 'present')
    .map((i) => ({ id: '', tags: [i.image], size: 0 }));
}

/** Returns a container or sandbox whose id begins so, as JSON; null if there is none, `many` if there are several. */
export function inspect(state: NodeState, id: string, what: 'container' | 'sandbox'): string | null | 'many' {
  const things = Object.values<ContainerView | SandboxView>(what === 'container' ? state.containers : state.sandboxes);
  const found = things.filter((x) => x.state !== 'removed' && x.id.startsWith(id));
  if (found.length > 1) return 'many';
  return found[0] ? kubectlJson({ status: found[0] }) : null;
}
