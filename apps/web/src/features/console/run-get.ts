/** get, describe, events and crictl: commands that only look. */
import {
  type ConsoleCommand,
  crictlContainers,
  describeNode,
  describePod,
  EventFolder,
  eventTable,
  fullObjects,
  imagesOf,
  imagesTable,
  inspect,
  nodeTable,
  type Printed,
  type PrintedRow,
  podRow,
  podsTable,
  podTable,
  printedTable,
  printObjects,
  psTable,
  selectEvents,
  selectPods,
  selectPrinted,
  type Table,
  TablePrinter,
  type World,
  withStatus,
} from '@syncloop/core/kubectl';
import type { Seq } from '@syncloop/core/trace';
import { eventIndex, firstAt, statusIndex } from '../../run/record-index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { admitRecordsOnly, type Io, lookAround, notFound, say, until } from './context.js';
import { freshObjects, knownObjects, objectsRefused } from './objects.js';
import type { Pod } from './pod.js';
import { ownNode } from './world.js';

type Get = Extract<ConsoleCommand, { do: 'get' }>;

const write = (io: Io, printer: TablePrinter, table: Table) => {
  if (table.length > 0) io.out(printer.lines(table).join('\n'));
};
const nothing = (io: Io, namespace: string | null) =>
  io.err(namespace === null ? 'No resources found' : `No resources found in ${namespace} namespace.`);

export async function get(io: Io, c: Get): Promise<void> {
  const world = await lookAround();
  if (c.resource === 'pods') return getPods(io, c, world);
  const server = knownObjects().cluster?.find((r) => r.resource === c.resource);
  // A watch reads the records, from which it can go on.
  if (server && !c.watch) return getPrinted(io, c, server);
  if (c.output === 'yaml' || c.output === 'json' || (c.resource !== 'nodes' && c.resource !== 'events')) {
    io.err(`error: ${say('console.needsServer', { what: c.resource })}`);
    return;
  }
  if (c.resource === 'nodes') {
    const nodes = world.nodes.filter((n) => c.names.length === 0 || c.names.includes(n.name));
    for (const name of c.names)
      if (!nodes.some((n) => n.name === name)) io.err(`Error from server (NotFound): nodes "${name}" not found`);
    if (c.output === 'name') io.out(nodes.map((n) => `node/${n.name}`).join('\n'));
    else if (nodes.length > 0) write(io, new TablePrinter(), nodeTable(nodes, world.now, c));
    return;
  }
  return getEvents(io, c, world);
}

/** Prints the API server's answer as kubectl shows it. */
function getPrinted(io: Io, c: Get, server: Printed): void {
  const { found, missing } = selectPrinted(server, c);
  const rows = c.resource === 'events' ? byTime(found) : found;
  if (c.output === 'yaml' || c.output === 'json') {
    if (rows.length > 0 || c.names.length === 0)
      io.out(printObjects(fullObjects(server, rows), c.output, c.names.length === 1).trimEnd());
  } else if (c.output === 'name') {
    if (rows.length > 0) io.out(rows.map((r) => `${fullName(server)}/${r.object.metadata.name}`).join('\n'));
  } else if (rows.length > 0) write(io, new TablePrinter(), printedTable(server, rows, c));
  else if (c.names.length === 0) nothing(io, server.namespaced ? c.namespace : null);
  for (const name of missing) io.err(`Error from server (NotFound): ${fullResource(server)} "${name}" not found`);
}
const groupOf = ({ apiVersion }: Printed): string =>
  apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
const fullName = (server: Printed): string => `${server.kind.toLowerCase()}${groupOf(server)}`;
const fullResource = (server: Printed): string => `${server.resource}${groupOf(server)}`;
/** Sorts events by their last time: that is what one wants to read. */
const byTime = (rows: readonly PrintedRow[]): readonly PrintedRow[] => {
  const last = ({ object }: PrintedRow) => String(object.lastTimestamp ?? object.eventTime ?? '');
  return [...rows].sort((a, b) => (last(a) < last(b) ? -1 : last(a) > last(b) ? 1 : 0));
};

