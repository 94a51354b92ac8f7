/** Incidents in words: each as the middle of a sentence that begins with its time. */

import { startReason } from '../findings/start-reasons.js';
import type { Text } from '../why/types.js';
import type { IncidentKind } from './kinds.js';
import {
  because,
  before,
  exitCode,
  fact,
  many,
  NO_CIDR,
  pods,
  type Said,
  type Sentence,
  times,
  who,
} from './phrases.js';
import { sentencesOfPods } from './sentences-pods.js';

/** It waits between starts; of another reason, the source's text. */
const backOff = (s: Said): Text => {
  const delay = fact(s, 'delay');
  return fact(s, 'of') !== 'crash-loop' && s.what !== ''
    ? because(s)
    : {
        en: `: it ended again and again (CrashLoopBackOff${delay && `, up to ${delay}`})`,
        zh: `：反复退出（CrashLoopBackOff${delay && `，最长 ${delay}`}）`,
      };
};

/** "it cannot …: the error" */
const withError =
  (en: string, zh: string): Sentence =>
  (s) => ({ en: `${en}${because(s).en}`, zh: `${zh}${because(s).zh}` });

const ofNode = {
  'kubelet-not-starting': (s) => {
    const reason = startReason(s.what, fact(s, 'reason'));
    const counter = Number(s.facts.counter ?? 0);
    const again = Math.max(counter, s.facts.unit === undefined ? s.count : 0);
    const why = reason?.text ?? (s.what === '' ? null : { en: '', zh: '' });
    if (why === null) {
      const { en, zh } = exitCode(s);
      return {
        en: `the kubelet ended${en}, and no line says why${again > 1 ? `; it was started again ${times(again).en}` : ''}`,
        zh: `kubelet 退出${zh}，没有任何一行说明原因${again > 1 ? `；它被重新启动了 ${times(again).zh}` : ''}`,
      };
    }
    return {
      en: `the kubelet does not start${why && why.en !== '' ? `: ${why.en}` : ''}${s.what !== '' ? `${why?.en ? ' (' : ': '}${because(s).en.slice(2)}${why?.en ? ')' : ''}` : ''}${again > 1 ? `; it exited and was started again ${times(again).en}` : ''}`,
      zh: `kubelet 无法启动${why && why.zh !== '' ? `：${why.zh}` : ''}${s.what !== '' ? `${why?.zh ? '（' : '：'}${because(s).zh.slice(1)}${why?.zh ? '）' : ''}` : ''}${again > 1 ? `；它退出后被重新启动了 ${times(again).zh}` : ''}`,
    };
  },
  'kubelet-panic': withError('the kubelet panicked', 'kubelet 发生 panic'),
  'kubelet-killed': (s) =>
    fact(s, 'signal') === 'OOM'
      ? { en: 'the kernel killed the kubelet because memory had run out', zh: '内存耗尽，内核杀死了 kubelet' }
      : { en: 'the kubelet was killed (SIGKILL)', zh: 'kubelet 被 SIGKILL 终止' },
  'disk-full': (s) =>
    /read-only file system/i.test(s.what)
      ? {
          en: `a file system of the node could only be read${because(s).en}`,
          zh: `节点的某个文件系统变为只读${because(s).zh}`,
        }
      : { en: `a disk of the node was full${because(s).en}`, zh: `节点的磁盘已满${because(s).zh}` },
  'runtime-down': withError('the container runtime could not be reached', '无法连接容器运行时'),
  'clock-jumped': withError("the node's clock jumped or is wrong", '节点时钟跳变或不正确'),
  'certificate-invalid': withError('a certificate was not accepted', '证书未被接受'),
  'api-refused': withError('the API server refused the kubelet’s requests', 'API server 拒绝了 kubelet 的请求'),
  'api-unreachable': withError('the API server could not be reached', '无法访问 API server'),
  'node-not-registered': withError('the API server did not know this node', 'API server 不知道该节点'),
  'control-plane': (s) => ({
    en: `${who(s).en}, a part of the control plane on this node, did not run${exitCode(s).en}${backOff(s).en}`,
    zh: `本节点上控制平面的组成部分 ${before(who(s).zh)}未能运行${exitCode(s).zh}${backOff(s).zh}`,
  }),
  'runtime-slow': (s) => ({
    en: `the container runtime did not answer in time (${times(s.count).en})${because(s).en}`,
    zh: `容器运行时未及时响应（${times(s.count).zh}）${because(s).zh}`,
  }),
  'pleg-unhealthy': withError(
    'the PLEG was not healthy: the kubelet could not list the containers in time',
    'PLEG 不健康：kubelet 无法及时列出容器',
  ),
  'network-plugin': (s) => ({
    en: `${who(s).en}, the node's network plug-in, did not run${exitCode(s).en}${backOff(s).en}`,
    zh: `节点的网络插件 ${before(who(s).zh)}未能运行${exitCode(s).zh}${backOff(s).zh}`,
  }),
  'network-not-ready': (s) =>
    NO_CIDR.test(s.what)
      ? {
          en: `the node's pod network was not ready: the node has no pod CIDR, without which kubenet cannot be set up${because(s).en}`,
          zh: `节点的 Pod 网络未就绪：节点没有 Pod CIDR，kubenet 因此无法初始化${because(s).zh}`,
        }
      : {
          en: `the node's pod network was not ready: no CNI plug-in was set up${because(s).en}`,
          zh: `节点的 Pod 网络未就绪：CNI 插件尚未初始化${because(s).zh}`,
        },
  'service-network': (s) => ({
    en: `pods on this node could probably not reach the cluster's service network: ${fact(s, 'dns')} did not become ready, and other pods crashed`,
    zh: `本节点上的 Pod 很可能无法访问集群的 Service 网络：${fact(s, 'dns')} 一直未就绪，且其他 Pod 崩溃`,
  }),
  pressure: (said) => {
    // The resource is in the sentence: of the source's words, only those with amounts say more.
    const s = /\d ?(%|bytes|[KMGT]i)|threshold|unable to evict|cannot evict|unable to (?:remove|delete)/.test(said.what)
      ? said
      : { ...said, what: '' };
    const name =
      RESOURCES[fact(s, 'resource') || fact(s, 'condition')] ?? RESOURCES[fact(s, 'signal').split('.')[0] as string];
    const en = name?.en ?? (fact(s, 'resource') || fact(s, 'signal') || 'a resource');
    const zh = name?.zh ?? (fact(s, 'resource') || fact(s, 'signal') || '资源');
    const ranked = fact(s, 'pods');
    return {
      en: `the node was short of ${en}${because(s).en}${ranked === '' ? '' : `; the first pods to be evicted were ${ranked}`}`,
      zh: `节点缺少${zh}${because(s).zh}${ranked === '' ? '' : `；驱逐排序靠前的 Pod 为 ${ranked}`}`,
    };
  },
  'image-gc': withError('unused images could not be removed to free the disk', '无法清理未使用的镜像以释放磁盘'),
  'system-oom': (s) => {
    const process = fact(s, 'process');
    return {
      en: `the node ran out of memory, and the kernel killed ${process || 'processes'}${s.count > 1 && process ? ' and others' : ''}`,
      zh: `节点内存耗尽，内核杀死了${process ? ` ${process} ${s.count > 1 ? '等进程' : '进程'}` : '进程'}`,
    };
  },
  'node-not-ready': withError('the node was not ready', '节点未就绪'),
  resources: withError('the kubelet could not set up or read resources of the node', 'kubelet 无法设置或读取节点资源'),
  device: (s) => ({
    en: `the device plug-in for ${fact(s, 'resource') || 'a resource'} failed${because(s).en}`,
    zh: `${fact(s, 'resource') || '某资源'} 的设备插件出错${because(s).zh}`,
  }),
  'orphaned-pod': (s) => ({
    en: `volumes or folders of ${s.pods.length > 0 ? pods(s).en : 'pods'} remained on the disk after ${many(s) ? 'these pods were' : 'the pod was'} gone${because(s).en}`,
    zh: `${s.pods.length > 0 ? pods(s).zh : 'Pod'} 已不存在，但其卷或目录仍留在磁盘上${because(s).zh}`,
  }),
  lease: withError("the node's lease could not be renewed", '无法续约节点租约'),
  gc: withError('garbage collection failed', '垃圾回收失败'),
  sources: (s) =>
    s.facts.unit !== undefined
      ? {
          en: `the unit ${fact(s, 'unit')} failed (not the kubelet)`,
          zh: `单元 ${fact(s, 'unit')}（不是 kubelet）失败`,
        }
      : s.facts.program !== undefined && fact(s, 'code') === 'panic'
        ? {
            en: `${fact(s, 'program')} panicked (not the kubelet)${because(s).en}`,
            zh: `${fact(s, 'program')}（不是 kubelet）发生 panic${because(s).zh}`,
          }
        : { en: `a source of pods could not be read${because(s).en}`, zh: `无法读取某个 Pod 来源${because(s).zh}` },
  'kubelet-restarted': (s) => ({
    en: `the kubelet was restarted${s.count > 1 ? ` ${times(s.count).en}` : ''}`,
    zh: `kubelet 被重启${s.count > 1 ? ` ${times(s.count).zh}` : ''}`,
  }),
  shutdown: (s) => ({
    en: `the node shut down, and ${pods(s).en} ended with it`,
    zh: `节点关机，${pods(s).zh} 随之终止`,
  }),
  starting: withError('the kubelet was starting', 'kubelet 正在启动'),
} satisfies { readonly [K in IncidentKind]?: Sentence };

const RESOURCES: { readonly [name: string]: Text } = {
  memory: { en: 'memory', zh: '内存' },
  MemoryPressure: { en: 'memory', zh: '内存' },
  'ephemeral-storage': { en: 'disk space', zh: '磁盘空间' },
  DiskPressure: { en: 'disk space', zh: '磁盘空间' },
  nodefs: { en: 'disk space', zh: '磁盘空间' },
  imagefs: { en: 'disk space for images', zh: '镜像所用的磁盘空间' },
  inodes: { en: 'inodes', zh: 'inode' },
  pids: { en: 'process ids', zh: '进程号' },
  pid: { en: 'process ids', zh: '进程号' },
  PIDPressure: { en: 'process ids', zh: '进程号' },
};

const sentences: { readonly [K in IncidentKind]: Sentence } = { ...ofNode, ...sentencesOfPods };

/** Returns what happened, as it stands behind its time. */
export const sentenceOf = (s: Said & { readonly kind: IncidentKind }): Text => sentences[s.kind](s);
