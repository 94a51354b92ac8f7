import { podRef } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import { background, type Kernel, type Process } from '../../kernel/index.js';
import { newSourceApiserver } from '../config/apiserver.js';
import type { OnDecoded } from '../config/common.js';
import { newSourceFile } from '../config/file.js';
import { newSourceURL } from '../config/http.js';
import type { PodConfig } from '../config/pod-config.js';
import type { KubeletConfig } from '../config.js';
import type { UnknownFields } from '../era/types.js';
import type { Logger } from '../klog.js';
import type { KubeletAPI } from '../kubelet-api.js';
import { ApiserverSource, FileSource, HTTPSource } from '../types/pod-update.js';
import type { Foundation } from './types.js';

/** The parts of the kubelet that the sources of pods are started with. */
export interface PodSourceDeps extends Pick<Foundation, 'kernel' | 'config' | 'os'> {
  readonly process: Process;
  readonly log: Logger;
  readonly podConfig: PodConfig;
  /** Null in a stand-alone kubelet, which has no source from the API server. */
  readonly api: KubeletAPI | null;
  readonly transport: ProbeTransport;
  /** The fields of pods that this version does not know; missing: it knows all. */
  readonly fields?: UnknownFields;
  /** True if the API server is asked for pods only once the node has been read. */
  readonly waitsForNode: boolean;
}

/** Starts the sources that are configured: folder, URL, API server. upstream: kubelet.go makePodSourceConfig */
export function makePodSourceConfig({
  kernel,
  config,
  os,
  process,
  log,
  podConfig,
  api,
  transport,
  fields,
  waitsForNode,
}: PodSourceDeps): void {
  if (api) {
    api.startEvents();
    api.start(process);
  }
  const decoded = fields ? { onDecoded: leaveOut(kernel, config, fields) } : {};
  const common = { kernel, ctx: background, nodeName: config.nodeName, process, gates: config, ...decoded };
  if (config.staticPodPath !== '') {
    log.info(0, 'Adding static pod path', { path: config.staticPodPath });
    newSourceFile({
      ...common,
      os,
      path: config.staticPodPath,
      period: config.fileCheckFrequency,
      updates: podConfig.channel(background, FileSource),
    });
  }
  if (config.staticPodURL !== '') {
    log.info(0, 'Adding pod URL with HTTP header', { URL: config.staticPodURL, header: {} });
    newSourceURL({
      ...common,
      transport,
      url: config.staticPodURL,
      period: config.httpCheckFrequency,
      updates: podConfig.channel(background, HTTPSource),
    });
  }
  if (api) {
    const { client, nodeLister } = api;
    log.info(0, 'Adding apiserver pod source');
    newSourceApiserver({
      kernel,
      ctx: background,
      process,
      listerWatcher: client.listerWatcher('pods', '', `spec.nodeName=${config.nodeName}`),
      ...decoded,
      nodeHasSynced: () => !waitsForNode || nodeLister.hasSynced(),
      updates: podConfig.channel(background, ApiserverSource),
    });
  }
}

/**
 * Removes the fields that this version does not know, with one record for each pod and field. A kubelet logs nothing.
 */
function leaveOut(kernel: Kernel, config: KubeletConfig, fields: UnknownFields): OnDecoded {
  const recorded = new Set<string>();
  return (pod) => {
    const left = fields.drop(pod, config);
    return () => {
      for (const { field, container, since, on, gate } of left) {
        const key = `${pod.metadata.uid} ${container ?? ''} ${field}`;
        if (recorded.has(key)) continue;
        recorded.add(key);
        kernel.emit({
          kind: 'decision',
          rule: 'decode',
          verdict: gate === undefined ? 'unknown field is left out' : 'field is left out: its gate is off',
          values: {
            field,
            since: `v1.${since}`,
            ...(on !== undefined && { on: `v1.${on}` }),
            ...(gate !== undefined && { gate }),
          },
          ...(container !== undefined && { container }),
          ...podRef(pod),
        });
      }
    };
  };
}
