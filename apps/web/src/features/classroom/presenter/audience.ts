/** The audience as its presenter sees it: numbers, and how far each is. */
import type { AudienceMember } from '@syncloop/core/classroom';

export type Standing = 'stuck' | 'behind' | 'own' | 'away' | 'joining' | 'with';
/** The order of standings: those that may need help come first. */
export const STANDINGS: readonly Standing[] = ['stuck', 'behind', 'own', 'away', 'joining', 'with'];

export const standingOf = ({ place, behind }: AudienceMember): Standing =>
  place === 'with' && behind > 0 ? 'behind' : place;

/** Sorts the audience: those that may need help first, then the furthest behind, then by number. */
export function inOrder(audience: readonly AudienceMember[]): readonly AudienceMember[] {
  const rank = (m: AudienceMember) => STANDINGS.indexOf(standingOf(m));
  const apart = (m: AudienceMember) => (standingOf(m) === 'behind' ? m.behind : 0);
  return [...audience].sort((a, b) => rank(a) - rank(b) || apart(b) - apart(a) || a.number - b.number);
}

/** Counts the followers of each standing that there is. */
export function countsOf(audience: readonly AudienceMember[]): readonly { standing: Standing; n: number }[] {
  return STANDINGS.map((standing) => ({
    standing,
    n: audience.filter((m) => standingOf(m) === standing).length,
  })).filter(({ n }) => n > 0);
}
