import { type CRIError, containerState, sandboxState } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { loop, script, whenReady } from './scripts.js';

const texts = (results: readonly unknown[]) =>
  results.filter((r) => r instanceof Error).map((e) => (e as CRIError).details);

/** Cases in which several callers want things at once. */
export const parallelCases: readonly ContractCase[] = [
  {
    name: 'sandboxes at once have ids and IPs of their own',
    *run(c) {
      const made = yield* c.atOnce([0, 1, 2].map(() => () => c.sandbox()));
      const ids = made.map((m) => (m instanceof Error ? m.message : m.id));
      c.same(new Set(ids).size, 3, 'ids');
      const ips = [];
      for (const id of ids) ips.push((yield* c.sandboxStatus(id)).network?.ip);
      c.same(new Set(ips).size, 3, 'IPs');
    },
  },
  {
    name: 'one of several that want a sandbox’s name gets it',
    *run(c) {
      const config = c.sandboxConfig();
      const results = yield* c.atOnce([0, 1, 2].map(() => () => c.sandbox(config)));
      c.same(results.filter((r) => !(r instanceof Error)).length, 1, 'how many got it');
      for (const text of texts(results)) c.insist(text.includes('is reserved for'), `the others get: ${text}`);
    },
  },
  {
    name: 'one of several that want a container’s name gets it',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const results = yield* c.atOnce([0, 1, 2].map(() => () => c.create(sandbox, loop)));
      c.same(results.filter((r) => !(r instanceof Error)).length, 1, 'how many got it');
      for (const text of texts(results)) c.insist(text.includes('is reserved for'), `the others get: ${text}`);
    },
  },
  {
    name: 'one of several starts a container',
    *run(c) {
      const id = yield* c.create(yield* c.sandbox(), loop);
      const results = yield* c.atOnce([0, 1, 2].map(() => () => c.s.startContainer(background, { containerId: id })));
      c.same(results.filter((r) => !(r instanceof Error)).length, 1, 'how many did');
      for (const text of texts(results))
        c.insist(
          /^failed to set starting state for container "[0-9a-f]+": (container is already in starting state|container is in CONTAINER_RUNNING state)$/.test(
            text,
          ),
          `the others get: ${text}`,
        );
      c.same(containerState(yield* c.status(id)), 'CONTAINER_RUNNING', 'state');
    },
  },
  {
    name: 'containers of a sandbox start and stop at once',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const started = yield* c.atOnce(
        [0, 1, 2, 3].map(
          (i) => () => c.start(sandbox, loop, { metadata: { name: `app${i}` }, logPath: `app${i}/0.log` }),
        ),
      );
      c.same(texts(started), [], 'errors');
      const ids = started as string[];
      for (const id of ids) yield* c.exec(id, ...whenReady);
      const stopped = yield* c.atOnce(
        ids.map((containerId) => () => c.s.stopContainer(background, { containerId, timeout: '30' })),
      );
      c.same(texts(stopped), [], 'errors');
      for (const id of ids) {
        const s = yield* c.status(id);
        c.same([containerState(s), s.exitCode ?? 0], ['CONTAINER_EXITED', 0], 'each');
      }
    },
  },
  {
    name: 'several stop one container',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), loop);
      yield* c.exec(id, ...whenReady);
      const results = yield* c.atOnce(
        [0, 1, 2].map(() => () => c.s.stopContainer(background, { containerId: id, timeout: '30' })),
      );
      c.same(results, [{}, {}, {}], 'answers');
      c.same((yield* c.status(id)).exitCode ?? 0, 0, 'exit code');
    },
  },
  {
    name: 'several remove one container',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('exit 0'));
      yield* c.exited(id);
      const results = yield* c.atOnce([0, 1, 2].map(() => () => c.s.removeContainer(background, { containerId: id })));
      c.insist(
        results.some((r) => !(r instanceof Error)),
        'one of them does',
      );
      for (const text of texts(results))
        c.insist(/container is already in removing state|not found/.test(text), `others may get: ${text}`);
      yield* c.fails(c.s.containerStatus(background, { containerId: id }), 'NotFound');
    },
  },
  {
    name: 'several stop one sandbox',
    *run(c) {
      const sandbox = yield* c.sandbox();
      yield* c.start(sandbox, loop);
      const results = yield* c.atOnce(
        [0, 1, 2].map(() => () => c.s.stopPodSandbox(background, { podSandboxId: sandbox.id })),
      );
      // CNI plug-ins may race over the interface that the first of them deletes; a caller that asks again
      // gets no error.
      c.insist(texts(results).length < results.length, `one of them must succeed, got ${texts(results).join('; ')}`);
      c.recent(texts(results).length === 0, `all of them must succeed, got ${texts(results).join('; ')}`);
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      c.same(sandboxState(yield* c.sandboxStatus(sandbox.id)), 'SANDBOX_NOTREADY', 'state');
    },
  },
];
