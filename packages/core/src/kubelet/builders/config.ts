import { background, type Process } from '../../kernel/index.js';
import { newSourceApiserver } from '../config/apiserver.js';
import { newSourceFile } from '../config/file.js';
import { newSourceURL } from '../config/http.js';
import type { PodConfig } from '../config/pod-config.js';
import type { ProbeTransport } from '../host.js';
import type { Logger } from '../klog.js';
import type { KubeletAPI } from '../kubelet-api.js';
import { ApiserverSource, FileSource, HTTPSource } from '../types/pod-update.js';
import type { Foundation } from './types.js';

/** What the sources of pods are started with. */
export interface PodSourceDeps extends Pick<Foundation, 'kernel' | 'config' | 'os'> {
  readonly process: Process;
  readonly log: Logger;
  readonly podConfig: PodConfig;
  /** Null in a stand-alone kubelet, which has no source from the API server. */
  readonly api: KubeletAPI | null;
  readonly transport: ProbeTransport;
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
}: PodSourceDeps): void {
  if (api) {
    api.startEvents();
    api.start(process);
  }
  const common = { kernel, ctx: background, nodeName: config.nodeName, process, gates: config };
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
      nodeHasSynced: () => nodeLister.hasSynced(),
      updates: podConfig.channel(background, ApiserverSource),
    });
  }
}
