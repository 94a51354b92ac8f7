/** The kubelet's metrics, under upstream's names. upstream: pkg/kubelet/metrics/metrics.go */
import type { Kernel } from '../../kernel/index.js';
import { NodeStartupLatencyTracker } from './node-startup-latency-tracker.js';
import { PodStartupLatencyTracker } from './pod-startup-latency-tracker.js';
import { type Counter, exponentialBuckets, type Histogram, Registry } from './registry.js';

/** upstream: podStartupDurationBuckets, imagePullDurationBuckets */
const podStartupBuckets = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];
const imagePullBuckets = [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600];
/** upstream: podResizeDurationBuckets */
const podResizeBuckets = [
  10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];
/** A minute to four years. upstream: pkg/kubelet/certificate certificateRotationAge */
const rotationBuckets = [60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000];
const statusSyncBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60];

const Mi = 1024 * 1024;
const Gi = 1024 * Mi;
/** Lower bound, and the label for what is above. upstream: imageSizeBuckets */
const imageSizes: readonly (readonly [number, string])[] = [
  [100 * Gi, 'GT100GB'],
  [60 * Gi, '60GB-100GB'],
  [40 * Gi, '40GB-60GB'],
  [30 * Gi, '30GB-40GB'],
  [20 * Gi, '20GB-30GB'],
  [10 * Gi, '10GB-20GB'],
  [5 * Gi, '5GB-10GB'],
  [Gi, '1GB-5GB'],
  [500 * Mi, '500MB-1GB'],
  [100 * Mi, '100MB-500MB'],
  [10 * Mi, '10MB-100MB'],
  [0, '0-10MB'],
];

/** Returns the label of an image's size; a size on a bound belongs below it. upstream: GetImageSizeBucket */
export function imageSizeBucket(bytes: number): string {
  if (bytes === 0) return 'N/A';
  return imageSizes.find(([bound]) => bytes > bound)?.[1] ?? '';
}

/** upstream: metrics.Container, InitContainer, EphemeralContainer */
export type ContainerType = 'container' | 'init_container' | 'ephemeral_container';

const byOperation = ['operation_type'] as const;
const kubelet = (name: string, help: string, labels?: readonly string[]) => ({
  name: `kubelet_${name}`,
  help,
  ...(labels && { labels }),
});

/** The kubelet's metrics; `registry` is what /metrics serves, `probes` what /metrics/probes does. */
export class KubeletMetrics {
  readonly registry = new Registry();
  readonly probes = new Registry();
  readonly podStartup: PodStartupLatencyTracker;
  readonly nodeStartupLatency: NodeStartupLatencyTracker;
  private readonly r = this.registry;

  constructor(kernel: Kernel) {
    this.podStartup = new PodStartupLatencyTracker(kernel, this);
    this.nodeStartupLatency = new NodeStartupLatencyTracker(kernel, this);
  }

  readonly nodeName = this.r.gauge(kubelet('node_name', 'Name of the node; always 1.', ['node']));
  readonly cgroupVersion = this.r.gauge(kubelet('cgroup_version', "Version of the host's cgroups."));

  // --- PLEG ------------------------------------------------------------------------------------------------------
  readonly plegRelistDuration = this.r.histogram(
    kubelet('pleg_relist_duration_seconds', 'How long a relist of all pods took, in seconds.'),
  );
  readonly plegRelistInterval = this.r.histogram(
    kubelet('pleg_relist_interval_seconds', 'Time from one relist to the next, in seconds.'),
  );
  readonly plegPodRelistDuration = this.r.histogram(
    kubelet('pleg_pod_relist_duration_seconds', 'How long a relist of one pod took, in seconds.'),
  );
  readonly plegDiscardEvents = this.r.counter(kubelet('pleg_discard_events', 'Events that the PLEG had no room for.'));
  readonly plegLastSeen = this.r.gauge(
    kubelet('pleg_last_seen_seconds', 'When the PLEG was last seen active, in seconds since 1970.'),
  );
  readonly eventedPLEGConnErr = this.r.counter(
    kubelet('evented_pleg_connection_error_count', "Streams of the runtime's events that could not be opened."),
  );
  readonly eventedPLEGConn = this.r.counter(
    kubelet('evented_pleg_connection_success_count', "Streams of the runtime's events that were begun."),
  );
  readonly eventedPLEGConnLatency = this.r.histogram(
    kubelet('evented_pleg_connection_latency_seconds', "How old the runtime's events were when they came, in seconds."),
  );
  readonly runningPods = this.r.gauge(kubelet('running_pods', 'Pods with a sandbox that runs.'));
  readonly runningContainers = this.r.gauge(
    kubelet('running_containers', 'Containers that the runtime has, by state.', ['container_state']),
  );

