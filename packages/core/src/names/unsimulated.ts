/** Names that no run shows, and why. */
import type { LocalText } from '../scenario/document/scenario.js';

export interface Unsimulated {
  /** Names and messages of the log that share one answer. */
  readonly names: readonly string[];
  readonly because: LocalText;
}

const ofLibrary = [
  'NewTicker',
  'IsEmpty',
  'HandleCrash',
  'StripPrefix',
  'FileServer',
  'HandlerFunc',
  'ResponseWriter',
  'ToAggregate',
  'StatusBadRequest',
  'StatusNotAcceptable',
  'ServeHTTP',
  'ToSlash',
  'FromError',
  'GetMetadata',
  'IsNotExist',
  'MkdirAll',
  'DeepCopy',
];

export const unsimulated: readonly Unsimulated[] = [
  {
    names: ofLibrary,
    because: {
      en: 'It belongs to a library of Go or of Kubernetes, not to the kubelet.',
      zh: '它属于 Go 或 Kubernetes 的库，不属于 kubelet。',
    },
  },
  {
    names: ['logClient', 'nodeLogDir', 'EnableSystemLogQuery', 'newNodeLogQuery', 'path not allowed in query mode'],
    because: {
      en: 'It serves the log files of the node below `/logs/`, and a simulated node has no system logs.',
      zh: '它在 `/logs/` 下提供节点的日志文件，而模拟节点没有系统日志。',
    },
  },
  {
    names: ['Exec', 'ExecRequest', 'ExecResponse', 'Attach', 'AttachRequest', 'AttachResponse'],
    because: {
      en: '`kubectl exec` and `attach` come through the kubelet’s HTTP server. A simulated node has none: the console runs the command in the container itself.',
      zh: '`kubectl exec` 和 `attach` 经由 kubelet 的 HTTP 服务器。模拟节点没有它：控制台直接在容器中运行命令。',
    },
  },
  {
    names: ['PortForward', 'PortForwardRequest', 'PortForwardResponse'],
    because: {
      en: '`kubectl port-forward` comes through the kubelet’s HTTP server, which a simulated node does not have.',
      zh: '`kubectl port-forward` 经由 kubelet 的 HTTP 服务器，而模拟节点没有它。',
    },
  },
  {
    names: ['ContainerStats', 'ContainerStatsRequest', 'ContainerStatsResponse'],
    because: {
      en: 'The kubelet does not call it: `ListContainerStats` reads the statistics of all containers at once.',
      zh: 'kubelet 不调用它：`ListContainerStats` 一次读取所有容器的统计。',
    },
  },
  {
    names: ['updateContainerResourceAllocation'],
    because: {
      en: 'Seen in v1.29 to v1.31, and no kubelet of these versions runs here. `SetPodAllocation` keeps the allocation.',
      zh: '见于 v1.29 到 v1.31，这里没有这些版本的 kubelet。分配由 `SetPodAllocation` 保存。',
    },
  },
];
