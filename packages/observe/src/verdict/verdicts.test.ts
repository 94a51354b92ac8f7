import { Incidents, incidentSentence, utcClock, wrongOf } from '@syncloop/core/debug/incidents';
import { expect, it } from 'vitest';
import { observeLog } from '../testing/observe-log.js';

const UID = '0b1c2d3e-4f50-4617-8899-aabbccddeeff';
const ID = 'a'.repeat(64);
/** Lines of a kubelet: `10:00:05 E pod_workers.go "Error syncing pod"`; others are those of journald. */
function verdictOn(lines: readonly string[]) {
  const log = lines
    .map((line) => {
      const [, time, severity, file, text] = /^(\d\d:\d\d:\d\d) ([EWI]) (\S+) (.*)$/s.exec(line) ?? [];
      return time === undefined ? line : `${severity}1122 ${time}.000000    1432 ${file}:100] ${text}`;
    })
    .join('\n');
  const fold = new Incidents();
  for (const record of observeLog(`${log}\n`).all) fold.take(record);
  return wrongOf(fold.list());
}
const clock = utcClock(0);
/** The first incident without its time and its end, and the kinds of what followed from it. */
function first(lines: readonly string[]): readonly [string, readonly string[], number] {
  const incidents = verdictOn(lines);
  const [one] = incidents;
  if (!one) return ['', [], 0];
  const sentence = incidentSentence(one, clock)
    .en.replace(/^At [\d:]+ /, '')
    .replace(/\. It was .*$/, '.');
  return [sentence, one.consequences.map(({ kind }) => kind), incidents.length];
}
const syncing = (pod: string, error: string) =>
  `pod_workers.go "Error syncing pod, skipping" err=${JSON.stringify(error)} pod="shop/${pod}" podUID="${UID}"`;
const operation = (error: string) =>
  `nestedpendingoperations.go Operation for "{volumeName:v podName: nodeName:}" failed. No retries permitted until 2026-11-22 10:00:01 +0000 UTC m=+1.1 (durationBeforeRetry 500ms). Error: ${error}`;

