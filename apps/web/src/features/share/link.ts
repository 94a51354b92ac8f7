import { t } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';

/** Only the moments of a simulation can be linked to. */
export const canShare = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true && info.capabilities.rewind === true;
};

/** Returns the page's address with the present moment in it. Throws with the remedy if it is too long for any link. */
export async function linkNow(): Promise<string> {
  const [{ encodeMoment, LinkError, linkTo }, { momentNow }] = await Promise.all([
    import('./share.js'),
    import('./share-now.js'),
  ]);
  try {
    return linkTo(location.href, await encodeMoment(await momentNow()));
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    throw new Error(t(`share.bad.${error.problem}`, { why: error.message }));
  }
}

/** Returns true if the menus offer links at all. */
export const canLink = (): boolean => {
  const can = useSession.getState().info?.capabilities;
  return can?.scenarios === true && can.rewind === true;
};
