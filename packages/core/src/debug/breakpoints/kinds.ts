/**
 * The kinds of breakpoints: one entry each, with its name, fields and line in both languages. From it follow the type,
 * the reading, the form that the page offers, and the texts; `match.ts` has what each looks for. Names (`name`,
 * `method`, `reason`, ...) are exact, or globs with `*` and `?`; a field that is left out stands for anything.
 */
import { type Lang, recordKinds } from '../../trace/index.js';

/** The type of a breakpoint's field. `glob`: a name or a glob; `step`: a step's number or name. */
export type FieldKind =
  | { readonly type: 'glob' }
  | { readonly type: 'flag' }
  | { readonly type: 'step' }
  | { readonly type: 'one'; readonly of: readonly string[] };
type FieldKinds = { readonly [name: string]: FieldKind };
type ValueOf<F extends FieldKind> = F extends { readonly of: readonly (infer W)[] }
  ? W
  : F extends { readonly type: 'flag' }
    ? boolean
    : F extends { readonly type: 'step' }
      ? number | string
      : string;
type ValuesOf<F extends FieldKinds> = { readonly [N in keyof F]?: ValueOf<F[N]> };

const glob = { type: 'glob' } as const;
const flag = { type: 'flag' } as const;
const number = { type: 'step' } as const;
const one = <const W extends string>(...of: readonly W[]) => ({ type: 'one', of }) as const;
const container = glob;

interface Kind<F extends FieldKinds> {
  /** The title in the page's form. */
  readonly title: Title;
  readonly fields: F;
  /** A line about a breakpoint, in English. */
  readonly en: (spec: ValuesOf<F>) => string;
  readonly zh: (spec: ValuesOf<F>) => string;
}
type Title = Readonly<Record<Lang, string>>;
const kind = <F extends FieldKinds>(title: Title, fields: F, en: Kind<F>['en'], zh: Kind<F>['zh']): Kind<F> => ({
  title,
  fields,
  en,
  zh,
});

/** A part of a text that is there only if its value is given. */
const part = (value: string | number | undefined, before: string): string =>
  value === undefined ? '' : `${before}${value}`;
const enContainer = (s: { readonly container?: string }) => part(s.container, ', container ');
const zhContainer = (s: { readonly container?: string }) => part(s.container, '，容器 ');

