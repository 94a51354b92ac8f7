import { Second } from '../../kernel/index.js';

/** Up to v1.26. upstream: pkg/kubelet/container/runtime_cache.go defaultCachePeriod */
export const defaultCachePeriod = 2 * Second;