async function getPods(io: Io, c: Get, world: World): Promise<void> {
  const { found, missing } = selectPods(world.pods, c);
  const printer = new TablePrinter();
  if (c.watch !== 'only') {
    if (c.output === 'yaml' || c.output === 'json') {
      if (found.length > 0 || c.names.length === 0)
        io.out(printObjects(found, c.output, c.names.length === 1).trimEnd());
      admitRecordsOnly(io);
    } else if (c.output === 'name') {
      if (found.length > 0) io.out(found.map((p) => `pod/${p.metadata.name}`).join('\n'));
    } else if (found.length > 0) write(io, printer, podTable(found, world.now, c));
    else if (c.names.length === 0 && !c.watch) nothing(io, c.namespace);
    for (const name of missing) notFound(io, name, world.pods);
    tellOfServer(io, c, found, world.now);
  }
  if (c.watch && missing.length === 0) await watchPods(io, c, printer, found.length > 0 && c.watch === 'list');
}

/** Most pods that a note names. */
const MOST_NAMED = 5;

/** Notes pods that differ between the API server and the kubelet: kubectl would show those. */
function tellOfServer(io: Io, c: Get, found: readonly Pod[], now: number): void {
  const { api } = knownObjects();
  if (api === null) return;
  const here = selectPods(api, c).found;
  const others = here.flatMap((pod) => {
    const { name, ready, status } = podRow(pod, now);
    const own = found.find((p) => p.metadata.name === name && p.metadata.namespace === pod.metadata.namespace);
    const same = own && podRow(own, now);
    return same?.ready === ready && same.status === status ? [] : [`${name} ${ready} ${status}`];
  });
  const more = others.length > MOST_NAMED ? ` … +${others.length - MOST_NAMED}` : '';
  if (others.length > 0) io.note('console.serverHas', { pods: others.slice(0, MOST_NAMED).join(', ') + more });
}

/** Follows the run; `gone()` is true once it did not go on from its last position. */
function follower(io: Io): { gone(): boolean; last: Seq } {
  const { epoch, seq } = trace.cursor;
  let noted = false;
  return {
    last: seq,
    gone() {
      if (trace.cursor.epoch === epoch) return false;
      if (!noted) io.note('console.watchEnds');
      noted = true;
      return true;
    },
  };
}

/** A line for each status that the kubelet gives a pod. */
async function watchPods(io: Io, c: Get, printer: TablePrinter, headed: boolean): Promise<void> {
  const run = follower(io);
  let head = headed || c.noHeaders;
  await until(io.signal, () => {
    if (run.gone()) return true;
    const records = statusIndex.sync(trace.records);
    const { info } = useSession.getState();
    const rows: string[][] = [];
    for (const r of records.slice(firstAt(records, run.last + 1))) {
      run.last = r.seq;
      const view = trace.state.pods[r.uid] ?? { uid: r.uid, pod: r.pod, source: '', worker: null };
      const status = r.kind === 'status' ? r.status : (trace.state.pods[r.uid]?.status ?? lastStatusOf(r.uid, r.seq));
      if (status === null) continue;
      const known = knownObjects().pods.find((p) => p.metadata.uid === r.uid);
      const pod = withStatus(view, status as unknown as Pod['status'], info?.node ?? '', known);
      if (selectPods([pod], c).found.length === 0) continue;
      if (c.output === 'name') {
        io.out(`pod/${pod.metadata.name}`);
        continue;
      }
      const table = podTable([pod], (info?.epochMillis ?? 0) + r.time / 1000, { ...c, noHeaders: head });
      head = true;
      rows.push(...table.map((row) => [...row]));
    }
    write(io, printer, rows);
    return false;
  });
}

/** Returns a pod's last status before it was forgotten. */
function lastStatusOf(uid: string, before: Seq) {
  const records = statusIndex.items;
  for (let i = firstAt(records, before) - 1; i >= 0; i--) {
    const r = records[i];
    if (r?.kind === 'status' && r.uid === uid) return r.status;
  }
  return null;
}

async function getEvents(io: Io, c: Get, world: World): Promise<void> {
  const printer = new TablePrinter();
  const found = selectEvents(world.events, c);
  if (c.watch !== 'only') {
    if (c.output === 'name') io.out(found.map((e) => `event/${e.name}.${e.seqs[0]}`).join('\n'));
    else if (found.length > 0) write(io, printer, eventTable(found, world, c));
    else if (!c.watch) nothing(io, c.namespace);
  }
  if (!c.watch) return;
  const run = follower(io);
  let head = c.noHeaders || (found.length > 0 && c.watch === 'list');
  const folder = new EventFolder();
  await until(io.signal, () => {
    if (run.gone()) return true;
    const records = eventIndex.sync(trace.records);
    for (const r of records.slice(firstAt(records, run.last + 1))) {
      run.last = r.seq;
      folder.add(r);
      const one = selectEvents(folder.list().slice(-1), c);
      if (one.length === 0) continue;
      write(io, printer, eventTable(one, { time: r.time }, { ...c, noHeaders: head }));
      head = true;
    }
    return false;
  });
}

