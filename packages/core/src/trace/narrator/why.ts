/** The narrator's second, quieter line: why it is so, if a rule knows. */
import { isAdmitted } from '../kinds/common.js';
import type { TraceRecord } from '../records.js';
import type { Why } from './parts.js';
import { stepWhy } from './steps.js';

const functions: Readonly<Record<string, Why>> = {
  syncLoopIteration: {
    en: 'One iteration takes exactly one message from one channel and handles it before it looks again. syncLoop stores the time in syncLoopMonitor before and after it; by that /healthz sees a loop that hangs.',
    zh: '每次迭代只从一个通道取一条消息，处理完再看下一条。syncLoop 在迭代前后各把时间存入 syncLoopMonitor，/healthz 据此发现卡住的循环。',
  },
  HandlePodAdditions: {
    en: 'Pods are taken oldest first, so that on conflict the older pod is admitted and the newer refused.',
    zh: '按创建时间从旧到新处理：发生冲突时，先来的 Pod 被接纳，后来的被拒绝。',
  },
  HandlePodUpdates: {
    en: 'An update is not admitted again; it only goes to the worker of its pod.',
    zh: '更新不再重新做准入检查，只交给该 Pod 的 worker。',
  },
  HandlePodRemoves: {
    en: 'The pod is no longer wanted; its worker is asked to end it.',
    zh: '这个 Pod 不再需要，通知它的 worker 去终止。',
  },
  HandlePodSyncs: {
    en: 'Something about the pod may have changed; its worker looks again.',
    zh: 'Pod 可能有变化，让它的 worker 再看一遍。',
  },
  HandlePodCleanups: {
    en: 'Housekeeping compares workers and containers with the wanted pods, and ends what nobody wants any more.',
    zh: '清理环节把 worker 和容器与期望的 Pod 对照，结束不再需要的。',
  },
  SyncPod: {
    en: 'It brings one pod closer to its spec. It may run at any time and any number of times, because each step first looks at what is already done.',
    zh: '它让一个 Pod 向 spec 靠拢；每一步都先看现状，所以可以随时、反复执行。',
  },
  SyncTerminatingPod: {
    en: 'Containers are stopped within the grace period; nothing is started any more.',
    zh: '在宽限期内停掉容器，不再启动任何东西。',
  },
  SyncTerminatedPod: {
    en: 'All containers are gone; volumes, cgroups and the status are cleaned up.',
    zh: '容器都已停止，清理卷、cgroup 和状态。',
  },
  computePodActions: {
    en: 'It compares the spec with the last status and says what to kill and what to start; it changes nothing itself.',
    zh: '它比较 spec 与最近的状态，只给出要停什么、要启什么，自己不做改动。',
  },
  Relist: {
    en: 'PLEG has no subscription here: it lists everything and compares that with the previous list.',
    zh: 'PLEG 靠反复列举：把这次的清单与上次的比较。',
  },
};

const decisions: Readonly<Record<string, Why>> = {
  isSyncPodWorthy: {
    en: 'Every event but ContainerRemoved makes the worker of a known pod look again.',
    zh: '除 ContainerRemoved 外，任何事件都会让已知 Pod 的 worker 再看一遍。',
  },
  canAdmitPod: {
    en: 'A pod is admitted once, when it is added. The first handler that says no decides.',
    zh: 'Pod 只在加入时做一次准入检查，第一个拒绝的处理器说了算。',
  },
  allowPodStart: {
    en: 'Two static pods of one name may not run at once: the later one waits for the earlier to end.',
    zh: '同名的静态 Pod 不能同时运行：后来的要等前一个结束。',
  },
  PodSandboxChanged: {
    en: 'Without exactly one ready sandbox of the right network mode the pod gets a new one, and all its containers are created anew in it.',
    zh: '如果没有恰好一个就绪且网络模式正确的沙箱，就要重建沙箱，容器也随之重建。',
  },
  computePodActions: {
    en: 'Its spec hash, its probes and the restart policy decide whether a container is kept, restarted or left as it ended.',
    zh: '容器是保留、重启还是就此结束，取决于 spec 哈希、探针结果和重启策略。',
  },
  ShouldContainerBeRestarted: {
    en: 'The restart policy of the pod and the exit code decide, nothing else.',
    zh: '只看 Pod 的重启策略和退出码。',
  },
  getPodsToSync: {
    en: 'Once a second the loop takes the pods whose time in the work queue has come.',
    zh: '主循环每秒取出工作队列中到期的 Pod。',
  },
  updateStatusInternal: {
    en: 'A status that says nothing new gets no new version and is not written.',
    zh: '内容没有变化的状态不会产生新版本，也不会写出。',
  },
  calculateEffectiveGracePeriod: {
    en: 'The shortest of the grace periods asked for so far counts, and it may only shrink.',
    zh: '取到目前为止要求的宽限期中最短的一个，而且只会变短。',
  },
  doBackOff: {
    en: 'The wait counts from when the container last ended, and is forgotten after a run twice as long as the longest back-off.',
    zh: '等待从容器上次结束时算起；稳定运行超过最长退避的两倍后清零。',
  },
  livenessManager: {
    en: 'A container that fails its liveness probe is killed; the restart policy brings it back.',
    zh: 'liveness 探测失败的容器会被杀掉，再由重启策略拉起。',
  },
  getPhase: {
    en: 'The phase sums up all containers; it is computed anew at each sync.',
    zh: 'phase 是所有容器状态的汇总，每次同步都重新计算。',
  },
  deletePod: {
    en: 'Nothing is deleted before all sources have reported: one that has not reported yet might want the pod.',
    zh: '在所有来源都上报之前不删除任何 Pod：也许某个尚未上报的来源需要它。',
  },
};

