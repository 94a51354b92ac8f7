/** Whose line it is: the kubelet's, another component's, the runtime's, systemd's, the kernel's. */
import type { Unframed } from './framings/index.js';
import type { KlogHeader } from './klog.js';

export const KUBELET = 'kubelet';

/**
 * Base names of Go files at which only another component logs, without `.go`: those with calls of klog in Kubernetes
 * 1.25 to 1.34 that are not in what the kubelet is built of.
 */
const FOREIGN_FILES: { readonly [program: string]: string } = {
  'kube-apiserver':
    'apf_controller apf_filter apiapproval_controller apiservice_controller autoregister_controller available_controller cacher cache_watcher cidrallocator cluster_authentication_trust_controller crd_finalizer crdregistration_controller customresource_discovery_controller customresource_handler default_servicecidr_controller deprecated_insecure_serving establishing_controller etcd3 filterlatency genericapiserver graph_populator handler_discovery handler_proxy instancecount ipallocator kubecontrolplane_default leaderelection_controller local_available_controller maxinflight mutating_webhook_manager naming_controller node_authorizer nonstructuralschema_controller object_count_tracker patch_genericapiserver peer_endpoint_lease peerproxy priority-and-fairness queueset remote_available_controller repairip retry_etcdclient secure_serving storage_factory storage_flowcontrol storage_rbac storage_readiness_hook storage_scheduling system_namespaces_controller validating_webhook_manager watch_cache watch_termination aggregator alloc',
  'kube-controller-manager':
    'attach_detach_controller bootstrapsigner certificate_controller cidr_allocator client_builder_dynamic cloud_cidr_allocator clusterroleaggregation_controller controllermanager cronjob_controllerv2 daemon_controller deployment_controller deployment_util device_taint_eviction disruption endpoints_controller endpointslice_controller endpointslicemirroring_controller expand_controller garbagecollector gc_controller graph_builder horizontal job_controller legacy_serviceaccount_token_cleaner namespace_controller namespaced_resources_deleter node_ipam_controller node_lifecycle_controller pv_controller pv_controller_base pv_protection_controller pvc_protection_controller range_allocator replica_set replica_set_utils replication_controller resource_quota_controller resource_quota_monitor route_controller serviceaccounts_controller stateful_pod_control stateful_set stateful_set_control taint_eviction taint_manager timed_workers tokencleaner tokens_controller ttl_controller ttlafterfinished_controller vac_protection_controller',
  'kube-scheduler':
    'active_queue backoff_queue default_binder default_preemption eventhandlers node_tree schedule_one scheduler scheduling_queue volume_binding assume_cache',
  'kube-proxy':
    'endpointschangetracker endpointslicecache graceful_termination meta_proxier proxier proxier_health server_others service_health servicechangetracker roundrobin',
  'kube-component': 'leaderelection',
  minikube: 'ssh_runner cli_runner exec_runner sshutil preload kic ubuntu addons start_flags out system_pods',
};
const FOREIGN: ReadonlyMap<string, string> = new Map(
  Object.entries(FOREIGN_FILES).flatMap(([program, files]) =>
    files.split(' ').map((file) => [`${file}.go`, program] as const),
  ),
);

/** Base names at which no other component logs. */
const OWN =
  /^(?:kubelet|kubelet_\w+|pod_workers|kuberuntime_\w+|status_manager|prober|prober_manager|eviction_manager|image_gc_manager|container_manager_linux|cpu_manager|memory_manager|topology_manager|reconciler_common|desired_state_of_world_populator|volume_manager|remote_runtime|remote_image|docker_(?:service|sandbox|manager|container)|pod_container_deletor|setters|qos_container_manager_linux|pod_container_manager_linux|nodeshutdown_manager_linux|container_log_manager|mirror_client)\.go$/;

/** Programs that run the kubelet with other components in one process, or whose output contains the kubelet's. */
const CARRIER =
  /^(?:k3s|rke2|k0s|kubelite|hyperkube|localkube|microshift|openshift|origin-node|docker|dockerd-current|podman|rkt|runc|bash|sh|dash|python\d?|supervisord|start|sudo|su|snap|env|nohup|systemd-run|entrypoint|run|node|logger)(?:[-_.]|$)/;
const KUBELET_NAME =
  /^(?:start-)?kubelet(?:$|[-_.])|^microk8s\.daemon-kubelet$|^atomic-openshift-node$|^kubenswrapper$/;
/** Components that MicroShift and OpenShift's all-in-one name before each of their lines. */
const COMPONENT =
  /^(?:kube(?:let|-[\w-]+)|etcd|route-controller-manager|openshift-[\w-]+|microshift-[\w-]+|ovn[\w-]*)$/;

