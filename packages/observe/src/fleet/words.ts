/** Shared causes and moves in words, English and Chinese. */
import type { IncidentKind } from '@syncloop/core/debug/incidents';
import type { VerdictText } from '../verdict/index.js';
import type { Sign } from './aligned.js';
import type { Group } from './rules.js';
import type { FleetNode, Move, SharedCause } from './types.js';

/** UTC, with the date if `dated`. */
export const timeText = (millis: number, dated = false): string => {
  const text = new Date(millis).toISOString();
  return dated ? `${text.slice(0, 10)} ${text.slice(11, 19)}` : text.slice(11, 19);
};

/** "between 11:29:38 and 11:29:51", or "at 11:29:38". */
function between(from: number, to: number): VerdictText {
  const dated = timeText(from, true).slice(0, 10) !== timeText(to, true).slice(0, 10);
  const [a, b] = [timeText(from, dated), timeText(to, dated)];
  return a === b ? { en: `at ${a}`, zh: `在 ${a}` } : { en: `between ${a} and ${b}`, zh: `在 ${a} 至 ${b} 之间` };
}

/** The end of a sentence that begins with "12 nodes". */
const OF_NODES: { readonly [K in IncidentKind]?: readonly [en: string, zh: string] } = {
  'api-unreachable': ['lost the API server', '失去与 API server 的连接'],
  'api-refused': ['were refused by the API server', '被 API server 拒绝'],
  'node-not-registered': ['were not known to the API server', '不为 API server 所知'],
  'runtime-down': ['lost their container runtime', '失去容器运行时'],
  'runtime-slow': ['had a container runtime that did not answer in time', '的容器运行时未及时响应'],
  'certificate-invalid': ['had a certificate that was not accepted', '的证书未被接受'],
  'kubelet-not-starting': ['had a kubelet that did not start', '的 kubelet 无法启动'],
  'kubelet-panic': ['had a kubelet that panicked', '的 kubelet 发生 panic'],
  'kubelet-killed': ['had a kubelet that was killed', '的 kubelet 被终止'],
  'disk-full': ['had a disk that was full', '的磁盘已满'],
  'clock-jumped': ['had a clock that jumped', '的时钟发生跳变'],
  'pleg-unhealthy': ['had a PLEG that was not healthy', '的 PLEG 不健康'],
  'network-not-ready': ['had no container network', '的容器网络未就绪'],
  'network-plugin': ['had a network plug-in that did not run', '的网络插件未能运行'],
  'service-network': ['had no network of Services', '的 Service 网络不可用'],
  'node-not-ready': ['were not ready', '未就绪'],
  pressure: ['ran short of resources', '资源紧张'],
  eviction: ['evicted pods', '驱逐了 Pod'],
  'system-oom': ['ran out of memory', '内存耗尽'],
  'image-gc': ['could not remove images', '无法清理镜像'],
};

/** The middle of "web … on 3 nodes". */
const OF_WORKLOADS: { readonly [K in IncidentKind]?: readonly [en: string, zh: string] } = {
  'crash-loop': ['ends again and again', '反复退出'],
  'container-exit': ['ended with an error', '因错误退出'],
  oom: ['was killed because it had used up its memory', '因内存用尽被终止'],
  eviction: ['was evicted', '被驱逐'],
  'probe-liveness': ['failed its liveness probe', '存活探针失败'],
  'probe-readiness': ['failed its readiness probe', '就绪探针失败'],
  'probe-startup': ['failed its startup probe', '启动探针失败'],
  'config-missing': ['lacks a ConfigMap or a Secret', '缺少 ConfigMap 或 Secret'],
  'volume-mount': ['could not mount a volume', '无法挂载卷'],
  'volume-attach': ['waited for a volume to be attached', '等待卷挂接'],
  'network-setup': ['got no network', '未获得网络'],
  'container-create': ['has a container that could not be created', '的容器无法创建'],
  'container-start': ['has a container that could not be started', '的容器无法启动'],
  'stuck-terminating': ['did not come to its end', '无法结束'],
  hook: ['has a hook that failed', '的钩子失败'],
  sandbox: ['got no sandbox', '未获得沙箱'],
};

