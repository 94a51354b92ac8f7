import { unimplementedServices } from '../cri/index.js';
import type { Kernel } from '../kernel/index.js';
import { FaultInjector } from './faults.js';
import { MemFS } from './memfs.js';
import type { MockRuntime, MockRuntimeOptions } from './types.js';

/** A mock runtime on `kernel`, with a node around it. */
export function newMockRuntime(kernel: Kernel, options: MockRuntimeOptions = {}): MockRuntime {
  const services = unimplementedServices();
  const todo = (): never => {
    throw new Error('not yet');
  };
  return {
    runtime: services,
    image: services,
    fs: new MemFS(kernel),
    probeTransport: { httpGet: todo, tcpConnect: todo, grpcCheck: todo },
    nodeInfo: { hostname: options.nodeName ?? 'node1', addresses: [], memoryCapacityBytes: 8 << 30, cpuMillis: 4000, cgroupVersion: 1, resolvConf: 'nameserver 10.255.255.53\n' },
    faults: new FaultInjector(kernel, options.nodeName ?? 'node1'),
    running: true,
    process: kernel.main,
    stop: todo,
    start: todo,
    killContainer: todo,
    killSandbox: todo,
    oom: todo,
    exec: todo,
    shell: todo,
    addImage: todo,
    removeImage: todo,
    setRegistry: todo,
    setNetworkReady: todo,
    sandboxes: () => [],
    containers: () => [],
    logs: () => '',
  };
}
