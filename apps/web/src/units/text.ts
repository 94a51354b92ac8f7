import type { Json, Micros } from '@syncloop/core/trace';

/** Seconds since start, as `12.345`. */
export function seconds(time: Micros, digits = 3): string {
  return (time / 1e6).toFixed(digits);
}

/** A length of time, in the unit that reads best: `0.4 ms`, `120 ms`, `1.5 s`, `5 min`. */
export function duration(micros: Micros): string {
  if (micros < 1_000) return `${micros} µs`;
  if (micros < 10_000) return `${trim(micros / 1_000, 1)} ms`;
  if (micros < 1_000_000) return `${Math.round(micros / 1_000)} ms`;
  if (micros < 120_000_000) return `${trim(micros / 1_000_000, 1)} s`;
  return `${trim(micros / 60_000_000, 1)} min`;
}
const trim = (n: number, digits: number): string => String(Number(n.toFixed(digits)));

/** Returns a pod's name on a single node: `default/web-node1` is `web-node1`. Other namespaces stay. */
export function shortPod(pod: string): string {
  return pod.startsWith('default/') ? pod.slice('default/'.length) : pod;
}

/**
 * Splits a pod's name before what its controller appended: five letters and digits of those that Kubernetes draws from,
 * or a StatefulSet's number. The end is empty for other names.
 */
export function splitName(name: string): readonly [head: string, end: string] {
  const end = /-([bcdfghjklmnpqrstvwxz2456789]{5}|\d{1,4})$/.exec(name)?.[0] ?? '';
  return [name.slice(0, name.length - end.length), end];
}

export function shortId(id: string): string {
  const bare = id.replace(/^\w+:\/\//, '');
  return bare.length > 13 ? bare.slice(0, 10) : bare;
}

type Fields = { readonly [key: string]: Json | undefined };
export function fields(value: Json | undefined): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Names in a list of strings, or of objects with a name or a pod. */
function names(value: Json | undefined): string[] {
  return list(value)
    .map((v) => textOf(v) || textOf(fields(v)?.name) || textOf(fields(v)?.pod) || textOf(fields(v)?.uid))
    .filter(Boolean);
}

/** Puts a channel's item into a few characters: `ADD web-node1`, `ContainerDied`, `tick`. */
export function itemLabel(item: Json): string {
  if (item === null) return '';
  if (typeof item === 'string') return item;
  if (typeof item === 'number') return `${seconds(item)} s`;
  const f = fields(item);
  if (!f) return Array.isArray(item) ? `${item.length}` : String(item);
  const what = textOf(f.op) || textOf(f.Op) || textOf(f.type) || textOf(f.Type) || textOf(f.result) || textOf(f.reason);
  const pods = names(f.pods ?? f.Pods).map(shortPod);
  const who = pods.length > 1 ? `${pods[0]} +${pods.length - 1}` : (pods[0] ?? shortPod(textOf(f.pod)));
  return [what, who].filter(Boolean).join(' ') || Object.keys(f).join(' ');
}

/** Puts a handler's arguments into a few characters. */
export function argsLabel(args: Json): string {
  if (args === null) return '';
  if (typeof args === 'string') return shortPod(args);
  if (Array.isArray(args))
    return args
      .map((a) => argsLabel(a as Json))
      .filter(Boolean)
      .join(' ');
  const f = fields(args);
  if (!f) return '';
  const pods = names(f.pods ?? f.Pods).map(shortPod);
  if (pods.length > 0) return pods.length > 2 ? `${pods[0]} +${pods.length - 1}` : pods.join(' ');
  // handleProbeSync has the pod's UID only.
  if (typeof f.probe === 'string') return [f.probe, textOf(f.status)].filter(Boolean).join(' ');
  return shortPod(textOf(f.pod)) || itemLabel(args);
}

/**
 * Returns a text from outside with its control characters as signs (ESC as ␛): codes that a terminal would obey are
 * shown, and a line stays a line.
 */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    if (code === 10) return '⏎';
    if (code === 127) return '␡';
    // Characters that turn the direction of writing would make a line look like another.
    return code > 127 ? '�' : String.fromCharCode(0x2400 + code);
  });
}