const first = ({ signs }: Group): Sign => signs[0] as Sign;
const words = (what: string): VerdictText => (what === '' ? { en: '', zh: '' } : { en: `: ${what}`, zh: `：${what}` });

function nodesText({ signs }: Group): VerdictText {
  return { en: `${signs.length} nodes`, zh: `${signs.length} 个节点` };
}

/** A source that is silent for longer than this says nothing of an end. */
const SOON = 60_000;

/** When it was over, or seen last. */
function endText({ signs, kind }: Group): VerdictText {
  const lasting = signs.filter(({ end }) => end === null).length;
  const again = kind === 'api-unreachable';
  if (lasting > 0)
    return {
      en: `; ${lasting === signs.length ? 'none of them' : `${lasting} of them`} ${lasting === signs.length ? 'saw' : 'did not see'} its end`,
      zh: `；${lasting === signs.length ? '所有节点' : `其中 ${lasting} 个节点`}直到最后仍是如此`,
    };
  const sure = signs.every(({ end, last }) => (end as number) - last <= SOON);
  const at = timeText(Math.max(...signs.map(({ end, last }) => (sure ? (end as number) : last))));
  if (!sure) return { en: `; it was last seen at ${at}`, zh: `；最后一次出现于 ${at}` };
  return again
    ? { en: `; all had it again by ${at}`, zh: `；到 ${at} 全部恢复` }
    : { en: `; it was over by ${at}`, zh: `；到 ${at} 全部结束` };
}

/** A group in a sentence. `because`: the control plane's own trouble, if a node reports it. */
export function groupText(group: Group, because: Sign | undefined): VerdictText {
  const { rule, key, kind, signs } = group;
  const begin = between(first(group).begin, (signs.at(-1) as Sign).begin);
  const nodes = nodesText(group);
  const { one } = first(group);
  const why: VerdictText = because
    ? {
        en: `, because ${because.workload} on ${because.node.name} did not run`,
        zh: `，因为 ${because.node.name} 上的 ${because.workload} 未能运行`,
      }
    : { en: '', zh: '' };
  switch (rule) {
    case 'registry':
      return {
        en: `The registry ${key} failed on ${nodes.en} ${begin.en}${words(one.what).en}.`,
        zh: `镜像仓库 ${key} ${begin.zh}在 ${nodes.zh}上失败${words(one.what).zh}。`,
      };
    case 'image':
      return {
        en: `The image ${key} could not be pulled on ${nodes.en} ${begin.en}${words(one.what).en}.`,
        zh: `${begin.zh}，${nodes.zh}无法获得镜像 ${key}${words(one.what).zh}。`,
      };
    case 'workload': {
      // The words of a back-off name one pod and one delay.
      const said = words(kind === 'crash-loop' ? '' : one.what);
      const [en, zh] = OF_WORKLOADS[kind] ?? [`has the same trouble (${kind})`, `出现同样的问题（${kind}）`];
      return {
        en: `${key} ${en} on ${nodes.en}, beginning ${begin.en}${said.en}.`,
        zh: `${begin.zh}，${key} 在 ${nodes.zh}上${zh}${said.zh}。`,
      };
    }
    case 'landing': {
      const [en, zh] = OF_NODES[kind] ?? [`had ${kind}`, `出现 ${kind}`];
      const delays = signs.map(({ begin: at }, i) => Math.max(0, at - (group.landed?.[i]?.at ?? at)));
      const [least, most] = [Math.min(...delays), Math.max(...delays)].map((ms) => Math.round(ms / 1000));
      const after = least === most ? `${least} s` : `${least} to ${most} s`;
      const afterZh = least === most ? `${least} 秒` : `${least} 至 ${most} 秒`;
      return {
        en: `${signs.length} of the ${group.landedOn} nodes to which ${key} came ${en} ${after} after it did, ${begin.en}.`,
        zh: `${key} 到达 ${group.landedOn} 个节点后 ${afterZh}，其中 ${signs.length} 个节点${begin.zh}${zh}。`,
      };
    }
    case 'same-error': {
      const [en, zh] = OF_NODES[kind] ?? [`had ${kind}`, `出现 ${kind}`];
      return {
        en: `${nodes.en} ${en}, for the same reason, beginning ${begin.en}${words(key).en}.`,
        zh: `${begin.zh}，${nodes.zh}因同一原因${zh}${words(key).zh}。`,
      };
    }
    case 'window': {
      const [en, zh] = OF_NODES[kind] ?? [`had ${kind}`, `出现 ${kind}`];
      const end = endText(group);
      return {
        en: `${nodes.en} ${en} ${begin.en}${why.en}${end.en}.`,
        zh: `${nodes.zh}${begin.zh}${zh}${why.zh}${end.zh}。`,
      };
    }
  }
}

