/** Changes that may prevent incidents, by their kinds; those nearest to the trouble first. */
import type { IncidentKind } from '@syncloop/core/debug/incidents';
import type { TwinText } from '../base/types.js';
import { nodeRows } from './rows-node.js';
import { objectRows, outsideRows } from './rows-outside.js';
import { podRows } from './rows-pods.js';
import type { RemedyRow } from './types.js';

export const remedyRows: readonly RemedyRow[] = [...objectRows, ...podRows, ...nodeRows, ...outsideRows];

const ENDED_BY_ITSELF: TwinText = {
  en: 'why the program ended: its own log says it (kubectl logs --previous)',
  zh: '程序为何退出：需看它自己的日志（kubectl logs --previous）',
};
const NOT_ANSWERED: TwinText = {
  en: 'why the probe failed: the program’s own log says it, and the probe’s output in the event Unhealthy',
  zh: '探针为何失败：需看程序自己的日志，以及 Unhealthy 事件中探针的输出',
};
/** The facts about a kind that no run of ours shows. */
const unknownKinds: { readonly [K in IncidentKind]?: TwinText } = {
  'crash-loop': ENDED_BY_ITSELF,
  'container-exit': ENDED_BY_ITSELF,
  'probe-liveness': NOT_ANSWERED,
  'probe-readiness': NOT_ANSWERED,
  'probe-startup': NOT_ANSWERED,
  pressure: {
    en: 'what used the resource up, and whether the node would have run out of it: that is not simulated',
    zh: '是什么耗尽了资源，以及节点是否会因此耗尽：这没有模拟',
  },
  hook: { en: 'why the hook failed', zh: '钩子为何失败' },
  deadline: { en: 'why the work took longer than its deadline', zh: '工作为何超过了期限' },
  'runtime-down': { en: 'why the runtime went away: its own log says it', zh: '运行时为何中断：需看它自己的日志' },
  'runtime-slow': { en: 'why the runtime was slow: its own log says it', zh: '运行时为何缓慢：需看它自己的日志' },
  'sandbox-died': { en: 'who ended the sandbox', zh: '是谁终止了沙箱' },
  'api-unreachable': { en: 'why the API server could not be reached', zh: 'API server 为何无法访问' },
  'network-setup': {
    en: 'why the network plug-in failed: its own log says it',
    zh: '网络插件为何失败：需看它自己的日志',
  },
  'disk-full': { en: 'what filled the disk', zh: '是什么占满了磁盘' },
  'force-deleted': { en: 'why somebody deleted it by force', zh: '为何有人强制删除它' },
  'kubelet-restarted': { en: 'why the kubelet was restarted', zh: 'kubelet 为何重启' },
};

const NOT_IN_TWIN: TwinText = {
  en: 'what made it happen: the twin, made of all that the sources report, does not have it',
  zh: '它因何发生：由全部来源所示制成的孪生中没有它',
};
/** The facts that no run shows of an incident of a kind; none for an unknown kind. */
export const unknownOf = (kind = ''): readonly TwinText[] => {
  const known = Object.hasOwn(unknownKinds, kind) ? unknownKinds[kind as IncidentKind] : undefined;
  return known ? [known] : [];
};
/** The facts that stay unknown of an incident that the twin of an observed run does not have. */
export const notShown = (kind: IncidentKind): readonly TwinText[] => [NOT_IN_TWIN, ...unknownOf(kind)];
