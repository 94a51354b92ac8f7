/** The words that the console knows: tools, verbs, their flags and arguments. */

export interface Text {
  readonly en: string;
  readonly zh: string;
}

/** The kind of word in a place; completion offers the words of that kind. */
export type ArgKind =
  | 'resource'
  | 'pod'
  | 'container'
  | 'namespace'
  | 'manifest'
  | 'field'
  | 'runtime'
  | 'unit'
  | 'topic'
  | 'text'
  | 'number'
  | readonly string[];

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Without: it is on or off. */
  readonly takes?: ArgKind;
}

export interface Verb {
  readonly name: string;
  readonly tool: 'kubectl' | 'crictl' | 'own';
  readonly aliases?: readonly string[];
  readonly usage: string;
  readonly help: Text;
  /** The kinds of its arguments, in order; the last one may come again. */
  readonly args: readonly ArgKind[];
  readonly flags: readonly Flag[];
}

const namespace: Flag = { name: 'namespace', short: 'n', takes: 'namespace' };
const container: Flag = { name: 'container', short: 'c', takes: 'container' };
const allNamespaces: Flag = { name: 'all-namespaces', short: 'A' };
const selector: Flag = { name: 'selector', short: 'l', takes: 'text' };
const fieldSelector: Flag = { name: 'field-selector', takes: 'text' };
const noHeaders: Flag = { name: 'no-headers' };
const file: Flag = { name: 'filename', short: 'f', takes: 'manifest' };

/** Kinds of objects, by all names that kubectl takes. */
export const resources = {
  pods: ['pods', 'pod', 'po'],
  events: ['events', 'event', 'ev'],
  nodes: ['nodes', 'node', 'no'],
  leases: ['leases', 'lease'],
  configmaps: ['configmaps', 'configmap', 'cm'],
  secrets: ['secrets', 'secret'],
  services: ['services', 'service', 'svc'],
  serviceaccounts: ['serviceaccounts', 'serviceaccount', 'sa'],
  namespaces: ['namespaces', 'namespace', 'ns'],
  runtimeclasses: ['runtimeclasses', 'runtimeclass'],
  csinodes: ['csinodes', 'csinode'],
} as const;
export type Resource = keyof typeof resources;

export const stepWords = [
  'decision',
  'record',
  'iteration',
  'into',
  'over',
  'out',
  'channel',
  'dispatch',
  'cri',
  'status',
] as const;
export type StepWord = (typeof stepWords)[number];

export const crictlWords = ['ps', 'pods', 'images', 'inspect', 'inspectp', 'logs'] as const;

const kubectl: readonly Omit<Verb, 'tool'>[] = [
  {
    name: 'get',
    usage:
      'kubectl get pods|events|nodes|leases|configmaps|secrets [NAME…] [-n NS | -A] [-o wide|yaml|json|name] [-l LABELS] [-w]',
    help: { en: 'lists pods, events, nodes or other objects', zh: '列出 Pod、事件、节点或其他对象' },
    args: ['resource', 'pod'],
    flags: [
      namespace,
      allNamespaces,
      { name: 'output', short: 'o', takes: ['wide', 'yaml', 'json', 'name'] },
      { name: 'watch', short: 'w' },
      { name: 'watch-only' },
      selector,
      fieldSelector,
      noHeaders,
      { name: 'show-labels' },
    ],
  },
  {
    name: 'describe',
    usage: 'kubectl describe pod|node [NAME…] [-n NS | -A] [-l LABELS]',
    help: { en: 'shows a pod or the node with its conditions and events', zh: '显示一个 Pod 或节点及其状况与事件' },
    args: ['resource', 'pod'],
    flags: [namespace, allNamespaces, selector],
  },
  {
    name: 'events',
    usage: 'kubectl events [--for pod/NAME] [-n NS | -A] [--types Normal,Warning] [-w]',
    help: { en: 'lists events', zh: '列出事件' },
    args: [],
    flags: [
      namespace,
      allNamespaces,
      { name: 'for', takes: 'pod' },
      { name: 'types', takes: ['Normal', 'Warning'] },
      { name: 'watch', short: 'w' },
      noHeaders,
    ],
  },
  {
    name: 'logs',
    aliases: ['log'],
    usage: 'kubectl logs POD [-c CONTAINER] [-p] [-f] [--tail N] [--timestamps]',
    help: { en: 'prints what a container has written', zh: '打印容器的输出' },
    args: ['pod', 'container'],
    flags: [
      namespace,
      container,
      { name: 'previous', short: 'p' },
      { name: 'follow', short: 'f' },
      { name: 'tail', takes: 'number' },
      { name: 'timestamps' },
    ],
  },
  {
    name: 'exec',
    usage: 'kubectl exec POD [-c CONTAINER] -- COMMAND [ARG…]',
    help: { en: 'runs a command in a container', zh: '在容器中运行命令' },
    args: ['pod'],
    flags: [namespace, container, { name: 'stdin', short: 'i' }, { name: 'tty', short: 't' }],
  },
  {
    name: 'apply',
    usage: 'kubectl apply -f FILE|-',
    help: { en: 'writes a manifest into the manifest folder', zh: '把清单写入清单目录' },
    args: [],
    flags: [file, namespace],
  },
  {
    name: 'delete',
    usage: 'kubectl delete pod NAME… [--grace-period=N] [--now] [--force]',
    help: { en: 'deletes a pod', zh: '删除 Pod' },
    args: ['resource', 'pod'],
    flags: [
      namespace,
      file,
      { name: 'grace-period', takes: 'number' },
      { name: 'now' },
      { name: 'force' },
      { name: 'wait' },
    ],
  },
  {
    name: 'edit',
    usage: 'kubectl edit pod NAME',
    help: { en: "opens a pod's manifest in the editor", zh: '在编辑器中打开 Pod 的清单' },
    args: ['resource', 'pod'],
    flags: [namespace],
  },
  {
    name: 'explain',
    usage: 'kubectl explain pod.spec.containers [--recursive]',
    help: { en: 'says what a field is for', zh: '说明字段的用途' },
    args: ['field'],
    flags: [{ name: 'recursive' }],
  },
];

