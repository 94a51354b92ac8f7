import type { Change } from '../types.js';

/** Changes of where pods come from. */
export const sources: readonly Omit<Change, 'part'>[] = [
  {
    id: 'restore',
    since: 'v1.20',
    title: { en: 'RESTORE is gone', zh: 'RESTORE 被移除' },
    before: {
      en: 'With `--bootstrap-checkpoint-path` the kubelet wrote chosen pods to disk. After a restart they came as RESTORE to `HandlePodAdditions`, without marking their source as ready.',
      zh: '使用 `--bootstrap-checkpoint-path` 时，kubelet 把选定的 Pod 写到磁盘。重启后它们以 RESTORE 操作进入 `HandlePodAdditions`，且不把来源标记为就绪。',
    },
    after: {
      en: 'Neither the flag nor the operation exists.',
      zh: '这个参数和操作都不存在了。',
    },
    why: {
      en: 'It was never finished, and a pod from a checkpoint could run although the API server had deleted it.',
      zh: '它从未完成；而且来自检查点的 Pod 可能已被 API server 删除，却仍在运行。',
    },
    upstream: [{ pull: 91577 }, { issue: 92763 }],
    names: ['RESTORE', 'PodUpdate', 'checkpointmanager', 'bootstrap-checkpoint-path', 'HandlePodAdditions'],
    code: {},
    shown: {
      not: {
        en: 'Checkpoints of pods, an alpha feature behind a flag, are not simulated.',
        zh: 'Pod 的检查点是需要参数打开的 alpha 功能，没有模拟。',
      },
    },
  },
  {
    id: 'node-sync',
    since: 'v1.20',
    title: { en: 'The API source waits for the node object', zh: 'API 来源先等节点对象' },
    before: {
      en: 'The kubelet watched for its pods at the API server as soon as it ran.',
      zh: 'kubelet 一运行就到 API server 监听自己的 Pod。',
    },
    after: {
      en: 'It first waits until it has read its own node object (“Waiting for node sync before watching apiserver pods”).',
      zh: '它先等读到自己的节点对象（“Waiting for node sync before watching apiserver pods”）。',
    },
    why: {
      en: 'Admission goes by labels of the node. Pods were refused after a restart because these were not known yet.',
      zh: '准入要看节点的标签。重启之后标签还未知，Pod 就被拒绝了。',
    },
    upstream: [{ pull: 94087 }, { pull: 99336 }],
    names: ['NewSourceApiserver', 'nodeHasSynced', 'newSourceApiserverFromLW', 'canAdmitPod'],
    code: {},
    shown: {
      scenario: 'api-pod',
      evidence: {
        what: { en: 'Log lines “Waiting for node sync …”', zh: '日志行 “Waiting for node sync …”' },
        kind: 'log',
        where: "msg =~ 'Waiting for node sync*'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'sources-ready', where: "record.source == 'api'" },
    },
  },
  {
    id: 'mirrors-at-once',
    since: 'v1.32',
    title: { en: 'Mirror pods are made as soon as the node is known', zh: '节点一注册就创建镜像 Pod' },
    before: {
      en: 'A static pod that started before the node was registered got its mirror pod at its next sync, 60 to 90 seconds later.',
      zh: '在节点注册之前启动的静态 Pod，要到下一次同步（60 到 90 秒之后）才有镜像 Pod。',
    },
    after: {
      en: '`fastStaticPodsRegistration` waits for the node and then makes the mirror pods of all static pods.',
      zh: '`fastStaticPodsRegistration` 等到节点就绪，便为所有静态 Pod 创建镜像 Pod。',
    },
    why: {
      en: 'The control plane of a new cluster runs as static pods, and nobody could see them for more than a minute.',
      zh: '新集群的控制面以静态 Pod 运行，却有一分多钟谁也看不到它们。',
    },
    upstream: [{ pull: 126870 }],
    names: ['fastStaticPodsRegistration', 'tryReconcileMirrorPods', 'CreateMirrorPod', 'mirrorPodClient'],
    code: {},
    shown: {
      scenario: 'mirror-pod',
      evidence: {
        what: { en: 'Goroutines `fastStaticPodsRegistration`', zh: 'goroutine `fastStaticPodsRegistration`' },
        kind: 'goroutine-start',
        where: "name == 'fastStaticPodsRegistration'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'api', where: "verb == 'create' && resource == 'pods'" },
    },
  },
  {
    id: 'static-references',
    since: 'v1.34',
    title: { en: 'Static pods may not refer to API objects', zh: '静态 Pod 不得引用 API 对象' },
    before: {
      en: 'A static pod could name secrets, config maps and the like, which it could not rely on. v1.32 refused only trust bundles and resource claims.',
      zh: '静态 Pod 可以引用 Secret、ConfigMap 等并不可靠的对象。v1.32 只拒绝 trust bundle 与 resource claim。',
    },
    after: {
      en: 'The kubelet refuses such a manifest (`PreventStaticPodAPIReferences`, on since v1.34).',
      zh: 'kubelet 拒绝这样的清单（`PreventStaticPodAPIReferences`，v1.34 起默认开启）。',
    },
    why: {
      en: 'A static pod has no service account. What it refers to is not checked by anybody.',
      zh: '静态 Pod 没有服务账号，它引用的对象没有谁来检查。',
    },
    upstream: [],
    names: ['PreventStaticPodAPIReferences', 'HasAPIObjectReference', 'tryDecodeSinglePod'],
    code: {},
    shown: {
      not: {
        en: 'In the simulation every version reads manifests as v1.36 does.',
        zh: '模拟中每个版本都按 v1.36 的方式读取清单。',
      },
    },
  },
  {
    id: 'uid-hash',
    since: 'v1.35',
    title: { en: 'UIDs of static pods are another hash', zh: '静态 Pod 的 UID 换了哈希' },
    before: { en: 'The UID of a static pod was the MD5 sum of its manifest.', zh: '静态 Pod 的 UID 是清单的 MD5 值。' },
    after: {
      en: 'It is its FNV-1a hash of 128 bits. A kubelet that is updated to v1.35 starts its static pods anew, as their UIDs change.',
      zh: '现在是 128 位的 FNV-1a 哈希。升级到 v1.35 的 kubelet 会重新启动静态 Pod，因为 UID 变了。',
    },
    why: {
      en: 'Systems under FIPS rules forbid MD5, also where nothing secret hangs on it.',
      zh: '遵循 FIPS 的系统禁止 MD5，即使这里与保密无关。',
    },
    upstream: [{ pull: 133511 }, { issue: 129652 }],
    names: ['applyDefaults', 'md5', 'fnv', 'UID'],
    code: {},
    shown: {
      not: {
        en: 'The simulation hashes as v1.36 does in every version, so that a pod keeps its UID when you change the version.',
        zh: '模拟在每个版本中都按 v1.36 的方式计算，这样切换版本时 Pod 的 UID 不变。',
      },
    },
  },
  {
    id: 'snapshots-only',
    since: 'v1.36',
    title: { en: 'SET is no longer an operation of the loop', zh: 'SET 不再是循环的操作' },
    before: {
      en: 'Sources could send SET, a whole snapshot, or the difference. The loop had a case for SET, which only logged that it does not support snapshots.',
      zh: '来源可以发送 SET（完整快照），也可以发送差异。循环里有 SET 分支，只会写日志说不支持快照。',
    },
    after: {
      en: 'Sources always send snapshots. The merge makes ADD, UPDATE, REMOVE, RECONCILE and DELETE of the difference.',
      zh: '来源总是发送快照，由合并把差异变成 ADD、UPDATE、REMOVE、RECONCILE 和 DELETE。',
    },
    why: { en: 'Nobody sent anything else.', zh: '从来没有谁发送别的东西。' },
    upstream: [],
    names: ['SET', 'PodUpdate', 'Merge', 'PodConfig', 'ADD', 'UPDATE', 'REMOVE', 'RECONCILE', 'DELETE'],
    code: { since: 'Merge' },
    shown: {
      not: {
        en: 'The sources of every version sent snapshots, so that the case for SET was never taken.',
        zh: '各版本的来源发送的都是快照，所以 SET 分支从未被选中。',
      },
    },
  },
];
