/** What changed in the kubelet's design between the versions that can run: one home for what, since when and where. */
import type { EraVersion } from '../kubelet/era/types.js';

export interface EraText {
  readonly en: string;
  readonly zh: string;
}

export interface EraChange {
  readonly id: string;
  /** The minor version of 1 that was the first to have it, or the first that was seen with it. */
  readonly since: number;
  /** What was before, and what has been since: one or two sentences. */
  readonly text: EraText;
  /** Where upstream decided it: pull requests (kubernetes#) and enhancements (KEP-); none where nobody has looked. */
  readonly upstream: readonly string[];
}

const change = (id: string, since: number, upstream: readonly string[], en: string, zh: string) =>
  ({ id, since, upstream, text: { en, zh } }) as const satisfies EraChange;

/** Oldest first. */
export const changes = [
  change(
    'probes-in-loop',
    21,
    [],
    'Results of readiness and startup probes come to the sync loop through channels of their own; before, only those of liveness probes did, and the prober wrote the others itself.',
    'readiness 和 startup 探针的结果经各自的通道进入同步循环；此前只有 liveness 的结果如此，其余由探针管理器自己写入。',
  ),
  change(
    'marked-killer',
    21,
    ['kubernetes#92442', 'kubernetes#98953'],
    'The pod killer marks the pods that it kills, and a sync of a pod of the same name fails with "pending termination"; before, worker and killer could work on one pod at once.',
    'Pod killer 会标记正在终止的 Pod，同名 Pod 的同步会以 “pending termination” 失败；此前工作协程与 killer 可能同时处理一个 Pod。',
  ),
  change(
    'worker-owns-life',
    22,
    ['kubernetes#102344'],
    "A pod's worker owns all of its life: sync, terminating, terminated. Before, a goroutine beside the worker killed pods that were removed, and nobody waited for it.",
    'Pod 的工作协程掌管其整个生命周期：sync、terminating、terminated。此前由工作协程之外的 goroutine 终止被移除的 Pod，没有谁等待它完成。',
  ),
  change(
    'terminal-status-kept',
    22,
    ['kubernetes#102344'],
    'A status keeps its terminal phase, its reason and the conditions; before, each was made anew from the containers, and that of an evicted pod had no conditions.',
    '状态会保留终止阶段、原因和 conditions；此前每次都由容器重新推出，被驱逐 Pod 的状态没有 conditions。',
  ),
  change(
    'static-pods-wait',
    22,
    ['kubernetes#102344'],
    'Static pods of one name start one at a time, in the order in which they came.',
    '同名的静态 Pod 按到来的顺序一次只启动一个。',
  ),
  change(
    'sandbox-resources',
    23,
    [],
    "A sandbox's request tells the pod's resources.",
    '沙箱的请求中带有 Pod 的资源。',
  ),
  change(
    'probes-in-worker',
    24,
    [],
    "Probes begin in a pod's sync and end as it terminates; before, they began and ended in the handlers.",
    '探针在 Pod 的同步中开始、在终止时结束；此前在处理函数中开始和结束。',
  ),
  change(
    'pod-failed-reason',
    24,
    [],
    "A failed pod's conditions Ready and ContainersReady say PodFailed; before, they named the containers that were not ready.",
    '失败 Pod 的 Ready 和 ContainersReady 条件的原因是 PodFailed；此前指出未就绪的容器。',
  ),
  change(
    'disruption-target',
    26,
    ['KEP-3329'],
    'A pod that is ended for the sake of others has the condition DisruptionTarget.',
    '为他人而被终止的 Pod 带有 DisruptionTarget 条件。',
  ),
  change(
    'pending-update',
    27,
    ['kubernetes#113145'],
    'The handlers call the pod workers themselves, and work waits as pendingUpdate and activeUpdate; before, dispatchWork handed it on through a channel of each worker.',
    '处理函数直接调用 pod workers，待办工作记为 pendingUpdate 与 activeUpdate；此前由 dispatchWork 经每个工作协程的通道转交。',
  ),
  change(
    'final-status',
    27,
    ['kubernetes#113145'],
    'After the last container has ended, SyncTerminatingPod writes a terminal status, and a pod leaves the API only with one.',
    '最后一个容器结束后，SyncTerminatingPod 会写一次终止状态；Pod 有了它才会从 API 中删除。',
  ),
  change(
    'grace-floor',
    28,
    [],
    'A kill grants 2 s at least, also where somebody asked for less, such as an eviction; before, an override went below.',
    '终止时至少给 2 秒，即使（例如驱逐）要求更短；此前覆盖值可以低于它。',
  ),
  change(
    'sidecars',
    29,
    ['KEP-753'],
    'Init containers that are restarted run beside the others (sidecars), and end after them; before, such a field was not known.',
    '会重启的 init 容器与其他容器并行（边车），并在它们之后结束；此前没有这个字段。',
  ),
  change(
    'sandbox-condition',
    29,
    ['KEP-3085'],
    'The condition PodReadyToStartContainers says when sandbox and network are ready.',
    '条件 PodReadyToStartContainers 说明沙箱和网络何时就绪。',
  ),
  change(
    'image-name',
    29,
    [],
    "A container's request names its image as the pod does; before, it had the id of the image alone.",
    '容器的请求中写着 Pod 里的镜像名；此前只有镜像 ID。',
  ),
  change(
    'device-health',
    31,
    ['KEP-4680'],
    'The sync loop has an eighth channel: the container manager tells of devices whose health has changed.',
    '同步循环有了第八个通道：容器管理器通知设备健康状况的变化。',
  ),
  change(
    'errors-returned',
    33,
    [],
    'Every error of a sync is returned, so that it is tried again after 10 to 15 s; before, those of back-offs alone could be passed over.',
    '同步中的每个错误都会返回，并在 10 到 15 秒后重试；此前只有退避错误时可能被忽略。',
  ),
  change(
    'resize',
    33,
    ['KEP-1287'],
    'The resources of a running pod can be changed; before, such a change needed another pod.',
    '可以更改运行中 Pod 的资源；此前需要新的 Pod。',
  ),
  change(
    'user-namespaces',
    33,
    ['KEP-127'],
    "Requests say which user namespace a pod is in, also where it is the node's.",
    '请求说明 Pod 所在的用户命名空间，即使是节点的。',
  ),
  change(
    'backoff-expiry',
    35,
    [],
    'A sync that waits for a back-off comes back when that ends; before, it came every 10 to 15 s and looked.',
    '等待退避的同步在退避结束时回来；此前每 10 到 15 秒回来查看。',
  ),
  change(
    'restart-rules',
    35,
    ['KEP-5307'],
    'A container can have rules of its own for restarts, by exit code; before, such fields were not known.',
    '容器可以有自己的按退出码的重启规则；此前没有这些字段。',
  ),
  change(
    'relist-on-demand',
    36,
    [],
    'A sync that did something has the PLEG look at its pod at once; before, what it did was seen at the next relist, up to a second later.',
    '做了事情的同步会让 PLEG 立刻查看该 Pod；此前要等下一次 relist，最多晚一秒。',
  ),
  change(
    'sandbox-ready-first',
    36,
    [],
    'A status says that the sandbox is ready before images are pulled.',
    '在拉取镜像之前，状态就说明沙箱已就绪。',
  ),
  change(
    'masked-paths',
    36,
    [],
    "The default lists of a container's masked and read-only paths are others.",
    '容器默认的屏蔽路径和只读路径列表不同。',
  ),
] as const;

export type EraChangeId = (typeof changes)[number]['id'];

export const minorOf = (version: EraVersion): number => Number(version.slice('v1.'.length));

/** Changes that one of two versions has and the other has not, oldest first. */
export function changesBetween(one: EraVersion, other: EraVersion): readonly EraChange[] {
  const [from, to] = [minorOf(one), minorOf(other)].sort((a, b) => a - b) as [number, number];
  return changes.filter(({ since }) => since > from && since <= to);
}

/** Where a pull request or an enhancement is read. */
export function upstreamLink(name: string): string {
  const [, kep] = /^KEP-(\d+)$/.exec(name) ?? [];
  if (kep !== undefined) return `https://github.com/kubernetes/enhancements/issues/${kep}`;
  return `https://github.com/kubernetes/kubernetes/pull/${name.slice(name.indexOf('#') + 1)}`;
}
