/** Words that lanes, strip and outline have in common. */
import type { Translate } from '../../../i18n/index.js';
import type { ContainerGlyph } from './logic/lanes.js';
import type { ActionPart } from './logic/lanes-plan.js';
import { isStepName } from './logic/lanes-steps.js';

/** A step's name in the page's language; names that the kubelet itself uses stay as they are. */
export const stepName = (t: Translate, name: string): string => (isStepName(name) ? t(`lanes.step.${name}`) : name);

/** Returns a container's state in words, with the exit code if there is one. */
export function containerText(t: Translate, c: Pick<ContainerGlyph, 'state' | 'exitCode'>): string {
  return c.state === 'exited' ? `${t('state.exited')} ${c.exitCode ?? ''}`.trim() : t(`state.${c.state}`);
}

/** Puts one action of computePodActions into a word or two. */
export function actionText(t: Translate, a: ActionPart): string {
  switch (a.kind) {
    case 'create':
      return t('lane.actionCreate');
    case 'killPod':
      return t('lane.actionKillPod');
    case 'start':
      return t('lane.actionStart', { names: a.names });
    case 'init':
      return t('lane.actionInit', { names: a.names });
    case 'kill':
      return t('lane.actionKill', { names: a.names });
  }
}
