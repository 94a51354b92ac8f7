/** Framings of container runtimes, kubectl, talosctl, logcli and shippers of logs. */
import { at, by, type Framing, ISO } from './framing.js';

const POD = '(?:\\[pod/[^\\]]+\\] )?';
const CONTAINER = new RegExp(`^${POD}${ISO} (?:stdout|stderr) ([FP])(?::\\S*)? ?`);
/** `kubectl logs --timestamps`, with or without `--prefix`; `docker logs -t`. */
const TIMESTAMPS = new RegExp(`^${POD}${ISO}[ \\t]`);
/** A time, then the program or a stream of logs, then a record of klog: `… - kubelet I0509 `. */
const SHIPPER = new RegExp(`^${ISO}[ \\t]+(?:- )?([\\w./@-]{1,200})[ \\t:]+(?=[IWEF]\\d{4} \\d\\d:)`);
/** talosctl: the address of the node before each line. */
const TALOS =
  /^((?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}|(?=[\w.-]*[a-z])[\w.-]{1,200}): (?=\{"|[IWEF]\d{4} \d\d:)/;
const TALOS_KERNEL = /^((?:\d{1,3}\.){3}\d{1,3}|[\w.-]{1,200}): (kern|user|daemon): +\w+: \[([^\]]{10,40})\]: /;
/** logcli: a time, the labels, the line. */
const LOKI = new RegExp(`^${ISO} \\{((?:[\\w.]+="(?:[^"\\\\]|\\\\.)*"(?:, ?)?)*)\\} *`);

export const container: Framing = (line) => {
  const found = CONTAINER.exec(line);
  return (
    found && {
      text: line.slice(found[0].length),
      framing: 'container',
      ...at(found[1]),
      ...(found[2] === 'P' && { partial: true as const }),
    }
  );
};
export const timestamps: Framing = (line) => {
  const found = TIMESTAMPS.exec(line);
  return found && { text: line.slice(found[0].length), framing: 'timestamps', ...at(found[1]) };
};
export const shipper: Framing = (line) => {
  const found = SHIPPER.exec(line);
  if (!found) return null;
  // `aws logs tail` has a stream there, which names the kubelet among other things.
  const program = /(?:^|[^a-z])kubelet(?:[^a-z]|$)/.test(found[2] as string) ? 'kubelet' : found[2];
  return { text: line.slice(found[0].length), framing: 'shipper', ...at(found[1]), ...by(program, undefined) };
};
export const talos: Framing = (line) => {
  const found = TALOS.exec(line);
  if (found) return { text: line.slice(found[0].length), framing: 'talos', ...by(undefined, undefined, found[1]) };
  const kernel = TALOS_KERNEL.exec(line);
  return (
    kernel && {
      text: line.slice(kernel[0].length),
      framing: 'talos',
      ...at(kernel[3]),
      ...by(kernel[2] === 'kern' ? 'kernel' : 'machined', undefined, kernel[1]),
    }
  );
};
export const loki: Framing = (line) => {
  const found = LOKI.exec(line);
  if (!found) return null;
  const labels = new Map([...(found[2] as string).matchAll(/([\w.]+)="((?:[^"\\]|\\.)*)"/g)].map((l) => [l[1], l[2]]));
  const first = (...names: readonly string[]) => names.map((name) => labels.get(name)).find((value) => value);
  return {
    text: line.slice(found[0].length),
    framing: 'loki',
    ...at(found[1]),
    ...by(
      first('syslog_identifier', 'program', 'unit', 'systemd_unit', 'app', 'job'),
      undefined,
      first('hostname', 'host', 'nodename', 'node_name', 'node', 'instance'),
    ),
  };
};
/** k0s around the lines of the programs that it runs: `time="…" level=info msg="I0509 …" component=kubelet`. */
const SUPERVISED = /^time="([^"]{10,40})" level=\w+ msg="((?:[^"\\]|\\.)*)" component=([\w.-]+)/;
export const supervised: Framing = (line) => {
  if (!line.startsWith('time="')) return null;
  const found = SUPERVISED.exec(line);
  if (!found) return null;
  const said = (found[2] as string).replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c));
  return { text: said, framing: 'shipper', ...at(isoOf(found[1] as string)), ...by(found[3], undefined) };
};
const isoOf = (time: string) => time.replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
