import { containerCases } from './containers.js';
import type { ContractArea } from './contract.js';
import { eventCases } from './events.js';
import { execCases } from './exec.js';
import { imageCases } from './images.js';
import { listCases } from './lists.js';
import { logCases } from './logs.js';
import { parallelCases } from './parallel.js';
import { privilegeCases } from './privileges.js';
import { runtimeCases } from './runtime.js';
import { sandboxCases } from './sandboxes.js';
import { settingCases } from './settings.js';
import { startingCases } from './starting.js';
import { statsCases } from './stats.js';
import { stoppingCases } from './stopping.js';

/** The contract of every runtime, as the kubelet relies on it. */
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
  { area: 'privileges', cases: privilegeCases },
  { area: 'images', cases: imageCases },
  { area: 'stats', cases: statsCases },
  { area: 'events', cases: eventCases },
  { area: 'at once', cases: parallelCases },
];
