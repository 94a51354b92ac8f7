import type { MockRuntimeOptions } from '../../mock/index.js';
import type { Machine } from '../document/scenario.js';

/** The machine of a scenario as the mock runtime takes it. */
export function machineOptions(machine: Machine): MockRuntimeOptions {
  const { cpus, memory, swap, cgroupVersion, hugePages, addresses, nameservers, kernelVersion, osImage } = machine;
  const { runtimeVersion, userNamespaces, appArmor, mounts, registries } = machine;
  return {
    node: {
      ...(cpus !== undefined && { cpuMillis: cpus * 1000 }),
      ...(memory !== undefined && { memoryCapacityBytes: memory }),
      ...(swap !== undefined && { swapCapacityBytes: swap }),
      ...(cgroupVersion !== undefined && { cgroupVersion }),
      ...(hugePages && { hugePages: hugePages.map((size) => ({ pageSizeKB: size / 1024, pages: 0 })) }),
      ...(addresses && { addresses }),
      ...(nameservers && { resolvConf: nameservers.map((address) => `nameserver ${address}\n`).join('') }),
      ...(kernelVersion !== undefined && { kernelVersion }),
      ...(osImage !== undefined && { osImage }),
      ...(appArmor !== undefined && { appArmorEnabled: appArmor }),
    },
    ...(runtimeVersion !== undefined && { runtimeVersion }),
    ...(userNamespaces !== undefined && { userNamespaces }),
    ...(mounts === 'private' && { privateMounts: true }),
    ...(registries === 'none' && { offline: true }),
  };
}