/** The name of a program as the rows of programs have it: without path, unit and ending. */
export function programName(raw: string): string {
  // systemd's child, before it becomes the program of the unit.
  if (raw.startsWith('(')) return 'systemd';
  const name = raw
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:service|exe|sh|py)$/i, '')
    .toLowerCase();
  if (KUBELET_NAME.test(name)) return KUBELET;
  if (/kubelite$/.test(name)) return 'kubelite';
  if (name === 'kube-controller') return 'kube-controller-manager';
  return name;
}

/** The names of most lines are the same few. */
class Names {
  private readonly known = new Map<string, string>();
  of(raw: string): string {
    let name = this.known.get(raw);
    if (name === undefined) {
      name = programName(raw);
      if (this.known.size < 1000) this.known.set(raw, name);
    }
    return name;
  }
}

/** Lines of other programs that say themselves whose they are, where nothing names the program. */
const BARE: readonly (readonly [string, RegExp])[] = [
  [
    'systemd',
    /^(?:[\w@\\.:-]+\.(?:service|scope|mount|slice|timer|socket|target|device): |(?:Started|Starting|Stopped|Stopping|Reloading) \S)/,
  ],
  [
    'kernel',
    /^(?:Out of memory|oom-kill:|Memory cgroup out of memory|Killed process|oom_reaper:|\S+ invoked oom-killer|audit: type=|IPv[46]: |eth\d|veth|cni0: |EXT4-fs|XFS )/,
  ],
  [
    'containerd',
    /^time="[^"]*" level=\w+ msg="(?:RunPodSandbox|StopPodSandbox|RemovePodSandbox|CreateContainer|StartContainer|StopContainer|RemoveContainer|Container to stop|PullImage|Image(?:Create|Update|Delete)|ExecSync|TearDown network|shim disconnected|cleaning up|Forcibly stopping|starting signal loop|TaskExit|TaskOOM|received (?:container )?exit event|Finish piping|Kill container|Ensure that sandbox|Events? (?:for|received)|CNI |cni config|loading plugin|No cni config|failed to load cni|Start cni network)/,
  ],
  ['crio', /^time="[^"]*" level=\w+ msg="[^"]*" (?:file="[^"]*" )?id=[0-9a-f-]{36} name=\/runtime\.v1/],
];

const MOST_PIDS = 1000;
const MOST_FILES = 5000;

/** Finds the program of each line of one file. */
export class Programs {
  private readonly names = new Names();
  /** The program of each process whose lines do not name it, by the files that it logs at. */
  private readonly pids = new Map<number, string>();
  private readonly files = new Map<string, string>();
  private lastOwn = 0;

  /** The only program that logs at a file; '' if several do. */
  private ofFile(file: string): string {
    let program = this.files.get(file);
    if (program === undefined) {
      program = OWN.test(file) ? KUBELET : (FOREIGN.get(file) ?? '');
      if (this.files.size < MOST_FILES) this.files.set(file, program);
    }
    return program;
  }

  /** The program of a record of klog: `kubelet` if nothing says that it is another's. */
  ofKlog(unframed: Unframed, head: KlogHeader): string {
    const { program, text } = unframed;
    const name = program === undefined ? '' : this.names.of(program);
    if (name === KUBELET) return KUBELET;
    const only = this.ofFile(head.file);
    if (head.at > 0) {
      const word = text.slice(0, head.at).trimEnd();
      if (COMPONENT.test(word)) return word;
    }
    if (name !== '' && !CARRIER.test(name)) return only === KUBELET && !COMPONENT.test(name) ? KUBELET : name;
    if (only === KUBELET) {
      if (this.lastOwn !== head.pid) this.note(head.pid, KUBELET);
      this.lastOwn = head.pid;
      return KUBELET;
    }
    if (only !== '') {
      if (!this.pids.has(head.pid)) this.note(head.pid, only);
      return only;
    }
    // Files that all components have: the process has logged at others.
    return name === '' ? (this.pids.get(head.pid) ?? KUBELET) : KUBELET;
  }

  /** True if a program may write lines of the kubelet: it is the kubelet, or runs it. */
  mayBeKubelets(program: string): boolean {
    const name = this.names.of(program);
    return name === KUBELET || CARRIER.test(name);
  }

  /** The program of any other line; undefined if neither the keeper nor the text says. */
  ofOther({ program, text }: Unframed): string | undefined {
    if (program !== undefined) return this.names.of(program);
    for (const [name, pattern] of BARE) if (pattern.test(text)) return name;
    return undefined;
  }

  private note(pid: number, program: string): void {
    if (this.pids.size < MOST_PIDS) this.pids.set(pid, program);
  }
}
