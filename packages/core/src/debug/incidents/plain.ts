/** Takes from the text of an error the names that the sentence has, and those who only passed the error on. */

/** Each with the text inside; the outermost first. */
const WRAPPINGS: readonly RegExp[] = [
  /^failed to "\w+" for "[^"]*" with \w+: "?([\s\S]+?)"?$/,
  /^\w+\.\w+ failed for volume "[^"]*" \(UniqueName: "[^"]*"\) (?:pod "[^"]*" \(UID: "[^"]*"\) |(?:from|on) node "[^"]*" )?: ?([\s\S]+)/,
  /^rpc error: code = \w+ desc = ([\s\S]+)/,
  /^(?:failed to mount|mount failed|MountDevice failed|NodeStageVolume failed)?[\s\S]*Mounting arguments:[\s\S]*?Output: ([\s\S]+)/,
  /^Back-off pulling image "[^"]*": (?:\w+: )?([\s\S]+)/,
  /^rpc error: code = \w+ desc = ([\s\S]+)/,
  /^failed to pull and unpack image "[^"]*": ([\s\S]+)/,
  /^failed to resolve (?:reference|image) "[^"]*": ([\s\S]+)/,
  /^RunPodSandbox for &PodSandboxMetadata\{[^}]*\} failed, error(?:=|: )"?([\s\S]+)/,
  /^failed to set ?up network for sandbox "[^"]*": ([\s\S]+)/,
  /^([\s\S]+?) for volume "[^"]*" \(UniqueName: "[^"]*"\) (?:pod|from node|on node) [\s\S]*$/,
  /^failed to copy: httpReadSeeker: failed open: ([\s\S]+)/,
  /^Running (?:scope as unit|as unit): \S+\s+([\s\S]+)/,
];

/** Returns the text that says why. */
export function plain(text: string): string {
  let found = text.includes('\\') ? text.replaceAll('\\n', '\n').replaceAll('\\"', '"') : text;
  for (const wrapping of WRAPPINGS) found = wrapping.exec(found)?.[1] ?? found;
  return found.trim();
}

/** True for a text that repeats that there is trouble and does not say why. */
export const repeats = (text: string): boolean =>
  /^Back-off pulling image "[^"]*"$|unmounted volumes=|^context deadline exceeded$/.test(text);
