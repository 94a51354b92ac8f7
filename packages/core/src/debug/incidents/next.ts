/** Commands to run next, with the names and times of an incident. */

import { startReason } from '../findings/start-reasons.js';
import type { Text } from '../why/types.js';
import type { IncidentClock } from './clock.js';
import { type IncidentKind, kindRows } from './kinds.js';
import { NO_CIDR } from './phrases.js';
import { commandFor, commandsOf } from './runtime-commands.js';
import type { Incident } from './types.js';

export interface NextCommand {
  readonly command: string;
  readonly why: Text;
}
export interface NextOptions {
  readonly clock: IncidentClock;
  /** The node and the runtime ("containerd 1.7.2"), as far as they are known. */
  readonly node: string;
  readonly runtime: string;
}

/** A name from a log as one word of a shell: it may say anything. */
export const shellWord = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');
  return /^[\w./:@%+=,-]+$/.test(plain) && !plain.startsWith('-') ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
};

const MOST = 5;
const AROUND = 60e6;
const LOGS = { en: "the runtime's log of that time", zh: '当时的运行时日志' };
const DESCRIBE = { en: "the pod's state and events", zh: 'Pod 的状态与事件' };
const PREVIOUS = { en: 'the last output of the container that ended', zh: '已退出容器的最后输出' };

const RUNTIME_KINDS = new Set<IncidentKind>([
  'runtime-down',
  'runtime-slow',
  'pleg-unhealthy',
  'name-reserved',
  'sandbox',
  'sandbox-died',
  'container-create',
  'container-start',
  'kill-failed',
  'network-setup',
  'network-teardown',
  'image',
]);
const OUTPUT_KINDS = new Set<IncidentKind>([
  'crash-loop',
  'container-exit',
  'oom',
  'probe-liveness',
  'probe-startup',
  'hook',
  'control-plane',
  'network-plugin',
]);

const plain: { readonly [K in IncidentKind]?: readonly (readonly [string, string, string])[] } = {
  'runtime-down': [['crictl info', 'whether the runtime answers now', '运行时现在是否响应']],
  'runtime-slow': [
    ['crictl ps -a', 'whether the runtime answers now, and how fast', '运行时现在是否响应及其速度'],
    ['iostat -x 1 5', 'whether the disk is the cause', '是否为磁盘所致'],
  ],
  'pleg-unhealthy': [['crictl ps -a', 'whether the runtime lists its containers in time', '运行时能否及时列出容器']],
  'disk-full': [
    ['df -h', 'which disk is full', '哪个磁盘已满'],
    ['df -i', 'whether inodes have run out', 'inode 是否耗尽'],
  ],
  pressure: [
    ['df -h /var/lib/kubelet /var/lib/containerd', 'the disks', '磁盘'],
    ['free -m', 'the memory', '内存'],
    ['crictl stats', 'the usage of containers', '容器的用量'],
  ],
  'image-gc': [
    ['crictl rmi --prune', 'remove images that no container uses', '删除未被使用的镜像'],
    ['df -h', 'which disk is full', '哪个磁盘已满'],
  ],
  'network-not-ready': [
    [
      'ls -l /etc/cni/net.d /opt/cni/bin',
      'whether a CNI configuration and plug-ins are there',
      'CNI 配置与插件是否存在',
    ],
    [
      'kubectl get pods -A -o wide | grep -E "calico|cilium|flannel|weave|kindnet|antrea|aws-node"',
      "the network plug-in's pods",
      '网络插件的 Pod',
    ],
  ],
  'network-setup': [
    [
      'ls -l /etc/cni/net.d /opt/cni/bin',
      'whether a CNI configuration and plug-ins are there',
      'CNI 配置与插件是否存在',
    ],
  ],
  'network-teardown': [
    [
      'ls -l /etc/cni/net.d /opt/cni/bin',
      'whether a CNI configuration and plug-ins are there',
      'CNI 配置与插件是否存在',
    ],
  ],
  'service-network': [
    ['kubectl get svc kubernetes -o wide', "the service's address that pods must reach", 'Pod 须能访问的 Service 地址'],
    ['kubectl -n kube-system logs -l k8s-app=kube-dns --tail=20', 'why DNS is not ready', 'DNS 未就绪的原因'],
    ['iptables-save | grep -c KUBE-', 'whether kube-proxy has written its rules', 'kube-proxy 是否已写入规则'],
  ],
  'certificate-invalid': [
    [
      'openssl x509 -noout -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem',
      "the dates of the kubelet's certificate",
      'kubelet 证书的有效期',
    ],
    ['date -u', "the node's clock", '节点时钟'],
  ],
  'api-refused': [
    [
      'openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem',
      'as whom the kubelet asks: system:node:NAME',
      'kubelet 的身份，应为 system:node:NAME',
    ],
  ],
  'clock-jumped': [['timedatectl', "the node's clock and its source", '节点时钟及其时间源']],
  'orphaned-pod': [
    ['ls /var/lib/kubelet/pods', 'the folders of pods', 'Pod 目录'],
    ['findmnt | grep /var/lib/kubelet/pods', 'what is still mounted there', '其中仍挂载的内容'],
  ],
  'volume-attach': [['kubectl get volumeattachments', 'where volumes are attached', '卷挂接的位置']],
  'system-oom': [['journalctl -k --no-pager | grep -i -A5 "out of memory"', "the kernel's report", '内核的报告']],
  'kubelet-killed': [['journalctl -k --no-pager | grep -i -A5 "out of memory"', "the kernel's report", '内核的报告']],
  device: [['ls -l /var/lib/kubelet/device-plugins', 'the sockets of device plug-ins', '设备插件的套接字']],
};