const crictl: readonly Omit<Verb, 'tool'>[] = [
  {
    name: 'ps',
    usage: 'crictl ps [-a]',
    help: { en: "lists the runtime's containers", zh: '列出运行时的容器' },
    args: [],
    flags: [{ name: 'all', short: 'a' }],
  },
  {
    name: 'pods',
    usage: 'crictl pods',
    help: { en: "lists the runtime's sandboxes", zh: '列出运行时的沙箱' },
    args: [],
    flags: [],
  },
  {
    name: 'images',
    usage: 'crictl images',
    help: { en: "lists the runtime's images", zh: '列出运行时的镜像' },
    args: [],
    flags: [],
  },
  {
    name: 'inspect',
    usage: 'crictl inspect CONTAINER-ID',
    help: { en: 'shows a container', zh: '显示一个容器' },
    args: ['runtime'],
    flags: [],
  },
  {
    name: 'inspectp',
    usage: 'crictl inspectp POD-ID',
    help: { en: 'shows a sandbox', zh: '显示一个沙箱' },
    args: ['runtime'],
    flags: [],
  },
  {
    name: 'logs',
    usage: 'crictl logs CONTAINER-ID [--tail N]',
    help: { en: 'prints what a container has written', zh: '打印容器的输出' },
    args: ['runtime'],
    flags: [
      { name: 'tail', takes: 'number' },
      { name: 'follow', short: 'f' },
      { name: 'timestamps', short: 't' },
    ],
  },
];

const own: readonly Omit<Verb, 'tool'>[] = [
  {
    name: 'step',
    aliases: ['s'],
    usage: 'step [UNIT] [N]',
    help: { en: 'goes a step forward: a decision, or one of the other units', zh: '前进一步：一个决策，或其他单位' },
    args: ['unit', 'number'],
    flags: [],
  },
  {
    name: 'back',
    usage: 'back [UNIT] [N]',
    help: { en: 'goes a step back', zh: '后退一步' },
    args: ['unit', 'number'],
    flags: [],
  },
  {
    name: 'continue',
    aliases: ['run', 'resume', 'c'],
    usage: 'continue',
    help: { en: 'lets it run', zh: '继续运行' },
    args: [],
    flags: [],
  },
  { name: 'pause', usage: 'pause', help: { en: 'stops it where it is', zh: '在原处暂停' }, args: [], flags: [] },
  {
    name: 'go',
    usage: 'go 123 | go 12.5s | go step 40 | go iteration 7',
    help: { en: 'goes to a record, a time, a decision or an iteration', zh: '跳到某条记录、时间、决策或迭代' },
    args: [['step', 'iteration', 'end', 'start'], 'number'],
    flags: [],
  },
  {
    name: 'why',
    usage: 'why POD',
    help: { en: 'asks why a pod is as it is', zh: '询问 Pod 为何如此' },
    args: ['pod'],
    flags: [namespace],
  },
  {
    name: 'break',
    usage: 'break [POD]',
    help: { en: 'opens the breakpoints, or sets one on a pod', zh: '打开断点列表，或在 Pod 上设置断点' },
    args: ['pod'],
    flags: [namespace],
  },
  {
    name: 'ls',
    usage: 'ls',
    help: { en: 'lists the manifest folder', zh: '列出清单目录' },
    args: [],
    flags: [],
  },
  { name: 'cat', usage: 'cat FILE', help: { en: 'prints a manifest', zh: '打印清单' }, args: ['manifest'], flags: [] },
  {
    name: 'rm',
    usage: 'rm FILE',
    help: { en: 'deletes a manifest: the way to end a static pod', zh: '删除清单：这才能结束静态 Pod' },
    args: ['manifest'],
    flags: [],
  },
  {
    name: 'help',
    aliases: ['?', 'man'],
    usage: 'help [WORD]',
    help: { en: 'lists what can be typed', zh: '列出可输入的命令' },
    args: ['topic'],
    flags: [],
  },
  { name: 'clear', usage: 'clear', help: { en: 'empties the console', zh: '清空控制台' }, args: [], flags: [] },
];

export const verbs: readonly Verb[] = [
  ...kubectl.map((v) => ({ ...v, tool: 'kubectl' as const })),
  ...crictl.map((v) => ({ ...v, tool: 'crictl' as const })),
  ...own.map((v) => ({ ...v, tool: 'own' as const })),
];

export const verbsOf = (tool: Verb['tool']): readonly Verb[] => verbs.filter((v) => v.tool === tool);

export function findVerb(tool: Verb['tool'], word: string): Verb | undefined {
  return verbs.find((v) => v.tool === tool && (v.name === word || v.aliases?.includes(word)));
}

/**
 * The tool that a line's first words name, and how many words that took. Without a tool, the console's own words come
 * before kubectl's.
 */
export function toolOf(words: readonly string[]): { readonly tool: Verb['tool']; readonly skip: number } {
  const [first = ''] = words;
  if (first === 'kubectl' || first === 'k') return { tool: 'kubectl', skip: 1 };
  if (first === 'crictl') return { tool: 'crictl', skip: 1 };
  return { tool: findVerb('own', first) ? 'own' : 'kubectl', skip: 0 };
}