  // --- pod workers and start-up ----------------------------------------------------------------------------------
  readonly podWorkerDuration = this.r.histogram(
    kubelet(
      'pod_worker_duration_seconds',
      'From the request for a sync to its end, in seconds, by operation.',
      byOperation,
    ),
  );
  readonly podWorkerStartDuration = this.r.histogram(
    kubelet('pod_worker_start_duration_seconds', 'From first seeing a pod to its first sync, in seconds.'),
  );
  readonly containersPerPod = this.r.histogram(
    kubelet('containers_per_pod_count', 'Containers that a pod has.'),
    exponentialBuckets(1, 2, 5),
  );
  readonly podStartDuration = this.r.histogram(
    kubelet('pod_start_duration_seconds', 'From first seeing a pod to its running, in seconds.'),
    podStartupBuckets,
  );
  readonly podStartSLIDuration = this.r.histogram(
    kubelet(
      'pod_start_sli_duration_seconds',
      "From a pod's creation until all its containers were seen to run, without pulls and init containers, in seconds.",
      [],
    ),
    podStartupBuckets,
  );
  readonly podStartTotalDuration = this.r.histogram(
    kubelet(
      'pod_start_total_duration_seconds',
      "From a pod's creation until all its containers were seen to run, with everything, in seconds.",
      [],
    ),
    podStartupBuckets,
  );
  readonly firstNetworkPodStartSLIDuration = this.r.gauge({
    ...kubelet('first_network_pod_start_sli_duration_seconds', 'The same of the first pod with a network of its own.'),
    stability: 'INTERNAL',
  });
  readonly podStatusSyncDuration = this.r.histogram(
    kubelet('pod_status_sync_duration_seconds', "From a status' change until the API server has it, in seconds."),
    statusSyncBuckets,
  );

  // --- runtime ---------------------------------------------------------------------------------------------------
  readonly runtimeOperations = this.r.counter(
    kubelet('runtime_operations_total', 'Calls to the container runtime, by operation.', byOperation),
  );
  readonly runtimeOperationsDuration = this.r.histogram(
    kubelet(
      'runtime_operations_duration_seconds',
      'How long calls to the container runtime took, in seconds.',
      byOperation,
    ),
    exponentialBuckets(0.005, 2.5, 14),
  );
  readonly runtimeOperationsErrors = this.r.counter(
    kubelet(
      'runtime_operations_errors_total',
      'Calls to the container runtime that failed, by operation.',
      byOperation,
    ),
  );
  readonly runPodSandboxDuration = this.r.histogram(
    kubelet('run_podsandbox_duration_seconds', 'How long sandboxes took to start, in seconds.', ['runtime_handler']),
  );
  readonly runPodSandboxErrors = this.r.counter(
    kubelet('run_podsandbox_errors_total', 'Sandboxes that did not start.', ['runtime_handler']),
  );
  readonly startedPods = this.r.counter(kubelet('started_pods_total', 'Pods whose sandbox was begun.'));
  readonly startedPodsErrors = this.r.counter(kubelet('started_pods_errors_total', 'Pods whose sandbox failed.'));
  readonly startedContainers = this.r.counter(
    kubelet('started_containers_total', 'Containers that were begun, by type.', ['container_type']),
  );
  readonly startedContainersErrors = this.r.counter(
    kubelet('started_containers_errors_total', 'Containers that did not start, by type and reason.', [
      'container_type',
      'code',
    ]),
  );
  readonly terminatedContainers = this.r.counter(
    kubelet('terminated_containers_total', 'Containers that ended, by type, exit code and reason.', [
      'container_type',
      'exit_code',
      'reason',
    ]),
  );
  readonly imagePullDuration = this.r.histogram(
    kubelet('image_pull_duration_seconds', 'How long pulls took, in seconds, by size of the image.', [
      'image_size_in_bytes',
    ]),
    imagePullBuckets,
  );
  readonly imageGarbageCollected = this.r.counter(
    kubelet('image_garbage_collected_total', 'Images that the garbage collection removed, by reason.', ['reason']),
  );