/** The controller manager gives each node its range of addresses. */
const podCIDR = (node: string): readonly (readonly [string, string, string])[] => [
  [
    `kubectl get node ${node === '' ? 'NODE' : shellWord(node)} -o jsonpath='{.spec.podCIDR}'`,
    'whether the node has a pod CIDR',
    '节点是否有 Pod CIDR',
  ],
  [
    'kubectl -n kube-system get pod -l component=kube-controller-manager -o yaml | grep -E "allocate-node-cidrs|cluster-cidr"',
    'whether the controller manager gives nodes pod CIDRs',
    '控制器管理器是否为节点分配 Pod CIDR',
  ],
];

/** Returns what to run next for an incident, the most telling first. */
export function nextCommands(incident: Incident, { clock, node, runtime }: NextOptions): NextCommand[] {
  const { kind, facts, container, what } = incident;
  const pod = incident.pod || incident.pods[0]?.pod || '';
  const out: NextCommand[] = [];
  const own = commandsOf(runtime);
  const add = (ours: string, why: Text) => {
    const command = commandFor(ours, own);
    if (command !== null && out.length < MOST && !out.some((c) => c.command === command)) out.push({ command, why });
  };
  const since = clock.stamp(incident.begin.time - AROUND);
  const until = clock.stamp((incident.end?.time ?? incident.last.time) + AROUND);
  const span =
    since === null ? '' : ` --since ${shellWord(since)}${until === null ? '' : ` --until ${shellWord(until)}`}`;
  const journal = (...units: readonly string[]) => `journalctl ${units.map((unit) => `-u ${unit}`).join(' ')}${span}`;
  // A name whose end is not in the log cannot be asked for.
  const named = /^[^/]+\/[^/\u2026]+$/.test(pod);
  const [namespace = '', name = ''] = named ? pod.split('/') : [];
  const inPod = `-n ${shellWord(namespace)} ${shellWord(name)}`;
  if (kind === 'kubelet-not-starting') {
    add('systemctl status kubelet', {
      en: 'whether it runs now, and how often it was started',
      zh: '它现在是否运行、被启动过多少次',
    });
    for (const command of startReason(what, String(facts.reason ?? ''))?.run ?? [])
      add(command, { en: 'its reason', zh: '其原因' });
    add(journal('kubelet'), { en: 'its log of that time', zh: '当时的日志' });
    return out;
  }
  const id = String(facts.id ?? facts.containerID ?? '').replace(/^[a-z-]+:\/\//, '');
  if (OUTPUT_KINDS.has(kind) && /^[0-9a-f]{8,}$/.test(id)) add(`crictl logs ${id}`, PREVIOUS);
  if (OUTPUT_KINDS.has(kind) && named)
    add(`kubectl logs --previous ${inPod}${container === '' ? '' : ` -c ${shellWord(container)}`}`, PREVIOUS);
  if (named && (kindRows[kind].scope !== 'node' || incident.pods.length > 0))
    add(`kubectl describe pod ${inPod}`, DESCRIBE);
  const asked = kind === 'network-not-ready' && NO_CIDR.test(what) ? podCIDR(node) : (plain[kind] ?? []);
  for (const [command, en, zh] of asked) add(command, { en, zh });
  if (RUNTIME_KINDS.has(kind)) add(journal(...own.units), LOGS);
  if (kindRows[kind].scope === 'node' && kind !== 'kubelet-restarted')
    add(`kubectl describe node ${node === '' ? 'NODE' : shellWord(node)}`, {
      en: "the node's conditions and events",
      zh: '节点的状况与事件',
    });
  if (out.length < 2)
    add(journal('kubelet'), { en: "the kubelet's whole log of that time", zh: '当时 kubelet 的完整日志' });
  return out;
}
