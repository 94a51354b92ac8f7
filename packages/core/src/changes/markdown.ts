import { type Change, changes, eraBefore, erasWith, linkOf, oldNames } from './index.js';
import type { ShownBy } from './types.js';

type Count = ShownBy['evidence']['before'];
/** Says a count in words: "none", "1 or more", "3 at most". */
export function countWords({ exactly, atLeast, atMost }: Count): string {
  if (exactly !== undefined) return exactly === 0 ? 'none' : `${exactly}`;
  return atMost !== undefined ? `${atMost} at most` : `${atLeast ?? 1} or more`;
}

/** The table of docs/users/eras.md: names that people learned, and what became of them. */
export function namesTable(): string {
  const rows = oldNames.map(({ names, became, change }) => {
    const known = changes.find(({ id }) => id === change);
    const since = known ? ` Since ${known.since}: [${known.title.en}](#${anchorOf(known)}).` : '';
    return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${became.en}${since} |`;
  });
  return ['| You look for | In v1.36, and here |', '| --- | --- |', ...rows].join('\n');
}

/** Written as GitHub makes it of a heading. */
const anchorOf = ({ title }: Change): string =>
  title.en
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

/** The changes of docs/users/eras.md, by version. */
export function changesText(): string {
  const versions = [...new Set(changes.map(({ since }) => since))];
  return versions
    .map((version) => {
      const sections = changes.filter(({ since }) => since === version).map(changeText);
      return [`## ${version}`, ...sections].join('\n\n');
    })
    .join('\n\n');
}

function changeText(change: Change): string {
  const { title, before, after, why, upstream, until, names } = change;
  const links = upstream.map((place) => linkOf(place)).map(({ text, href }) => `[${text}](${href})`);
  return [
    `### ${title.en}`,
    '',
    `- Before: ${before.en}`,
    `- Since ${change.since}${until ? `, until ${until}` : ''}: ${after.en}`,
    `- Why: ${why.en}${links.length > 0 ? ` (${links.join(', ')})` : ''}`,
    `- ${shownText(change)}`,
    `- Names: ${names.map((name) => `\`${name}\``).join(', ')}`,
  ].join('\n');
}

function shownText(change: Change): string {
  const { shown } = change;
  if ('not' in shown) return `No run shows it: ${shown.not.en}`;
  const { scenario, evidence } = shown;
  const since = erasWith(change).join(', ');
  const counts = `${countWords(evidence.before)} in ${eraBefore(change)}, ${countWords(evidence.since)} in ${since}`;
  return `Shown by the scenario \`${scenario}\`. ${evidence.what.en}: ${counts}.`;
}