  readonly ensureImageRequests = this.r.counter(
    kubelet('image_manager_ensure_image_requests_total', 'Images that were asked for, and whether they were there.', [
      'pull_policy',
      'present_locally',
      'pull_required',
    ]),
  );
  readonly imageVolumesRequested = this.r.counter({
    ...kubelet('image_volume_requested_total', 'Image volumes that containers asked for.'),
    stability: 'BETA',
  });
  readonly imageVolumesMounted = this.r.counter({
    ...kubelet('image_volume_mounted_succeed_total', 'Image volumes that were mounted.'),
    stability: 'BETA',
  });
  readonly imageVolumesFailed = this.r.counter({
    ...kubelet('image_volume_mounted_errors_total', 'Image volumes that could not be mounted.'),
    stability: 'BETA',
  });
  readonly startedUserNamespacedPods = this.r.counter(
    kubelet('started_user_namespaced_pods_total', 'Pods with a user namespace whose sandbox was begun.'),
  );
  readonly startedUserNamespacedPodsErrors = this.r.counter(
    kubelet('started_user_namespaced_pods_errors_total', 'Pods with a user namespace that failed to start.'),
  );
  readonly lifecycleHandlerHTTPFallbacks = this.r.counter(
    kubelet('lifecycle_handler_http_fallbacks_total', 'Hooks over HTTPS that were answered over HTTP.'),
  );
  readonly lifecycleHandlerSleepTerminated = this.r.counter(
    kubelet('sleep_action_terminated_early_total', 'Hooks that slept when their container ended.'),
  );

  // --- resizes ---------------------------------------------------------------------------------------------------
  readonly containerRequestedResizes = this.r.counter(
    kubelet('container_requested_resizes_total', 'Resources of containers that were to change, by how.', [
      'resource',
      'requirement',
      'operation',
    ]),
  );
  readonly podResizeDuration = this.r.histogram(
    kubelet('pod_resize_duration_milliseconds', 'How long resizes took to carry out, in milliseconds.', ['success']),
    podResizeBuckets,
  );
  readonly podPendingResizes = this.r.gauge(
    kubelet('pod_pending_resizes', 'Resizes of pods that wait, by why.', ['reason']),
  );
  readonly podInProgressResizes = this.r.gauge(kubelet('pod_in_progress_resizes', 'Resizes of pods under way.'));
  readonly podDeferredAcceptedResizes = this.r.counter(
    kubelet('pod_deferred_accepted_resizes_total', 'Resizes that were granted after they had waited.', [
      'retry_trigger',
    ]),
  );

  // --- pods, counted at housekeeping -----------------------------------------------------------------------------
  readonly desiredPods = this.r.gauge(
    kubelet('desired_pods', 'Pods that the kubelet is asked to run, by whether they are static.', ['static']),
  );
  readonly activePods = this.r.gauge(
    kubelet('active_pods', 'Pods that count when a new one asks for room, by whether they are static.', ['static']),
  );
  readonly mirrorPods = this.r.gauge(kubelet('mirror_pods', 'Mirror pods.'));
  readonly workingPods = this.r.gauge(
    kubelet('working_pods', 'Pods that have a worker, by where they are in their life.', [
      'lifecycle',
      'config',
      'static',
    ]),
  );
  readonly orphanedRuntimePods = this.r.counter(
    kubelet('orphaned_runtime_pods_total', 'Pods that only the runtime knew.'),
  );
  readonly restartedPods = this.r.counter(
    kubelet('restarted_pods_total', 'Pods that came back with the same UID, by whether they are static.', ['static']),
  );

