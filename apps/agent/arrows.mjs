/**
 * The rooms of the agent, from the ground floor up: which other rooms each may import, and which packages. A room not
 * named in `rooms` may not be imported, so all arrows point down the list.
 */
const src = 'apps/agent/src';

/** Room -> rooms and packages that it may import. Each room is above those that it names. */
const rooms = {
  // The ground floor: errors, files, sockets, certificates, secrets.
  base: { rooms: [], packages: ['yaml'] },
  net: { rooms: ['base'] },
  tls: { rooms: [], packages: ['@peculiar/asn1-csr', '@peculiar/asn1-schema', '@peculiar/asn1-x509'] },
  redaction: { rooms: [] },
  // Codes in links to a page, and which pages run.
  links: { rooms: ['base', 'net'] },
  // Code that tests of several rooms share. It is not in the build.
  testing: { rooms: ['base', 'net', 'tls'] },
  cli: { rooms: ['base', 'redaction'] },
  // Limits of commands that read strangers' files.
  limits: { rooms: ['base', 'cli'] },
  config: { rooms: ['base', 'cli'] },
  // The outside of a node: the machine, the container runtime, the API server, a collector of spans.
  host: { rooms: ['base'], packages: ['@grpc/grpc-js'] },
  cri: { rooms: ['base'], packages: ['@grpc/grpc-js'] },
  'api-client': { rooms: ['base', 'host'], packages: ['@kubernetes/client-node'] },
  telemetry: {
    rooms: ['base', 'net', 'redaction', 'cli', 'config'],
    packages: ['@grpc/grpc-js', '@bufbuild/protobuf'],
  },
  security: { rooms: ['base'] },
  recording: { rooms: ['base', 'redaction'] },
  tap: { rooms: ['base', 'cri'] },
  plugins: { rooms: ['base', 'cri', 'host'], packages: ['@grpc/grpc-js', '@bufbuild/protobuf'] },
  // The node, and its servers.
  node: { rooms: ['base', 'config', 'host', 'cri', 'plugins', 'security'] },
  // The node's certificate for an API server.
  credentials: { rooms: ['base', 'tls', 'host', 'api-client', 'node'] },
  'kubelet-server': { rooms: ['base', 'net', 'tls', 'config', 'host', 'node'] },
  'api-data': { rooms: ['base', 'host'], packages: ['@sqlite.org/sqlite-wasm'] },
  'api-server': { rooms: ['base', 'net', 'tls', 'api-client', 'api-data', 'node'] },
  // Work that is split, and the files of its results.
  shards: { rooms: ['base', 'cli'] },
  // A kubelet that is not ours: its log, its journal, and its other sources.
  observe: {
    rooms: ['base', 'net', 'cri', 'limits'],
    packages: ['@grpc/grpc-js', '@bufbuild/protobuf', 'xz-decompress'],
  },
  // Places that keep the logs of many nodes.
  stores: { rooms: ['base'] },
  // The logs of many nodes.
  fleet: { rooms: ['base', 'limits', 'observe'] },
  // Our kubelet, run with the inputs of an observed one and compared with it.
  twin: { rooms: ['base', 'limits', 'observe', 'redaction'] },
  // The debugger: the page's server, and the sessions that it serves.
  server: { rooms: ['net', 'links'], packages: ['socket.io'] },
  debugger: { rooms: ['base', 'net', 'links', 'recording', 'redaction', 'server'] },
  nodes: { rooms: ['base', 'net', 'links', 'server'] },
  classroom: { rooms: ['base', 'net', 'cli', 'server'], packages: ['socket.io'] },
  simulation: { rooms: ['base', 'server', 'classroom'] },
  // The judges of the node and of runtimes. Nothing but their command imports them.
  conformance: { rooms: ['base', 'cli', 'shards', 'config', 'cri', 'node', 'observe', 'kubelet-server'] },
};
const names = Object.keys(rooms);
const folders = (list) => list.map((room) => `${src}/${room}`);

const rule = (room, below, packages = []) => ({
  from: `${src}/${room}`,
  may: ['packages/core/src', 'packages/observe/src', 'packages/workshop/src', ...folders(below)],
  packages: ['node:', ...packages],
  // A test of a command runs it as the program does.
  tests: folders([
    'testing',
    'tls',
    ...(room === 'commands' || room === 'attack' ? ['main'] : []),
    // Its tests send spans to the receiver, and open archives.
    ...(room === 'observe' ? ['telemetry', 'conformance/tar'] : []),
    // A node that joins, to the server that it joins.
    ...(room === 'credentials' ? ['api-server'] : []),
  ]),
});

/**
 * The rules in the form of RULES of scripts/arrows.mjs: the longest `from` that contains a file is its rule. `tests`:
 * for tests only.
 */
export const AGENT_RULES = [
  ...names.map((room) => rule(room, rooms[room].rooms, rooms[room].packages)),
  rule('commands', names),
  // Attacks on several rooms at once: tests only.
  rule('attack', [...names, 'commands']),
  // main.ts, and each room that is not listed above.
  {
    from: src,
    may: ['packages/core/src', 'packages/observe/src', 'packages/workshop/src'],
    packages: ['node:'],
    never: folders(names.filter((room) => !['base', 'cli', 'limits'].includes(room))),
    tests: folders(['testing', 'cri']),
  },
];
