/** Decisions about pods, and about the node, in plain words. */
import { say } from '../parts.js';
import { type Rules, type Said, why, whyZh } from './words.js';

const goesOn: Said = {
  en: (a) => say`${a.pod} has not ended (its phase is ${a.value('phase')}), so the sync goes on.`,
  zh: (a) => say`${a.pod} 尚未结束（phase 为 ${a.value('phase')}），同步继续。`,
};

/** Reasons that are too short for a sentence. */
const PHASE_REASONS: { readonly [reason: string]: string | undefined } = {
  'terminal, all exited 0': 'it has ended, and its containers exited with 0',
  'terminal, not all exited 0': 'it has ended, and not all of its containers exited with 0',
};

export const decisionsOfPods: Rules = {
  canAdmitPod: {
    admit: {
      en: (a) => say`the admission handler “${a.value('handler')}” admits ${a.pod}.`,
      zh: (a) => say`准入处理器“${a.value('handler')}”接纳 ${a.pod}。`,
    },
    else: {
      en: (a) =>
        say`the admission handler “${a.value('handler')}” refuses ${a.pod} with ${a.r.verdict}: “${a.value('message')}”.`,
      zh: (a) => say`准入处理器“${a.value('handler')}”拒绝 ${a.pod}（${a.r.verdict}）：“${a.value('message')}”。`,
    },
  },
  allowPodStart: {
    start: {
      en: (a) => say`${a.pod} may start: no other pod of its name is in the way.`,
      zh: (a) => say`${a.pod} 可以启动：没有同名的 Pod 挡着。`,
    },
    'not yet': {
      en: (a) => say`${a.pod} may not start yet: an earlier static pod of its name has not ended.`,
      zh: (a) => say`${a.pod} 还不能启动：先前的同名静态 Pod 尚未结束。`,
    },
    never: {
      en: (a) => say`${a.pod} will never start: its end was asked for before its turn came.`,
      zh: (a) => say`${a.pod} 不会再启动：还没轮到它就已被要求终止。`,
    },
  },
  getPhase: {
    else: {
      en: (a) => say`${a.pod} is ${a.r.verdict}${why(a) ? `, because ${PHASE_REASONS[why(a)] ?? why(a)}` : ''}.`,
      zh: (a) => say`${a.pod} 的 phase 是 ${a.r.verdict}${whyZh(a) ? `，因为${whyZh(a)}` : ''}。`,
    },
  },
  PodSandboxChanged: {
    changed: {
      en: (a) => say`${a.pod} needs a new sandbox, because ${why(a)}.`,
      zh: (a) => say`${a.pod} 需要新的沙箱，因为${whyZh(a)}。`,
    },
    unchanged: {
      en: (a) => say`${a.pod} keeps its sandbox: ${why(a)}.`,
      zh: (a) => say`${a.pod} 沿用现有的沙箱：${whyZh(a)}。`,
    },
  },
  'SyncPod: terminal': {
    'goes on': goesOn,
    terminal: {
      en: (a) => say`${a.pod} has ended (its phase is ${a.value('phase')}): nothing of it is started any more.`,
      zh: (a) => say`${a.pod} 已结束（phase 为 ${a.value('phase')}）：不再启动它的任何东西。`,
    },
  },
  'syncPod: kill': {
    'goes on': goesOn,
    kill: {
      en: (a) => say`${a.pod} should not run (any more): it is killed, and this sync ends.`,
      zh: (a) => say`${a.pod} 不该（再）运行：杀掉它，本次同步到此为止。`,
    },
  },
  'SyncPod: pod cgroup': {
    create: {
      en: (a) => say`the cgroup of ${a.pod} is created unless it exists.`,
      zh: (a) => say`若 ${a.pod} 的 cgroup 不存在，就创建它。`,
    },
    'leave it': {
      en: (a) => say`no cgroup is created for ${a.pod}: it was killed, and its restart policy is Never.`,
      zh: (a) => say`不为 ${a.pod} 创建 cgroup：它已被杀掉，且重启策略为 Never。`,
    },
  },
  isSyncPodWorthy: {
    sync: {
      en: (a) => say`${a.value('type')} is a reason for the worker of ${a.pod} to look again.`,
      zh: (a) => say`${a.value('type')}：${a.pod} 的 worker 需要再看一遍。`,
    },
    ignore: {
      en: (a) => say`${a.value('type')} is no reason to sync a pod: the event is ignored.`,
      zh: (a) => say`${a.value('type')} 不需要同步 Pod：忽略该事件。`,
    },
    'ignore: unknown pod': {
      en: (a) => say`${a.value('type')} is about a pod that no source wants: the event is ignored.`,
      zh: (a) => say`${a.value('type')} 涉及的 Pod 没有来源想要：忽略该事件。`,
    },
  },
  updateStatusInternal: {
    unchanged: {
      en: (a) => say`the status of ${a.pod} says nothing new, so it stays version ${a.value('version')}.`,
      zh: (a) => say`${a.pod} 的状态没有变化，仍是版本 ${a.value('version')}。`,
    },
  },
  getPodsToSync: {
    due: {
      en: (a) => say`${a.pod} is due to be looked at again, because of: ${why(a)}.`,
      zh: (a) => say`到了再看 ${a.pod} 的时候：${whyZh(a)}。`,
    },
    'a handler wants it': {
      en: (a) => say`${a.pod} is synced because a handler asks for it.`,
      zh: (a) => say`有处理器要求，所以同步 ${a.pod}。`,
    },
  },
  calculateEffectiveGracePeriod: {
    else: {
      en: (a) => say`the containers of ${a.pod} have ${a.r.verdict} to end by themselves.`,
      zh: (a) => say`${a.pod} 的容器有 ${a.r.verdict} 的时间自行结束。`,
    },
  },
  pastActiveDeadline: {
    evict: {
      en: (a) =>
        say`${a.pod} has been active longer than its activeDeadlineSeconds of ${a.value('activeDeadlineSeconds')}: it is to fail.`,
      zh: (a) =>
        say`${a.pod} 的运行时间超过了 activeDeadlineSeconds（${a.value('activeDeadlineSeconds')} 秒）：判为失败。`,
    },
  },
  dispatchWork: {
    UpdatePod: {
      en: (a) => say`${a.pod} is handed to its worker.`,
      zh: (a) => say`把 ${a.pod} 交给它的 worker。`,
    },
  },
  checkAndUpdatePod: {
    UPDATE: {
      en: (a) => say`the spec, labels or annotations of ${a.pod} differ from what PodConfig knew.`,
      zh: (a) => say`${a.pod} 的 spec、标签或注解与 PodConfig 已知的不同。`,
    },
    RECONCILE: {
      en: (a) => say`only the status of ${a.pod} differs from what PodConfig knew.`,
      zh: (a) => say`${a.pod} 只有状态与 PodConfig 已知的不同。`,
    },
    DELETE: {
      en: (a) => say`${a.pod} has a deletionTimestamp now: its deletion has begun.`,
      zh: (a) => say`${a.pod} 有了 deletionTimestamp：开始删除它。`,
    },
  },
  imageGC: {
    'enough space': {
      en: (a) =>
        say`images stay: ${a.value('usage')} % of their file system is used, and only above ${a.value('highThresholdPercent')} % are some removed.`,
      zh: (a) =>
        say`保留镜像：所在文件系统已用 ${a.value('usage')} %，超过 ${a.value('highThresholdPercent')} % 才会清理。`,
    },
  },
};