  // --- devices ---------------------------------------------------------------------------------------------------
  readonly devicePluginRegistrations = this.r.counter(
    kubelet('device_plugin_registration_total', 'Registrations of device plug-ins, by resource.', ['resource_name']),
  );
  readonly devicePluginAllocDuration = this.r.histogram(
    kubelet('device_plugin_alloc_duration_seconds', "How long a device plug-in's Allocate took, in seconds.", [
      'resource_name',
    ]),
  );
  /** Calls of the pod resources API. */
  readonly podResourcesRequests = {
    total: this.podResources('requests_total', 'Calls of the pod resources API.'),
    list: this.podResources('requests_list', 'Calls of List of the pod resources API.'),
    get: this.podResources('requests_get', 'Calls of Get of the pod resources API.'),
    getAllocatable: this.podResources('requests_get_allocatable', 'Calls of GetAllocatableResources.'),
  } as const;
  readonly podResourcesErrors = {
    list: this.podResources('errors_list', 'Calls of List that failed.'),
    get: this.podResources('errors_get', 'Calls of Get that failed.'),
    getAllocatable: this.podResources('errors_get_allocatable', 'Calls of GetAllocatableResources that failed.'),
  } as const;
  private podResources(name: string, help: string) {
    return this.r.counter(kubelet(`pod_resources_endpoint_${name}`, help, ['server_api_version']));
  }

  // --- admission, eviction, start of the node --------------------------------------------------------------------
  readonly admissionRejections = this.r.counter(
    kubelet('admission_rejections_total', 'Pods that were not admitted, by reason.', ['reason']),
  );
  readonly preemptions = this.r.counter(
    kubelet('preemptions', 'Pods that had to go for a critical one, by what was short.', ['preemption_signal']),
  );
  readonly topologyManagerAdmissionRequests = this.r.counter(
    kubelet('topology_manager_admission_requests_total', 'Pods that asked for resources at admission.'),
  );
  readonly topologyManagerAdmissionDuration = this.r.histogram(
    kubelet('topology_manager_admission_duration_ms', 'How long giving a pod its resources took, in milliseconds.'),
    exponentialBuckets(0.05, 2, 15),
  );
  readonly evictions = this.r.counter(kubelet('evictions', 'Pods that were evicted, by signal.', ['eviction_signal']));
  readonly evictionStatsAge = this.r.histogram(
    kubelet('eviction_stats_age_seconds', 'How old the statistics were on which an eviction was based, in seconds.', [
      'eviction_signal',
    ]),
  );
  readonly nodeStartupPreKubelet = this.r.gauge(
    kubelet('node_startup_pre_kubelet_duration_seconds', "From the machine's boot to the kubelet's start, in seconds."),
  );
  readonly nodeStartupPreRegistration = this.r.gauge(
    kubelet(
      'node_startup_pre_registration_duration_seconds',
      "From the kubelet's start to its registration, in seconds.",
    ),
  );
  readonly nodeStartupRegistration = this.r.gauge(
    kubelet('node_startup_registration_duration_seconds', 'How long the registration took, in seconds.'),
  );
  readonly nodeStartupPostRegistration = this.r.gauge(
    kubelet('node_startup_post_registration_duration_seconds', 'From registration to Ready, in seconds.'),
  );
  readonly nodeStartup = this.r.gauge(
    kubelet('node_startup_duration_seconds', "From the machine's boot to Ready, in seconds."),
  );

