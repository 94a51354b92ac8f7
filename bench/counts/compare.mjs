/** Measured counts against those that are kept in bench/counts.json. */

/**
 * `kept`: name -> `{ count, tolerance, what }`, where `tolerance` is the share by which a count may be higher. Returns
 * sentences: `losses` for counts that are too high, or on one side only, `gains` for those that are lower by as much. A
 * name in `absent` could not be measured here.
 */
export function compareCounts(kept, measured, absent = []) {
  const losses = [];
  const gains = [];
  const remedy = 'find what made it so, or keep it with `npm run bench -- --check --update` and say why in the commit';
  for (const [name, { count, tolerance, what }] of Object.entries(kept)) {
    if (absent.includes(name)) continue;
    const now = measured[name];
    if (now === undefined) {
      losses.push(`${name} is kept, but nothing measures it: take it out of bench/counts.json`);
      continue;
    }
    const text = `${name} (${what}): kept ${count}, measured ${rounded(now)}, tolerance ${Math.round(tolerance * 100)} %`;
    if (now > count * (1 + tolerance)) losses.push(`${text}: ${remedy}`);
    else if (now < count * (1 - tolerance)) gains.push(`${text}: better; --update keeps it`);
  }
  for (const name of Object.keys(measured))
    if (!(name in kept)) losses.push(`${name} is measured, but bench/counts.json does not have it: write it there`);
  return { losses, gains };
}

/** The kept counts with the measured values in their place. */
export function updatedCounts(kept, measured) {
  return Object.fromEntries(
    Object.entries(kept).map(([name, entry]) => [
      name,
      name in measured ? { ...entry, count: rounded(measured[name]) } : entry,
    ]),
  );
}

/** Three digits behind the point for small counts, none for large ones. */
export const rounded = (n) => (n < 1000 ? Number(n.toFixed(3)) : Math.round(n));