const LOGS: readonly (readonly [name: string, lines: readonly string[], ...ReturnType<typeof first>])[] = [
  [
    'a node that was renamed, which is no noise of a start',
    [
      '10:00:00 I server.go "Kubelet version" kubeletVersion="v1.26.1"',
      '10:00:01 E kubelet_node_status.go "Unable to register node with API server" err="nodes \\"new\\" is forbidden: node \\"old\\" is not allowed to modify node \\"new\\"" node="new"',
      '10:00:15 E kubelet_node_status.go "Unable to register node with API server" err="nodes \\"new\\" is forbidden: node \\"old\\" is not allowed to modify node \\"new\\"" node="new"',
    ],
    'the API server refused the kubelet’s requests: nodes "new" is forbidden: node "old" is not allowed to modify node "new".',
    ['node-not-registered'],
    1,
  ],
  [
    'a process that went over the limit of its container, of which the kernel names the cgroup',
    [
      `Nov 22 10:00:00 n1 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/kubepods.slice,task_memcg=/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${ID}.scope,task=java,pid=44,uid=0`,
      'Nov 22 10:00:00 n1 kernel: Memory cgroup out of memory: Killed process 44 (java) total-vm:4000000kB',
      `Nov 22 10:00:01 n1 kubelet[900]: E1122 10:00:01.000000     900 ${syncing('api', `failed to "StartContainer" for "api" with CrashLoopBackOff: "back-off 40s restarting failed container=api pod=api_shop(${UID})"`).replace('.go', '.go:1]')}`,
    ],
    'java in shop/api was killed because it used more memory than it may (OOM).',
    ['crash-loop'],
    1,
  ],
  [
    'an image that the registry does not give out any more, rather than the back-off',
    [
      `10:00:00 E ${syncing('app', 'failed to "StartContainer" for "app" with ErrImagePull: "rpc error: code = Unknown desc = failed to pull and unpack image "docker.io/library/redis:7": failed to copy: httpReadSeeker: failed open: unexpected status code https://r/v2/: 429 Too Many Requests"')}`,
      `10:00:15 E ${syncing('app', 'failed to "StartContainer" for "app" with ImagePullBackOff: "Back-off pulling image "redis:7""')}`,
    ],
    'the image redis:7 of app in shop/app could not be pulled, because the registry limits how often images are pulled: unexpected status code https://r/v2/: 429 Too Many Requests.',
    [],
    1,
  ],
  [
    'a volume by one name of its pod, with the words of the mount program',
    [
      `10:00:00 E ${operation(`"MountVolume.SetUp failed for volume \\"share\\" (UniqueName: \\"kubernetes.io/nfs/${UID}-share\\") pod \\"job\\" (UID: \\"${UID}\\") : mount failed: exit status 32\\nMounting command: mount\\nMounting arguments: -t nfs 10.0.0.9:/export /var/lib/kubelet\\nOutput: mount.nfs: Stale file handle\\n"`)}`,
      `10:00:30 E pod_workers.go Error syncing pod ${UID} ("job_batch(${UID})"), skipping: unmounted volumes=[share], unattached volumes=[share]: timed out waiting for the condition`,
    ],
    'a volume of batch/job could not be mounted (share): mount.nfs: Stale file handle.',
    [],
    1,
  ],
  [
    'a CSI driver that does not answer, which is not the container runtime',
    [
      `10:00:00 E ${operation(`MountVolume.SetUp failed for volume "efs" (UniqueName: "kubernetes.io/csi/efs^fs-1") pod "web" (UID: "${UID}") : rpc error: code = DeadlineExceeded desc = context deadline exceeded`)}`,
    ],
    'a volume of web could not be mounted (efs): context deadline exceeded.',
    [],
    1,
  ],
  [
    'a manifest of the control plane that cannot be read, before the API server that is away',
    [
      '10:00:00 E file.go "Could not process manifest file" err="/etc/kubernetes/manifests/kube-apiserver.yaml: couldn\'t parse as pod(yaml: line 41: bad), please check config file" path="/etc/kubernetes/manifests/kube-apiserver.yaml"',
      '10:00:02 E kubelet_node_status.go "Error updating node status, will retry" err="error getting node \\"cp1\\": Get \\"https://10.0.0.1:6443/api\\": dial tcp 10.0.0.1:6443: connect: connection refused"',
    ],
    "kube-system/kube-apiserver, a part of the control plane on this node, did not run: Could not process manifest file: /etc/kubernetes/manifests/kube-apiserver.yaml: couldn't parse as pod(yaml: line 41: bad), please check config file.",
    ['api-unreachable'],
    1,
  ],
  [
    'a container that cannot be killed, and the deletion that waits for it',
    [
      '10:00:00 I kubelet.go "SyncLoop DELETE" source="api" pods=["shop/stuck"]',
      `10:02:30 E log.go "StopContainer from runtime service failed" err="rpc error: code = DeadlineExceeded desc = context deadline exceeded" containerID="${ID}"`,
      `10:02:30 E ${syncing('stuck', 'failed to "KillContainer" for "app" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"')}`,
      '10:04:00 I kubelet.go "SyncLoop ADD" source="api" pods=["shop/other"]',
    ],
    'shop/stuck could not be stopped: context deadline exceeded.',
    ['stuck-terminating'],
    1,
  ],
  [
    'a certificate of the future, which is a clock that is wrong',
    [
      '10:00:00 E controller.go "Failed to update lease" err="Put \\"https://10.0.0.1:6443/apis\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T10:00:00Z is before 2026-12-01T00:00:00Z"',
    ],
    'the node\'s clock jumped or is wrong: Put "https://10.0.0.1:6443/apis": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T10:00:00Z is before 2026-12-01T00:00:00Z.',
    ['lease'],
    1,
  ],
  [
    'a node without memory, of which the kernel killed a process',
    [
      '10:00:00 I oom_watcher_linux.go "Got sys oom event" event={"Pid":44,"ProcessName":"chrome","VictimContainerName":"/","Constraint":"CONSTRAINT_NONE"}',
      '10:00:05 I kubelet_node_status.go "Recording event message for node" node="n1" event="NodeHasInsufficientMemory"',
    ],
    'the node was short of memory.',
    ['system-oom'],
    1,
  ],
  [
    'a kubelet that does not start because of a state file, once',
    [
      '10:00:00 E cpu_manager.go "Could not initialize checkpoint manager, please drain node and remove policy state file" err="could not restore state from checkpoint: policy differs"',
      '10:00:00 E kubelet.go "Failed to start ContainerManager" err="start cpu manager error: could not restore state from checkpoint: policy differs"',
    ],
    'the kubelet does not start: the state file of its CPU, memory or topology manager does not fit (start cpu manager error: could not restore state from checkpoint: policy differs).',
    ['resources'],
    1,
  ],
  [
    'a limit of cgroups, which is no full disk',
    [
      `10:00:00 E ${syncing('web', `failed to ensure that the pod: ${UID} cgroups exist and are correctly applied: failed to create container for [kubepods pod${UID}] : mkdir /sys/fs/cgroup/memory/kubepods: no space left on device`)}`,
    ],
    `the kubelet could not set up or read resources of the node: failed to create container for [kubepods pod${UID}] : mkdir /sys/fs/cgroup/memory/kubepods: no space left on device.`,
    ['container-start'],
    1,
  ],
  [
    'a disk that can only be read, rather than a container that cannot be created',
    [
      `10:00:00 E ${syncing('web', 'failed to "StartContainer" for "web" with CreateContainerError: "failed to create containerd container: mkdir /var/lib/containerd/new-1: read-only file system"')}`,
    ],
    'a file system of the node could only be read: failed to create containerd container: mkdir /var/lib/containerd/new-1: read-only file system.',
    ['container-create'],
    1,
  ],
  [
    'a certificate that nobody signed, which is not the runtime',
    [
      '10:00:00 E certificate_manager.go "Unhandled Error" err="kubernetes.io/kubelet-serving: certificate request was not signed: context deadline exceeded" logger="UnhandledError"',
    ],
    'a certificate was not accepted: kubernetes.io/kubelet-serving: certificate request was not signed: context deadline exceeded.',
    [],
    1,
  ],
  [
    'kubenet without a pod CIDR, because the API server is away',
    [
      '10:00:00 E reflector.go k8s.io/x.go:47: Failed to list *v1.Pod: Get https://a/api/v1/pods: dial tcp 10.0.0.1:443: connect: no route to host',
      '10:00:02 E kubelet.go Container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: Kubenet does not have netConfig. This is most likely due to lack of PodCIDR',
      '10:00:31 E reflector.go k8s.io/x.go:47: Failed to list *v1.Pod: Get https://a/api/v1/pods: dial tcp 10.0.0.1:443: connect: no route to host',
    ],
    'the API server could not be reached: k8s.io/x.go:47: Failed to list *v1.Pod: Get https://a/api/v1/pods: dial tcp 10.0.0.1:443: connect: no route to host.',
    ['network-not-ready'],
    1,
  ],
  [
    'a node condition of two errors, of which one is of each start',
    [
      '10:00:00 I kubelet_node_status.go Node became not ready: {Type:Ready Status:False Reason:KubeletNotReady Message:container runtime is down,runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: Kubenet does not have netConfig. This is most likely due to lack of PodCIDR}',
    ],
    "the node's pod network was not ready: the node has no pod CIDR, without which kubenet cannot be set up: runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: Kubenet does not have netConfig. This is most likely due to lack of PodCIDR.",
    ['node-not-ready'],
    1,
  ],
  [
    'an image by the name that only the line of the call has, without a registry',
    [
      '10:00:00 E remote_image.go PullImage "nginx:alpine" from image service failed: rpc error: code = Unknown desc = no registries configured while trying to pull an unqualified image',
      `10:00:00 E pod_workers.go Error syncing pod ${UID} ("web_shop(${UID})"), skipping: failed to "StartContainer" for "web" with ErrImagePull: "rpc error: code = Unknown desc = no registries configured while trying to pull an unqualified image"`,
    ],
    'the image nginx:alpine of web in shop/web could not be pulled, because its name has no registry, and the runtime has none to look in: no registries configured while trying to pull an unqualified image.',
    [],
    1,
  ],
  [
    'an image in a container that is printed whole, with the quotes of its error',
    [
      `10:00:00 E kuberuntime_manager.go container &Container{Name:web,Image:busybox,Command:[],} start failed in pod web_shop(${UID}): ImageInspectError: Failed to inspect image "busybox": rpc error: code = Unknown desc = short-name "busybox:latest" did not resolve to an alias and no unqualified-search registries are defined in ""`,
    ],
    'the image busybox of web in shop/web could not be pulled, because its name has no registry, and the runtime has none to look in: short-name "busybox:latest" did not resolve to an alias and no unqualified-search registries are defined in "".',
    [],
    1,
  ],
  [
    'a sandbox that runc cannot start, in one incident with the call that failed',
    [
      '10:00:00 E log.go "RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = failed to create containerd task: OCI runtime create failed: exit status 139: unknown"',
      '10:00:00 E kuberuntime_sandbox.go "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to create containerd task: OCI runtime create failed: exit status 139: unknown" pod="shop/web"',
    ],
    'no sandbox could be made for shop/web: failed to create containerd task: OCI runtime create failed: exit status 139: unknown.',
    [],
    1,
  ],
  [
    'an in-tree volume whose disk is not there, and the folder of a pod that is gone',
    [
      `10:00:00 E ${operation('MountVolume.WaitForAttach failed for volume "pvc-1" (UniqueName: "x") pod "web-0" (UID: "12345678-1234-4234-8234-123456789abc") : Cannot find Lun for disk kubernetes-dynamic-pvc-1')}`,
      `10:00:01 E reconciler.go Could not construct volume information: directory /var/lib/kubelet/pods/${UID}/volumes/kubernetes.io~vsphere-volume/pvc-2 is not mounted`,
    ],
    'a volume of web-0 was not attached to the node (pvc-1): Cannot find Lun for disk kubernetes-dynamic-pvc-1.',
    [],
    2,
  ],
  [
    'a volume that cannot be released, in words of mounts',
    [
      `10:00:00 E ${operation(`UnmountVolume.TearDown failed for volume "pvc-1" (UniqueName: "kubernetes.io/csi/x^1") pod "${UID}" (UID: "${UID}") : kubernetes.io/csi: mounter.TearDownAt failed: rpc error: code = Internal desc = Unmount failed: lstat /dev/sdb: no such file or directory`)}`,
    ],
    `a volume of pod ${UID} could not be released (pvc-1): Unmount failed: lstat /dev/sdb: no such file or directory.`,
    [],
    1,
  ],
  [
    'what an informer cannot list, which is not the runtime',
    [
      '10:00:00 E reflector.go "Unhandled Error" err="object-\\"a\\"/\\"b\\": Failed to watch *v1.ConfigMap: failed to list *v1.ConfigMap: Get \\"https://a:6443/api\\": dial tcp 10.0.0.1:6443: connect: connection refused" logger="UnhandledError"',
    ],
    'the API server could not be reached: object-"a"/"b": Failed to watch *v1.ConfigMap: failed to list *v1.ConfigMap: Get "https://a:6443/api": dial tcp 10.0.0.1:6443: connect: connection refused.',
    [],
    1,
  ],
  [
    'a name that CRI-O keeps reserved, of which only it warns',
    [
      `Nov 22 10:00:00 n1 crio[5]: time="2026-11-22 10:00:00Z" level=warning msg="error reserving ctr name k8s_app_web_shop_${UID}_0 for id ${ID}: name is reserved"`,
    ],
    `the runtime kept a name reserved that shop/web needs, for an earlier call that it had not ended: error reserving ctr name k8s_app_web_shop_${UID}_0 for id ${ID}: name is reserved.`,
    [],
    1,
  ],
  [
    'a volume by its whole line, whatever is left of the next one',
    [
      `10:00:00 E nestedpendingoperations.go Operation for "v" failed. No retries permitted until 2026-11-22 10:00:01 +0000 UTC m=+1.1 (durationBeforeRetry 500ms). Error: "UnmountVolume.TearDown failed for volume \\"pvc-1\\" (UniqueName: \\"x\\") pod \\"${UID}\\" (UID: \\"${UID}\\") : remove /x: directory not empty"`,
      '10:00:01 E nestedpendingoperations.go Operation for "v" failed. No retries permitted until 2026-11-22 10:00:02 +0000 UTC m=+2.1 (durationBeforeRetry 1s). Error: "UnmountV',
    ],
    `a volume of pod ${UID} could not be released (pvc-1): remove /x: directory not empty.`,
    [],
    1,
  ],
  [
    'a configuration that cannot be decoded, whatever words are in it',
    [
      'failed to load Kubelet config file /etc/k.yaml, error failed to decode, error: v1beta1.KubeletConfiguration.EvictionSoft: ReadMapCB: expect { or n, bigger context ..."failSwapOn":false',
    ],
    'the kubelet does not start: its configuration file is missing or invalid (/etc/k.yaml, error failed to decode, error: v1beta1.KubeletConfiguration.EvictionSoft: ReadMapCB: expect { or n, bigger context ..."failSwapOn":false).',
    [],
    1,
  ],
  [
    'a panic of which only the stack is left',
    [
      'Nov 22 10:00:00 n1 kubelet[9]: k8s.io/kubernetes/vendor/k8s.io/apimachinery/pkg/util/runtime.HandleCrash(0x0, 0x0, 0x0)',
      'Nov 22 10:00:00 n1 kubelet[9]: panic(0x3a2dec0, 0x6d6df80)',
    ],
    'the kubelet panicked.',
    [],
    1,
  ],
  [
    'a runtime that the kernel has killed, because the node has no memory',
    [
      'Nov 22 10:00:00 n1 kernel: Out of memory: Killed process 44 (java) total-vm:4kB',
      'Nov 22 10:00:02 n1 systemd[1]: containerd.service: Main process exited, code=killed, status=9/KILL',
    ],
    'the node ran out of memory, and the kernel killed java.',
    ['runtime-down'],
    1,
  ],
  [
    'a list of errors whose end is not in the log',
    [
      '10:00:00 E kubelet.go skipping pod synchronization - PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s',
      '10:05:00 E kubelet.go skipping pod synchronization - PLEG i',
      '10:05:01 E kubelet.go skipping pod synchronization - [',
    ],
    'the PLEG was not healthy: the kubelet could not list the containers in time: PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s.',
    [],
    1,
  ],
  [
    'a mirror pod that a web hook refuses',
    [
      '10:00:00 E kubelet.go Failed creating a mirror pod for "a_shop(u)": admission webhook "w.io" denied the request: no',
    ],
    'the API server refused the kubelet’s requests: admission webhook "w.io" denied the request: no.',
    [],
    1,
  ],
  [
    'a probe whose command is not in the image',
    [
      `10:00:00 E prober.go "Probe errored" err="failed to exec in container: exec: \\"health\\": executable file not found in $PATH: unknown" probeType="Readiness" pod="shop/web" podUID="${UID}" containerName="web"`,
    ],
    'the readiness probe of web in shop/web failed: failed to exec in container: exec: "health": executable file not found in $PATH: unknown.',
    [],
    1,
  ],
];

