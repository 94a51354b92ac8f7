import type { ContractArea } from './contract.js';
import { containerCases } from './contract-containers.js';
import { eventCases } from './contract-events.js';
import { execCases } from './contract-exec.js';
import { imageCases } from './contract-images.js';
import { listCases } from './contract-lists.js';
import { logCases } from './contract-logs.js';
import { parallelCases } from './contract-parallel.js';
import { runtimeCases } from './contract-runtime.js';
import { sandboxCases } from './contract-sandboxes.js';
import { settingCases } from './contract-settings.js';
import { startingCases } from './contract-starting.js';
import { statsCases } from './contract-stats.js';
import { stoppingCases } from './contract-stopping.js';

/** What every runtime must do, as the kubelet relies on it. */
export const contractAreas: readonly ContractArea[] = [
  { area: 'runtime', cases: runtimeCases },
  { area: 'sandbox', cases: sandboxCases },
  { area: 'container', cases: containerCases },
  { area: 'start', cases: startingCases },
  { area: 'StopContainer', cases: stoppingCases },
  { area: 'lists', cases: listCases },
  { area: 'ExecSync', cases: execCases },
  { area: 'logs', cases: logCases },
  { area: 'settings', cases: settingCases },
  { area: 'images', cases: imageCases },
  { area: 'stats', cases: statsCases },
  { area: 'events', cases: eventCases },
  { area: 'at once', cases: parallelCases },
];
