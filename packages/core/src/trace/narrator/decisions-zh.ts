/** 判断的中文，按规则和结论。 */
import { type About, type Rule, type Rules, roughly, type Words } from './decisions.js';
import { say } from './parts.js';
import { reasonZh } from './reasons-zh.js';

/** 判断自带的理由。 */
const why = ({ r }: About): string => (typeof r.values.why === 'string' ? reasonZh(r.values.why) : '');

const restarted = (failed: string): Rule => ({
  'kill and restart': (a) => say`${a.pod} 的容器 ${a.container} ${failed}：杀掉并重新启动。`,
});
const goesOn: Words = (a) => say`${a.pod} 尚未结束（phase 为 ${a.value('phase')}），同步继续。`;

export const decisionsZh: Rules = {
  canAdmitPod: {
    admit: (a) => say`准入处理器“${a.value('handler')}”接纳 ${a.pod}。`,
    else: (a) => say`准入处理器“${a.value('handler')}”拒绝 ${a.pod}（${a.r.verdict}）：“${a.value('message')}”。`,
  },
  allowPodStart: {
    start: (a) => say`${a.pod} 可以启动：没有同名的 Pod 挡着。`,
    'not yet': (a) => say`${a.pod} 还不能启动：先前的同名静态 Pod 尚未结束。`,
    never: (a) => say`${a.pod} 不会再启动：还没轮到它就已被要求终止。`,
  },
  getPhase: {
    else: (a) => say`${a.pod} 的 phase 是 ${a.r.verdict}${why(a) ? `，因为${why(a)}` : ''}。`,
  },
  PodSandboxChanged: {
    changed: (a) => say`${a.pod} 需要新的沙箱，因为${why(a)}。`,
    unchanged: (a) => say`${a.pod} 沿用现有的沙箱：${why(a)}。`,
  },
  'SyncPod: terminal': {
    'goes on': goesOn,
    terminal: (a) => say`${a.pod} 已结束（phase 为 ${a.value('phase')}）：不再启动它的任何东西。`,
  },
  'syncPod: kill': {
    'goes on': goesOn,
    kill: (a) => say`${a.pod} 不该（再）运行：杀掉它，本次同步到此为止。`,
  },
  'SyncPod: pod cgroup': {
    create: (a) => say`若 ${a.pod} 的 cgroup 不存在，就创建它。`,
    'leave it': (a) => say`不为 ${a.pod} 创建 cgroup：它已被杀掉，且重启策略为 Never。`,
  },
  isSyncPodWorthy: {
    sync: (a) => say`${a.value('type')}：${a.pod} 的 worker 需要再看一遍。`,
    ignore: (a) => say`${a.value('type')} 不需要同步 Pod：忽略该事件。`,
    'ignore: unknown pod': (a) => say`${a.value('type')} 涉及的 Pod 没有来源想要：忽略该事件。`,
  },
  updateStatusInternal: {
    unchanged: (a) => say`${a.pod} 的状态没有变化，仍是版本 ${a.value('version')}。`,
  },
  getPodsToSync: {
    due: (a) => say`到了再看 ${a.pod} 的时候：${why(a)}。`,
    'a handler wants it': (a) => say`有处理器要求，所以同步 ${a.pod}。`,
  },
  calculateEffectiveGracePeriod: {
    else: (a) => say`${a.pod} 的容器有 ${a.r.verdict} 的时间自行结束。`,
  },
  pastActiveDeadline: {
    evict: (a) =>
      say`${a.pod} 的运行时间超过了 activeDeadlineSeconds（${a.value('activeDeadlineSeconds')} 秒）：判为失败。`,
  },
  dispatchWork: {
    UpdatePod: (a) => say`把 ${a.pod} 交给它的 worker。`,
  },
  checkAndUpdatePod: {
    UPDATE: (a) => say`${a.pod} 的 spec、标签或注解与 PodConfig 已知的不同。`,
    RECONCILE: (a) => say`${a.pod} 只有状态与 PodConfig 已知的不同。`,
    DELETE: (a) => say`${a.pod} 有了 deletionTimestamp：开始删除它。`,
  },
  imageGC: {
    'enough space': (a) =>
      say`保留镜像：所在文件系统已用 ${a.value('usage')} %，超过 ${a.value('highThresholdPercent')} % 才会清理。`,
  },
  containerSucceeded: {
    start: (a) => say`${a.pod} 的容器 ${a.container} 还没有成功结束过：需要启动。`,
    'leave alone': (a) => say`${a.pod} 的容器 ${a.container} 已成功结束：不再启动。`,
  },
  computePodActions: {
    keep: (a) => say`${a.pod} 的容器 ${a.container} 与 spec 一致地运行着：保留。`,
  },
  ShouldContainerBeRestarted: {
    start: (a) => say`要启动 ${a.pod} 的容器 ${a.container}，因为${why(a)}。`,
    'leave alone': (a) => say`${a.pod} 的容器 ${a.container} 不再启动，因为${why(a)}。`,
  },
  imagePullPrecheck: {
    present: (a) => say`容器 ${a.container} 的镜像 ${a.value('image')} 已在节点上。`,
    absent: (a) => say`容器 ${a.container} 的镜像 ${a.value('image')} 不在节点上。`,
  },
  MustAttemptImagePull: {
    present: (a) => say`${a.pod} 可以直接使用镜像 ${a.value('image')}：无需拉取。`,
    pull: (a) => say`要拉取镜像 ${a.value('image')}：只有这样镜像仓库才会校验 ${a.pod} 的凭据。`,
  },
  calcRestartCountByLogDir: {
    '0': (a) => say`容器 ${a.container} 的日志目录是空的：这是它第一次启动。`,
    else: (a) => say`从日志目录中的文件看，容器 ${a.container} 已重启 ${a.r.verdict} 次。`,
  },
  restartCount: {
    else: (a) => say`${a.pod} 的容器 ${a.container} 以重启次数 ${a.r.verdict} 启动。`,
  },
  doBackOff: {
    start: (a) =>
      say`${a.pod} 的容器 ${a.container} 可以启动：它在 ${roughly(a.value('elapsed'))} 前结束，退避时间为 ${a.value('backOff')}。`,
    'back off': (a) =>
      say`${a.pod} 的容器 ${a.container} 还要等：它在 ${roughly(a.value('elapsed'))} 前结束，退避时间为 ${a.value('backOff')}。`,
  },
  doProbe: {
    wait: (a) => say`${a.pod} 的容器 ${a.container} 的 ${a.value('probeType')} 探针等待：${why(a)}。`,
    'new container': (a) =>
      say`${a.pod} 的 ${a.value('probeType')} 探针对新的容器 ${a.container} 重新开始：${why(a)}。`,
    'below threshold': (a) =>
      say`${a.pod} 的容器 ${a.container} 的 ${a.value('probeType')} 探针连续 ${a.value('run')} 次（阈值 ${a.value('threshold')}）得到 ${why(a)}：结果不变。`,
  },
  setTerminationGracePeriod: {
    else: (a) => say`${a.pod} 的容器 ${a.container} 有 ${a.r.verdict} 秒结束，取自 ${why(a)}。`,
  },
  'new sandbox': {
    'start from the first init container': (a) => say`${a.pod} 从第一个 init 容器 ${a.container} 重新开始。`,
  },
  computeInitContainerActions: {
    'not initialized': (a) => say`${a.pod} 的 init 容器尚未全部成功。`,
    initialized: (a) => say`${a.pod} 已完成初始化：init 容器 ${a.container} 不再运行。`,
    'skip: already done': (a) => say`${a.pod} 的 init 容器 ${a.container} 已完成。`,
    'skip: no status': (a) => say`${a.pod} 的容器 ${a.container} 还没有启动过。`,
    'wait: running': (a) => say`${a.pod} 的 init 容器 ${a.container} 正在运行，后面的都要等它。`,
    'wait: startup probe has not succeeded yet': (a) =>
      say`${a.pod} 的 sidecar ${a.container} 的 startup 探测尚未成功，后面的都要等它。`,
    'keep: started': (a) => say`${a.pod} 的 sidecar ${a.container} 已启动，保留。`,
    'start the first one': (a) => say`要启动 ${a.pod} 的第一个 init 容器 ${a.container}。`,
    'start the next one': (a) => say`${a.pod} 的 init 容器 ${a.container} 已成功：启动下一个。`,
    restart: (a) => say`要重新启动 ${a.pod} 的 init 容器 ${a.container}，因为${why(a)}。`,
    'restart sidecar': (a) => say`${a.pod} 的 sidecar ${a.container} 已结束：重新启动。`,
  },
  containerChanged: restarted('与 spec 不再一致'),
  livenessManager: restarted('的 liveness 探测失败'),
  startupManager: restarted('的 startup 探测失败'),
};