export const kinds = {
  /** An operation on a channel, by the channel's name. A tick that no receiver got does not count. */
  channel: kind(
    { en: 'operation on a channel', zh: '通道操作' },
    { name: glob, op: one('send', 'receive', 'close', 'any') },
    ({ name = 'any channel', op = 'any' }) => {
      const verbs = { send: 'send on', receive: 'receive from', close: 'close of', any: 'operation on' };
      return `${verbs[op]} ${name}`;
    },
    ({ name = '任意通道', op = 'any' }) => {
      const verbs = { send: '发送到', receive: '接收自', close: '关闭', any: '操作' };
      return `${verbs[op]} ${name}`;
    },
  ),
  /**
   * A select took a case: of the channel `channel` (`default` if none was ready); `several`: more than one was
   * ready.
   */
  select: kind(
    { en: 'choice of a select', zh: 'select 的选择' },
    { channel: glob, several: flag, goroutine: glob },
    (s) => {
      const took = s.channel === undefined ? 'select' : `select takes ${s.channel}`;
      const several = s.several === undefined ? '' : s.several ? ', several ready' : ', at most one ready';
      return `${took}${several}${part(s.goroutine, ', in ')}`;
    },
    (s) => {
      const several = s.several === undefined ? '' : s.several ? '，多个就绪' : '，至多一个就绪';
      const took = `${s.channel === undefined ? '任意 ' : ''}select${part(s.channel, ' 选中 ')}`;
      return `${took}${several}${part(s.goroutine, '，在 ')}`;
    },
  ),
  /** PodConfig merged an operation. */
  'config-op': kind(
    { en: 'operation from PodConfig', zh: 'PodConfig 的操作' },
    { op: one('ADD', 'UPDATE', 'REMOVE', 'RECONCILE', 'DELETE'), source: glob },
    (s) => `config operation ${s.op ?? 'of any kind'}${part(s.source, ' from ')}`,
    (s) => `配置操作 ${s.op ?? '（任意）'}${part(s.source, '，来源 ')}`,
  ),
  /** `type` as ContainerDied. `container` by name. */
  'pleg-event': kind(
    { en: 'event of the PLEG', zh: 'PLEG 事件' },
    { type: glob, container },
    (s) => `PLEG event ${s.type ?? 'of any type'}${part(s.container, ' of container ')}`,
    (s) => `PLEG 事件 ${s.type ?? '（任意）'}${zhContainer(s)}`,
  ),
  /** syncLoop calls a handler: HandlePodAdditions, ... */
  handler: kind(
    { en: 'handler of syncLoop', zh: 'syncLoop 的处理函数' },
    { name: glob },
    ({ name = 'of any kind' }) => `handler ${name}`,
    ({ name = '（任意）' }) => `处理函数 ${name}`,
  ),
  /** A named function is entered or left (`error`: left with an error). Default: enter. */
  function: kind(
    { en: 'call of a function', zh: '函数调用' },
    { name: glob, when: one('enter', 'exit', 'both', 'error') },
    ({ name = 'any function', when = 'enter' }) => {
      const verbs = { enter: 'call of', exit: 'return of', both: 'call or return of', error: 'error of' };
      return `${verbs[when]} ${name}`;
    },
    ({ name = '任意函数', when = 'enter' }) => {
      const verbs = { enter: '进入', exit: '离开', both: '进入或离开', error: '出错于' };
      return `${verbs[when]} ${name}`;
    },
  ),
  /** A pod worker goes to a state. */
  worker: kind(
    { en: 'state of a pod worker', zh: 'pod worker 的状态' },
    { state: one('sync', 'terminating', 'terminated', 'finished', 'removed') },
    ({ state }) => (state === undefined ? 'worker changes its state' : `worker becomes ${state}`),
    ({ state }) => (state === undefined ? 'worker 状态变化' : `worker 变为 ${state}`),
  ),
  /** A step of SyncPod, HandlePodCleanups, startContainer or the like, by its number or name. */
  step: kind(
    { en: 'step of SyncPod and the like', zh: 'SyncPod 等的步骤' },
    { fn: glob, step: number, container },
    (s) => `step${part(s.step, ' ')}${part(s.fn, ' of ')}${enContainer(s)}`,
    (s) => `${s.fn ?? ''}${s.fn === undefined ? '' : ' 的'}步骤${part(s.step, ' ')}${zhContainer(s)}`,
  ),
  /** A CRI call. `before`: as it goes out (default); `after`: at any answer; `error`: at an answer that is an error. */
  cri: kind(
    { en: 'CRI call', zh: 'CRI 调用' },
    { method: glob, when: one('before', 'after', 'error'), container },
    (s) => {
      const verbs = { before: 'CRI call', after: 'answer to CRI call', error: 'error of CRI call' };
      return `${verbs[s.when ?? 'before']}${part(s.method, ' ')}${enContainer(s)}`;
    },
    (s) => {
      const verbs = { before: 'CRI 调用', after: 'CRI 应答', error: 'CRI 出错' };
      return `${verbs[s.when ?? 'before']}${part(s.method, ' ')}${zhContainer(s)}`;
    },
  ),
  /** A probe ran (`stage: run`) or the result that the kubelet acts on was set (`result`). Default: both. */
  probe: kind(
    { en: 'probe', zh: '探针' },
    {
      type: one('liveness', 'readiness', 'startup'),
      result: one('success', 'failure', 'warning', 'unknown'),
      stage: one('run', 'result', 'any'),
      container,
    },
    (s) => {
      const what = { run: 'probe ran', result: 'probe result set', any: 'probe' };
      return `${s.type ?? 'any'} ${what[s.stage ?? 'any']}${part(s.result, ': ')}${enContainer(s)}`;
    },
    (s) => {
      const what = { run: '探针运行', result: '探针结果确定', any: '探针' };
      return `${s.type ?? '任意'} ${what[s.stage ?? 'any']}${part(s.result, '：')}${zhContainer(s)}`;
    },
  ),
  /** A pod's phase becomes another one. */
  phase: kind(
    { en: 'phase of a pod', zh: 'Pod 的阶段' },
    { value: one('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown') },
    ({ value }) => (value === undefined ? 'phase changes' : `phase becomes ${value}`),
    ({ value }) => (value === undefined ? '阶段变化' : `阶段变为 ${value}`),
  ),
  /** A condition in a pod's status gets another `status`, or is new. */
  condition: kind(
    { en: 'condition of a pod', zh: 'Pod 的状况' },
    { type: glob, status: one('True', 'False', 'Unknown') },
    (s) => `condition ${s.type ?? 'of any type'} ${s.status === undefined ? 'changes' : `becomes ${s.status}`}`,
    (s) => `条件 ${s.type ?? '（任意）'} ${s.status === undefined ? '变化' : `变为 ${s.status}`}`,
  ),
  /**
   * A back-off begins to hold something back (`start`), or is over (`expiry`). Nothing need happen at the moment it is
   * over, so the first record at or after that moment stands for it. Default: both.
   */
  backoff: kind(
    { en: 'back-off', zh: '退避' },
    { of: one('crash-loop', 'image-pull'), when: one('start', 'expiry', 'both'), container },
    (s) => {
      const when = { start: 'begins', expiry: 'is over', both: 'begins or is over' };
      return `${s.of ?? 'any'} back-off ${when[s.when ?? 'both']}${enContainer(s)}`;
    },
    (s) => {
      const when = { start: '开始', expiry: '到期', both: '开始或到期' };
      return `${s.of ?? '任意'} 退避${when[s.when ?? 'both']}${zhContainer(s)}`;
    },
  ),
  'kube-event': kind(
    { en: 'Kubernetes event', zh: 'Kubernetes 事件' },
    { reason: glob, type: one('Normal', 'Warning') },
    (s) => `${s.type ?? 'any'} event${part(s.reason, ' ')}`,
    (s) => `${s.type ?? '任意'} 事件${part(s.reason, ' ')}`,
  ),
  /** `message` is klog's message key, without the fields. */
  log: kind(
    { en: 'line of the log', zh: '日志行' },
    { message: glob, severity: one('I', 'W', 'E') },
    (s) => `log line${s.message === undefined ? '' : ` "${s.message}"`}${part(s.severity, ', severity ')}`,
    (s) => `日志${s.message === undefined ? '' : ` "${s.message}"`}${part(s.severity, '，级别 ')}`,
  ),
  /** `rule` is upstream's function. */
  decision: kind(
    { en: 'decision of the kubelet', zh: 'kubelet 的决策' },
    { rule: glob, verdict: glob },
    (s) => `decision${part(s.rule, ' of ')}${part(s.verdict, ': ')}`,
    (s) => `决策${part(s.rule, ' ')}${part(s.verdict, '：')}`,
  ),
  /** A line of a learner's code is next: code in place of a part of the kubelet, in a run that records its lines. */
  line: kind(
    { en: 'line of your own code', zh: '你自己的代码行' },
    { file: glob, line: number, fn: glob },
    (s) => `line${part(s.line, ' ')} of ${s.file ?? 'your own code'}${part(s.fn, ', in ')}`,
    (s) => `${s.file ?? '你自己的代码'}${s.line === undefined ? '的任意行' : ` 第 ${s.line} 行`}${part(s.fn, '，在 ')}`,
  ),
  /** A goroutine begins to wait; `name` of the channel, lock or call. */
  wait: kind(
    { en: 'goroutine that begins to wait', zh: 'goroutine 开始等待' },
    {
      op: one('send', 'receive', 'select', 'sleep', 'lock', 'rlock', 'cond', 'waitgroup', 'once', 'call'),
      name: glob,
      goroutine: glob,
    },
    (s) => `${s.goroutine ?? 'a goroutine'} waits${part(s.op, ' in ')}${part(s.name, ' for ')}`,
    (s) => `${s.goroutine ?? '某个 goroutine'} 等待${part(s.op, ' ')}${part(s.name, '：')}`,
  ),
  /** Any record of that kind; without one, any record. */
  record: kind(
    { en: 'record of a kind', zh: '某一种记录' },
    { kind: one(...recordKinds) },
    (s) => (s.kind === undefined ? 'any record' : `record ${s.kind}`),
    (s) => (s.kind === undefined ? '任意记录' : `记录 ${s.kind}`),
  ),
};

export type BreakpointKind = keyof typeof kinds;
/** The condition of a breakpoint: its kind and the fields of that kind. */
export type BreakpointOn = {
  [K in BreakpointKind]: { readonly on: K } & ValuesOf<(typeof kinds)[K]['fields']>;
}[BreakpointKind];
export const breakpointKinds = Object.keys(kinds) as readonly BreakpointKind[];
/** The title of a kind of breakpoint. */
export const breakpointTitle = (kind: BreakpointKind): Title => kinds[kind].title;
/** The fields of each kind of breakpoint: for reading it, and for a form to make one. */
export const breakpointFields = Object.fromEntries(breakpointKinds.map((k) => [k, kinds[k].fields])) as {
  readonly [K in BreakpointKind]: (typeof kinds)[K]['fields'];
};
