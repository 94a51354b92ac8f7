/** Why a kubelet does not start: the reasons as data, each with its expression, its words, and what to do about it. */
import type { Text } from '../why/types.js';

interface Reason {
  /** The value of the fact `reason` of the symptom `kubelet-cannot-start`. */
  readonly reason: string;
  readonly expression: RegExp;
  readonly text: Text;
  /** Commands that show or mend it. */
  readonly run: readonly string[];
}

const CONFIG_FILE = {
  text: { en: 'its configuration file is missing or invalid', zh: '其配置文件缺失或无效' },
  run: ['cat /var/lib/kubelet/config.yaml'],
} as const;

const startReasons: readonly Reason[] = [
  {
    reason: 'config-file',
    expression: /failed to decode|strict decoding|ReadMapCB|cannot unmarshal|error (?:unmarshaling|converting)/i,
    ...CONFIG_FILE,
  },
  {
    reason: 'swap',
    expression: /swap (?:is )?(?:on|enabled)\b|swap on\b|disable swap|running with swap/i,
    text: { en: 'swap is on', zh: '交换分区已启用' },
    run: ['swapon --show', 'swapoff -a'],
  },
  {
    reason: 'state-file',
    expression: /restore state from checkpoint|checkpoint (?:file|is corrupted)|policy state file|_manager_state/i,
    text: {
      en: 'the state file of its CPU, memory or topology manager does not fit',
      zh: '其 CPU、内存或拓扑管理器的状态文件不匹配',
    },
    run: ['ls -l /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state'],
  },
  {
    reason: 'cgroup-v1',
    expression: /host using cgroup v1|cgroup v1 support/i,
    text: {
      en: 'the host uses cgroup v1, which this version does not support',
      zh: '主机使用 cgroup v1，该版本不支持',
    },
    run: ['stat -fc %T /sys/fs/cgroup', 'grep failCgroupV1 /var/lib/kubelet/config.yaml'],
  },
  {
    reason: 'cri-version',
    expression: /runtime API is not implemented|unknown service runtime\.v1/i,
    text: { en: 'the container runtime does not offer the CRI', zh: '容器运行时未提供 CRI' },
    run: ['containerd --version', 'grep -n disabled_plugins /etc/containerd/config.toml'],
  },
  {
    reason: 'limits',
    expression: /too many open files|inotify|no space left on device/i,
    text: { en: 'a limit of the host is reached', zh: '已达到主机的限制' },
    run: ['sysctl fs.inotify.max_user_instances fs.inotify.max_user_watches', 'df -h /var/lib/kubelet'],
  },
  {
    reason: 'cgroup-driver',
    expression: /cgroup driver|misconfiguration: kubelet/i,
    text: { en: "its cgroup driver differs from the runtime's", zh: '其 cgroup 驱动与运行时不一致' },
    run: ['grep cgroupDriver /var/lib/kubelet/config.yaml', 'crictl info | grep -i cgroup'],
  },
  {
    reason: 'ca-file',
    expression: /client CA file|client-ca-file/i,
    text: { en: 'its client CA file cannot be loaded', zh: '无法加载其客户端 CA 文件' },
    run: ['grep clientCAFile /var/lib/kubelet/config.yaml', 'ls -l /etc/kubernetes/pki'],
  },
  {
    reason: 'certificate',
    expression: /x509|certificate|\.crt|\.pem|private key|client-ca|CSR|bootstrap/i,
    text: { en: 'its client certificate cannot be used', zh: '其客户端证书无法使用' },
    run: [
      'openssl x509 -noout -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem',
      'kubeadm certs check-expiration',
    ],
  },
  {
    reason: 'kubeconfig',
    expression: /kubeconfig|invalid configuration: no/i,
    text: { en: 'its kubeconfig cannot be read', zh: '无法读取其 kubeconfig' },
    run: ['ls -l /etc/kubernetes/*.conf'],
  },
  {
    reason: 'flag',
    expression:
      /unknown (?:shorthand )?flag|unknown command|flag .*(?:removed|deprecated)|failed to parse kubelet flag|validate kubelet flags|invalid argument|feature gate/i,
    text: { en: 'a flag of its command line is invalid', zh: '命令行参数无效' },
    run: ['systemctl cat kubelet', 'cat /var/lib/kubelet/kubeadm-flags.env'],
  },
  {
    reason: 'config-file',
    expression:
      /config file|config\.yaml|kubelet config|KubeletConfiguration|strict decoding|no kind|conflicting configuration|invalid configuration/i,
    ...CONFIG_FILE,
  },
  {
    reason: 'rootfs',
    expression: /failed to get rootfs info|unable to find data (?:in memory cache|for container)/i,
    text: {
      en: 'it has no data about the root cgroup or the file system of its folder',
      zh: '取不到根 cgroup 或其目录所在文件系统的数据',
    },
    run: ['stat -fc %T /sys/fs/cgroup', 'df -hT /var/lib/kubelet'],
  },
  {
    reason: 'cgroups',
    expression: /cgroup|cpuset|QOS|qos|container manager|ContainerManager|system validation|reserved/,
    text: { en: 'it cannot set up its cgroups', zh: '无法建立所需的 cgroup' },
    run: ['stat -fc %T /sys/fs/cgroup', 'cat /proc/cgroups'],
  },
  {
    reason: 'runtime',
    expression:
      /docker|containerd|crio|cri-o|container runtime|runtime (?:service|API|endpoint|connection)|CRI|\.sock|unix:|dial unix/,
    text: { en: 'it cannot reach the container runtime', zh: '无法连接容器运行时' },
    run: ['crictl info', 'systemctl status containerd'],
  },
  {
    reason: 'port',
    expression: /address already in use|bind: /,
    text: { en: 'its port is in use', zh: '其端口已被占用' },
    run: ['ss -ltnp | grep -E ":(10250|10248|10255)"'],
  },
  {
    reason: 'node-name',
    expression: /node name|hostname|cloud provider|node-? ?ip|no default routes/i,
    text: { en: "it cannot determine the node's name or address", zh: '无法确定节点的名称或地址' },
    run: ['hostname -f', 'ip address'],
  },
];

/** Returns the reason by its name, else the first that fits the text of the error. */
export const startReason = (text: string, name = ''): Reason | undefined =>
  startReasons.find(({ reason }) => reason === name) ?? startReasons.find(({ expression }) => expression.test(text));
