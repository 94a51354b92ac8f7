/** What changed in the pod loop from version to version, as far as an observed kubelet and its twin may part by it. */
import { type MinorSpan, minorOfEra } from '../../kubelet/era/nearest.js';
import type { EraVersion } from '../../kubelet/era/types.js';

export interface EraChange {
  /** The minor version that has it first. */
  readonly since: number;
  readonly en: string;
  readonly zh: string;
}

/** In the order of versions. */
export const eraChanges: readonly EraChange[] = [
  {
    since: 16,
    en: 'Containers may have a startup probe.',
    zh: '容器可以有启动探针。',
  },
  {
    since: 19,
    en: 'The pod killer marks what it is about to kill; a new pod of that name waits with "pending termination".',
    zh: 'Pod killer 会标记即将终止的 Pod；同名的新 Pod 以 "pending termination" 等待。',
  },
  {
    since: 21,
    en: 'Readiness and startup results reach the loop; before, the probe manager wrote them by itself.',
    zh: '就绪和启动探针的结果进入主循环；此前由探针管理器自行写入。',
  },
  {
    since: 22,
    en: 'Pod workers own the life of their pod: terminating and terminated are steps of the worker, the pod killer is gone.',
    zh: 'Pod worker 掌管 Pod 的整个生命：terminating 和 terminated 成为 worker 的步骤，Pod killer 不复存在。',
  },
  {
    since: 24,
    en: "Probes are started and ended by the worker's syncs instead of the handlers of additions and removals.",
    zh: '探针由 worker 的同步启动和结束，而不再由添加、删除的处理函数负责。',
  },
  {
    since: 24,
    en: "A failed pod's condition Ready has the reason PodFailed.",
    zh: '失败 Pod 的 Ready 状况带有原因 PodFailed。',
  },
  {
    since: 26,
    en: 'The event of a back-off names container and pod.',
    zh: '退避事件会写明容器和 Pod。',
  },
  {
    since: 27,
    en: 'A worker keeps its pending update beside its channel; an orphan is ended by its worker; housekeeping reads a fresh list of running pods.',
    zh: 'worker 在通道之外保存待处理的更新；孤儿 Pod 由其 worker 终止；内务处理读取最新的运行 Pod 列表。',
  },
  {
    since: 27,
    en: 'A pod that was stopped has a second, terminal status.',
    zh: 'Pod 停止后会再写入一次终态状态。',
  },
  {
    since: 28,
    en: 'A kill has at least two seconds, also with a period that was given by somebody else.',
    zh: '终止至少有两秒宽限，即使宽限期由他处给定。',
  },
  {
    since: 29,
    en: 'Sidecar containers, the condition PodReadyToStartContainers, and the text "Created container: …".',
    zh: 'Sidecar 容器、PodReadyToStartContainers 状况，以及 "Created container: …" 的措辞。',
  },
  {
    since: 30,
    en: 'A shorter grace period reaches volumes and kills that are under way.',
    zh: '缩短的宽限期会作用于正在进行的卷操作和终止操作。',
  },
  {
    since: 31,
    en: 'The loop hears of the health of devices through an eighth channel, containerManager.',
    zh: '主循环通过第八个通道 containerManager 得知设备健康状况。',
  },
  {
    since: 33,
    en: 'A sync returns every error of its results; the limits of back-offs can be set.',
    zh: '同步会返回其结果中的所有错误；退避的上限可以设置。',
  },
  {
    since: 34,
    en: 'The allocation manager decides about admission, and a waiting pod has its allocated form.',
    zh: '准入由分配管理器决定，等待中的 Pod 采用其已分配的形式。',
  },
  {
    since: 35,
    en: 'A worker comes back when a back-off ends, before after 10 to 15 s; the events say "Container created" and "Container started".',
    zh: 'worker 在退避结束时回来，此前为 10 至 15 秒之后；事件改为 "Container created" 和 "Container started"。',
  },
  {
    since: 36,
    en: 'A sync that did something asks the PLEG to look at its pod at once; PodReadyToStartContainers is written before images are pulled.',
    zh: '有所作为的同步会请 PLEG 立即查看该 Pod；PodReadyToStartContainers 在拉取镜像之前写入。',
  },
];

/** What may differ between a kubelet of these versions and that of an era: each change that lies between them. */
export function changesBetween(span: MinorSpan | null, era: EraVersion): readonly EraChange[] {
  if (!span) return [];
  const of = minorOfEra(era);
  const [low, high] = [Math.min(span.since, of), Math.max(span.until, of)];
  return eraChanges.filter(({ since }) => since > low && since <= high);
}
