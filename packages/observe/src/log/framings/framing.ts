import { isoMicros, type LocalTime } from '../times.js';

/** A line without its framing. */
export interface Unframed {
  /** The program's own text, or a piece of it. */
  readonly text: string;
  readonly framing: FramingName;
  /** The keeper's time for it, microseconds since 1970; not all give one. */
  readonly epochMicros?: number;
  /** The keeper's local time, if its zone or its year is not known. */
  readonly local?: LocalTime;
  /** Microseconds since the node booted, as `journalctl -o short-monotonic` has them. */
  readonly sinceBoot?: number;
  /** The process that wrote it, if the keeper names it. */
  readonly pid?: number;
  /** The program that wrote it, if the keeper names it: `kubelet`. */
  readonly program?: string;
  /** The node that it was written on, if the keeper names it. */
  readonly host?: string;
  /** The next piece belongs to the same line. */
  readonly partial?: true;
  /** The end is missing: a pager or `systemctl status` has cut it. */
  readonly cut?: true;
}

export type FramingName =
  | 'none'
  | 'journal'
  | 'journal-iso'
  | 'journal-full'
  | 'journal-monotonic'
  | 'journal-unix'
  | 'journal-json'
  | 'syslog'
  | 'kernel'
  | 'container'
  | 'docker'
  | 'timestamps'
  | 'shipper'
  | 'talos'
  | 'loki'
  | 'json'
  | 'csv'
  | 'keeper';

/** Takes a line out of one framing; null if it has another. */
export type Framing = (line: string) => Unframed | null;

export const ISO = '(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d))';
/** `kubelet[1432]: `, in which `(kubelet)` is systemd's process before it becomes the kubelet. */
export const WRITER = '([A-Za-z_(][^\\s\\[:]{0,100})(?:\\[(\\d{1,10})\\])?: ?';
export const HOST = '([^\\s\\[\\]]*[^\\s\\[\\]:])';

export const at = (text: string | undefined): { readonly epochMicros?: number } => {
  const epochMicros = isoMicros(text ?? '');
  return epochMicros === undefined ? {} : { epochMicros };
};
export const by = (
  program: string | undefined,
  pid: string | undefined,
  host?: string,
): Pick<Unframed, 'program' | 'pid' | 'host'> => ({
  ...(program && { program }),
  ...(pid && /^\d{1,10}$/.test(pid) && { pid: Number(pid) }),
  ...(host && { host }),
});
