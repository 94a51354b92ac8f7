import type { KlogTable } from '../klog.js';
import { podActions, runtimeStatus } from '../klog-values.js';
import { phrases } from '../v1.25/klog-words.js';
import { absent, places } from './gen/klog-places.js';

/** The log of v1.21: the first with fields in nearly all lines, as Go prints them; texts of several lines in quotes. */
export const klog: KlogTable = {
  places,
  absent,
  values: 'go',
  convert: { status: runtimeStatus, podActions },
  phrases: {
    ...phrases,
    updateStatusInternal: null,
    'Killing container with a grace period': 'Killing container with a grace period override',
    // Said only if the container could not be killed after that.
    'Failed to execute PostStartHook': null,
    'Shutdown manager detected new shutdown event':
      'Shutdown manager detected new shutdown event, isNodeShuttingDownNow',
    'Device plugin connected': 'Registered endpoint',
    'HTTP-Probe': 'HTTP-Probe Host',
  },
};
