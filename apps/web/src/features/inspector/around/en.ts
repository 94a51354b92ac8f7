export const en = {
  'all.node.none': 'The kubelet has not reported anything about its node yet.',
  'all.node.alone': 'There is no API server to report to: this was determined once, at the start.',
  'all.node.registers': 'Not registered with the API server yet.',
  'all.node.reports': 'Registered. Reported {n} times, last at {t}.',
  'all.lease.renewals': 'renewed {n} times, last at {t}',
  'node.resource': 'resource',
  'node.capacity': 'has',
  'node.allocatable': 'for pods',
  'node.conditions': 'Conditions',
  'node.condition': 'condition',
  'node.resources': 'Capacity and what pods may have',
  'node.addresses': 'Addresses',
  'node.lease': 'Lease',
  'node.noLease': 'none: there is no API server',
  'node.images': 'Images',
  'node.noImages': 'none seen yet',
  'node.since': 'since {t}',
  'node.status': 'status',
  'node.reason': 'reason and message',
  'devices.title': 'Devices',
  'devices.device': 'Device',
  'devices.state': 'State',
  'devices.pod': 'Pod',
  'node.report': 'Reports',
  'around.source': 'In Kubernetes’ source:',
  'around.sourceOf': 'In the source of {version}:',
  'around.title': 'Good to know',
  'around.row': 'row {row} of the fidelity table',
} as const;

declare module '../../../i18n/index.js' {
  interface Texts extends Keys<typeof en> {}
}