it.each(LOGS)('the verdict names %s', (_, lines, ...expected) => {
  expect(first(lines)).toEqual(expected);
});

it('a start that failed is told even where its words are harmless in a running kubelet, and by nothing less', () => {
  const started = (text: string) => first([`Nov 22 10:00:00 n1 kubelet[900]: ${text}`]);
  expect(
    started(
      'F1122 10:00:00.000000     900 kubelet.go:1399] Failed to start ContainerManager failed to get rootfs info: unable to find data in memory cache',
    ),
  ).toEqual([
    'the kubelet does not start: it has no data about the root cgroup or the file system of its folder (failed to get rootfs info: unable to find data in memory cache).',
    [],
    1,
  ]);
  expect(
    started(
      'E1122 10:00:00.000000     900 kubelet.go:1411] "Failed to start node shutdown manager" err="failed reading InhibitDelayMaxUSec property from logind: no reply"',
    )[0],
  ).not.toContain('does not start');
});

it('what a kubelet that starts has not read yet is no trouble, and what stays missing is one', () => {
  const at = (time: string, delay: string) =>
    `${time} E ${operation(`MountVolume.SetUp failed for volume "api" (UniqueName: "kubernetes.io/projected/${UID}-api") pod "web" (UID: "${UID}") : configmap "kube-root-ca.crt" not found`).replace('500ms', delay)}`;
  const log = [
    '10:00:00 I server.go "Kubelet version" kubeletVersion="v1.31.0"',
    at('10:00:02', '500ms'),
    at('10:00:03', '1s'),
    '10:01:30 I kubelet.go "SyncLoop ADD" source="api" pods=["shop/other"]',
  ];
  expect(verdictOn(log)).toEqual([]);
  const stays = [...log.slice(0, 3), at('10:00:35', '32s'), at('10:01:10', '1m4s'), log[3] as string];
  expect(verdictOn(stays).map(({ kind }) => kind)).toEqual(['config-missing']);
});

