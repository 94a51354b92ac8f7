import type { Change } from '../types.js';

/** Changes of the PLEG and of its caches. */
export const pleg: readonly Omit<Change, 'part'>[] = [
  {
    id: 'evented-pleg',
    since: 'v1.26',
    title: { en: 'A PLEG of events, switched off', zh: '基于事件的 PLEG，默认关闭' },
    before: {
      en: 'The kubelet learned of containers only by listing them, once a second.',
      zh: 'kubelet 只能每秒列出一次容器来了解它们。',
    },
    after: {
      en: 'With the gate `EventedPLEG` the runtime sends events, and all is listed every 300 seconds only. It is off by default in every version up to v1.36.',
      zh: '打开 `EventedPLEG` 后由运行时发送事件，完整列出只在每 300 秒进行一次。直到 v1.36，它在每个版本中都默认关闭。',
    },
    why: {
      en: 'Listing costs time for both sides on nodes with many containers.',
      zh: '在容器很多的节点上，列表对双方都是开销。',
    },
    upstream: [{ kep: 3386 }, { pull: 111384 }],
    names: ['EventedPLEG', 'GetContainerEvents', 'processCRIEvents', 'relist'],
    code: { since: 'processCRIEvents' },
    shown: {
      not: {
        en: 'A version before v1.26 refuses the gate, and without it nothing differs. Set it in a scenario of your own: `featureGates: { EventedPLEG: true }`.',
        zh: 'v1.26 之前的版本拒绝这个开关，不打开则没有区别。可在自己的场景里设置：`featureGates: { EventedPLEG: true }`。',
      },
    },
  },
  {
    id: 'fresh-runtime-list',
    since: 'v1.27',
    title: { en: 'Housekeeping goes by one fresh list', zh: 'housekeeping 依据一份新鲜的列表' },
    before: {
      en: 'Housekeeping listed the running pods twice: first from the runtime cache, up to two seconds old, to find what is to be killed, then afresh for the rest.',
      zh: 'housekeeping 列出两次运行中的 Pod：先从最多旧两秒的缓存里找出要终止的，再为其余工作重新列一次。',
    },
    after: {
      en: 'It forces the cache to be newer than its own start, and goes by that one list.',
      zh: '它要求缓存比自己的开始时间更新，只依据这一份列表。',
    },
    why: {
      en: 'What was killed a moment ago must not be found running in an old list.',
      zh: '刚刚被终止的，不应在旧列表里又显得还在运行。',
    },
    upstream: [{ pull: 113145 }],
    names: ['HandlePodCleanups', 'runtimeCache', 'ForceUpdateIfOlder', 'GetPods'],
    code: { before: 'HandlePodCleanups', since: 'HandlePodCleanups' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Lists of running containers', zh: '列出运行中容器的次数' },
        kind: 'cri-call',
        where: "method == 'ListContainers' && request.filter.state != null",
        before: { atLeast: 5 },
        since: { atMost: 3 },
      },
      moment: { kind: 'enter', where: "fn == 'HandlePodCleanups'" },
    },
  },
  {
    id: 'condition-met',
    since: 'v1.32',
    until: 'v1.36',
    title: { en: 'Watch conditions and the event ConditionMet', zh: '观察条件与 ConditionMet 事件' },
    before: {
      en: 'Every event of the PLEG reported a container or sandbox that had changed its state.',
      zh: 'PLEG 的每个事件都表示某个容器或沙箱的状态变了。',
    },
    after: {
      en: 'A sync could leave a condition with the PLEG (`SetPodWatchCondition`). When a relist found it fulfilled, the event ConditionMet synced the pod.',
      zh: '同步可以给 PLEG 留下一个条件（`SetPodWatchCondition`）。relist 发现条件满足时，ConditionMet 事件让 Pod 得到同步。',
    },
    why: {
      en: 'A resize changes the limits of a container and not its state, so that no other event came. The relist on demand took its place in v1.36.',
      zh: 'resize 改变的是容器的限额而不是状态，所以不会有别的事件。v1.36 用按需 relist 取代了它。',
    },
    upstream: [{ kep: 1287 }],
    names: ['SetPodWatchCondition', 'ConditionMet', 'WatchCondition', 'relist'],
    code: {},
    shown: {
      not: {
        en: 'In-place resize is off by default in v1.32, so that no sync leaves a condition.',
        zh: '原地 resize 在 v1.32 中默认关闭，所以没有同步会留下条件。',
      },
    },
  },
  {
    id: 'time-of-listing',
    since: 'v1.36',
    title: { en: 'A cached status is as old as its listing', zh: '缓存状态的时间是列出时的时间' },
    before: {
      en: 'The time of a status in the pod cache was read when the pod was inspected, some moments after it had been listed.',
      zh: 'Pod 缓存中状态的时间，取自检查 Pod 的那一刻，比列出它的时候稍晚。',
    },
    after: {
      en: 'It is the time at which the pod was listed. A worker that waits in `GetNewerThan` cannot take an older view for a newer one.',
      zh: '时间取自列出 Pod 的那一刻。在 `GetNewerThan` 中等待的 worker 不会把旧的情况当成新的。',
    },
    why: {
      en: 'Now that single pods are relisted as well, such a relist can overlap with the global one.',
      zh: '有了针对单个 Pod 的 relist，它可能与全局 relist 交叠。',
    },
    upstream: [{ pull: 137362 }],
    names: ['GetNewerThan', 'cache', 'updateCache', 'podCache'],
    code: { since: 'updateCache' },
    shown: {
      not: {
        en: 'In the simulation every version stamps the time of the listing.',
        zh: '模拟中每个版本记录的都是列出时的时间。',
      },
    },
  },
  {
    id: 'relist-on-demand',
    since: 'v1.36',
    title: { en: 'A sync asks the PLEG to look at once', zh: '同步后请 PLEG 立即查看' },
    before: {
      en: 'After a sync had started a container, the kubelet learned that it runs from the next relist, up to a second later. Only the next sync reported it in the status.',
      zh: '同步启动容器之后，kubelet 要到下一次 relist 才知道它在运行，最多晚一秒，再由下一次同步写进状态。',
    },
    after: {
      en: 'A sync that did something asks for a relist of its own pod (`RequestPodRelist`), which follows within moments.',
      zh: '做了事情的同步会请求只查看自己的 Pod（`RequestPodRelist`），很快就会执行。',
    },
    why: {
      en: 'The kubelet knows that it has changed something; waiting for the clock made starts and resizes slow.',
      zh: 'kubelet 知道自己刚改变了什么，等钟点只会让启动和 resize 变慢。',
    },
    upstream: [{ pull: 137362 }],
    names: ['RequestPodRelist', 'relistPod', 'Relist', 'relist', 'postSync', 'PLEGOnDemandRelist', 'GenericPLEG'],
    code: { before: 'Relist', since: 'relistPod' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Relists of a single pod', zh: '只针对一个 Pod 的 relist' },
        kind: 'relist',
        where: "scope == 'pod'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'pleg-event', where: "type == 'ContainerStarted'" },
    },
  },
];
