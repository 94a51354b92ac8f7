import type { KlogTable } from '../klog.js';
import { runtimeStatus } from '../klog-values.js';
import { absent, places } from './gen/klog-places.js';

/** The log of v1.32: as today's, but for client-go's reflectors, which print. */
export const klog: KlogTable = {
  places,
  absent,
  values: 'json',
  convert: { status: runtimeStatus },
  phrases: {
    'Requeuing pod due to pending update': 'Requeueing pod due to pending update',
    'Unhandled Error': 'Unhandled Error',
    'Pod admission denied': 'Pod admission denied',
    'Starting reflector': ['Starting reflector %s (%s) from %s', 'type', 'resyncPeriod', 'reflector'],
    'Listing and watching': ['Listing and watching %v from %s', 'type', 'reflector'],
    'Caches populated': ['Caches populated for %v from %s', 'type', 'reflector'],
    'Watch close': ['%s: Watch close - %v total %v items received', 'reflector', 'type', 'totalItems'],
    'Watch closed': ['%s: watch of %v closed with: %v', 'reflector', 'type', 'err'],
    'Watch failed - backing off': ['%s: watch of %v returned %v - backing off', 'reflector', 'type', 'err'],
    'Initializing migrated drivers on CSINode': ['Initializing migrated drivers on CSINode'],
    'State checkpoint: restored pod resource state from checkpoint':
      'State checkpoint: restored pod resource allocation state from checkpoint',
  },
};