  // --- volumes ---------------------------------------------------------------------------------------------------
  /** upstream: pkg/volume/util/metrics.go */
  readonly storageOperationDuration = this.r.histogram(
    {
      name: 'storage_operation_duration_seconds',
      help: 'How long work on volumes took, in seconds.',
      labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    },
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  );

  // --- the server ------------------------------------------------------------------------------------------------
  readonly httpRequests = this.r.counter(kubelet('http_requests_total', 'Requests since the start.', httpLabels));
  readonly httpRequestsDuration = this.r.histogram(
    kubelet('http_requests_duration_seconds', 'How long requests took, in seconds.', httpLabels),
  );
  readonly httpInflightRequests = this.r.gauge(
    kubelet('http_inflight_requests', 'Requests that are being answered.', httpLabels),
  );
  readonly webSocketStreamingRequests = this.r.counter(
    kubelet('websocket_streaming_requests_total', 'Streams over websocket, by kind.', ['subresource']),
  );
  readonly metricsProvider = this.r.gauge(
    kubelet('metrics_provider', "Where containers' statistics come from; always 1.", ['provider']),
  );

  // --- probes ----------------------------------------------------------------------------------------------------
  readonly proberResults = this.probes.counter({
    name: 'prober_probe_total',
    help: 'Probes of containers, by kind, result and container.',
    stability: 'BETA',
    labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
  });
  readonly proberDuration = this.probes.histogram({
    name: 'prober_probe_duration_seconds',
    help: 'How long successful probes took, in seconds.',
    labels: ['probe_type', 'container', 'pod', 'namespace'],
  });

  // --- certificates, which not every kubelet manages ----------------------------------------------------------------
  /** Families of a certificate that the kubelet renews for its own server. `ttl`: seconds until it expires. */
  servingCertificate(ttl: () => number): { readonly rotated: Histogram; readonly failures: Counter } {
    this.r.gauge(
      kubelet(
        'certificate_manager_server_ttl_seconds',
        'Seconds until the serving certificate expires, +Inf where there is none that is valid.',
      ),
      (into) => into.set(ttl()),
    );
    return {
      rotated: this.r.histogram(
        kubelet(
          'certificate_manager_server_rotation_seconds',
          'How long serving certificates were in use before they were renewed, in seconds.',
        ),
        rotationBuckets,
      ),
      failures: this.r.counter(
        kubelet('server_expiration_renew_errors', 'Failed attempts to renew the serving certificate.'),
      ),
    };
  }

  /** Families of the certificate for the API server, whose manager is older than these metrics. */
  clientCertificate({ ttlSeconds, renewFailures }: ClientCertificateFigures): void {
    this.r.gauge(
      kubelet(
        'certificate_manager_client_ttl_seconds',
        'Seconds until the client certificate expires, +Inf where there is none that is valid.',
      ),
      (into) => into.set(ttlSeconds()),
    );
    this.r.counter(
      kubelet('certificate_manager_client_expiration_renew_errors', 'Failed attempts to renew the client certificate.'),
      (into) => into.set(renewFailures()),
    );
  }
}

/** Figures of the manager of the client certificate. */
export interface ClientCertificateFigures {
  /** Returns the seconds until the certificate expires, infinite if there is no valid one. */
  ttlSeconds(): number;
  renewFailures(): number;
}

const httpLabels = ['method', 'path', 'server_type', 'long_running'];

const ofKernel = new WeakMap<Kernel, KubeletMetrics>();

/**
 * The metrics of the kubelet that runs on this kernel. Like upstream's, they are the process' own and there from the
 * start.
 */
export function metricsOf(kernel: Kernel): KubeletMetrics {
  let metrics = ofKernel.get(kernel);
  if (!metrics) {
    metrics = new KubeletMetrics(kernel);
    ofKernel.set(kernel, metrics);
  }
  return metrics;
}

/** Metrics of a new process, which start at zero. */
export function newProcessMetrics(kernel: Kernel): KubeletMetrics {
  ofKernel.delete(kernel);
  return metricsOf(kernel);
}
