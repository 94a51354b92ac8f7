/** Decisions about containers, in plain words. */
import { say } from '../parts.js';
import { type Rule, type Rules, why, whyZh } from './words.js';

/** A Go duration such as "878.841ms", to at most three digits behind the point. */
const roughly = (text: string): string =>
  text.replace(/^(\d+)\.(\d+)(m?s)$/, (_, whole, part, unit) =>
    unit === 'ms' ? `${whole}ms` : `${whole}.${part.slice(0, 1)}s`,
  );

const restarted = (en: string, zh: string): Rule => ({
  'kill and restart': {
    en: (a) => say`container ${a.container} of ${a.pod} ${en}: it is killed and started again.`,
    zh: (a) => say`${a.pod} 的容器 ${a.container} ${zh}：杀掉并重新启动。`,
  },
});
export const decisionsOfContainers: Rules = {
  containerSucceeded: {
    start: {
      en: (a) => say`container ${a.container} of ${a.pod} has not run to success yet: it is to be started.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 还没有成功结束过：需要启动。`,
    },
    'leave alone': {
      en: (a) => say`container ${a.container} of ${a.pod} has succeeded: it is left as it ended.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 已成功结束：不再启动。`,
    },
  },
  computePodActions: {
    keep: {
      en: (a) => say`container ${a.container} of ${a.pod} runs as its spec says: it is kept.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 与 spec 一致地运行着：保留。`,
    },
  },
  ShouldContainerBeRestarted: {
    start: {
      en: (a) => say`container ${a.container} of ${a.pod} is to be started, because ${why(a)}.`,
      zh: (a) => say`要启动 ${a.pod} 的容器 ${a.container}，因为${whyZh(a)}。`,
    },
    'leave alone': {
      en: (a) => say`container ${a.container} of ${a.pod} is left as it ended, because ${why(a)}.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 不再启动，因为${whyZh(a)}。`,
    },
  },
  imagePullPrecheck: {
    present: {
      en: (a) => say`the image ${a.value('image')} of container ${a.container} is on the node.`,
      zh: (a) => say`容器 ${a.container} 的镜像 ${a.value('image')} 已在节点上。`,
    },
    absent: {
      en: (a) => say`the image ${a.value('image')} of container ${a.container} is not on the node.`,
      zh: (a) => say`容器 ${a.container} 的镜像 ${a.value('image')} 不在节点上。`,
    },
  },
  MustAttemptImagePull: {
    present: {
      en: (a) => say`${a.pod} may use the image ${a.value('image')} as it is: nothing is pulled.`,
      zh: (a) => say`${a.pod} 可以直接使用镜像 ${a.value('image')}：无需拉取。`,
    },
    pull: {
      en: (a) => say`the image ${a.value('image')} is pulled: only so the registry checks the credentials of ${a.pod}.`,
      zh: (a) => say`要拉取镜像 ${a.value('image')}：只有这样镜像仓库才会校验 ${a.pod} 的凭据。`,
    },
  },
  calcRestartCountByLogDir: {
    '0': {
      en: (a) => say`the log directory of container ${a.container} is empty: this is its first start.`,
      zh: (a) => say`容器 ${a.container} 的日志目录是空的：这是它第一次启动。`,
    },
    else: {
      en: (a) => say`by the files in its log directory, container ${a.container} has restarted ${a.r.verdict} times.`,
      zh: (a) => say`从日志目录中的文件看，容器 ${a.container} 已重启 ${a.r.verdict} 次。`,
    },
  },
  restartCount: {
    else: {
      en: (a) => say`container ${a.container} of ${a.pod} starts with restart count ${a.r.verdict}.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 以重启次数 ${a.r.verdict} 启动。`,
    },
  },
  doBackOff: {
    start: {
      en: (a) =>
        say`container ${a.container} of ${a.pod} may start: it ended ${roughly(a.value('elapsed'))} ago, and its back-off is ${a.value('backOff')}.`,
      zh: (a) =>
        say`${a.pod} 的容器 ${a.container} 可以启动：它在 ${roughly(a.value('elapsed'))} 前结束，退避时间为 ${a.value('backOff')}。`,
    },
    'back off': {
      en: (a) =>
        say`container ${a.container} of ${a.pod} has to wait: it ended ${roughly(a.value('elapsed'))} ago, and its back-off is ${a.value('backOff')}.`,
      zh: (a) =>
        say`${a.pod} 的容器 ${a.container} 还要等：它在 ${roughly(a.value('elapsed'))} 前结束，退避时间为 ${a.value('backOff')}。`,
    },
  },
  doProbe: {
    wait: {
      en: (a) => say`the ${a.value('probeType')} probe of container ${a.container} of ${a.pod} waits: ${why(a)}.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 的 ${a.value('probeType')} 探针等待：${whyZh(a)}。`,
    },
    'new container': {
      en: (a) =>
        say`the ${a.value('probeType')} probe of ${a.pod} begins anew with the new container ${a.container}: ${why(a)}.`,
      zh: (a) => say`${a.pod} 的 ${a.value('probeType')} 探针对新的容器 ${a.container} 重新开始：${whyZh(a)}。`,
    },
    'below threshold': {
      en: (a) =>
        say`the ${a.value('probeType')} probe of container ${a.container} of ${a.pod} reports ${why(a)} ${a.value('run')} of ${a.value('threshold')} times: its result stays.`,
      zh: (a) =>
        say`${a.pod} 的容器 ${a.container} 的 ${a.value('probeType')} 探针连续 ${a.value('run')} 次（阈值 ${a.value('threshold')}）得到 ${why(a)}：结果不变。`,
    },
  },
  setTerminationGracePeriod: {
    else: {
      en: (a) => say`container ${a.container} of ${a.pod} has ${a.r.verdict} s to end, from ${why(a)}.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 有 ${a.r.verdict} 秒结束，取自 ${whyZh(a)}。`,
    },
  },
  'new sandbox': {
    'start from the first init container': {
      en: (a) => say`${a.pod} begins anew with its first init container, ${a.container}.`,
      zh: (a) => say`${a.pod} 从第一个 init 容器 ${a.container} 重新开始。`,
    },
  },
  computeInitContainerActions: {
    'not initialized': {
      en: (a) => say`the init containers of ${a.pod} have not all succeeded yet.`,
      zh: (a) => say`${a.pod} 的 init 容器尚未全部成功。`,
    },
    initialized: {
      en: (a) => say`${a.pod} is initialized: init container ${a.container} does not run again.`,
      zh: (a) => say`${a.pod} 已完成初始化：init 容器 ${a.container} 不再运行。`,
    },
    'skip: already done': {
      en: (a) => say`init container ${a.container} of ${a.pod} is done.`,
      zh: (a) => say`${a.pod} 的 init 容器 ${a.container} 已完成。`,
    },
    'skip: no status': {
      en: (a) => say`container ${a.container} of ${a.pod} has not been started yet.`,
      zh: (a) => say`${a.pod} 的容器 ${a.container} 还没有启动过。`,
    },
    'wait: running': {
      en: (a) => say`init container ${a.container} of ${a.pod} runs, and all that follow have to wait.`,
      zh: (a) => say`${a.pod} 的 init 容器 ${a.container} 正在运行，后面的都要等它。`,
    },
    'wait: startup probe has not succeeded yet': {
      en: (a) =>
        say`sidecar ${a.container} of ${a.pod} has not passed its startup probe, and all that follow have to wait.`,
      zh: (a) => say`${a.pod} 的 sidecar ${a.container} 的 startup 探测尚未成功，后面的都要等它。`,
    },
    'keep: started': {
      en: (a) => say`sidecar ${a.container} of ${a.pod} has started, and is kept.`,
      zh: (a) => say`${a.pod} 的 sidecar ${a.container} 已启动，保留。`,
    },
    'start the first one': {
      en: (a) => say`${a.container}, the first init container of ${a.pod}, is to be started.`,
      zh: (a) => say`要启动 ${a.pod} 的第一个 init 容器 ${a.container}。`,
    },
    'start the next one': {
      en: (a) => say`init container ${a.container} of ${a.pod} has succeeded: the next one is to be started.`,
      zh: (a) => say`${a.pod} 的 init 容器 ${a.container} 已成功：启动下一个。`,
    },
    restart: {
      en: (a) => say`init container ${a.container} of ${a.pod} is to be started again, because ${why(a)}.`,
      zh: (a) => say`要重新启动 ${a.pod} 的 init 容器 ${a.container}，因为${whyZh(a)}。`,
    },
    'restart sidecar': {
      en: (a) => say`sidecar ${a.container} of ${a.pod} has ended: it is to be started again.`,
      zh: (a) => say`${a.pod} 的 sidecar ${a.container} 已结束：重新启动。`,
    },
  },
  containerChanged: restarted('no longer matches its spec', '与 spec 不再一致'),
  livenessManager: restarted('failed its liveness probe', '的 liveness 探测失败'),
  startupManager: restarted('failed its startup probe', '的 startup 探测失败'),
};
