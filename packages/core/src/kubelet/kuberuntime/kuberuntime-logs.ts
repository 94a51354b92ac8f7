import { utf8Bytes, utf8Text } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';

/** More than any 80 lines that count. */
const readLimit = 1 << 20;

/**
 * Returns the content of a line of a CRI log: its text without time, stream and tag; a partial line without its
 * newline.
 * upstream: cri-client pkg/logs parseCRILog
 */
export function parseCRILogLine(line: string): string | null {
  const m = /^(\S+) (stdout|stderr) (\S*) ([\s\S]*)$/.exec(line);
  if (!m) return null;
  const partial = (m[3] as string).split(':')[0] === 'P';
  return partial ? (m[4] as string) : `${m[4]}\n`;
}

/**
 * The end of a container's log: of the last `lines` lines, the last `bytes` bytes (fidelity 2:U-05).
 * upstream: readLastStringFromContainerLogs, cri-client pkg/logs ReadLogs
 */
export function* readLastStringFromContainerLogs(
  os: OSInterface,
  path: string,
  lines: number,
  bytes: number,
): Go<string> {
  const text = yield* os.readFile(path, { limit: readLimit, tail: true });
  // A last line without its newline does not count as a line, but is read.
  const all = text.split('\n');
  const rest = all.pop() ?? '';
  const tail = [...all.slice(-lines), ...(rest ? [rest] : [])];
  const out = tail.map(parseCRILogLine).join('');
  const raw = utf8Bytes(out);
  return raw.length > bytes ? utf8Text(raw.slice(-bytes)) : out;
}
