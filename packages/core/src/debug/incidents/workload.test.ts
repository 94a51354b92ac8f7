import { expect, it } from 'vitest';
import { workloadOf } from './workload.js';

it.each([
  ['shop/web-6b4df4cd87-wk5kq', 'shop/web'],
  ['shop/web-7fd446fd7c-9mf6q', 'shop/web'],
  ['batch/backup-28394820-x7k2p', 'batch/backup'],
  ['kube-system/kube-proxy-zc9mm', 'kube-system/kube-proxy'],
  ['db/postgres-0', 'db/postgres-0'],
  ['kube-system/etcd-node1', 'kube-system/etcd-node1'],
  ['default/load-generator', 'default/load-generator'],
  ['default/web-hello', 'default/web-hello'],
])('the workload of %s is %s', (pod, workload) => {
  expect(workloadOf(pod)).toBe(workload);
});
