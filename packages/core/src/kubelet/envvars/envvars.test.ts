import { describe, expect, it } from 'vitest';
import type { ServiceObject } from '../../api/cluster-types.js';
import { serviceEnvVarMap } from './envvars.js';

const service = (name: string, spec: ServiceObject['spec'], namespace = 'default'): ServiceObject => ({
  metadata: { name, namespace },
  ...(spec && { spec }),
});
const kubernetes = service('kubernetes', {
  clusterIP: '10.96.0.1',
  ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
});
const names = (services: ServiceObject[], namespace: string, links: boolean) => [
  ...new Set(
    [...serviceEnvVarMap(services, namespace, links).keys()].map((k) => k.split('_SERVICE_')[0]?.split('_PORT')[0]),
  ),
];

describe('service variables', () => {
  it("[3:POD-10] are named after service and port, in Docker's way too", () => {
    expect(
      Object.fromEntries(
        serviceEnvVarMap(
          [
            service('my-db', {
              clusterIP: '10.96.0.7',
              ports: [
                { name: 'sql-1', port: 5432 },
                { name: 'dns', port: 53, protocol: 'UDP' },
              ],
            }),
          ],
          'default',
          true,
        ),
      ),
    ).toEqual({
      MY_DB_SERVICE_HOST: '10.96.0.7',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_SQL_1: '5432',
      MY_DB_SERVICE_PORT_DNS: '53',
      MY_DB_PORT: 'tcp://10.96.0.7:5432',
      MY_DB_PORT_5432_TCP: 'tcp://10.96.0.7:5432',
      MY_DB_PORT_5432_TCP_PROTO: 'tcp',
      MY_DB_PORT_5432_TCP_PORT: '5432',
      MY_DB_PORT_5432_TCP_ADDR: '10.96.0.7',
      MY_DB_PORT_53_UDP: 'udp://10.96.0.7:53',
      MY_DB_PORT_53_UDP_PROTO: 'udp',
      MY_DB_PORT_53_UDP_PORT: '53',
      MY_DB_PORT_53_UDP_ADDR: '10.96.0.7',
    });
  });

  it('[3:POD-10] kubernetes always, others of the own namespace where links are wanted', () => {
    const web = service('web', { clusterIP: '10.96.0.2', ports: [{ port: 80 }] }, 'shop');
    const other = service('other', { clusterIP: '10.96.0.3', ports: [{ port: 80 }] }, 'elsewhere');
    const all = [web, kubernetes, other];
    expect(names(all, 'shop', true)).toEqual(['WEB', 'KUBERNETES']);
    expect(names(all, 'shop', false)).toEqual(['KUBERNETES']);
    expect(names(all, 'default', true)).toEqual(['KUBERNETES']);
    // One of that name elsewhere is a service like any other, and the pod's own wins.
    const own = service('kubernetes', { clusterIP: '10.96.0.9', ports: [{ port: 1 }] }, 'shop');
    expect(serviceEnvVarMap([own, kubernetes], 'shop', true).get('KUBERNETES_SERVICE_HOST')).toBe('10.96.0.9');
    expect(serviceEnvVarMap([kubernetes, own], 'shop', true).get('KUBERNETES_SERVICE_HOST')).toBe('10.96.0.9');
  });

  it('[3:POD-10] headless ones have none; an address of IPv6 stands in brackets', () => {
    expect(
      names(
        [service('h', { clusterIP: 'None', ports: [{ port: 80 }] }), service('e', { clusterIP: '' })],
        'default',
        true,
      ),
    ).toEqual([]);
    const six = serviceEnvVarMap([service('six', { clusterIP: 'fd00::7', ports: [{ port: 80 }] })], 'default', true);
    expect([six.get('SIX_SERVICE_HOST'), six.get('SIX_PORT')]).toEqual(['fd00::7', 'tcp://[fd00::7]:80']);
  });
});
