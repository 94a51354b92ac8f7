import { quantityValue, resourceOf } from '../../base/index.js';
import type { CRIServices } from '../../cri/index.js';
import type { PodManager } from '../podmanager/types.js';
import { CRIStatsProvider } from '../stats/cri-stats-provider.js';
import { ResourceAnalyzer } from '../stats/resource-analyzer.js';
import { SummaryProviderImpl } from '../stats/summary-provider.js';
import type { HostStats } from '../stats/types.js';
import type { Foundation } from './types.js';

/** The sources of the node's and its pods' usage. */
export interface NodeStats {
  readonly provider: CRIStatsProvider;
  readonly summary: SummaryProviderImpl;
  readonly resourceAnalyzer: ResourceAnalyzer;
}

/**
 * Builds the sources of usage; null if the node is not measured.
 * upstream: stats.NewCRIStatsProvider, serverstats.NewResourceAnalyzer, NewSummaryProvider
 */
export function newNodeStats(
  { kernel, config, os, nodeInfo }: Foundation,
  rest: {
    readonly services: CRIServices;
    /** Figures of the machine; null: the node is not measured. */
    readonly host: HostStats | null;
    readonly podManager: Pick<PodManager, 'getPods'>;
    readonly getPodDir: (uid: string) => string;
  },
): NodeStats | null {
  const { services, host, podManager } = rest;
  if (!host) return null;
  const getPods = () => podManager.getPods();
  const resourceAnalyzer = new ResourceAnalyzer({ kernel, os, host, getPods, podDir: rest.getPodDir });
  const { rootDirectory, podLogsDir, nodeName } = config;
  const provider = new CRIStatsProvider({ kernel, services, host, resourceAnalyzer, rootDirectory, podLogsDir });
  const reserved = (list: Readonly<Record<string, string>> | undefined) =>
    quantityValue(resourceOf({ ...list }, 'memory'));
  const allocatableMemoryBytes = () =>
    Math.max(0, nodeInfo.memoryCapacityBytes - reserved(config.kubeReserved) - reserved(config.systemReserved));
  const summary = new SummaryProviderImpl({ kernel, nodeName, nodeInfo, host, provider, allocatableMemoryBytes });
  return { provider, summary, resourceAnalyzer };
}
