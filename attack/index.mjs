/** The targets and the fuzzers. A new fuzzer is a file in `fuzzers/` and a line here. */
import api from './fuzzers/api.mjs';
import captures from './fuzzers/captures.mjs';
import classroomFuzzer from './fuzzers/classroom.mjs';
import dataFolders from './fuzzers/data-folders.mjs';
import floods from './fuzzers/floods.mjs';
import folders from './fuzzers/folders.mjs';
import frames from './fuzzers/frames.mjs';
import http from './fuzzers/http.mjs';
import kubeconfigs from './fuzzers/kubeconfigs.mjs';
import links from './fuzzers/links.mjs';
import logs from './fuzzers/logs.mjs';
import manifests from './fuzzers/manifests.mjs';
import podFloods from './fuzzers/pod-floods.mjs';
import recordings from './fuzzers/recordings.mjs';
import rootFolders from './fuzzers/root-folders.mjs';
import session from './fuzzers/session.mjs';
import shell from './fuzzers/shell.mjs';
import { Random } from './random.mjs';
import { commands } from './targets/commands.mjs';
import { kubelet } from './targets/kubelet.mjs';
import { classroom, serve } from './targets/serve.mjs';
import { starts } from './targets/starts.mjs';

export const targets = [serve, classroom, kubelet, commands, starts];
export const fuzzers = [
  ...[frames, session, classroomFuzzer, floods, http],
  ...[api, manifests],
  ...[kubeconfigs, shell, recordings, links],
  ...[logs, captures, folders, podFloods, dataFolders, rootFolders],
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
