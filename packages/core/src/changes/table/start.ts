import type { Change } from '../types.js';

/** Changes of what a kubelet starts before its loop turns. */
export const start: readonly Omit<Change, 'part'>[] = [
  {
    id: 'iptables-once',
    since: 'v1.17',
    title: {
      en: 'The kubelet’s iptables rules are made once and watched',
      zh: 'kubelet 的 iptables 规则只做一次，之后监视',
    },
    before: {
      en: 'Run called `syncNetworkUtil` each minute, which made all the rules again.',
      zh: 'Run 每分钟调用一次 `syncNetworkUtil`，把所有规则重做一遍。',
    },
    after: {
      en: 'Run calls `initNetworkUtil`, which makes them once; a canary chain shows when somebody has flushed them, and only then they are made again.',
      zh: 'Run 调用 `initNetworkUtil`，规则只做一次；一条 canary 链能看出规则何时被清空，那时才重做。',
    },
    why: {
      en: 'On nodes with many rules each call of iptables is dear.',
      zh: '规则很多的节点上，每次调用 iptables 都很昂贵。',
    },
    upstream: [{ pull: 81517 }],
    names: ['syncNetworkUtil', 'initNetworkUtil', 'makeIPTablesUtilChains', 'KUBE-KUBELET-CANARY'],
    code: { before: 'syncNetworkUtil', since: 'initNetworkUtil' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Calls of `initNetworkUtil`', zh: '对 `initNetworkUtil` 的调用' },
        kind: 'enter',
        where: "fn == 'initNetworkUtil'",
        before: { exactly: 0 },
        since: { exactly: 1 },
      },
      moment: { kind: 'enter', where: "fn == 'syncNetworkUtil'" },
    },
  },
  {
    id: 'node-log-query',
    since: 'v1.27',
    title: { en: 'The log server can answer questions to the journal', zh: '日志服务可以查询 journal' },
    before: {
      en: 'Below `/logs/` Run’s `logServer` handed out the files of `/var/log`, and no more.',
      zh: 'Run 里的 `logServer` 在 `/logs/` 下提供 `/var/log` 的文件，仅此而已。',
    },
    after: {
      en: 'With the gate `NodeLogQuery` and `enableSystemLogQuery` the same path answers queries for services and files. Both were off by default when it came.',
      zh: '开启特性门控 `NodeLogQuery` 和 `enableSystemLogQuery` 后，同一路径还能查询服务和文件。刚加入时两者默认都关闭。',
    },
    why: {
      en: 'Without a shell on the node, nobody could read the log of a service that writes into the journal.',
      zh: '没有节点上的 shell，就没法读那些写入 journal 的服务的日志。',
    },
    upstream: [{ kep: 2258 }],
    names: ['NodeLogQuery', 'enableSystemLogQuery', 'enableSystemLogHandler', 'newNodeLogQuery'],
    code: {},
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Records of the log server that name the gate', zh: '提到这个门控的日志服务记录' },
        kind: 'manager',
        where: "name == 'logServer' && detail =~ '*NodeLogQuery*'",
        before: { exactly: 0 },
        since: { exactly: 1 },
      },
      moment: { kind: 'manager', where: "name == 'logServer'" },
    },
  },
  {
    id: 'cgroup-check',
    since: 'v1.32',
    title: { en: 'The version of cgroups is checked, v2 as well', zh: '检查 cgroup 版本，v2 也查' },
    before: {
      en: 'Up to v1.30 nothing was said. In v1.31 `warnCgroupV1Usage` came after `initializeModules`: on a node with cgroup v1 the event CgroupV1 and the line `"Warning: cgroup v1" message="Cgroup v1 support is in maintenance mode, please migrate to Cgroup v2."`; with v2 only the metric was set.',
      zh: '到 v1.30 为止不作任何提示。v1.31 在 `initializeModules` 之后调用 `warnCgroupV1Usage`：节点使用 cgroup v1 时，发出事件 CgroupV1，并记录 `"Warning: cgroup v1" message="Cgroup v1 support is in maintenance mode, please migrate to Cgroup v2."`；使用 v2 时只设置指标。',
    },
    after: {
      en: '`cgroupVersionCheck` in the same place. What it finds is an error that the line `"Warning: cgroup check"` carries; with v2 it also warns where the root has no `cpu.stat`.',
      zh: '同一位置换成 `cgroupVersionCheck`。发现的问题作为错误写在 `"Warning: cgroup check"` 里；使用 v2 时，若根目录没有 `cpu.stat` 也会警告。',
    },
    why: {
      en: 'Cgroup v1 was in maintenance mode from v1.31 on, and old kernels with v2 count too little.',
      zh: 'cgroup v1 自 v1.31 起进入维护模式，而较旧内核上的 v2 统计不全。',
    },
    upstream: [{ kep: 4569 }],
    names: ['warnCgroupV1Usage', 'cgroupVersionCheck', 'CgroupV1', 'CgroupV1MaintenanceModeWarning'],
    code: { since: 'cgroupVersionCheck' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Calls of `cgroupVersionCheck`', zh: '对 `cgroupVersionCheck` 的调用' },
        kind: 'enter',
        where: "fn == 'cgroupVersionCheck'",
        before: { exactly: 0 },
        since: { exactly: 1 },
      },
      moment: { kind: 'manager', where: "name == 'resourceAnalyzer'" },
    },
  },
  {
    id: 'systemd-watchdog',
    since: 'v1.32',
    title: { en: 'A kubelet that hangs is restarted by systemd', zh: '卡住的 kubelet 由 systemd 重启' },
    before: {
      en: 'Only who asked `/healthz` learned that the loop hung.',
      zh: '只有去查 `/healthz` 的人才知道循环卡住了。',
    },
    after: {
      en: 'The last thing that Run starts before the loop is `healthChecker`: it tells systemd twice per interval that the checks pass, the one of `syncLoopMonitor` among them. It does nothing without `WatchdogSec`.',
      zh: 'Run 在循环之前最后启动 `healthChecker`：每个间隔两次告诉 systemd 检查通过，其中包括对 `syncLoopMonitor` 的检查。没有 `WatchdogSec` 时它什么也不做。',
    },
    why: {
      en: 'A process that is there and does nothing looks healthy to systemd.',
      zh: '进程还在却什么也不做，在 systemd 看来仍是健康的。',
    },
    upstream: [],
    names: ['healthChecker', 'SystemdWatchdog', 'syncLoopMonitor', 'SyncLoopHealthCheck'],
    code: {},
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Records of the health checker', zh: 'health checker 的记录' },
        kind: 'manager',
        where: "name == 'healthChecker'",
        before: { exactly: 0 },
        since: { exactly: 1 },
      },
      moment: { kind: 'manager', where: "name == 'pleg'" },
    },
  },
  {
    id: 'cloud-sync-gone',
    since: 'v1.34',
    title: { en: 'The cloud resource sync manager is gone', zh: 'cloudResourceSyncManager 已移除' },
    before: {
      en: 'Between the log server and `initializeModules` Run started `cloudResourceSyncManager`, which asked the cloud for the node’s addresses, if a provider was built in and configured.',
      zh: 'Run 在日志服务与 `initializeModules` 之间启动 `cloudResourceSyncManager`：若配置了内置的云厂商，它就向云询问节点的地址。',
    },
    after: {
      en: 'Nothing stands there. Cloud controllers outside of the kubelet set the addresses.',
      zh: '这里不再有别的东西。地址由 kubelet 之外的云控制器设置。',
    },
    why: {
      en: 'Kubernetes no longer has code of cloud providers in its own tree.',
      zh: 'Kubernetes 的代码树里不再有云厂商的代码。',
    },
    upstream: [{ kep: 2395 }],
    names: ['cloudResourceSyncManager', 'cloudresource.SyncManager'],
    code: {},
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Records of the cloud resource sync manager', zh: 'cloudResourceSyncManager 的记录' },
        kind: 'manager',
        where: "name == 'cloudResourceSyncManager'",
        before: { exactly: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'manager', where: "name == 'logServer'" },
    },
  },
];