export async function describe(io: Io, c: Extract<ConsoleCommand, { do: 'describe' }>): Promise<void> {
  const world = await lookAround();
  if (c.resource === 'nodes') return describeNodes(io, c, world);
  const base = { names: [] as string[], namespace: c.namespace, labels: c.labels, fields: [] };
  let pods: Pod[];
  if (c.names.length === 0) pods = selectPods(world.pods, base).found;
  else {
    pods = [];
    for (const name of c.names) {
      const here = selectPods(world.pods, { ...base, labels: [] }).found;
      const exact = here.filter((p) => p.metadata.name === name);
      // A beginning of a name will do. upstream: kubectl pkg/cmd/describe DescribeMatchingResources
      const found = exact.length > 0 ? exact : here.filter((p) => p.metadata.name.startsWith(name));
      if (found.length === 0) notFound(io, name, here);
      pods.push(...found);
    }
  }
  if (pods.length === 0 && c.names.length === 0) nothing(io, c.namespace);
  const texts = pods.map((pod) =>
    describePod(
      pod,
      world.events.filter((e) => e.uid === pod.metadata.uid),
      world,
    ).trimEnd(),
  );
  if (texts.length > 0) io.out(texts.join('\n\n\n'));
  if (pods.length > 0) admitRecordsOnly(io);
}

/** Describes the API server's nodes, or without a server the kubelet's own node. */
function describeNodes(io: Io, c: Extract<ConsoleCommand, { do: 'describe' }>, world: World): void {
  const { cluster } = knownObjects();
  const of = (resource: string) => cluster?.find((r) => r.resource === resource)?.rows.map((r) => r.object) ?? [];
  const nodes = cluster ? of('nodes') : ownNode(trace.state, world);
  const wanted = nodes.filter((n) => c.names.length === 0 || c.names.some((name) => n.metadata.name.startsWith(name)));
  for (const name of c.names)
    if (!nodes.some((n) => n.metadata.name.startsWith(name)))
      io.err(`Error from server (NotFound): nodes "${name}" not found`);
  const texts = wanted.map((node) =>
    describeNode(node, {
      lease:
        of('leases').find(
          (l) => l.metadata.namespace === 'kube-node-lease' && l.metadata.name === node.metadata.name,
        ) ?? null,
      pods: world.pods,
      events: world.events.filter((e) => e.kind === 'Node' && e.name === node.metadata.name),
      now: world.now,
      time: world.time,
    }).trimEnd(),
  );
  if (texts.length > 0) io.out(texts.join('\n\n\n'));
  else if (c.names.length === 0) nothing(io, null);
  if (!cluster && texts.length > 0) io.note('console.ownNode');
}

type Crictl = Exclude<Extract<ConsoleCommand, { do: 'crictl' }>, { what: 'logs' }>;

export async function crictl(io: Io, c: Crictl): Promise<void> {
  const { state, cursor } = trace;
  const table = (rows: Table) => write(io, new TablePrinter(), rows);
  switch (c.what) {
    case 'ps':
      table(psTable(state, cursor.time, c.all));
      if (!c.all && crictlContainers(state, true).length > crictlContainers(state, false).length)
        io.note('console.psAll');
      break;
    case 'pods':
      table(podsTable(state, cursor.time));
      break;
    case 'images':
      table(imagesTable(objectsRefused() === '' ? (await freshObjects()).images : imagesOf(state)));
      break;
    case 'inspect':
    case 'inspectp': {
      const what = c.what === 'inspect' ? 'container' : 'sandbox';
      const text = inspect(state, c.id, what);
      if (text === null)
        io.err(`FATA[0000] getting the status of the ${what} "${c.id}": rpc error: code = NotFound desc = not found`);
      else if (text === 'many') io.err(`FATA[0000] ID "${c.id}" matches several; write more of it`);
      else io.out(text.trimEnd());
      break;
    }
  }
  if (!state.actual) io.note('console.observed');
}
