/** The targets and the fuzzers. A new fuzzer is a file in `fuzzers/` and a line here. */
import api from './fuzzers/api.mjs';
import classroomFuzzer from './fuzzers/classroom.mjs';
import floods from './fuzzers/floods.mjs';
import frames from './fuzzers/frames.mjs';
import http from './fuzzers/http.mjs';
import kubeconfigs from './fuzzers/kubeconfigs.mjs';
import links from './fuzzers/links.mjs';
import manifests from './fuzzers/manifests.mjs';
import recordings from './fuzzers/recordings.mjs';
import session from './fuzzers/session.mjs';
import shell from './fuzzers/shell.mjs';
import { Random } from './random.mjs';
import { commands } from './targets/commands.mjs';
import { kubelet } from './targets/kubelet.mjs';
import { classroom, serve } from './targets/serve.mjs';

export const targets = [serve, classroom, kubelet, commands];
export const fuzzers = [
  ...[frames, session, classroomFuzzer, floods, http],
  ...[api, manifests],
  ...[kubeconfigs, shell, recordings, links],
];

/** All of a target's fuzzers in turn, against one process: the short run of the tests. */
export const all = {
  name: 'all',
  targets: targets.map(({ name }) => name),
  packet: 'a packet of any of them',
  needsLinks: true,
  make(random, index, target) {
    const own = fuzzers.filter((fuzzer) => fuzzer.targets.includes(target.name));
    const fuzzer = own[index % own.length];
    return [{ op: 'fuzzer', name: fuzzer.name }, ...fuzzer.make(new Random(random.next(), fuzzer.name), index)];
  },
  async perform(running, [first, ...operations]) {
    const fuzzer = fuzzers.find(({ name }) => name === first?.name);
    if (!fuzzer) throw new Error('all: the first operation must name a fuzzer');
    return await fuzzer.perform(running, operations);
  },
};
