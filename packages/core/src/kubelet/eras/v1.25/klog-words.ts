import type { KlogTable } from '../klog.js';
import { podActions, runtimeStatus } from '../klog-values.js';
import { absent, places } from './gen/klog-places.js';

/** The texts of v1.21 and v1.25 where v1.36 writes fields, and other texts of theirs. */
export const phrases: KlogTable['phrases'] = {
  'Starting reflector': ['Starting reflector %s (%s) from %s', 'type', 'resyncPeriod', 'reflector'],
  'Listing and watching': ['Listing and watching %v from %s', 'type', 'reflector'],
  'Watch close': ['%s: Watch close - %v total %v items received', 'reflector', 'type', 'totalItems'],
  'Watch closed': ['%s: watch of %v closed with: %v', 'reflector', 'type', 'err'],
  'Watch failed - backing off': ['%s: watch of %v ended with: %v', 'reflector', 'type', 'err'],
  'Unable to write event (may retry after sleeping)': [
    "Unable to write event: '%#v': '%v'(may retry after sleeping)",
    'event',
    'err',
  ],
  'Failed to ensure lease exists, will retry': [
    'failed to ensure lease exists, will retry in %v, error: %v',
    'interval',
    'err',
  ],
  "Deleted mirror pod as it didn't match the static Pod": 'Deleted mirror pod because it is outdated',
  'Initializing migrated drivers on CSINode': ['Initializing migrated drivers on CSINode'],
  // HandleError printed the error alone.
  'Unhandled Error': ['%v', 'err'],
  'Eviction manager: starting control loop': null,
  'Topology manager admission check': 'Topology Admit Handler',
};

/** The log of v1.22 to v1.25: fields as Go prints them, lists without quotes, several lines as a block. */
export const klog: KlogTable = {
  places,
  absent,
  values: 'go',
  blocks: true,
  convert: { status: runtimeStatus, podActions },
  phrases,
};
