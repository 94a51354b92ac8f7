import { background } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';

/** The runtime as a whole: its version, state and configuration. */
export const runtimeCases: readonly ContractCase[] = [
  {
    name: 'Version names the runtime and the API',
    *run(c) {
      const v = yield* c.s.version(background, { version: '0.1.0' });
      c.same([v.version, v.runtimeApiVersion], ['0.1.0', 'v1'], 'versions');
      c.insist(Boolean(v.runtimeName) && Boolean(v.runtimeVersion), 'name and version of the runtime are reported');
      c.same(yield* c.s.version(background, {}), v, 'asked without a version');
      c.same(yield* c.s.version(background, { version: 'v9' }), v, 'asked for another version');
    },
  },
  {
    name: 'Status: runtime and network are ready',
    *run(c) {
      const { status, info } = yield* c.s.status(background, {});
      const ready = (type: string) => status?.conditions?.find((x) => x.type === type)?.status ?? false;
      c.same([ready('RuntimeReady'), ready('NetworkReady')], [true, true], 'conditions');
      c.same(info ?? {}, {}, 'info is for verbose answers');
    },
  },
  {
    name: 'Status, verbose: the configuration as JSON',
    *run(c) {
      const { info } = yield* c.s.status(background, { verbose: true });
      c.insist(typeof JSON.parse(info?.config ?? '') === 'object', 'info.config is an object');
      c.insist(Boolean(info?.golang), 'info.golang is there');
    },
  },
  {
    name: 'Status: handlers of the runtime',
    *run(c) {
      const { runtimeHandlers = [] } = yield* c.s.status(background, {});
      c.recent(
        runtimeHandlers.some((h) => (h.name ?? '') === ''),
        'Status lists the default handler',
      );
      c.recent(
        runtimeHandlers.some((h) => h.name === 'runc'),
        'Status lists runc',
      );
    },
  },
  {
    name: 'RuntimeConfig: the cgroup driver',
    *run(c) {
      const { linux } = yield* c.implemented(c.s.runtimeConfig(background, {}));
      c.insist(linux !== undefined, 'there is a section about Linux');
      c.insist(['SYSTEMD', 'CGROUPFS'].includes(linux?.cgroupDriver ?? 'SYSTEMD'), 'the driver is one of the two');
    },
  },
  {
    name: 'UpdateRuntimeConfig takes a pod CIDR',
    *run(c) {
      c.same(yield* c.s.updateRuntimeConfig(background, {}), {}, 'without one');
      c.same(
        yield* c.s.updateRuntimeConfig(background, { runtimeConfig: { networkConfig: { podCidr: '10.7.0.0/24' } } }),
        {},
        'with one',
      );
    },
  },
];
