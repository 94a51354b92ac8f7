import { remembered } from '../../base/index.js';

/** Texts around that of an error, which is the group: names that a sentence has itself, and those who passed it on. */
const WRAPPINGS: readonly RegExp[] = [
  /^failed to "\w+" for "[^"]*" with \w+: "?([\s\S]+?)"?$/,
  /^\w+\.\w+ failed for volume "[^"]*" \(UniqueName: "[^"]*"\) (?:pod "[^"]*" \(UID: "[^"]*"\) |(?:from|on) node "[^"]*" )?: ?([\s\S]+)/,
  /^rpc error: code = \w+ desc = ([\s\S]+)/,
  /(?:Mounting|Unmounting) arguments:[\s\S]*?Output: ([\s\S]+)/,
  /^(?:Unhandled Error: )?(?:init )?container [\s\S]* start failed in pod \S+: \w+: ([\s\S]+)/,
  /^failed to patch status "[\s\S]*" for (?:pod|node) "[^"]*": ([\s\S]+)/,
  /^failed to ensure that the pod: \S+ cgroups exist and are correctly applied: ([\s\S]+)/,
  /^Back-off pulling image "[^"]*": (?:\w+: )?([\s\S]+)/,
  /^failed to get sandbox image "[^"]*": ([\s\S]+)/,
  /^failed to pull image "[^"]*": ([\s\S]+)/,
  /^failed to pull and unpack image "[^"]*": ([\s\S]+)/,
  /^failed to resolve (?:reference|image) "[^"]*": ([\s\S]+)/,
  /^RunPodSandbox for &PodSandboxMetadata\{[^}]*\} failed, error(?:=|: )"?([\s\S]+)/,
  /^Failed to (?:create sandbox|generate sandbox config) for pod "[^"]*": ([\s\S]+)/,
  /^failed to set ?up network for sandbox "[^"]*": ([\s\S]+)/,
  /^([\s\S]+?) for volume "[^"]*" \(UniqueName: "[^"]*"\) (?:pod|from node|on node) [\s\S]*$/,
  /^failed to copy: httpRead(?:er)?Seeker: failed open: (?:failed to do request: )?([\s\S]+)/,
  /^Running (?:scope as unit|as unit): \S+\s+([\s\S]+)/,
  /^[\s\S]*rpc error: code = \w+ desc = ([\s\S]+)/,
  /failed to (?:set ?up|setup|destroy|tear ?down) (?:pod )?(?:network|sandbox)[^:]*: ([\s\S]+)/,
  /NetworkPlugin \w+ failed to (?:set up|teardown) pod "[^"]*" network: ([\s\S]+)/,
  /OCI runtime create failed: (?:[^:]*: )?(unable to start container process: [\s\S]+)/,
];

const MOST_LAYERS = 10;
/** A sentence quotes less; the patterns would take long for a line of many thousand characters. */
const LONGEST = 4_000;

function insideOf(text: string): string | undefined {
  for (const wrapping of WRAPPINGS) {
    const inside = wrapping.exec(text)?.[1];
    if (inside) return inside;
  }
  return undefined;
}

/** Returns the text of the innermost error: the part that says why. */
export const innermost = (text: string): string => innermostOf(text.slice(0, LONGEST));

const innermostOf = remembered((some: string): string => {
  let found = some.includes('\\') ? some.replaceAll('\\n', '\n').replaceAll('\\"', '"') : some;
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const inside = insideOf(found);
    if (inside === undefined) break;
    found = inside;
  }
  // The last quotation mark belongs to the text around it, if the error has opened none.
  const own = found.replace(/"+\]?$/, (end) => (found.indexOf('"') < found.length - end.length ? end : '')).trim();
  return quotesClosed(own, some.replaceAll('\\"', '"'));
});

/** Returns an error with as many quotation marks as it opens: one more, or one less, if that is how `whole` goes on. */
function quotesClosed(own: string, whole: string): string {
  const isEven = own.split('"').length % 2 === 1;
  if (isEven) return own;
  return whole.includes(`${own}"`) ? `${own}"` : own.replace(/"\]?$/, '');
}

/** Returns true for a text that repeats that there is trouble, and does not say why. */
export const repeats = (text: string): boolean =>
  /^Back-off pulling image "[^"]*"$|unmounted volumes=|^context deadline exceeded$/.test(text);
