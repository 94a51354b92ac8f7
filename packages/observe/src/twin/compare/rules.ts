import type { TwinText } from '../base/types.js';

/** A relist begins a second after the end of the one before; the second relist after a change sees it at the latest. */
export const RELIST = 2.5e6;
/** After an error a worker retries after 10 s to 15 s, and a relist may have to come first. */
export const RESYNC = 16.5e6;
/** A client that polls ten times a second may miss a status that lasted less than this. */
export const STABLE = 0.7e6;
/** An action that began within this time before the end may be missing from one of the runs. */
export const END = 3e6;

/** The rules for what upstream leaves to chance: the name of each, and its text. */
export const rules = {
  resync: {
    en: 'Syncs that change nothing: a worker syncs again after 60 s to 90 s.',
    zh: '没有改变任何东西的同步：worker 在 60 至 90 秒后再次同步。',
  },
  retries: {
    en: 'How often a failing operation is retried: each wait is 10 s to 15 s.',
    zh: '失败的操作重试的次数：每次等待 10 至 15 秒。',
  },
  'worker-merged': {
    en: 'Whether one sync or several handled the same changes: a newer update replaces one that waits for the worker.',
    zh: '同样的变化由一次还是几次同步处理：较新的更新会替换等待 worker 的更新。',
  },
  'pleg-merged': {
    en: 'A container that started and ended between two relists: the PLEG reports only that it died.',
    zh: '容器在两次 relist 之间启动又结束：PLEG 只报告它已死亡。',
  },
  'config-merged': {
    en: 'Updates of one pod from one source that were merged into one operation.',
    zh: '同一来源对同一 Pod 的多次更新合并成一次操作。',
  },
  'short-status': {
    en: 'A status that lasted so short a time that it may not have been seen.',
    zh: '存在时间太短、不一定被看到的状态。',
  },
  'backoff-status': {
    en: 'When a status shows CrashLoopBackOff: the worker writes it the next time it handles the container.',
    zh: '状态何时显示 CrashLoopBackOff：worker 下次处理该容器时才写入。',
  },
  'event-aggregation': {
    en: 'How often a repeated event was recorded: the event recorder aggregates and rate-limits it.',
    zh: '重复事件记录的次数：事件记录器会合并并限流。',
  },
  'call-order': {
    en: 'The order of calls that were under way at the same time.',
    zh: '同时进行中的调用的先后顺序。',
  },
  'garbage-collection': {
    en: 'When dead containers and sandboxes were removed: garbage collection runs on a timer of its own.',
    zh: '已死容器和沙箱何时被删除：垃圾回收按自己的定时器运行。',
  },
  'relist-time': {
    en: 'Times that differ by no more than a relist of the PLEG and a sync take.',
    zh: '相差不超过一次 PLEG relist 加一次同步的时间。',
  },
  'backoff-time': {
    en: 'How long after the end of a back-off a container was started: the worker that waits for it has jitter.',
    zh: '退避结束后多久启动容器：等待它的 worker 带有抖动。',
  },
  'second-kill': {
    en: 'A removed pod that was killed a second time: before v1.27, housekeeping used a list of pods that was up to two seconds old.',
    zh: '被移除的 Pod 再次被终止：v1.27 之前，内务处理依据的列表最多会过时两秒。',
  },
  end: {
    en: 'What was still under way when the observation ended.',
    zh: '观察结束时仍在进行中的事情。',
  },
  'not-told': {
    en: 'Decisions of the twin that the sources of the observed run do not report.',
    zh: '孪生所作的、但被观察运行的来源并不报告的决策。',
  },
  version: {
    en: "What a kubelet of the observed version sends or shows differently from one of the twin's version.",
    zh: '被观察的 kubelet 版本与孪生的版本发送或显示不同的内容。',
  },
  'error-words': {
    en: 'Errors with the same code and different wording.',
    zh: '错误码相同、措辞不同的错误信息。',
  },
} as const satisfies { readonly [rule: string]: TwinText };
export type Rule = keyof typeof rules;