/** The first container that crashes again and again in these pods, each on its day of November. */
const crashing = (...pods: readonly (readonly [day: number, pod: string])[]) => {
  const fold = new Incidents();
  const log = pods.flatMap(([day, pod], i) =>
    [5, 20, 40].map(
      (second) =>
        `E11${day} 10:00:${String(second).padStart(2, '0')}.000000    1432 pod_workers.go:100] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CrashLoopBackOff: \\"back-off ${second}s restarting failed container=app pod=${pod}_shop(${i}${UID.slice(1)})\\"" pod="shop/${pod}" podUID="${i}${UID.slice(1)}"`,
    ),
  );
  for (const record of observeLog(`${log.join('\n')}\n`).all) fold.take(record);
  const answer = fold.list();
  const dated = utcClock(Date.UTC(2026, 10, 22, 10, 0, 5) * 1000, { from: answer.from, to: answer.to.time });
  return wrongOf(answer).map((one) => incidentSentence(one, dated).en.replace(/\d{4}-/g, ''));
};

it('pods of one workload that crash alike are one incident, and others are not', () => {
  expect(crashing([22, 'web-6b4df4cd87-wk5kq'], [22, 'web-7fd446fd7c-9mf6q'], [22, 'db-0'])).toEqual([
    expect.stringContaining('shop/web-6b4df4cd87-wk5kq and shop/web-7fd446fd7c-9mf6q ended again and again'),
    expect.stringContaining('app in shop/db-0 ended again and again'),
  ]);
});