const known = (table: Readonly<Record<string, Why>>, name: string): Why | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const rules: { readonly [K in TraceRecord['kind']]?: (record: Extract<TraceRecord, { kind: K }>) => Why | undefined } =
  {
    enter: (r) => known(functions, r.fn),
    decision: (r) => known(decisions, r.rule),
    step: (r) => stepWhy(r.fn, r.name),
    'call-step': (r) => (isAdmitted(r) ? decisions.canAdmitPod : undefined),
    select: (r) =>
      r.ready !== undefined && r.ready.length > 1
        ? {
            en: `${r.ready.length} were ready: Go picks one at random, no channel comes before another.`,
            zh: `有 ${r.ready.length} 个就绪：Go 随机选一个，通道之间没有先后。`,
          }
        : undefined,
    'pod-config': (r) =>
      r.op === 'DELETE'
        ? {
            en: 'DELETE means a deletion with grace has begun: the loop handles it as an update.',
            zh: 'DELETE 表示开始优雅删除，主循环把它当作更新处理。',
          }
        : r.op === 'RECONCILE'
          ? { en: 'Only the status differs: no worker needs to act on it.', zh: '只有状态不同，不需要 worker 动手。' }
          : undefined,
    'pod-update': (r) =>
      r.overwrote
        ? {
            en: 'A worker has one slot for what comes next: a newer update replaces an older one, nothing queues up.',
            zh: 'worker 只有一个待处理的位置：新的更新覆盖旧的，不会排队。',
          }
        : undefined,
    worker: (r) =>
      r.state === 'terminating'
        ? {
            en: 'There is no way back: a pod that terminates never runs again under this uid.',
            zh: '这一步不可逆：同一个 uid 的 Pod 一旦开始终止就不会再运行。',
          }
        : undefined,
    'cache-wait': () => ({
      en: 'With an older status it would repeat what its own last sync has already done.',
      zh: '若用旧状态，它会重复自己上一次同步已经做过的事。',
    }),
    relist: (r) =>
      r.scope === 'global' && r.changed === 0
        ? { en: 'No difference, no event: an idle node is quiet.', zh: '没有差别就没有事件：空闲的节点是安静的。' }
        : undefined,
    'pleg-event': (r) =>
      r.dropped
        ? {
            en: 'The loop did not keep up. The next sync of the pod, at the latest by syncFrequency, sees the change anyway.',
            zh: '主循环没跟上；最迟到下一次定期同步仍会发现这一变化。',
          }
        : undefined,
    probe: (r) =>
      r.run !== undefined && r.threshold !== undefined && r.run < r.threshold
        ? { en: 'The result changes only when the threshold is reached.', zh: '只有连续次数达到阈值，结果才会改变。' }
        : undefined,
    'probe-result': (r) =>
      r.probeType === 'liveness' && r.result === 'Failure'
        ? {
            en: 'The container will be killed and started again by the next sync.',
            zh: '下一次同步会杀掉这个容器并重新启动。',
          }
        : r.probeType === 'readiness'
          ? {
              en: 'It decides whether the pod gets traffic; the container itself is left alone.',
              zh: '它决定 Pod 是否接收流量，容器本身不受影响。',
            }
          : r.probeType === 'startup' && r.result === 'Success'
            ? {
                en: 'From now on liveness and readiness are probed.',
                zh: '从现在起才进行 liveness 和 readiness 探测。',
              }
            : undefined,
    backoff: (r) =>
      r.of === 'crash-loop'
        ? {
            en: 'The wait doubles with each crash, from 10 s up to 5 min, so that a broken container does not take the node with it.',
            zh: '每次崩溃等待时间翻倍，从 10 秒到 5 分钟，免得坏容器拖垮节点。',
          }
        : {
            en: 'The wait doubles with each failed pull, from 10 s up to 5 min.',
            zh: '每次拉取失败等待时间翻倍，从 10 秒到 5 分钟。',
          },
    volume: (r) =>
      r.error !== undefined
        ? {
            en: 'It is tried again, later each time: after half a second at first, at most after 2 min 2 s. Meanwhile the pod cannot start.',
            zh: '会再试，间隔从半秒起逐次加倍，最多 2 分 2 秒；其间 Pod 不能启动。',
          }
        : r.op === 'volume_mount' && r.remount
          ? {
              en: 'Each sync of the pod writes the files again if what they come from has changed.',
              zh: '每次同步 Pod，若来源有变化就重新写入这些文件。',
            }
          : undefined,
    'runtime-state': (r) =>
      r.errors.length > 0
        ? {
            en: 'While there is an error the loop reads no channel at all; it tries again after ever longer pauses, up to 5 s.',
            zh: '有错误时主循环不读任何通道，隔越来越长的时间（最多 5 秒）再试。',
          }
        : undefined,
    'sources-ready': (r) =>
      r.all
        ? {
            en: 'Only now may the kubelet remove what no source wants: before that, a source might just not have reported yet.',
            zh: '到这时 kubelet 才可以清除没有来源想要的 Pod：之前也许只是某个来源尚未上报。',
          }
        : undefined,
    deadlock: () => ({
      en: 'Each of them waits for something that only another one could do.',
      zh: '它们互相等待，只有对方才能让自己继续。',
    }),
  };

/** Says why a record matters or is so; undefined if no rule knows. */
export function why(record: TraceRecord, lang: 'en' | 'zh'): string | undefined {
  const rule = rules[record.kind] as ((record: TraceRecord) => Why | undefined) | undefined;
  return rule?.(record)?.[lang];
}
