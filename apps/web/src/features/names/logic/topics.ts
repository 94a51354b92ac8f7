/** Parts of the kubelet as headings call them, in English and Chinese, with their places in the graph or lessons. */
import type { Part } from '../../../page/ui-store.js';

export interface Topic {
  readonly id: string;
  readonly title: { readonly en: string; readonly zh: string };
  /** Words of headings. Words of several parts are joined by `_`. */
  readonly words: string;
  readonly to:
    | { readonly kind: 'part'; readonly part: Part }
    | { readonly kind: 'channel'; readonly name: string }
    | { readonly kind: 'lesson'; readonly name: string };
}

const part = (id: Part, en: string, zh: string, words: string): Topic => ({
  id,
  title: { en, zh },
  words,
  to: { kind: 'part', part: id },
});
const channel = (name: string, en: string, zh: string, words: string): Topic => ({
  id: name,
  title: { en, zh },
  words,
  to: { kind: 'channel', name },
});
const lesson = (name: string, en: string, zh: string, words: string): Topic => ({
  id: `lesson ${name}`,
  title: { en, zh },
  words,
  to: { kind: 'lesson', name },
});

export const topics: readonly Topic[] = [
  part(
    'loop',
    'sync loop',
    '同步循环',
    'syncLoop sync_loop main_loop 主循环 同步循环 处理变更的循环 mechanism 机制 原理 驱动 select',
  ),
  channel(
    'configCh',
    'configCh',
    'configCh',
    'configCh pod_sources config_channel 配置更新 配置变更 configCh循环 不同来源',
  ),
  channel('plegCh', 'plegCh', 'plegCh', 'plegCh PLEG_channel PLEG_事件 PLEG事件'),
  channel('syncCh', 'syncCh', 'syncCh', 'syncCh sync_ticker periodic_sync 周期性同步 同步事件 定时器'),
  channel('livenessManager', 'livenessManager', 'livenessManager', 'livenessManager liveness_channel'),
  channel('readinessManager', 'readinessManager', 'readinessManager', 'readinessManager readiness_channel'),
  channel('startupManager', 'startupManager', 'startupManager', 'startupManager startup_channel'),
  channel('containerManager', 'containerManager', 'containerManager', 'containerManager.Updates'),
  channel('housekeepingCh', 'housekeeping', '定期清理', 'housekeepingCh housekeeping cleanup 清理 触发清理'),
  part(
    'probes',
    'probe workers',
    '探针',
    'health_manager health_check livenessManager probe probes 健康检查 存活探针 就绪探针 启动探针 探针',
  ),
  part('podConfig', 'PodConfig', 'PodConfig', 'podConfig merge_of_sources 合并来源 来源合并'),
  part('source-http', 'HTTP source', 'HTTP 来源', 'http_source http来源'),
  part('source-api', 'API source', 'API 来源', 'api_source api来源'),
  part('source-file', 'static pods', '静态 Pod', 'file_source static_pod static_pods staticPodPath 静态pod 静态_pod'),
  part('apiServer', 'API server', 'API server', 'api_server apiserver mirror_pod mirror_pods 镜像pod 镜像_pod'),
  part('pleg', 'PLEG', 'PLEG', 'PLEG pod_lifecycle_event_generator relist 生命周期事件 生命周期变化 所有容器的状态'),
  part('podKiller', 'pod killer', 'pod killer', 'pod_killer podKiller'),
  part(
    'status',
    'status manager',
    '状态管理器',
    'status_manager pod_status 状态管理器 更新pod的状态 更新_pod_状态 设置_pod_状态',
  ),
  part(
    'volumes',
    'volume manager',
    '卷管理器',
    'volume_manager volumes volume attach mount 卷管理 存储卷 容器卷 挂载 vol',
  ),
  part(
    'images',
    'image manager',
    '镜像管理器',
    'image_manager image_garbage_collection image_gc garbage_collection realImageGCManager images 镜像管理器 镜像回收 镜像缓存 所有镜像 拉取镜像',
  ),
  part('node', 'node status', '节点状态', 'node_status node_registration 节点状态 状态同步 ready_状态 处于_ready'),
  part('lease', 'node lease', '节点租约', 'node_lease heartbeat 心跳 租约'),
  part(
    'managers',
    'managers',
    '各管理器',
    'managers start-up_of_managers cadvisor containerManager evictionManager certificate_manager certificate 管理器 依赖模块 runtime_同步 内部模块',
  ),
  part(
    'cri',
    'CRI calls',
    'CRI 调用',
    'cri gRPC container_runtime runtime_service image_service 容器运行时 CR_状态 调用_CRI CRI',
  ),
  part('eviction', 'eviction manager', '驱逐管理器', 'eviction eviction_manager 驱逐'),
  part('cgroups', 'cgroups', 'cgroup', 'cgroup cgroups pod_cgroup qos'),
  part('devices', 'devices', '设备', 'devices device_manager device_plugin 设备'),
  part('oom', 'OOM watcher', 'OOM 监视器', 'oom oom_watcher oomwatch'),
  part('shutdown', 'node shutdown', '节点关机', 'node_shutdown shutdown 节点关机 关机'),
  part('stats', 'statistics', '统计', 'cAdvisor container_monitoring resource_analyzer 监控 资源分析器'),
  lesson(
    'dispatch',
    'pod workers',
    'pod worker',
    'pod_worker pod_workers podWorkerLoop dispatchWork UpdatePod 异步循环',
  ),
  lesson(
    'article-worker-states',
    'states of a pod worker',
    'pod worker 的状态',
    'worker_states pod_worker pod_workers managePodLoop',
  ),
  lesson('config-ops', 'handlers', '处理函数', 'SyncHandler handlers 处理函数 creation_time active_pod admission 准入'),
  lesson(
    'startup',
    'start-up',
    '启动',
    'Run start-up startup initializeModules 启动 初始化 模块 数据目录 data_directories ContainerLogsDir',
  ),
  lesson(
    'article-run',
    'from Run to startContainer',
    '从 Run 到 startContainer',
    'Run initializeModules logServer cloud_provider iptables 初始化',
  ),
  lesson(
    'syncpod',
    'SyncPod',
    'SyncPod',
    'SyncPod syncPod pod_ip pod_IP host_IP image_pull_secret pull_secrets sandbox 沙箱 init 临时容器 网络插件 network 杀掉_pod container_需要 cpu/mem',
  ),
  lesson(
    'startcontainer',
    'startContainer',
    'startContainer',
    'startContainer postStart post-start_hook 容器配置 创建容器 启动容器 容器状态 正常容器 init_容器',
  ),
  lesson(
    'syncloop',
    'one iteration of the loop',
    '循环的一次迭代',
    'syncLoopIteration recap summary 总结 概述 源码分析',
  ),
  lesson('termination', 'how a pod ends', 'Pod 的结束', 'termination graceful_deletion 终止 优雅删除'),
];

const HAN = /\p{Script=Han}/u;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Returns true if a heading has the words: Chinese ones anywhere, others as words of their own. */
function has(text: string, words: string): boolean {
  if (HAN.test(words)) return text.replace(/\s+/g, '').includes(words.replaceAll('_', ''));
  return new RegExp(`(?<![a-z0-9])${escaped(words).replaceAll('_', '[\\s_-]+')}(?![a-z0-9])`).test(text);
}

/** Most topics of one heading. */
const MOST = 4;

/** The topics that a heading is about: the one with the longest words first; none if it has the words of no topic. */
export function topicsIn(typed: string): readonly Topic[] {
  const text = typed.trim().toLowerCase();
  return topics
    .map((topic) => {
      const found = topic.words
        .toLowerCase()
        .split(' ')
        .filter((words) => has(text, words));
      return { topic, weight: Math.max(0, ...found.map((words) => words.length * (HAN.test(words) ? 3 : 1))) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST)
    .map(({ topic }) => topic);
}