it('pods of one workload are several incidents if their containers end in different ways, else their exits are counted', () => {
  const died = (code: number, pod: string, id: string) => {
    const uid = `${id}${UID.slice(1)}`;
    const container = id.repeat(64);
    return [
      `10:00:00 I kubelet.go "SyncLoop (PLEG): event for pod" pod="shop/${pod}" event={"ID":"${uid}","Type":"ContainerStarted","Data":"${container}"}`,
      `10:00:01 I generic.go "Generic (PLEG): container finished" podID="${uid}" containerID="${container}" exitCode=${code}`,
      `10:00:01 I kubelet.go "SyncLoop (PLEG): event for pod" pod="shop/${pod}" event={"ID":"${uid}","Type":"ContainerDied","Data":"${container}"}`,
      `10:00:02 E pod_workers.go "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CrashLoopBackOff: \\"back-off 40s restarting failed container=app pod=${pod}_shop(${uid})\\"" pod="shop/${pod}" podUID="${uid}"`,
    ];
  };
  const [a, b, c] = ['web-6b4df4cd87-wk5kq', 'web-6b4df4cd87-zc9mm', 'web-6b4df4cd87-x7k2p'] as const;
  const said = (lines: readonly string[]) => verdictOn(lines).map((one) => incidentSentence(one, clock).en);
  const alike = said([...died(3, a, 'a'), ...died(3, b, 'b')]);
  expect(alike).toEqual([
    expect.stringMatching(/wk5kq and shop\/web-6b4df4cd87-zc9mm ended again and again with exit code 3, twice;/),
  ]);
  expect(said([...died(3, a, 'a'), ...died(137, c, 'c')])).toHaveLength(2);
});

it('dates are said if the log has several, and once for a beginning and an end on the same day', () => {
  expect(crashing([22, 'db-0'])[0]).toMatch(/^At 10:00:05 app in shop\/db-0 /);
  const [open, over] = crashing([22, 'db-0'], [24, 'web-0']);
  expect(open).toMatch(/^At 11-24 10:00:05 app in shop\/web-0 .* It was still so at the end\.$/);
  expect(over).toMatch(/^At 11-22 10:00:05 app in shop\/db-0 .* It was last seen at 10:00:40\.$/);
});
