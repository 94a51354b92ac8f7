/** Removes from a text what containers and their commands wrote: hooks, probes, and messages of what has ended. */
import { redacted } from '../cri/redact.js';
import { closingQuote } from './secret-values.js';

/** Words of which one is in each of these, in lower case. */
export const outputWords: readonly string[] = [
  ...['lifecycle hook (', "' exited with ", 'message:', 'terminated"', 'terminated\\'],
  ...[
    'probe for "',
    'probe for \\',
    'probe failed',
    'probe errored',
    'probe warning',
    'start-of-body=',
    'body=',
    'probe status=',
  ],
];

/** The kubelet's own words about a probe, and the runtime's; anything else was said by a container. */
export const probeWords =
  /^(|HTTP probe failed with statuscode: \d+|service (un)?healthy[^\n]*|Get \\{0,3}"[^\n]*|dial [^\n]*|error: [^\n]*|timeout: [^\n]*|command "[^\n]*" timed out|command timed out[^\n]*|rpc error: code = \w+ desc = (?![^\n]*exited with)[^\n]*)$/;
/** Reasons with which a container that has ended itself wrote the message. */
const OWN_REASONS = new Set(['Error', 'Completed', 'OOMKilled', 'Unknown', 'seccomp killed', '']);

export function withoutOutput(text: string): string {
  let out = text;
  if (out.includes('lifecycle hook (') || out.includes("' exited with ")) out = withoutHooks(out);
  if (out.includes("' exited with ")) out = withoutErrors(out);
  if (out.includes('essage:')) out = withoutMessages(out);
  if (out.includes('terminated')) out = withoutTerminated(out);
  if (/[Pp]robe/.test(out)) out = withoutAnswers(out);
  return out;
}

/**
 * Removes what a lifecycle hook printed: it is at the end of its error, between quotes that are escaped as often as the
 * error was quoted: `Exec lifecycle hook ([sh]) for Container "c" in Pod "p" failed - error: ..., message: "..."`.
 * upstream: pkg/kubelet/lifecycle handlers.go
 */
function withoutHooks(text: string): string {
  const begin = /, message: (\\*)"/g;
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const { length: escapes } = found[1] ?? '';
    const from = begin.lastIndex;
    const to = closingQuote(text, from, escapes);
    out += `${text.slice(done, from)}${to > from ? redacted : ''}`;
    done = begin.lastIndex = Math.max(from, to);
  }
  return out + text.slice(done);
}

/**
 * Removes what a command wrote to stderr, at the end of its error: `command 'sh -c x' exited with 1: ...`.
 * upstream: cri-client remote_runtime.go ExecSync
 */
function withoutErrors(text: string): string {
  const begin = /' exited with -?\d{1,10}: /g;
  let out = '';
  let done = 0;
  let hook = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const from = begin.lastIndex;
    if (hook >= 0 && hook < from) hook = text.indexOf(', message: ', from);
    const to = hook >= 0 ? hook : errorEnd(text, found.index, from);
    const said = text.slice(from, to);
    out += text.slice(done, from);
    out += said === '' || said.startsWith('OCI runtime exec failed') ? said : redacted;
    done = begin.lastIndex = Math.max(from, to);
  }
  return out + text.slice(done);
}

/** Characters of a command before its end is looked for. */
const COMMAND = 4000;
/** The error as a whole may stand between quotes, as `err="command ..."` does. */
function errorEnd(text: string, at: number, from: number): number {
  const least = Math.max(0, at - COMMAND);
  const open = text.slice(least, at).lastIndexOf(`"command '`);
  if (open < 0) return text.length;
  let escapes = 0;
  while (text[least + open - 1 - escapes] === '\\') escapes++;
  return closingQuote(text, from, escapes);
}

/** The field that follows the message of a container, as Go prints the types that have one. */
const BEHIND =
  /,(?:StartedAt|Labels|Mounts|LogPath|FinishedAt|ContainerID|}|Resources):?|}| (?:Resources|Hash|Labels|Mounts|User|StopSignal):/g;

