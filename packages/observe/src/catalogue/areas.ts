/**
 * The parts of the kubelet, by the source files that log for them: the symptom of an error or warning of a part even if
 * no row has its very words. So a rare error, or one of a vendor's build, is still an error of its part.
 */
import type { SymptomCode } from '@syncloop/core/trace';
import type { Severity } from '../evidence/index.js';
import type { Family } from './causes.js';
import { type Row, row } from './row.js';

interface Area {
  readonly row: string;
  /** Null: its errors report trouble only if their text names it. */
  readonly code: SymptomCode | null;
  readonly family: Family;
  readonly files: string;
  /** Its warnings report trouble, too. */
  readonly warnings?: true;
  /** Programs besides a kubelet have a file of this name. */
  readonly anyone?: true;
}

const AREAS: readonly Area[] = [
  { row: 'L-47', code: 'sync-failed', family: 'runtime', files: 'pod_workers.go' },
  { row: 'L-87', code: 'pleg-unhealthy', family: 'runtime', files: 'generic.go evented.go' },
  // The runtime manager and what stands for it in the docker shim; which call failed is in the words.
  {
    row: 'L-107',
    code: 'call-failed',
    family: 'runtime',
    files:
      'remote_runtime.go remote_image.go remote_runtime_service.go log.go kuberuntime_manager.go kuberuntime_container.go kuberuntime_image.go kuberuntime_sandbox.go kuberuntime_logs.go instrumented_services.go docker_service.go docker_container.go docker_image.go docker_sandbox.go docker_manager.go docker_streaming.go kube_docker_client.go runtime.go cri_stats_provider.go fake_runtime.go helpers.go security_context.go',
    warnings: true,
  },
  { row: 'L-96', code: 'network-not-ready', family: 'runtime', files: 'cni.go', warnings: true },
  {
    row: 'L-96',
    code: 'network-setup-failed',
    family: 'runtime',
    files: 'kubenet_linux.go hostport_manager.go hostport_syncer.go',
    warnings: true,
  },
  { row: 'L-104', code: 'hook-failed', family: 'runtime', files: 'handlers.go' },
  { row: 'L-118', code: 'status-refused', family: 'api', files: 'status_manager.go', warnings: true },
  { row: 'L-63', code: null, family: 'api', files: 'mirror_client.go' },
  { row: 'L-121', code: null, family: 'runtime', files: 'prober.go prober_manager.go', warnings: true },
  {
    row: 'L-125',
    code: 'volume-not-mounted',
    family: 'volume',
    files:
      'nestedpendingoperations.go operation_executor.go operation_generator.go attacher.go csi_attacher.go csi_mounter.go csi_client.go csi_block.go secret.go configmap.go projected.go downwardapi.go nfs.go iscsi.go iscsi_util.go rbd.go rbd_util.go gce_pd.go gce_util.go aws_ebs.go aws_util.go azure_file.go azure_dd.go vsphere_volume.go vsphere_volume_util.go azure_controller_common.go azure_mounter.go glusterfs.go cephfs.go local.go host_path.go empty_dir.go fc.go fc_util.go cinder.go cinder_util.go flexvolume.go driver-call.go mount_linux.go mount_helper_common.go subpath_linux.go volume_manager.go desired_state_of_world_populator.go actual_state_of_world.go desired_state_of_world.go atomic_writer.go token_manager.go',
  },
  // Warnings of these say that something is missing which they would only count.
  { row: 'L-126', code: 'orphaned-pod', family: 'volume', files: 'kubelet_volumes.go' },
  {
    row: 'L-125',
    code: null,
    family: 'volume',
    files:
      'reconciler.go reconciler_common.go reconstruct.go reconstruct_common.go reconstruct_new.go util.go mount.go volume_host.go plugins.go csi_plugin.go',
  },
  {
    row: 'L-132',
    code: null,
    family: 'runtime',
    files: 'eviction_manager.go memory_threshold_notifier.go threshold_notifier_linux.go',
  },
  { row: 'L-134', code: 'image-gc-failed', family: 'runtime', files: 'image_gc_manager.go' },
  {
    row: 'L-133',
    code: 'gc-failed',
    family: 'runtime',
    files: 'container_gc.go kuberuntime_gc.go pod_container_deletor.go docker_gc.go',
  },
  { row: 'L-15', code: 'api-unreachable', family: 'api', files: 'kubelet_node_status.go nodestatus.go' },
  { row: 'L-15', code: 'lease-failed', family: 'api', files: 'controller.go nodelease.go', anyone: true },
  { row: 'L-15', code: 'api-unreachable', family: 'api', files: 'reflector.go', warnings: true, anyone: true },
  {
    row: 'L-140',
    code: 'api-unreachable',
    family: 'api',
    files: 'event.go event_broadcaster.go',
    warnings: true,
    anyone: true,
  },
  {
    row: 'L-15',
    code: null,
    family: 'api',
    files:
      'kubelet_getters.go configmap_manager.go secret_manager.go cache_based_manager.go watch_based_manager.go kubelet_nodecache.go round_trippers.go request.go',
    warnings: true,
  },
  {
    row: 'L-14',
    code: 'certificate-invalid',
    family: 'api',
    files: 'certificate_manager.go certificate_store.go transport.go bootstrap.go csr.go cert_rotation.go',
    anyone: true,
  },
  {
    row: 'L-14',
    code: null,
    family: 'api',
    files:
      'dynamic_cafile_content.go dynamic_serving_content.go tlsconfig.go authentication.go webhook.go clientcmd.go',
  },
  {
    row: 'L-27',
    code: 'device-failed',
    family: 'runtime',
    files:
      'endpoint.go pod_devices.go topology_hints.go device_plugin_handler.go plugin_watcher.go plugin_handler.go plugin_manager.go stub.go claiminfo.go dra_plugin.go dra_plugin_manager.go dra_manager.go noderesources.go healthinfo.go',
  },
  {
    row: 'L-13',
    code: 'resources-failed',
    family: 'runtime',
    files:
      'container_manager_linux.go cpu_manager.go memory_manager.go policy_static.go state_checkpoint.go state_file.go state_mem.go qos_container_manager_linux.go pod_container_manager_linux.go cgroup_manager_linux.go node_container_manager.go node_container_manager_linux.go topology_manager.go allocation_manager.go oom_linux.go',
  },
  { row: 'L-02', code: null, family: 'start', files: 'file.go file_linux.go http.go config.go common.go' },
  {
    row: 'L-00',
    code: null,
    family: 'start',
    files:
      'kubelet.go server.go kubelet_pods.go kubelet_network_linux.go kubelet_network.go kubelet_resources.go dns.go run.go run_linux.go',
  },
  // Gates of a vendor that this kubelet does not have.
  { row: 'L-00', code: null, family: 'start', files: 'feature_gate.go', warnings: true, anyone: true },
  // Parts that measure the node, and its own server.
  {
    row: 'L-12',
    code: null,
    family: 'start',
    files:
      'cadvisor_stats_provider.go cadvisor_linux.go summary.go summary_sys_containers.go volume_stat_calculator.go fs_resource_analyzer.go handler.go manager.go container.go factory.go raw.go fs.go watcher.go machine.go info.go metrics.go setters.go trace.go oomparser.go oom_watcher_linux.go oom_watcher.go container_log_manager.go runtime_service.go logs.go iptables.go proxier.go kubelet_server.go prometheus_resource_metrics.go resource_metrics.go nodeshutdown_manager_linux.go inhibit_linux.go watchdog_linux.go preemption.go predicate.go conversion.go http2.go panic_handler.go errors.go streamwatcher.go naming_controller.go credentials.go plugin.go provider.go config_map.go clientconn.go component.go',
    warnings: true,
    anyone: true,
  },
];

const byFile = new Map<string, { readonly error: Row; readonly warning: Row | null }>();
for (const area of AREAS) {
  const rest = { area: true as const, family: area.family, ...(area.anyone && { anyone: true as const }) };
  const of = (v: 'E' | 'W') =>
    row(
      area.row,
      v,
      '',
      '',
      { is: 'nothing' },
      { ...rest, symptom: { code: v === 'E' || area.warnings ? area.code : null } },
    );
  for (const file of area.files.split(' ')) byFile.set(file, { error: of('E'), warning: of('W') });
}
/** A process ends with it. */
const FATAL = row(
  'L-00',
  'E',
  '',
  '',
  { is: 'nothing' },
  { symptom: { code: 'kubelet-cannot-start' }, family: 'start', area: true },
);

/** The row of an error or a warning by the file that logged it; null for other lines, and for unknown files. */
export function areaOf(file: string, severity: Severity): Row | null {
  if (severity === 'I') return null;
  if (severity === 'F') return FATAL;
  const found = byFile.get(file);
  return found === undefined ? null : severity === 'E' ? found.error : found.warning;
}
