import type { TwinText } from '../base/types.js';

/** A relist comes a second after the one before has ended; the next but one sees a change at the latest. */
export const RELIST = 2.5e6;
/** After an error a worker comes back in 10 s and up to half as long again, and a relist may have to come first. */
export const RESYNC = 16.5e6;
/** A status that stood for less need not have been seen by somebody who asks ten times a second. */
export const STABLE = 0.7e6;
/** What was begun so shortly before the end need not be there in both. */
export const END = 3e6;

/** What upstream leaves to chance: each rule by its name, and in words. */
export const rules = {
  resync: {
    en: 'Syncs that change nothing: workers come back after 60 s and up to half as long again.',
    zh: '没有改变任何东西的同步：工作协程每 60 秒（最多再加一半）回来一次。',
  },
  retries: {
    en: 'How often something that fails is tried again: each wait is 10 s and up to half as long again.',
    zh: '失败的操作重试的次数：每次等待 10 秒，最多再加一半。',
  },
  'worker-merged': {
    en: 'Changes that one sync, or several, acted on: updates that wait for a worker replace each other.',
    zh: '同样的变化由一次同步或几次同步处理：等待中的更新会互相替换。',
  },
  'pleg-merged': {
    en: 'A container that started and ended between two relists: the PLEG tells only that it died.',
    zh: '容器在两次 relist 之间启动又结束：PLEG 只报告它已死亡。',
  },
  'config-merged': {
    en: 'Updates of one pod from one source that came together as one operation.',
    zh: '同一来源对同一 Pod 的多次更新合并成一次操作。',
  },
  'short-status': {
    en: 'A status that stood so shortly that it need not have been seen.',
    zh: '存在时间太短、不一定被看到的状态。',
  },
  'backoff-status': {
    en: 'When a status says CrashLoopBackOff: a worker writes it when it next comes to the container.',
    zh: '状态何时显示 CrashLoopBackOff：工作协程下次处理该容器时才写入。',
  },
  'event-aggregation': {
    en: 'How often a repeated event was recorded: the recorder aggregates and limits them.',
    zh: '重复事件记录的次数：事件记录器会合并并限流。',
  },
  'call-order': {
    en: 'The order of calls that were under way at the same time.',
    zh: '同时进行中的调用的先后顺序。',
  },
  'garbage-collection': {
    en: 'When dead containers and sandboxes were removed: the garbage collection has its own clock.',
    zh: '已死容器和沙箱何时被删除：垃圾回收有自己的时钟。',
  },
  'relist-time': {
    en: 'Times that differ by no more than a relist of the PLEG and a sync take.',
    zh: '相差不超过一次 PLEG relist 加一次同步的时间。',
  },
  'backoff-time': {
    en: 'How long after the end of a back-off a container was started: the worker that waits for it has jitter.',
    zh: '退避结束后多久启动容器：等待它的工作协程带有抖动。',
  },
  'second-kill': {
    en: 'A removed pod that was killed a second time: before v1.22 housekeeping went by a list up to two seconds old.',
    zh: '被移除的 Pod 再次被终止：v1.22 之前，内务处理依据的列表最多会过时两秒。',
  },
  end: {
    en: 'What was under way when the observation ended.',
    zh: '观察结束时仍在进行中的事情。',
  },
  'not-told': {
    en: 'What the twin did and no source of the observed run tells of this kind.',
    zh: '孪生做了、但被观察运行的来源并不报告的事情。',
  },
  version: {
    en: "What a kubelet of the observed version sends or shows otherwise than one of the twin's.",
    zh: '被观察的 kubelet 版本与孪生的版本发送或显示不同的内容。',
  },
  'error-words': {
    en: 'The words of an error of the same code.',
    zh: '错误码相同、措辞不同的错误信息。',
  },
} as const satisfies { readonly [rule: string]: TwinText };
export type Rule = keyof typeof rules;