/** Removes the messages in `ContainerStatus{...Reason:Error,Message:...}` and its like. */
function withoutMessages(text: string): string {
  const begin =
    /\b(?:Reason:([A-Za-z ]{0,40}),? ?Message:|reason:\\{0,7}"([A-Za-z ]{0,40})\\{0,7}" {1,2}message:(\\{0,7})")/g;
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const from = begin.lastIndex;
    const [, reason = found[2] as string, , escapes] = found;
    if (!OWN_REASONS.has(reason.trim())) continue;
    // Conditions and events have other reasons. A message without a reason is theirs unless an exit code comes before
    // it.
    if (reason === '' && !/(?:ExitCode|exit_code):\d/.test(text.slice(Math.max(0, found.index - 1000), found.index)))
      continue;
    BEHIND.lastIndex = from;
    // Protobuf prints it in quotes.
    const to =
      escapes !== undefined ? closingQuote(text, from, escapes.length) : (BEHIND.exec(text)?.index ?? text.length);
    if (to === from) continue;
    out += `${text.slice(done, from)}${redacted}`;
    done = begin.lastIndex = to;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** The same as JSON: `"terminated":{"exitCode":1,"message":"...","reason":"Error"}`. */
function withoutTerminated(text: string): string {
  const begin = /(\\{0,7})"terminated\\{0,7}"\s?:\s?\{/g;
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const escapes = found[1] as string;
    const { reason, message, end } = fieldsOf(text, begin.lastIndex, escapes.length);
    begin.lastIndex = end;
    if (!message || message[0] === message[1] || !OWN_REASONS.has(reason)) continue;
    out += `${text.slice(done, message[0])}${redacted}`;
    done = message[1];
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Returns reason, place of the message and end of a flat object whose quotes are escaped so often. */
function fieldsOf(text: string, from: number, escapes: number) {
  let at = from;
  let key = '';
  let reason = '';
  let message: readonly [number, number] | null = null;
  for (let value = false; at < text.length && text[at] !== '}'; ) {
    if (text[at] === '"') {
      const begin = at + 1;
      const end = closingQuote(text, begin, escapes);
      if (!value) key = text.slice(begin, end);
      else if (key === 'message') message = [begin, end];
      else if (key === 'reason') reason = text.slice(begin, end);
      at = end + escapes + 1;
    } else if (text[at] === ':' || text[at] === ',') value = text[at++] === ':';
    else at++;
  }
  return { reason, message, end: Math.min(at, text.length) };
}

const PROBE =
  /((?:Liveness|Readiness|Startup) probe (?:failed|warning|errored)[^:\n]{0,80}: |[Pp]robe for \\{0,15}"[^"\n]{0,300}" (?:failed|errored)[^:\n]{0,80}: )/g;
/** Removes the answer to a probe, at the end of an event or of a line of the older form. Text after a body is lost. */
function withoutAnswers(text: string): string {
  PROBE.lastIndex = 0;
  const found = PROBE.exec(text);
  if (found) {
    const from = PROBE.lastIndex;
    // In JSON within a text it ends where it is quoted.
    const quote = /(\\{0,15})"[^"\n]{0,3}$/.exec(text.slice(Math.max(0, found.index - 20), found.index));
    const to = quote ? closingQuote(text, from, quote[1]?.length ?? 0) : text.length;
    const said = text.slice(from, to);
    if (!probeWords.test(said) && !said.startsWith(redacted))
      text = `${text.slice(0, from)}${redacted}${text.slice(to)}`;
  }
  const output = /\bprobe status=\w{1,20} output=(\\{0,7})"/.exec(text);
  if (output) {
    const from = output.index + output[0].length;
    text = `${text.slice(0, from)}${redacted}${text.slice(closingQuote(text, from, output[1]?.length ?? 0))}`;
  }
  return text.replace(/(\b(?:start-of-body=|body=(?=\\{0,7}"))\\{0,7}"?)[\s\S]+$/, `$1${redacted}`);
}
