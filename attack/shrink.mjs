/**
 * Shrinks the inputs of a finding: fewer inputs, fewer operations and shorter texts, as long as the same violation
 * happens.
 */
import { replay } from './replay.mjs';

/** Most restarts of the target for one finding, and how long all of them may take, seconds. */
const TRIES = 60;
const SECONDS = 90;

/**
 * Resolves with `{inputs, together, reproduced, tries, violation}`. Inputs that were being performed are suspects
 * first, then more and more of those before.
 */
export async function shrink({ target, fuzzer, budgets, history, inFlight, violation, say, patience = {} }) {
  const { tries: most = TRIES, seconds = SECONDS } = patience;
  const end = performance.now() + seconds * 1000;
  let tries = 0;
  let last = violation;
  let together = false;
  const spent = () => tries >= most || performance.now() > end;
  const happens = async (inputs) => {
    if (spent() || inputs.length === 0) return false;
    tries++;
    // An operation without a field that it needs cannot be performed: that is not a finding.
    const again = await replay(target, fuzzer, { inputs, together, budgets }, { seconds: 15 }).catch(() => null);
    const same = again?.violation?.kind === violation.kind;
    if (same) last = again.violation;
    return same;
  };

  const before = history.filter((input) => !inFlight.includes(input));
  const suspects = [
    ...inFlight.map((input) => [[input], false]),
    [inFlight, true],
    ...[8, 40, 200, history.length].map((n) => [[...before.slice(-n), ...inFlight], false]),
    [[...before.slice(-40), ...inFlight], true],
  ];
  let inputs = null;
  for (const [candidate, atOnce] of suspects) {
    together = atOnce;
    if (await happens(candidate)) {
      inputs = candidate;
      break;
    }
  }
  if (!inputs) return { inputs: [...before.slice(-40), ...inFlight], reproduced: false, tries, violation };

  say(`  reproduced with ${inputs.length} inputs; making it small`);
  inputs = await fewer(inputs, happens, spent);
  for (let i = 0; i < inputs.length && !spent(); i++) {
    const at = (operations) => inputs.map((input, j) => (i === j ? operations : input));
    inputs = at(await fewer(inputs[i], (operations) => happens(at(operations)), spent));
    for (let j = 0; j < inputs[i].length && !spent(); j++) {
      const put = (operation) => at(inputs[i].map((o, k) => (j === k ? operation : o)));
      for (let better = true; better && !spent(); ) {
        better = false;
        for (const simpler of simplerThan(inputs[i][j])) {
          if (spent() || !(await happens(put(simpler)))) continue;
          inputs = put(simpler);
          better = true;
          break;
        }
      }
    }
  }
  return { inputs, ...(together && { together }), reproduced: true, tries, violation: last };
}

/** Zeller's delta debugging: removes parts, large ones first, while the rest still causes it. */
export async function fewer(list, happens, spent) {
  let parts = 2;
  while (list.length > 1 && !spent()) {
    const size = Math.ceil(list.length / parts);
    let smaller = null;
    for (let from = 0; from < list.length && !spent(); from += size) {
      const rest = [...list.slice(0, from), ...list.slice(from + size)];
      if (!(await happens(rest))) continue;
      smaller = rest;
      break;
    }
    if (smaller) {
      list = smaller;
      parts = Math.max(parts - 1, 2);
    } else if (size === 1) break;
    else parts = Math.min(list.length, parts * 2);
  }
  return list;
}

/** Values with less in them, the smallest first: a few, as each of them costs a start of the target. */
export function simplerThan(value) {
  if (typeof value === 'string') {
    // Statements and lines go one by one, as half a program is not a program.
    const parts = value.split(/(?<=[\n;])/);
    if (parts.length > 1 && parts.length < 40) return parts.map((_, i) => parts.filter((_, j) => i !== j).join(''));
    const half = value.length >> 1;
    return value.length < 2 ? [] : [value.slice(0, half), value.slice(half)];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return [
      ...value.map((_, i) => value.filter((_, j) => i !== j)),
      ...value.flatMap((v, i) => simplerThan(v).map((s) => value.map((w, j) => (i === j ? s : w)))),
    ];
  if (typeof value.$long === 'string' || typeof value.$deep === 'string') {
    const key = value.$long === undefined ? 'depth' : 'times';
    return value[key] > 1 ? [{ ...value, [key]: value[key] >> 1 }] : [];
  }
  if (value.$json !== undefined) return simplerThan(value.$json).map(($json) => ({ $json }));
  const keys = Object.keys(value).filter((key) => key !== 'op');
  return [
    ...(value.times > 1 ? [{ ...value, times: value.times >> 1 }] : []),
    ...keys.map((key) => {
      const { [key]: _, ...rest } = value;
      return rest;
    }),
    ...keys.flatMap((key) => simplerThan(value[key]).map((simpler) => ({ ...value, [key]: simpler }))),
  ];
}