/** A pod that was evicted, and what started in its place. */
export function moveText(from: Move['from'], to: Move['to']): VerdictText {
  const [left, came] = [timeText(from.at), timeText(to.at)];
  const same = from.pod === to.pod;
  return {
    en: `${from.node} evicted ${from.pod} at ${left}; ${same ? 'it' : `${to.pod}, of the same workload,`} came to ${to.node} at ${came}.`,
    zh: `${left}，${from.node} 驱逐了 ${from.pod}；${came}，${same ? '它' : `同一工作负载的 ${to.pod} `}来到 ${to.node}。`,
  };
}

/** How much of a fleet was read. */
export function readWords(nodes: readonly FleetNode[]): VerdictText {
  const unread = nodes.filter(({ problem }) => problem !== '').length;
  const little = nodes.filter(
    ({ level, problem }) => problem === '' && (level === 'little' || level === 'nothing'),
  ).length;
  const read = nodes.length - unread;
  const lines = nodes.reduce((sum, one) => sum + one.lines, 0);
  return {
    en: [
      `${read} of ${nodes.length} nodes were read, ${lines} lines.`,
      ...(little > 0 ? [`Of ${little} of them too little was read to say that nothing is wrong.`] : []),
    ].join(' '),
    zh: [
      `读取了 ${nodes.length} 个节点中的 ${read} 个，共 ${lines} 行。`,
      ...(little > 0 ? [`其中 ${little} 个节点读到的内容太少，无法断定没有问题。`] : []),
    ].join(''),
  };
}

/** The first sentences of a fleet's verdict. */
export function verdictWords(causes: readonly SharedCause[], alone: number, nodes: readonly FleetNode[]): VerdictText {
  const [worst] = causes;
  const wrong = nodes.filter(({ incidents }) => incidents.length > 0).length;
  const more = causes.length - 1;
  if (worst)
    return {
      en: [
        worst.text.en,
        ...(more > 0
          ? [`${more === 1 ? 'One more cause is' : `${more} more causes are`} shared by several nodes.`]
          : []),
        ...(alone > 0 ? [`${alone === 1 ? 'One incident is' : `${alone} incidents are`} of one node each.`] : []),
      ].join(' '),
      zh: [
        worst.text.zh,
        ...(more > 0 ? [`另有 ${more} 个原因涉及多个节点。`] : []),
        ...(alone > 0 ? [`还有 ${alone} 个事故各自只涉及一个节点。`] : []),
      ].join(''),
    };
  if (alone > 0)
    return {
      en: `${alone === 1 ? 'There is one incident' : `There are ${alone} incidents`} on ${wrong} of ${nodes.length} nodes, and no cause that several nodes share was found.`,
      zh: `${nodes.length} 个节点中有 ${wrong} 个节点共发生 ${alone} 个事故，没有发现多个节点共有的原因。`,
    };
  if (nodes.every(({ level }) => level === 'calm'))
    return {
      en: 'Nothing went wrong on any node, as far as this was seen.',
      zh: '就所见范围而言，所有节点都没有出错。',
    };
  return {
    en: 'No incident was found, but of some nodes too little was read.',
    zh: '没有发现事故，但部分节点读到的内容太少。',
  };
}
